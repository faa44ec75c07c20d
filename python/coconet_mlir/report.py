"""Programs in words: layouts, communication and what it moves, fused regions."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from coconet_mlir import ir
from coconet_mlir.dtypes import to_numpy
from coconet_mlir.layout import Layout, Mesh
from coconet_mlir.program import Port, Program, Signature

_COLLECTIVES = (
    "all_reduce reduce_scatter all_gather all_to_all broadcast reduce_to_root gather_to_root "
    "scatter_from_root permute"
).split()


@dataclass
class Amount:
    """A number of bytes, times names of open sizes, over names of open axes."""

    number: float
    names: list[str] = field(default_factory=list)
    over: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        if not self.names and not self.over:
            return f"{math.ceil(self.number):,} B"
        text = " ".join([f"{self.number:g}", *self.names])
        return f"{text} B" if not self.over else f"{text}/{' '.join(self.over)} B"


@dataclass(frozen=True)
class Communication:
    """A collective of a program.

    Attributes:
        group: its axes or explicit groups, as written; of a send the channel.
        size: number of members, in words where the mesh is open.
        bytes_per_rank: what a rank sends with a bandwidth-optimal algorithm.
    """

    kind: str
    name: str
    group: str
    size: str
    bytes_per_rank: str


def _walk(op: ir.Operation) -> Iterator[ir.Operation]:
    for region in op.regions:
        for block in region.blocks:
            for inner in block.operations:
                yield inner.operation
                yield from _walk(inner.operation)


def _short(op: ir.Operation) -> str:
    return op.name.removeprefix("coconet.").removeprefix("rank.")


def _name(op: ir.Operation) -> str:
    if "coconet.name" not in op.attributes:
        return ""
    return ir.StringAttr(op.attributes["coconet.name"]).value


def _held(type_: ir.RankedTensorType, mesh: Mesh | None, open_name: str) -> Amount:
    """Bytes that a rank holds of a tensor."""
    layout = Layout.of_type(type_)
    amount = Amount(to_numpy(str(type_.element_type)).itemsize)
    for dim in range(type_.rank):
        if type_.is_dynamic_dim(dim):
            amount.names.append(open_name)
        else:
            amount.number *= type_.get_dim_size(dim)
    for axis in [a for axes in layout.dims for a in axes] + list(layout.flat):
        size = mesh.sizes.get(axis) if mesh else None
        if size is None:
            amount.over.append(axis)
        else:
            amount.number /= size
    return amount


def _group(op: ir.Operation, mesh: Mesh | None) -> tuple[str, int | None, str]:
    """The group as written, its size, and the size in words."""
    if "axes" not in op.attributes:
        lists = [list(ir.DenseI64ArrayAttr(g)) for g in ir.ArrayAttr(op.attributes["groups"])]
        size = len(lists[0])
        return f"groups {lists}", size, str(size)
    axes = [ir.StringAttr(axis).value for axis in ir.ArrayAttr(op.attributes["axes"])]
    sizes = [mesh.sizes.get(axis) if mesh else None for axis in axes]
    words = " ".join(str(size or axis) for axis, size in zip(axes, sizes, strict=True))
    if None in sizes:
        return f"{{{', '.join(axes)}}}", None, words
    return f"{{{', '.join(axes)}}}", math.prod(s for s in sizes if s is not None), words


def _sent(kind: str, amount: Amount, size: int | None, words: str) -> str:
    """What a rank sends of the buffer of a collective in a group."""
    if kind in ("broadcast", "permute"):
        return str(amount)
    times = 2 if kind == "all_reduce" else 1
    if size is not None:
        amount.number *= times * (size - 1) / size
        return str(amount)
    group = words if " " not in words else f"({words})"
    factor = f"({group} - 1)/{group}"
    return f"{'2 ' if times == 2 else ''}{factor} x {amount}"


def operations(program: Program, function: str | None = None) -> set[str]:
    """Names of the dialect's operations that a function, or all stages, use, without prefix."""
    names = program.stages if function is None else ()
    held = [program.function_op(name).operation for name in names or (function,)]
    return {_short(op) for each in held for op in _walk(each)}


def communications(program: Program, function: str | None = None) -> list[Communication]:
    """The collectives and sends of a function in program order."""
    signature = program.signature(function)
    names = {dim for port in signature.arguments for dim in port.dims if dim}
    open_name = names.pop() if len(names) == 1 else "?"
    found = []
    for op in _walk(program.function_op(function).operation):
        kind = _short(op)
        if kind == "send":
            channel = f'to "{ir.StringAttr(op.attributes["channel"]).value}"'
            sent = _held(ir.RankedTensorType(op.operands[0].type), signature.mesh, open_name)
            found.append(Communication(kind, _name(op), channel, "1", str(sent)))
        if kind not in _COLLECTIVES:
            continue
        group, size, words = _group(op, signature.mesh)
        gathers = kind in ("all_gather", "gather_to_root")
        whole = op.results[0] if gathers else op.operands[0]
        amount = _held(ir.RankedTensorType(whole.type), signature.mesh, open_name)
        if "coconet.wire_type" in op.attributes:
            element = ir.RankedTensorType(whole.type).element_type
            wire = ir.TypeAttr(op.attributes["coconet.wire_type"]).value
            amount.number *= to_numpy(str(wire)).itemsize / to_numpy(str(element)).itemsize
        found.append(Communication(kind, _name(op), group, words, _sent(kind, amount, size, words)))
    return found


def _fused(program: Program, function: str | None) -> list[str]:
    lines = []
    for op in _walk(program.function_op(function).operation):
        if op.name != "coconet.fused":
            continue
        inner = list(_walk(op))
        others = (*_COLLECTIVES, "send", "yield", "constant", "shard")
        held = Counter(_short(o) for o in inner if _short(o) in (*_COLLECTIVES, "send"))
        count = sum(_short(o) not in others for o in inner)
        kind = str(op.attributes["kind"]).removesuffix(">").split()[-1]
        words = [op if times == 1 else f"{times} {op}" for op, times in held.items()]
        words.append(f"{count} pointwise op{'' if count == 1 else 's'}")
        lines.append(f"{kind} {_quoted(_name(op))}: {', '.join(words)}".replace(" :", ":"))
    return lines


def _quoted(name: str) -> str:
    return f'"{name}"' if name else ""


def _table(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    return [
        "    " + "  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def _port_row(port: Port) -> list[str]:
    sizes = [port.size_text(dim) for dim in range(len(port.shape))]
    state = "state, " if port.state else ""
    return [port.name, "x".join([*sizes, port.dtype]), state + port.layout.describe()]


def _header(signature: Signature) -> str:
    if signature.mesh is None:
        return f"@{signature.name}, without mesh"
    return f"@{signature.name} on mesh {signature.mesh}"


def describe(program: Program, function: str | None = None) -> str:
    """A function as a table for a terminal: arguments, results, communication, fused regions."""
    signature = program.signature(function)
    lines = [_header(signature)]
    for title, ports in (("arguments", signature.arguments), ("results", signature.results)):
        if ports:
            lines += [f"  {title}", *_table([_port_row(port) for port in ports])]
    found = communications(program, signature.name)
    if found:
        head = ("op", "name", "group", "members", "sent by a rank")
        rows = [(c.kind, c.name, c.group, c.size, c.bytes_per_rank) for c in found]
        lines += ["  communication", *_table([head, *rows])]
    else:
        lines.append("  communication: none")
    fused = _fused(program, signature.name)
    if fused:
        lines += ["  fused", *(f"    {line}" for line in fused)]
    return "\n".join(lines)
