"""A program as data: what a random draw leaves, and what is shrunk and printed when it fails."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import coconet_mlir as cc

NAME = "f"


@dataclass(frozen=True)
class Ref:
    """A value: the argument or the result of the call of this number."""

    number: int

    def __repr__(self) -> str:
        return f"v{self.number}"


@dataclass(frozen=True)
class Size:
    """A size that has a name, and is a number where the program is built with static sizes."""

    name: str

    def __repr__(self) -> str:
        return repr(self.name)


@dataclass(frozen=True)
class Argument:
    """An argument. `dims` are sizes, `options` those of `coconet_mlir.tensor`."""

    number: int
    dims: tuple[Size | int, ...]
    dtype: str
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def state(self) -> bool:
        """Whether it may be updated."""
        return bool(self.options.get("state"))


@dataclass(frozen=True)
class Call:
    """A function of the package on values, numbers and lists of values."""

    number: int
    function: str
    operands: tuple[Any, ...]
    options: Mapping[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        words = [*map(repr, self.operands), *(f"{k}={v!r}" for k, v in self.options.items())]
        return f"v{self.number} = cc.{self.function}({', '.join(words)})"


@dataclass(frozen=True)
class Recipe:
    """A program: a mesh, arguments, calls, and the values that it returns.

    Attributes:
        mesh: sizes of the axes.
        sizes: of named dimensions.
        open: whether mesh and named dimensions are left open in the types.
    """

    mesh: Mapping[str, int]
    sizes: Mapping[str, int]
    open: bool
    arguments: tuple[Argument, ...]
    calls: tuple[Call, ...]
    results: tuple[int, ...]

    @property
    def ranks(self) -> int:
        """Number of ranks of its own mesh."""
        count = 1
        for size in self.mesh.values():
            count *= size
        return count


def references(part: Any) -> set[int]:
    """Numbers of the values that an operand mentions."""
    if isinstance(part, Ref):
        return {part.number}
    if isinstance(part, list | tuple):
        return {number for each in part for number in references(each)}
    return set()


def needs(call: Call) -> set[int]:
    """Numbers of the values that a call takes."""
    return references(call.operands) | references(tuple(call.options.values()))


class Builder:
    """Applies calls in a program that is being traced."""

    def __init__(self, recipe: Recipe, tensors: Mapping[int, cc.Tensor]) -> None:
        self.recipe = recipe
        self.tensors = dict(tensors)

    def apply(self, call: Call) -> cc.Tensor:
        """Make the operation of a call.

        Raises:
            coconet_mlir.ProgramError: it is not well typed.
        """
        operands = [self._resolved(operand) for operand in call.operands]
        options = {key: self._resolved(value) for key, value in call.options.items()}
        made = getattr(cc, call.function)(*operands, **options)
        self.tensors[call.number] = made
        return made

    def _resolved(self, part: Any) -> Any:
        if isinstance(part, Ref):
            return self.tensors[part.number]
        if isinstance(part, Size):
            return part.name if self.recipe.open else self.recipe.sizes[part.name]
        if isinstance(part, list | tuple):
            return type(part)(self._resolved(each) for each in part)
        return part


def mesh_of(recipe: Recipe) -> cc.Mesh:
    """The mesh as the program declares it."""
    return cc.mesh(**{axis: "?" if recipe.open else size for axis, size in recipe.mesh.items()})


def specs_of(recipe: Recipe) -> dict[str, cc.TensorSpec]:
    """The arguments as the program declares them."""
    return {
        f"v{argument.number}": cc.tensor(
            tuple(
                dim if isinstance(dim, int) else dim.name if recipe.open else recipe.sizes[dim.name]
                for dim in argument.dims
            ),
            argument.dtype,
            **argument.options,
        )
        for argument in recipe.arguments
    }


def build(recipe: Recipe) -> cc.Program:
    """The program.

    Raises:
        coconet_mlir.ProgramError: it is not well typed.
    """

    def f(**arguments: cc.Tensor) -> dict[str, cc.Tensor]:
        builder = Builder(recipe, {int(name[1:]): value for name, value in arguments.items()})
        for call in recipe.calls:
            builder.apply(call)
        return {f"r{number}": builder.tensors[number] for number in recipe.results}

    return cc.trace(f, mesh=mesh_of(recipe), **specs_of(recipe))


def source(recipe: Recipe) -> str:
    """The program as Python, which says the same as `build`."""
    axes = ", ".join(
        f"{axis}={'?' if recipe.open else size!r}".replace("=?", '="?"')
        for axis, size in recipe.mesh.items()
    )
    lines = ["import coconet_mlir as cc", f"mesh = cc.mesh({axes})"]
    lines += ["@cc.program(mesh=mesh)", f"def {NAME}("]
    for argument in recipe.arguments:
        dims = tuple(
            dim if isinstance(dim, int) or recipe.open else recipe.sizes[dim.name]
            for dim in argument.dims
        )
        options = "".join(f", {key}={value!r}" for key, value in argument.options.items())
        lines.append(f"    v{argument.number}: cc.tensor({dims!r}, {argument.dtype!r}{options}),")
    lines.append("):")
    for call in recipe.calls:
        text = repr(call)
        if not recipe.open:
            for name, size in recipe.sizes.items():
                text = text.replace(repr(Size(name)), str(size))
        lines.append(f"    {text}")
    returned = ", ".join(f'"r{number}": v{number}' for number in recipe.results)
    lines.append(f"    return {{{returned}}}")
    return "\n".join(lines)
