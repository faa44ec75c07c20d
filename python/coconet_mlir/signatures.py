"""What functions take and give: names, shapes, layouts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from coconet_mlir import ir
from coconet_mlir.layout import Layout, Mesh


@dataclass(frozen=True)
class Port:
    """An argument or a result of a program.

    Attributes:
        name: the name it has at run time, "argument 0" or "result 0" where it has none.
        shape: logical sizes (one rank's for a local tensor); None where open.
        dims: names of the sizes, "" where there is none.
    """

    name: str
    shape: tuple[int | None, ...]
    dtype: str
    layout: Layout
    dims: tuple[str, ...] = ()
    state: bool = False

    def __str__(self) -> str:
        words = [self.size_text(d) for d in range(len(self.shape))]
        state = "state, " if self.state else ""
        return f"{self.name}: {'x'.join([*words, self.dtype])}, {state}{self.layout.describe()}"

    def size_text(self, dim: int) -> str:
        """A size as a number, a name or "?"."""
        size = self.shape[dim]
        return str(size) if size is not None else self.dims[dim] or "?"


@dataclass(frozen=True)
class Signature:
    """What a function, or a program of several functions of unlike ranks, takes and gives.

    Attributes:
        mesh: None where nothing names one. Of several functions: the axes of all.
        ranks: numbers of the ranks that run a function, where it says so and they are known.
        stages: the functions, where there are several; their ports are named as here.
    """

    name: str
    arguments: tuple[Port, ...]
    results: tuple[Port, ...]
    mesh: Mesh | None
    ranks: tuple[int, ...] = ()
    stages: tuple[Signature, ...] = ()

    @property
    def states(self) -> tuple[Port, ...]:
        """Arguments that keep their value between runs."""
        return tuple(port for port in self.arguments if port.state)

    @property
    def inputs(self) -> tuple[Port, ...]:
        """Arguments that each run gets anew."""
        return tuple(port for port in self.arguments if not port.state)


def port_of(type_: ir.Type, held: Mapping[str, Any], default: str, key: str) -> Port:
    """The port of a value of this type, whose argument or result attributes are `held`."""
    if not isinstance(type_, ir.RankedTensorType):
        return Port(held[key].value if key in held else default, (), str(type_), Layout())
    shape = tuple(
        None if type_.is_dynamic_dim(d) else type_.get_dim_size(d) for d in range(type_.rank)
    )
    dims = held.get("coconet.dims")
    return Port(
        held[key].value if key in held else default,
        shape,
        str(type_.element_type),
        Layout.of_type(type_),
        tuple(dim.value for dim in dims) if dims is not None else ("",) * len(shape),
        "coconet.state" in held,
    )


def merged(stages: Sequence[Signature]) -> Signature:
    """The signature of all functions together, whose ports have names of their own."""
    named = []
    for stage in stages:
        ports = []
        for kind in ("arguments", "results"):
            others = [p.name for other in stages for p in getattr(other, kind)]
            ports.append(
                tuple(
                    replace(port, name=f"{stage.name}.{port.name}")
                    if others.count(port.name) > 1
                    else port
                    for port in getattr(stage, kind)
                )
            )
        named.append(replace(stage, arguments=ports[0], results=ports[1]))
    axes: dict[str, int | None] = {}
    for stage in named:
        axes.update(stage.mesh.sizes if stage.mesh else {})
    return Signature(
        ", ".join(stage.name for stage in named),
        tuple(port for stage in named for port in stage.arguments),
        tuple(port for stage in named for port in stage.results),
        Mesh(axes) if axes else None,
        stages=tuple(named),
    )


def find_mesh(module: ir.Module, function: ir.OpView) -> Mesh | None:
    """The mesh that a function's types, or an attribute of it or its module, name."""
    for holder in (function.operation, module.operation):
        if "coconet.mesh" in holder.attributes:
            return Mesh.from_attribute(holder.attributes["coconet.mesh"])
    found: list[Mesh] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        arguments = [a for r in op.regions for block in r.blocks for a in block.arguments]
        for value in [*arguments, *op.results]:
            if isinstance(value.type, ir.RankedTensorType) and value.type.encoding is not None:
                mesh = Layout.of_type(value.type).mesh
                if mesh is not None:
                    found.append(mesh)
                    return ir.WalkResult.INTERRUPT
        return ir.WalkResult.ADVANCE

    function.operation.walk(visit, ir.WalkOrder.PRE_ORDER)
    return found[0] if found else None
