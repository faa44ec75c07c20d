"""What proposals of operations look at: the values so far, their static types, and chance."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import coconet_mlir as cc

from fuzz.recipe import Call, Ref, Size

FLOATS = ("f32", "f64", "f16", "bf16")
INTEGERS = ("i32", "i64", "i8")
NUMBERS = (*FLOATS, *INTEGERS)
ALL = (*NUMBERS, "i1")
MOST_ELEMENTS = 2000


@dataclass
class Value:
    """A value of the program that is drawn, with its static type."""

    number: int
    tensor: cc.Tensor
    state: bool = False
    hidden: bool = False
    """Whether no further operation is to use it."""

    @property
    def ref(self) -> Ref:
        return Ref(self.number)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.tensor.shape  # type: ignore[return-value]

    @property
    def dtype(self) -> str:
        return self.tensor.dtype

    @property
    def layout(self) -> cc.Layout:
        return self.tensor.layout

    @property
    def rank(self) -> int:
        return len(self.shape)


class Draw:
    """What a proposal may look at: the values so far, the mesh, and chance."""

    def __init__(self, rng: random.Random, mesh: dict[str, int], sizes: dict[str, int]) -> None:
        self.rng = rng
        self.mesh = mesh
        self.sizes = sizes
        self.values: list[Value] = []
        self.group = "g0"
        self.chained = False
        """Whether operations work on the value before them."""

    def chance(self, probability: float) -> bool:
        """A coin."""
        return self.rng.random() < probability

    def value(
        self, dtypes: Sequence[str] = ALL, fits: Callable[[Value], bool] = lambda value: True
    ) -> Value | None:
        """One of the values of these types, mostly one of the last."""
        found = [v for v in self.values if not v.hidden and v.dtype in dtypes and fits(v)]
        if not found:
            return None
        if found[-1] is self.values[-1] and self.chance(1 if self.chained else 0.5):
            return found[-1]
        return found[max(self.rng.randrange(len(found)) for _ in range(2))]

    def like(self, first: Value, dtypes: Sequence[str] | None = None) -> Value | None:
        """A value that joins another one pointwise."""
        chained, self.chained = self.chained, False
        found = self.value(dtypes or (first.dtype,), lambda value: joins(first.shape, value.shape))
        self.chained = chained
        return found

    def axes(self) -> tuple[str, ...]:
        """Some axes of the mesh, in any order."""
        axes = list(self.mesh)
        self.rng.shuffle(axes)
        return tuple(axes[: self.rng.randint(1, len(axes))])

    def dim(self, value: Value) -> int:
        """A dimension of a value of rank 1 or more."""
        return self.rng.randrange(value.rank)

    def sized(self, shape: Sequence[int]) -> list[Size | int]:
        """A shape with the names of the sizes that have one."""
        names = {size: Size(name) for name, size in self.sizes.items() if size > 1}
        return [names.get(size, size) for size in shape]

    def new_group(self) -> None:
        """Begin a computation, whose operations get a name of their own."""
        self.group = f"g{self._next}"

    @property
    def _next(self) -> int:
        return 1 + max((value.number for value in self.values), default=-1)

    def plain(self, function: str, *operands: object, **options: object) -> Call:
        """A call without a name."""
        return Call(self._next, function, operands, options)

    def call(self, function: str, *operands: object, **options: object) -> Call:
        """A call, mostly with the name of the computation."""
        if self.chained or self.chance(0.85):
            options["name"] = self.group
        return self.plain(function, *operands, **options)

    def collective(self, function: str, *operands: object, **options: object) -> Call:
        """A call with a name of its own. What follows is another computation."""
        self.new_group()
        return self.plain(function, *operands, **options, name=f"c{self._next}")


def joins(a: Sequence[int], b: Sequence[int]) -> bool:
    """Whether shapes broadcast to one of at most MOST_ELEMENTS."""
    total = 1
    for index in range(1, max(len(a), len(b)) + 1):
        sizes = [shape[-index] for shape in (a, b) if index <= len(shape)]
        if len(set(sizes)) > 1 and 1 not in sizes:
            return False
        total *= max(sizes) if 0 not in sizes else 0
    return total <= MOST_ELEMENTS
