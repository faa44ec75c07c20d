"""Data-parallel Adam: a program, and three schedules of it.

    python examples/data_parallel_adam.py [FOLDER]

writes the program and the schedules as MLIR text (they lie beside this file) and says what each
one does to the memory and the communication of a rank.
"""

import sys
from pathlib import Path

import coconet_mlir as cc
from coconet_mlir.report import describe

RATE, BETA1, BETA2, EPSILON = 1e-3, 0.9, 0.999, 1e-8


# The gradient is the sum of what the ranks hold: each divides its own by their number.
@cc.program(mesh=cc.mesh(dp="?"))
def adam(
    g: cc.partial("n", dp="sum"),
    p: cc.state("n"),
    m: cc.state("n"),
    v: cc.state("n"),
    t: cc.state(dtype="i32"),
):
    step = cc.cast(cc.update(t, t + 1), "f32")
    correction1 = 1 - BETA1**step
    correction2 = 1 - BETA2**step
    avg = cc.all_reduce(g, name="avg")
    with cc.named("opt"):
        m_new = BETA1 * m + (1 - BETA1) * avg
        v_new = BETA2 * v + (1 - BETA2) * avg * avg
        root = cc.sqrt(v_new / correction2) + EPSILON
        p_new = p - RATE * (m_new / correction1) / root
    cc.update(m, m_new)
    cc.update(v, v_new)
    cc.update(p, p_new)


def rs_opt_ag() -> cc.Schedule:
    """Each rank updates its slice; parameters and moments are gathered."""
    return cc.Schedule(adam).split("avg", dim=0).reorder("avg.ag", past="opt")


def fused() -> cc.Schedule:
    """The same as one kernel, one pass over memory."""
    return rs_opt_ag().fuse("avg.rs", "opt", "avg.ag", name="adam")


def fused_sliced() -> cc.Schedule:
    """The moments stay in slices: 1/k of their memory, and only the parameters are gathered."""
    return rs_opt_ag().as_slice("m", "v").fuse("avg.rs", "opt", "avg.ag", name="adam")


SCHEDULES = {"rs_opt_ag": rs_opt_ag, "fused": fused, "fused_sliced": fused_sliced}


def main(folder: Path) -> None:
    """Write the files and describe what is in them."""
    adam.save(folder / "data_parallel_adam.mlir")
    print(describe(adam))
    for name, build in SCHEDULES.items():
        schedule = build()
        schedule.save(folder / f"data_parallel_adam.{name}.mlir")
        print(f"\n{name}: {schedule.verify(ranks=4)}")
        print(describe(schedule.program))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
