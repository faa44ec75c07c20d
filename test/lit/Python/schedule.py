# RUN: %python %s | FileCheck %s
"""A schedule prints as transform IR, and the program after each step."""

import coconet_mlir as cc


@cc.program(mesh=cc.mesh(dp=2))
def scaled(g: cc.partial(8, dp="sum"), p: cc.state(8)):
    total = cc.all_reduce(g, name="total")
    cc.update(p, cc.sub(p, total, name="opt"))


schedule = scaled.schedule().split("total").reorder("total.ag", past="opt")

# CHECK-LABEL: transform.named_sequence @__transform_main
# CHECK: %[[AR:.*]] = transform.coconet.match "total" in %[[ROOT:.*]] :
# CHECK: transform.coconet.split %[[AR]] into rs_ag dim 0
# CHECK-DAG: %[[OPT:.*]] = transform.coconet.match "opt" in %[[ROOT]]
# CHECK-DAG: %[[AG:.*]] = transform.coconet.match "total.ag" in %[[ROOT]]
# CHECK: transform.coconet.reorder %[[AG]] past %[[OPT]]
print(schedule)

# CHECK-LABEL: func.func @scaled
# CHECK: %[[SLICE:.*]] = coconet.reduce_scatter sum %{{.*}} into 0 on {dp}
# CHECK: %[[OWN:.*]] = coconet.shard
# CHECK: %[[NEW:.*]] = coconet.sub %[[OWN]], %[[SLICE]] {coconet.name = "opt"}
# CHECK: %[[WHOLE:.*]] = coconet.all_gather %[[NEW]] from 0 on {dp}
# CHECK: coconet.update %{{.*}}, %[[WHOLE]]
print(schedule.program)

# CHECK: reorder "total.ag" is refused
# CHECK-NEXT: error: no op is named 'nothing'
# CHECK-NEXT: note: the names are total.rs, opt, total.ag
try:
    schedule.reorder("total.ag", past="nothing")
except cc.ScheduleError as error:
    print(error)

# CHECK: equivalent on 2 ranks
print(schedule.verify())
