"""Loops and conditionals of a traced program.

They stay loops and branches in the program, whatever their number of turns:

    p, m, v = cc.loop(steps, train, p, m, v)
    p = cc.cond(overflow, lambda: p, lambda: p - 0.1 * g)

States are updated after them, with what they give.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from coconet_mlir import ir
from coconet_mlir.errors import ProgramError, reported_as
from coconet_mlir.tracing import Builder, Tensor, error_here, location_here

Yielded: TypeAlias = Tensor | Sequence[Tensor] | None
Results: TypeAlias = Tensor | tuple[Tensor, ...] | None


def loop(n: int | Tensor, body: Callable[..., Yielded], *init: Tensor) -> Results:
    """Run `body` n times, each time with what it gave the time before.

    Args:
        n: how often; a number, or an i32 or i64 tensor of one element that is equal on all ranks.
        body: takes the number of the turn, an i64 scalar from 0, and the carried tensors; returns
            as many, of the same types and layouts.
        init: the carried tensors of the first turn.

    Returns:
        The carried tensors after the last turn: one, a tuple of several, or None.

    Raises:
        ProgramError: the body returns tensors of other types, or updates a state.
    """
    builder = Builder.current()
    for value in init:
        if not isinstance(value, Tensor):
            raise error_here(
                f"{type(value).__name__} is no tensor of the program",
                "a loop carries tensors; use what stays the same in the body directly",
            )
    location = location_here(builder.context)
    types = [value.value.type for value in init]
    index = ir.IndexType.get()
    made = ir.Operation.create(
        "scf.for",
        results=types,
        operands=[
            _index(0, location),
            _turns(n, location),
            _index(1, location),
            *(value.value for value in init),
        ],
        regions=1,
        loc=location,
        ip=ir.InsertionPoint(builder.block),
    )
    with _erased_on_error(made):
        block = made.regions[0].blocks.append(index, *types, arg_locs=[location] * (1 + len(types)))
        turn, *carried = block.arguments
        with builder.nested(block):
            returned = body(_scalar(turn, location), *(Tensor(value) for value in carried))
        values = _listed(returned)
        _check_types("the loop carries", "its body returns", types, values)
        _yield(block, values, location)
    return _results(made, returned if init else None)


def cond(
    predicate: Tensor, then: Callable[[], Yielded], otherwise: Callable[[], Yielded]
) -> Results:
    """The results of one of two functions.

    Args:
        predicate: an i1 tensor of one element. Ranks for which it differs may not communicate
            in the functions, and what these give is then local along the axes where it differs.
        then: called, without arguments, for what holds where the predicate is true.
        otherwise: for what holds elsewhere, of the same types and layouts.

    Raises:
        ProgramError: the functions return tensors of unlike types, or update a state.
    """
    builder = Builder.current()
    location = location_here(builder.context)
    condition = _element(predicate, ("i1",), "a condition", location)

    def create(results: Sequence[ir.Type]) -> ir.Operation:
        return ir.Operation.create(
            "scf.if",
            results=list(results),
            operands=[condition],
            regions=2,
            loc=location,
            ip=ir.InsertionPoint(builder.block),
        )

    # What it yields is known when both functions are traced, in a place that is given up then.
    draft = create([])
    try:
        returned: list[Yielded] = []
        for region, function in zip(draft.regions, (then, otherwise), strict=True):
            block = region.blocks.append()
            with builder.nested(block):
                returned.append(function())
            _yield(block, _listed(returned[-1]), location)
        types = [value.value.type for value in _listed(returned[0])]
        _check_types("one branch gives", "the other", types, _listed(returned[1]))
        made = create(types)
        for source, target in zip(draft.regions, made.regions, strict=True):
            source.blocks[0].append_to(target)
    finally:
        draft.erase()
    with _erased_on_error(made):
        pass
    return _results(made, returned[0])


class _erased_on_error:  # noqa: N801 -- used as a statement, as those of contextlib
    """Verify an operation at the end; erase it if tracing it fails."""

    def __init__(self, op: ir.Operation) -> None:
        self.op = op

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if kind is not None:
            self.op.erase()
            return
        with reported_as(ProgramError):
            try:
                self.op.verify()
            except ir.MLIRError:
                self.op.erase()
                raise


def _listed(returned: Yielded) -> list[Tensor]:
    values = (
        [] if returned is None else [returned] if isinstance(returned, Tensor) else list(returned)
    )
    for value in values:
        if not isinstance(value, Tensor):
            raise error_here(
                f"{type(value).__name__} is no tensor of the program",
                "return a tensor, several, or none",
            )
    return values


def _results(op: ir.Operation, returned: Yielded) -> Results:
    results = tuple(Tensor(value) for value in op.results)
    if returned is None:
        return None
    return results[0] if isinstance(returned, Tensor) else results


def _check_types(
    first: str, second: str, types: Sequence[ir.Type], values: Sequence[Tensor]
) -> None:
    found = [value.value.type for value in values]
    if found != list(types):
        raise error_here(
            f"{first} {_shown(types)} and {second} {_shown(found)}",
            "return as many tensors, of the same shapes, element types and layouts",
        )


def _shown(types: Sequence[ir.Type]) -> str:
    return ", ".join(str(type_) for type_ in types) or "nothing"


def _yield(block: ir.Block, values: Sequence[Tensor], location: ir.Location) -> None:
    operands = [value.value for value in values]
    ir.Operation.create("scf.yield", operands=operands, loc=location, ip=ir.InsertionPoint(block))


def _make(
    name: str,
    result: ir.Type,
    operands: Sequence[ir.Value],
    location: ir.Location,
    attributes: dict[str, ir.Attribute] | None = None,
) -> ir.Value:
    point = ir.InsertionPoint(Builder.current().block)
    return ir.Operation.create(
        name, [result], list(operands), attributes or {}, loc=location, ip=point
    ).results[0]


def _index(value: int, location: ir.Location) -> ir.Value:
    index = ir.IndexType.get()
    held = {"value": ir.IntegerAttr.get(index, value)}
    return _make("arith.constant", index, [], location, held)


def _turns(n: int | Tensor, location: ir.Location) -> ir.Value:
    if isinstance(n, int):
        if n < 0:
            raise error_here(f"a loop runs {n} times", "give a number from 0")
        return _index(n, location)
    element = _element(n, ("i32", "i64"), "a number of turns", location)
    return _make("arith.index_cast", ir.IndexType.get(), [element], location)


def _element(value: Tensor, dtypes: Sequence[str], what: str, location: ir.Location) -> ir.Value:
    """The one element of a tensor of rank 0."""
    if not isinstance(value, Tensor) or value.dtype not in dtypes or value.shape != ():
        shown = repr(value) if isinstance(value, Tensor) else type(value).__name__
        raise error_here(
            f"{shown} is not {what}", f"give a tensor of {' or '.join(dtypes)} without dimensions"
        )
    return _make("tensor.extract", value.type.element_type, [value.value], location)


def _scalar(index: ir.Value, location: ir.Location) -> Tensor:
    """The number of a turn as a tensor."""
    i64 = ir.IntegerType.get_signless(64)
    element = _make("arith.index_cast", i64, [index], location)
    type_ = ir.RankedTensorType.get([], i64)
    return Tensor(_make("tensor.from_elements", type_, [element], location))
