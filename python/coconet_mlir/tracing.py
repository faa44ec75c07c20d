"""Values of a program that is being traced, and how operations on them are made.

Result types are inferred and operations verified by the compiler as they are made, so an error
points at the Python line that wrote the operation.
"""

from __future__ import annotations

import contextlib
import itertools
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import FrameType
from typing import Any, TypeAlias

import numpy as np

from coconet_mlir import ir
from coconet_mlir.dialects import coconet
from coconet_mlir.dtypes import is_float, to_mlir
from coconet_mlir.errors import Diagnostic, ProgramError, reported_as
from coconet_mlir.layout import Layout, Mesh

Scalar = int | float
Operand: TypeAlias = "Tensor | int | float"

_PACKAGE = str(Path(__file__).parent)
_active = threading.local()


class Builder:
    """A function under construction; at most one a thread is traced at a time."""

    def __init__(self, context: ir.Context, mesh: Mesh | None, block: ir.Block) -> None:
        self.context = context
        self.mesh = mesh
        self.block = self._outermost = block
        self.constants: dict[tuple[str, str], Tensor] = {}
        self.names: list[str] = []
        self._streams: dict[int, set[int]] | None = None

    def take_stream(self, seed: int, stream: int | None) -> int:
        """Note a random stream of a seed; None is the first one that the module does not use."""
        if self._streams is None:
            self._streams = self._find_streams()
        used = self._streams.setdefault(seed, set())
        if stream is None:
            stream = next(number for number in itertools.count() if number not in used)
        used.add(stream)
        return stream

    def _find_streams(self) -> dict[int, set[int]]:
        """Those of the functions traced before, by seed."""
        found: dict[int, set[int]] = {}

        def note(op: ir.Operation) -> ir.WalkResult:
            if op.name == "coconet.dropout":
                seed, stream = (
                    ir.IntegerAttr(op.attributes[key]).value if key in op.attributes else 0
                    for key in ("seed", "stream")
                )
                found.setdefault(seed, set()).add(stream)
            return ir.WalkResult.ADVANCE

        self._outermost.owner.operation.parent.walk(note)
        return found

    @staticmethod
    def current() -> Builder:
        """The function that is traced now."""
        builder = getattr(_active, "builder", None)
        if builder is None:
            raise error_here(
                "operations on tensors belong in the body of a program",
                "decorate the function with @coconet_mlir.program",
            )
        return builder

    @contextlib.contextmanager
    def active(self) -> Iterator[None]:
        """Make it the current one."""
        outer = getattr(_active, "builder", None)
        _active.builder = self
        try:
            with self.context, ir.Location.unknown():
                yield
        finally:
            _active.builder = outer

    @contextlib.contextmanager
    def nested(self, block: ir.Block) -> Iterator[None]:
        """Make operations in the block of a region. Constants made there are not seen outside."""
        outer = self.block, self.constants
        self.block, self.constants = block, dict(self.constants)
        try:
            yield
        finally:
            self.block, self.constants = outer


@contextlib.contextmanager
def named(name: str) -> Iterator[None]:
    """Give operations made in this block a name, by which schedules find them."""
    names = Builder.current().names
    names.append(name)
    try:
        yield
    finally:
        names.pop()


def user_frame() -> FrameType | None:
    """The innermost frame outside of this package."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    return frame


def place_of(frame: FrameType | None) -> tuple[str, int, int]:
    """File, line and column, from 1, of what a frame executes."""
    if frame is None:
        return "", 0, 0
    column = 0
    if sys.version_info >= (3, 11):
        positions = frame.f_code.co_positions()
        found = next(itertools.islice(positions, frame.f_lasti // 2, None), None)
        column = (found[2] if found else None) or 0
    return frame.f_code.co_filename, frame.f_lineno, column + 1


def error_here(message: str, remedy: str = "") -> ProgramError:
    """An error at the user's line."""
    place = place_of(user_frame())
    notes = (Diagnostic(remedy),) if remedy else ()
    return ProgramError(None, (Diagnostic(message, *place, notes=notes),))


def location_here(context: ir.Context) -> ir.Location:
    """The user's line, for operations."""
    file, line, column = place_of(user_frame())
    if not file:
        return ir.Location.unknown(context)
    return ir.Location.file(file, line, column, context)


