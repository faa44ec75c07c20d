import coconet_mlir as cc
import numpy as np

vector = cc.state("n")


@cc.program(mesh=cc.mesh(dp="?"))
def adam(g: cc.partial("n", dp="sum"), p: vector, m: vector, v: vector, t: cc.state()):
    t1 = cc.update(t, t + 1.0)
    fix1, fix2 = 1.0 - 0.9**t1, 1.0 - 0.999**t1
    avg = cc.all_reduce(g, name="avg")
    with cc.named("opt"):
        m1 = 0.9 * m + 0.1 * avg
        v1 = 0.999 * v + 0.001 * avg * avg
        p1 = p - 1e-3 * (m1 / fix1) / (cc.sqrt(v1 / fix2) + 1e-8)
    cc.update(m, m1)
    cc.update(v, v1)
    cc.update(p, p1)


fused = adam.schedule().split("avg").reorder("avg.ag", past="opt").as_slice("m", "v")
fused.fuse("avg.rs", "opt", "avg.ag", name="step")
print(fused.program)
print(fused.verify(ranks=4))

step = fused.compile(ranks=4)
zeros = np.zeros(1000, np.float32)
step.init(p=zeros, m=zeros, v=zeros, t=0)
gradients = np.random.default_rng(0).standard_normal((4, 1000), np.float32)  # one a rank
step(g=gradients)
print(step.read("p")[:4])
