"""The operations of random programs, a line for each in `OPERATIONS`.

An entry proposes a call on values that are there, or nothing where none fits. It need not be well
typed: the compiler decides, and what it refuses is drawn anew.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from fuzz.draw import ALL, FLOATS, MOST_ELEMENTS, NUMBERS, Draw, Value, joins
from fuzz.recipe import Call

Proposal = Callable[[Draw], Call | None]


# ===- Pointwise -------------------------------------------------------------===


def unary(name: str, dtypes: Sequence[str] = FLOATS) -> Proposal:
    """A function of one value."""

    def propose(draw: Draw) -> Call | None:
        x = draw.value(dtypes)
        return draw.call(name, x.ref) if x else None

    return propose


def binary(name: str, dtypes: Sequence[str] = NUMBERS) -> Proposal:
    """A function of two values, or of a value and a number."""

    def propose(draw: Draw) -> Call | None:
        x = draw.value(dtypes)
        if x is None:
            return None
        if draw.chance(0.3):
            number = draw.rng.choice([0.5, 2.0, 1.5, -1.0] if x.dtype in FLOATS else [1, 2, -3])
            operands = [x.ref, number]
        else:
            y = draw.like(x)
            if y is None:
                return None
            operands = [x.ref, y.ref]
        draw.rng.shuffle(operands)
        return draw.call(name, *operands)

    return propose


def compare(draw: Draw) -> Call | None:
    predicate = draw.rng.choice(["eq", "ne", "lt", "le", "gt", "ge"])
    x = draw.value(NUMBERS)
    y = draw.like(x) if x else None
    return draw.call("compare", predicate, x.ref, y.ref) if x and y else None


def select(draw: Draw) -> Call | None:
    condition = draw.value(("i1",))
    x = draw.like(condition, ALL) if condition else None
    y = draw.like(x) if x else None
    return draw.call("select", condition.ref, x.ref, y.ref) if condition and x and y else None


def cast(draw: Draw) -> Call | None:
    x = draw.value()
    return draw.call("cast", x.ref, draw.rng.choice(ALL)) if x else None


def dropout(draw: Draw) -> Call | None:
    x = draw.value(FLOATS)
    step = draw.value(("i32", "i64"), lambda v: v.rank == 0)
    if x is None or step is None:
        return None
    rate, seed = draw.rng.choice([0.0, 0.25, 0.5]), draw.rng.randrange(2**33)
    stream = draw.rng.randrange(3)
    return draw.call("dropout", x.ref, step=step.ref, rate=rate, seed=seed, stream=stream)


# ===- Contractions and reductions -------------------------------------------===


def matmul(draw: Draw) -> Call | None:
    lhs = draw.value(NUMBERS, lambda v: v.rank >= 2)
    if lhs is None:
        return None
    flags = {key: True for key in ("transpose_lhs", "transpose_rhs") if draw.chance(0.25)}
    inner = lhs.shape[-2 if "transpose_lhs" in flags else -1]
    rows = -1 if "transpose_rhs" in flags else -2
    rhs = draw.value((lhs.dtype,), lambda v: v.rank >= 2 and v.shape[rows] == inner)
    if rhs is None or math.prod(lhs.shape) * rhs.shape[-1] * rhs.shape[-2] > 50 * MOST_ELEMENTS:
        return None
    return draw.call("matmul", lhs.ref, rhs.ref, **flags)


def reduce(draw: Draw) -> Call | None:
    kind = draw.rng.choice(["sum", "max", "min", "mean"])
    x = draw.value(FLOATS if kind == "mean" else NUMBERS, lambda v: v.rank >= 1)
    if x is None:
        return None
    dims = sorted(draw.rng.sample(range(x.rank), draw.rng.randint(1, x.rank)))
    options = {"keep_dims": True} if draw.chance(0.3) else {}
    return draw.call("reduce", kind, x.ref, dims, **options)


def softmax(draw: Draw) -> Call | None:
    x = draw.value(FLOATS, lambda v: v.rank >= 1)
    return draw.call("softmax", x.ref, draw.dim(x)) if x else None


def normalize(name: str) -> Proposal:
    """layer_norm or rms_norm over the last dimensions."""

    def propose(draw: Draw) -> Call | None:
        x = draw.value(FLOATS, lambda v: v.rank >= 1)
        if x is None:
            return None
        first = draw.dim(x)
        return draw.call(name, x.ref, list(range(first, x.rank)), eps=1e-3)

    return propose


# ===- Shape -----------------------------------------------------------------===


def transpose(draw: Draw) -> Call | None:
    x = draw.value(fits=lambda v: v.rank >= 2)
    if x is None:
        return None
    order = list(range(x.rank))
    draw.rng.shuffle(order)
    return draw.call("transpose", x.ref, order)


def reshape(draw: Draw) -> Call | None:
    """Merge two dimensions, split one, or add one of size 1."""
    x = draw.value(fits=lambda v: v.rank >= 1)
    if x is None:
        return None
    shape, dim = list(x.shape), draw.dim(x)
    if draw.chance(0.3):
        shape.insert(dim, 1)
    elif dim + 1 < x.rank and draw.chance(0.6):
        shape[dim : dim + 2] = [shape[dim] * shape[dim + 1]]
    else:
        factors = [f for f in range(1, shape[dim] + 1) if shape[dim] % f == 0] or [1]
        factor = draw.rng.choice(factors)
        shape[dim : dim + 1] = [factor, shape[dim] // factor]
    return draw.call("reshape", x.ref, draw.sized(shape)) if len(shape) <= 4 else None


def broadcast_to(draw: Draw) -> Call | None:
    x = draw.value()
    if x is None:
        return None
    shape = [draw.rng.choice([2, 3]) if size == 1 else size for size in x.shape]
    if draw.chance(0.7) and len(shape) < 3:
        shape.insert(0, draw.rng.choice([1, 2, 5]))
    return draw.call("broadcast_to", x.ref, draw.sized(shape)) if joins(shape, x.shape) else None


def slice_(draw: Draw) -> Call | None:
    x = draw.value(fits=lambda v: v.rank >= 1)
    if x is None:
        return None
    offsets, sizes, strides = [], [], []
    for size in x.shape:
        if draw.chance(0.5):
            taken = (0, -1, 1)
        else:
            offset, stride = draw.rng.randint(0, size), draw.rng.choice([1, 1, 2, 3])
            taken = (offset, draw.rng.randint(0, -(-(size - offset) // stride)), stride)
        for held, number in zip((offsets, sizes, strides), taken, strict=True):
            held.append(number)
    return draw.call("slice", x.ref, offsets, sizes, strides)


def concat(draw: Draw) -> Call | None:
    x = draw.value(fits=lambda v: v.rank >= 1)
    if x is None:
        return None
    dim = draw.dim(x)

    def fits(other: Value) -> bool:
        return other.rank == x.rank and all(
            d == dim or x.shape[d] == other.shape[d] for d in range(x.rank)
        )

    others = [draw.value((x.dtype,), fits) for _ in range(draw.rng.randint(1, 2))]
    return draw.call("concat", [x.ref, *(other.ref for other in others if other)], dim)


def constant(draw: Draw) -> Call | None:
    dtype = draw.rng.choice(FLOATS)
    return draw.call("constant", draw.rng.choice([0.0, 1.0, -2.5, 1e-3]), dtype)


def iota(draw: Draw) -> Call | None:
    x = draw.value(fits=lambda v: v.rank >= 1)
    if x is None:
        return None
    return draw.call(
        "iota", draw.sized(x.shape), draw.dim(x), draw.rng.choice(["i32", "i64", "f32"])
    )


# ===- Collectives -----------------------------------------------------------===


def _cut_dim(draw: Draw, x: Value) -> int | str:
    return "flat" if x.rank == 0 or draw.chance(0.2) else draw.dim(x)


def _is_pending(value: Value) -> bool:
    return bool(value.layout.partial)


def all_reduce(draw: Draw) -> Call | None:
    x = draw.value(NUMBERS, _is_pending)
    return draw.collective("all_reduce", x.ref) if x else None


def reduce_scatter(draw: Draw) -> Call | None:
    x = draw.value(NUMBERS, _is_pending)
    return draw.collective("reduce_scatter", x.ref, _cut_dim(draw, x)) if x else None


def _local(draw: Draw, dtypes: Sequence[str] = ALL) -> Value | None:
    return draw.value(dtypes, lambda v: bool(v.layout.local))


def reduce_local(draw: Draw) -> Call | None:
    """all_reduce or reduce_scatter of unrelated values."""
    x = _local(draw, NUMBERS)
    if x is None:
        return None
    kinds = ["sum", "prod", "max", "min", *(["avg"] if x.dtype in FLOATS else [])]
    options = {"axes": list(x.layout.local), "reduction": draw.rng.choice(kinds)}
    if draw.chance(0.5):
        return draw.collective("all_reduce", x.ref, **options)
    return draw.collective("reduce_scatter", x.ref, _cut_dim(draw, x), **options)


def grouped(draw: Draw) -> Call | None:
    """A collective within explicit groups of ranks."""
    x = _local(draw, NUMBERS)
    ranks = list(range(math.prod(draw.mesh.values())))
    if x is None or set(x.layout.local) != set(draw.mesh):
        return None
    draw.rng.shuffle(ranks)
    width = draw.rng.choice([w for w in ranks if w and len(ranks) % w == 0] or [1])
    groups = [ranks[i : i + width] for i in range(0, len(ranks), width)]
    kind = draw.rng.choice(["all_reduce", "all_gather", "broadcast", "reduce_scatter"])
    if kind == "all_reduce":
        reduction = draw.rng.choice(["sum", "max", "min", "prod"])
        return draw.collective(kind, x.ref, groups=groups, reduction=reduction)
    if kind == "broadcast":
        return draw.collective(kind, x.ref, draw.rng.randrange(width), groups=groups)
    if x.rank == 0:
        return None
    return draw.collective(kind, x.ref, draw.dim(x), groups=groups)


def gather_local(draw: Draw) -> Call | None:
    x = _local(draw)
    if x is None or x.rank == 0:
        return None
    return draw.collective("all_gather", x.ref, draw.dim(x), axes=list(x.layout.local))


def all_gather(draw: Draw) -> Call | None:
    x = draw.value(fits=lambda v: any(v.layout.dims) or bool(v.layout.flat))
    if x is None:
        return None
    dims = [d for d, axes in enumerate(x.layout.dims) if axes]
    return draw.collective("all_gather", x.ref, draw.rng.choice(dims) if dims else "flat")


def all_to_all(draw: Draw) -> Call | None:
    x = draw.value(fits=lambda v: v.rank >= 2 and any(v.layout.dims))
    if x is None:
        return None
    source = draw.rng.choice([d for d, axes in enumerate(x.layout.dims) if axes])
    target = draw.rng.choice([d for d in range(x.rank) if d != source])
    return draw.collective("all_to_all", x.ref, source, target)


def broadcast(draw: Draw) -> Call | None:
    x = draw.value(fits=lambda v: bool(v.layout.local or v.layout.rooted))
    if x is None:
        return None
    if x.layout.rooted:
        return draw.collective("broadcast", x.ref, next(iter(x.layout.rooted.values())))
    root = draw.rng.randrange(math.prod(draw.mesh[axis] for axis in x.layout.local))
    return draw.collective("broadcast", x.ref, root)


def shard(draw: Draw) -> Call | None:
    x = draw.value(fits=lambda v: not v.layout.flat and not v.layout.local)
    return draw.collective("shard", x.ref, list(draw.axes()), _cut_dim(draw, x)) if x else None


POINTWISE: list[tuple[float, Proposal]] = [
    # Likelihood, proposal.
    (2, binary("add")),
    (2, binary("sub")),
    (2, binary("mul")),
    (1, binary("div")),
    (1, binary("max")),
    (1, binary("min")),
    (0.3, binary("pow", FLOATS)),
    *((0.7, unary(name, NUMBERS)) for name in ("neg", "abs", "relu")),
    *((0.4, unary(name)) for name in ("sqrt", "rsqrt", "exp", "log", "tanh", "sigmoid")),
    *((0.4, unary(name)) for name in ("gelu", "silu", "is_finite")),
    (0.8, compare),
    (1.5, select),
    (1, cast),
    (1.5, dropout),
]


def _members(draw: Draw, axes: Sequence[str]) -> int:
    return math.prod(draw.mesh[axis] for axis in axes)


def reduce_to_root(draw: Draw) -> Call | None:
    x = draw.value(NUMBERS, _is_pending)
    if x is None:
        return None
    # One axis: a root is a position along it.
    axis = draw.rng.choice(list(x.layout.partial))
    root = draw.rng.randrange(draw.mesh[axis])
    reduction = x.layout.partial[axis]
    return draw.collective("reduce_to_root", x.ref, root, axes=[axis], reduction=reduction)


def gather_to_root(draw: Draw) -> Call | None:
    x = draw.value(fits=lambda v: any(len(axes) == 1 for axes in v.layout.dims))
    if x is None:
        return None
    dim = draw.rng.choice([d for d, axes in enumerate(x.layout.dims) if len(axes) == 1])
    root = draw.rng.randrange(_members(draw, x.layout.dims[dim]))
    return draw.collective("gather_to_root", x.ref, dim, root)


def scatter_from_root(draw: Draw) -> Call | None:
    x = draw.value(fits=lambda v: bool(v.layout.rooted))
    if x is None:
        return None
    axis, root = next(iter(x.layout.rooted.items()))
    return draw.collective("scatter_from_root", x.ref, _cut_dim(draw, x), root, axes=[axis])


def permute(draw: Draw) -> Call | None:
    """Along the axes of a local value, each member to at most one other."""
    x = _local(draw)
    if x is None:
        return None
    count = _members(draw, x.layout.local)
    sources = draw.rng.sample(range(count), draw.rng.randint(0, count))
    targets = draw.rng.sample(range(count), len(sources))
    pairs = list(zip(sources, targets, strict=True))
    return draw.collective("permute", x.ref, pairs, axes=list(x.layout.local))


OPERATIONS: list[tuple[float, Proposal]] = [
    *POINTWISE,
    (2, matmul),
    (1.5, reduce),
    (0.7, unary("norm")),
    (0.7, softmax),
    (0.4, normalize("layer_norm")),
    (0.4, normalize("rms_norm")),
    (0.7, transpose),
    (0.7, reshape),
    (0.4, broadcast_to),
    (0.5, slice_),
    (0.5, concat),
    (0.3, constant),
    (0.3, iota),
    (4, all_reduce),
    (2, reduce_scatter),
    (1.5, all_gather),
    (0.8, all_to_all),
    (1, broadcast),
    (0.8, shard),
    (1, reduce_local),
    (0.6, gather_local),
    (0.5, reduce_to_root),
    (0.5, gather_to_root),
    (0.5, scatter_from_root),
    (0.5, permute),
    (0.6, grouped),
]