class Tensor:
    """A value of a traced program. Operators make operations; numbers become constants."""

    __slots__ = ("value",)
    # Numpy scalars on the left leave the operator to us.
    __array_ufunc__ = None

    def __init__(self, value: ir.Value) -> None:
        self.value = value

    @property
    def type(self) -> ir.RankedTensorType:
        """The MLIR type."""
        return ir.RankedTensorType(self.value.type)

    @property
    def shape(self) -> tuple[int | None, ...]:
        """Sizes; None where a size is open. Logical ones, unless the value is local."""
        type_ = self.type
        return tuple(
            None if type_.is_dynamic_dim(d) else type_.get_dim_size(d) for d in range(type_.rank)
        )

    @property
    def dtype(self) -> str:
        """Name of the element type."""
        return str(self.type.element_type)

    @property
    def layout(self) -> Layout:
        """How the value lies on the mesh."""
        return Layout.of_type(self.value.type)

    def __repr__(self) -> str:
        sizes = "x".join("?" if size is None else str(size) for size in self.shape)
        return f"Tensor({sizes or 'scalar'}, {self.dtype}, {self.layout.describe()})"

    def __bool__(self) -> bool:
        raise error_here(
            "a tensor has no truth value while a program is traced",
            "use select(condition, a, b)",
        )

    def __add__(self, other: Operand) -> Tensor:
        return emit_joined("add", self, other)

    def __radd__(self, other: Operand) -> Tensor:
        return emit_joined("add", other, self)

    def __sub__(self, other: Operand) -> Tensor:
        return emit_joined("sub", self, other)

    def __rsub__(self, other: Operand) -> Tensor:
        return emit_joined("sub", other, self)

    def __mul__(self, other: Operand) -> Tensor:
        return emit_joined("mul", self, other)

    def __rmul__(self, other: Operand) -> Tensor:
        return emit_joined("mul", other, self)

    def __truediv__(self, other: Operand) -> Tensor:
        return emit_joined("div", self, other)

    def __rtruediv__(self, other: Operand) -> Tensor:
        return emit_joined("div", other, self)

    def __pow__(self, other: Operand) -> Tensor:
        return emit_joined("pow", self, other)

    def __rpow__(self, other: Operand) -> Tensor:
        return emit_joined("pow", other, self)

    def __matmul__(self, other: Tensor) -> Tensor:
        return emit("matmul", [self, other])

    def __neg__(self) -> Tensor:
        return emit("neg", [self])

    def __abs__(self) -> Tensor:
        return emit("abs", [self])

    def __lt__(self, other: Operand) -> Tensor:
        return _compare("lt", self, other)

    def __le__(self, other: Operand) -> Tensor:
        return _compare("le", self, other)

    def __gt__(self, other: Operand) -> Tensor:
        return _compare("gt", self, other)

    def __ge__(self, other: Operand) -> Tensor:
        return _compare("ge", self, other)


def _compare(predicate: str, lhs: Operand, rhs: Operand) -> Tensor:
    attribute = ir.Attribute.parse(f"#coconet<predicate {predicate}>")
    return emit_joined("compare", lhs, rhs, attributes={"predicate": attribute})


def constant_like(value: Scalar, like: Tensor) -> Tensor:
    """A constant of rank 0 with the element type of another tensor."""
    if isinstance(value, float) and not is_float(like.dtype):
        raise error_here(
            f"the number {value!r} meets a tensor of {like.dtype}", "cast the tensor first"
        )
    return constant(value, like.dtype)


def constant(value: Scalar, dtype: str) -> Tensor:
    """A constant of rank 0. Equal constants of a program are one operation."""
    builder = Builder.current()
    key = (repr(float(value) if is_float(dtype) else value), dtype)
    if key not in builder.constants:
        element = to_mlir(dtype)
        if is_float(dtype):
            scalar: ir.Attribute = ir.FloatAttr.get(element, float(value))
        else:
            scalar = ir.IntegerAttr.get(element, int(value))
        type_ = ir.RankedTensorType.get([], element)
        elements = ir.DenseElementsAttr.get_splat(type_, scalar)
        # Without a name: a schedule that moves a named group does not mean its constants.
        builder.constants[key] = emit("constant", [], {"value": elements}, name="")
    return builder.constants[key]


def joined(*operands: Operand) -> list[Tensor]:
    """The operands, with numbers as constants of the first tensor's element type."""
    tensors = [operand for operand in operands if isinstance(operand, Tensor)]
    if not tensors:
        raise error_here("an operation has only numbers as operands", "one operand is a tensor")
    result = []
    for operand in operands:
        number = operand.item() if isinstance(operand, np.number) else operand
        if not isinstance(number, Tensor | int | float):
            raise error_here(
                f"{type(operand).__name__} is no operand", "use tensors of the program, or numbers"
            )
        result.append(number if isinstance(number, Tensor) else constant_like(number, tensors[0]))
    return result


def emit_joined(
    op: str,
    *operands: Operand,
    attributes: dict[str, ir.Attribute] | None = None,
    name: str | None = None,
) -> Tensor:
    """Make an operation whose operands may be numbers."""
    Builder.current()
    return emit(op, joined(*operands), attributes, name=name)


def emit(
    op: str,
    operands: Sequence[Tensor],
    attributes: dict[str, ir.Attribute] | None = None,
    *,
    name: str | None = None,
    hint: ir.Type | None = None,
    result: ir.Type | None = None,
) -> Tensor:
    """Make the operation `coconet.<op>`. Its type is inferred, with the help of one of these:

    Args:
        name: its name, by default that of the innermost `named` block; "" for none.
        hint: a type for ops that take more from it than operands tell (a mesh, a shape); the
            compiler corrects the rest.
        result: the very type, for ops that infer none.
    """
    builder = Builder.current()
    for operand in operands:
        if not isinstance(operand, Tensor):
            raise error_here(f"{type(operand).__name__} is no tensor of the program")
    held: dict[str, Any] = {k: v for k, v in (attributes or {}).items() if v is not None}
    label = builder.names[-1] if name is None and builder.names else name
    if label:
        held["coconet.name"] = ir.StringAttr.get(label)
    given = result or hint
    with reported_as(ProgramError):
        created = ir.Operation.create(
            f"coconet.{op}",
            results=None if given is None else [given],
            operands=[operand.value for operand in operands],
            attributes=held,
            infer_type=given is None,
            loc=location_here(builder.context),
            ip=ir.InsertionPoint(builder.block),
        )
        try:
            if hint is not None:
                created.results[0].set_type(coconet.infer_type(created))
            created.verify()
        except ir.MLIRError:
            created.erase()
            raise
    return Tensor(created.results[0])
