# RUN: %python %s | FileCheck %s
"""A traced function is MLIR, with names, sizes and layouts."""

import coconet_mlir as cc


# CHECK: #mesh = #coconet.mesh<dp = ?>
# CHECK: #partial = #coconet.layout<#mesh, partial = {dp : sum}>
# CHECK: func.func @sgd(%[[G:.*]]: tensor<?x4xf32, #partial>
# CHECK-SAME: coconet.arg_name = "g", coconet.dims = ["n", ""]
# CHECK-SAME: %[[P:.*]]: tensor<?x4xf32>
# CHECK-SAME: coconet.arg_name = "p", coconet.dims = ["n", ""], coconet.state
# CHECK-SAME: -> (tensor<f32> {coconet.result_name = "norm"})
@cc.program(mesh=cc.mesh(dp="?"))
def sgd(g: cc.partial("n", 4, dp="sum"), p: cc.state("n", 4)):
    # CHECK: %[[SUM:.*]] = coconet.all_reduce sum %[[G]] on {dp} {coconet.name = "total"}
    total = cc.all_reduce(g, name="total")
    with cc.named("opt"):
        # CHECK: %[[RATE:.*]] = coconet.constant dense<1.000000e-01>
        # CHECK: %[[STEP:.*]] = coconet.mul %[[RATE]], %[[SUM]] {coconet.name = "opt"}
        # CHECK: %[[NEW:.*]] = coconet.sub %[[P]], %[[STEP]] {coconet.name = "opt"}
        new = p - 0.1 * total
    # CHECK: coconet.update %[[P]], %[[NEW]] : tensor<?x4xf32>
    cc.update(p, new)
    # CHECK: %[[NORM:.*]] = coconet.norm %[[SUM]]
    # CHECK: return %[[NORM]]
    return {"norm": cc.norm(total)}


print(sgd)

# CHECK: Tensor(8x?, f16, dimension 0 cut by tp, local along dp)
with_layout = cc.tensor((8, "n"), "f16", cut={0: "tp"}, local="dp")
cc.trace(lambda x: print(repr(x)), mesh=cc.mesh(dp=2, tp=2), x=with_layout)

# CHECK: program.py:[[# @LINE + 3]]:{{[0-9]+}}: error: {{.*}} pending sum along axis 'dp'
# CHECK-NEXT: program.py:{{.*}}: note: all_reduce operand 0 first
try:
    cc.trace(lambda g: cc.exp(g), mesh=cc.mesh(dp=2), g=cc.partial("n", dp="sum"))
except cc.ProgramError as error:
    print(error)
