"""From MM-AR-C to ol(MM, fuse(RS-C-AG)), step by step.

The page docs/tutorial.md is written from this file by `make docs`: texts, code and printed
programs. Run it to see the same in a terminal, with every step checked.
"""

from __future__ import annotations

import coconet_mlir as cc
import numpy as np


@cc.program(mesh=cc.mesh(tp="?"))
def attention(
    x: cc.sliced("b", "s", "h", tp=2),
    w: cc.sliced("h", "h", tp=0),
    bias: cc.tensor("h"),
    residual: cc.tensor(("b", "s", "h")),
    step: cc.tensor((), "i32"),
):
    total = cc.all_reduce(cc.matmul(x, w, name="product"), name="sum")
    with cc.named("end"):
        y = cc.dropout(total + bias, step=step, rate=0.1, seed=1) + residual
    return {"y": y}


def base(s: cc.Schedule) -> cc.Schedule:
    """The program.

    The end of self-attention under tensor parallelism: the heads' outputs `x` are cut along the
    hidden dimension and `w` along its rows, so their product is a *pending sum*, as its type says.
    The all_reduce completes it; bias, dropout and residual follow, the same on every rank. This is
    MM-AR-C: a matrix product, a collective, and computation, one after the other.
    """
    return s


def split(s: cc.Schedule) -> cc.Schedule:
    """Split the all_reduce.

    An all_reduce is a reduce_scatter and an all_gather. Along dimension 1, the sequence, each rank
    gets a part of the tokens. The two are found by the name of the all_reduce, with `.rs` and
    `.ag` behind it.
    """
    return s.split("sum", dim=1)


def reorder(s: cc.Schedule) -> cc.Schedule:
    """Compute on slices, gather after.

    The computation moves before the all_gather, so that no rank does it for tokens of another one.
    The residual, which every rank holds whole, is sharded, which costs nothing. The dropout mask
    depends on the global index of an element, hence stays the same.
    """
    return s.reorder("sum.ag", past="end")


def fuse(s: cc.Schedule) -> cc.Schedule:
    """Fuse communication and computation.

    One kernel: each rank reads its part of every rank's addend, computes, and writes the result
    to every rank. The sum is in no memory at any time.
    """
    return s.fuse("sum.rs", "end", "sum.ag", name="end")


def overlap(s: cc.Schedule) -> cc.Schedule:
    """Overlap it with the matrix product.

    Both are done in four chunks of the batch: while the kernel of a chunk is under way, the
    product of the next one is computed. This is ol(MM, fuse(RS-C-AG)).
    """
    return s.overlap("product", "end", chunks=4, dim=0, name="overlapped")


def run(s: cc.Schedule) -> None:
    """Check it and run it.

    `verify` compares schedule and program on simulated ranks. Compiled, it takes whole arrays, and
    cuts them itself as the types of the arguments say.
    """
    print(s.verify(ranks=3, sizes={"b": 5, "s": 3, "h": 6}))
    b, s_, h = 8, 16, 32
    rng = np.random.default_rng(0)
    x, residual = rng.standard_normal((2, b, s_, h), np.float32)
    w = rng.standard_normal((h, h), np.float32)
    with s.compile(ranks=2) as exe:
        y = exe(x=x, w=w, bias=np.zeros(h, np.float32), residual=residual, step=np.int32(0))["y"]
    kept = np.isclose(y, (x @ w) / 0.9 + residual, atol=1e-3)
    print(f"{np.mean(kept):.0%} of the elements are kept")


STEPS = [base, split, reorder, fuse, overlap]


def main() -> None:
    schedule = attention.schedule()
    for step in STEPS:
        schedule = step(schedule)
        title = (step.__doc__ or "").splitlines()[0]
        print(f"// ----- {title}\n{schedule.program}")
    run(schedule)


if __name__ == "__main__":
    main()
