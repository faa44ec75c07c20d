"""A function to interpret: its arguments, results, state and mesh."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.ir import Attribute, Operation

from coconet_mlir.interpreter.domain import InterpretationError
from coconet_mlir.interpreter.layouts import Layout
from coconet_mlir.interpreter.types import (
    attribute_of,
    dictionaries,
    integer,
    integers,
    layout_attributes,
    layout_of,
    op_name,
    required,
    tensor_info,
    text_of,
)
from coconet_mlir.mirror import parse
from coconet_mlir.mirror.attributes import DYNAMIC, LayoutAttr, MeshAttr


@dataclass(frozen=True)
class Port:
    """An argument or a result. `dims` names dimensions, "" where unnamed."""

    name: str
    shape: tuple[int, ...]
    element: str
    layout: Layout
    dims: tuple[str, ...] = ()
    state: bool = False


@dataclass(frozen=True)
class Program:
    """One function, distributed or of a single rank (`is_rank`)."""

    function: Operation
    arguments: tuple[Port, ...]
    results: tuple[Port, ...]
    mesh: MeshAttr | None
    is_rank: bool

    @property
    def block(self):
        """The body."""
        return self.function.regions[0].blocks[0]

    @property
    def name(self) -> str:
        """Of the function."""
        return text_of(required(self.function, "sym_name"))


def load(source: str | ModuleOp, *, function: str | None = None) -> Program:
    """The program in a module: the function of that name, or the first public one."""
    module = parse(source) if isinstance(source, str) else source
    op = _find_function(module, function)
    block = op.regions[0].blocks[0]
    given = dictionaries(op, "arg_attrs", len(block.args))
    arguments = [
        _port(value.type, attributes, f"argument {i}", "coconet.arg_name")
        for i, (value, attributes) in enumerate(zip(block.args, given, strict=True))
    ]
    types = list(required(op, "function_type").outputs)  # type: ignore[attr-defined]
    given = dictionaries(op, "res_attrs", len(types))
    results = [
        _port(type_, attributes, f"result {i}", "coconet.result_name")
        for i, (type_, attributes) in enumerate(zip(types, given, strict=True))
    ]
    return Program(op, tuple(arguments), tuple(results), _mesh(module, op), _is_rank(op))


def stage_names(module: ModuleOp) -> list[str]:
    """Names of the functions that are run by ranks of their own, in order of these."""
    found: list[tuple[int, str]] = []
    for op in (op for block in module.body.blocks for op in block.ops):
        if op_name(op) != "func.func" or not op.regions[0].blocks:
            continue
        name = text_of(required(op, "sym_name"))
        if attribute_of(op, "coconet.ranks") is not None:
            found.append((integers(op, "coconet.ranks")[0], name))
        elif attribute_of(op, "coconet.stage") is not None:
            found.append((integer(op, "coconet.stage"), name))
    return [name for _, name in sorted(found)]


def qualified(names: Sequence[str], ports: Sequence[Sequence[Port]]) -> tuple[Port, ...]:
    """The ports of all functions; a name that several have gets that of the function before it."""
    count = Counter(port.name for held in ports for port in held)
    return tuple(
        replace(port, name=f"{name}.{port.name}") if count[port.name] > 1 else port
        for name, held in zip(names, ports, strict=True)
        for port in held
    )


def _find_function(module: ModuleOp, name: str | None) -> Operation:
    found = []
    for op in (op for block in module.body.blocks for op in block.ops):
        if op_name(op) != "func.func" or not op.regions[0].blocks:
            continue
        symbol = required(op, "sym_name")
        visibility = attribute_of(op, "sym_visibility")
        found.append(text_of(symbol))
        if name == found[-1] or (name is None and visibility is None):
            return op
    listed = ", ".join(found) or "none"
    wanted = f"'{name}'" if name else "to run"
    raise InterpretationError(f"no function {wanted}; functions here: {listed}")


def _port(type_: Attribute, attributes: dict[str, Attribute], default: str, key: str) -> Port:
    info = tensor_info(type_)
    layout = info.layout
    # Plain tensors of a rank program say in an attribute what they are a part of.
    declared = attributes.get("coconet.layout")
    if isinstance(declared, LayoutAttr):
        layout = layout_of(declared)
    name = attributes.get(key)
    dims = attributes.get("coconet.dims")
    return Port(
        default if name is None else text_of(name),
        info.shape,
        info.element,
        layout,
        tuple(text_of(d) for d in dims) if dims is not None else (),  # type: ignore[attr-defined]
        isinstance(attributes.get("coconet.state"), UnitAttr),
    )


def has_channels(function: Operation) -> bool:
    """Whether it sends or receives values with layouts, as distributed programs do."""
    return any(op_name(op) in ("coconet.send", "coconet.recv") for op in function.walk())


def _is_rank(function: Operation) -> bool:
    if has_channels(function):
        return False
    if any(
        "coconet.layout" in attributes
        for key in ("arg_attrs", "res_attrs")
        for attributes in dictionaries(function, key, 0)
    ):
        return True
    ops = list(function.walk())
    if any(op_name(op).startswith("coconet.rank.") for op in ops):
        return True
    if any(True for op in ops for _ in layout_attributes(op)):
        return False
    return any(op_name(op).startswith(("tensor.", "scf.", "arith.")) for op in ops)


def _mesh(module: ModuleOp, function: Operation) -> MeshAttr | None:
    """The one mesh that the program mentions. Open sizes give way to bound ones."""
    meshes: list[MeshAttr] = []
    for holder in (function, module):
        found = attribute_of(holder, "coconet.mesh")
        if isinstance(found, MeshAttr):
            meshes.append(found)
    for op in function.walk():
        meshes += [layout.mesh for layout in layout_attributes(op)]
        own = attribute_of(op, "mesh")
        if isinstance(own, MeshAttr):
            meshes.append(own)
    for key in ("arg_attrs", "res_attrs"):
        for attributes in dictionaries(function, key, 0):
            layout = attributes.get("coconet.layout")
            if isinstance(layout, LayoutAttr):
                meshes.append(layout.mesh)
    chosen: MeshAttr | None = None
    for mesh in dict.fromkeys(meshes):
        if chosen is not None and mesh.axes != chosen.axes:
            raise InterpretationError(f"the program mixes meshes {chosen} and {mesh}")
        if chosen is None or DYNAMIC in [size.data for size in chosen.sizes]:
            chosen = mesh
    return chosen
