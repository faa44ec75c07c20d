"""Schedules: transformations of a program, recorded as IR of the transform dialect.

Each step is applied to the program as the steps before left it, and finds operations by name, so
no handle dangles. A step that is refused raises, and leaves schedule and program as they were.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coconet_mlir import ir
from coconet_mlir.arguments import check_sizes
from coconet_mlir.binding import bind
from coconet_mlir.dialects import transform
from coconet_mlir.dialects._coconet_transform_ops_gen import (
    AlgorithmOp,
    AsSliceOp,
    BucketOp,
    FuseOp,
    MatchOp,
    MergeOp,
    OverlapStepOp,
    ReorderOp,
    SliceSendOp,
    SplitOp,
    WireTypeOp,
)
from coconet_mlir.dialects.coconet import apply_named_sequence
from coconet_mlir.dtypes import to_mlir
from coconet_mlir.errors import InputError, ProgramError, ScheduleError, reported_as
from coconet_mlir.program import Program, Signature, context
from coconet_mlir.specs import Cut

if TYPE_CHECKING:
    from coconet_mlir.check import Report

_ENTRY = "__transform_main"
_DANGLING = "uses a handle invalidated"
"""Said of a handle to an operation in a region that another handle is to."""
_PARTS = {"rs_ag": 2, "reduce_broadcast": 2, "hierarchical": 3}
"""Forms of split, and how many collectives each makes."""
_MOST_RANKS = 4096
"""Of a comparison, which holds every rank's tensors at once."""


Emit = Callable[[ir.Value], ir.Value | None]
"""Writes a step on a root, and returns the root that is left where it consumes the one given."""


@dataclass(frozen=True)
class Step:
    """One transformation: what it is called, how it is written, what it made of the program."""

    title: str
    emit: Emit
    program: Program


def _handle() -> ir.Type:
    return transform.AnyOpType.get()


def _match(name: str, root: ir.Value) -> ir.Value:
    return MatchOp(_handle(), root, name).result


def _sequence(emitters: Sequence[Emit]) -> ir.Module:
    """A module with one named sequence that does all of these."""
    with context(), ir.Location.unknown():
        module = ir.Module.create()
        module.operation.attributes["transform.with_named_sequence"] = ir.UnitAttr.get()
        with ir.InsertionPoint(module.body):
            sequence = transform.NamedSequenceOp(_ENTRY, [_handle()], [])
        with ir.InsertionPoint(sequence.body):
            root = sequence.body.arguments[0]
            for emit in emitters:
                left = emit(root)
                root = root if left is None else left
            transform.YieldOp()
        return module


def _entry(script: ir.Module) -> ir.OpView:
    for op in script.body.operations:
        if op.operation.name != "transform.named_sequence":
            continue
        if ir.StringAttr(op.operation.attributes["sym_name"]).value == _ENTRY:
            return op
    raise InputError(
        f"the schedule has no named sequence @{_ENTRY}; it is a module with "
        f"transform.named_sequence @{_ENTRY}(%root: !transform.any_op)"
    )


def _apply(program: Program, script: ir.Module, what: str) -> Program:
    """The program after a script; the one given stays as it is."""
    with context(), ir.Location.unknown():
        payload = program.copy()
        with reported_as(ScheduleError, f"{what} is refused"):
            apply_named_sequence(payload.module.operation, _entry(script), script.operation)
            payload.module.operation.verify()
        return payload


class Schedule:
    """Steps from a base program to a scheduled one.

    `print(schedule)` shows the steps as transform IR, `print(schedule.program)` what they made.

    Args:
        program: the base program.
    """

    def __init__(self, program: Program) -> None:
        self.base = program
        self.steps: list[Step] = []

    # ===- Steps ---------------------------------------------------------------===

    def split(
        self,
        name: str,
        into: str = "rs_ag",
        *,
        dim: Cut = 0,
        root: int = 0,
        inner: str | Sequence[str] = (),
        outer: str | Sequence[str] = (),
    ) -> Schedule:
        """One all_reduce as several collectives, which are named after it.

        Args:
            into: "rs_ag": `AG(RS(x))` along `dim`, or "flat"; NAME.rs, NAME.ag.
                "reduce_broadcast": by way of the member at position `root`; NAME.reduce, NAME.bc.
                "hierarchical": `AG(AR(RS(x)))`, the middle over the `outer` axes, the others over
                the `inner` ones; NAME.rs, NAME.ar, NAME.ag.
        """
        if into not in _PARTS:
            raise ScheduleError(
                f"an all_reduce is not split into '{into}'; into is {_quoted(list(_PARTS))}"
            )
        if dim != "flat" and not isinstance(dim, int):
            raise ScheduleError(f'dim is {dim!r}; give a dimension, or "flat"')
        levels = [(axes,) if isinstance(axes, str) else tuple(axes) for axes in (inner, outer)]

        def emit(root_handle: ir.Value) -> None:
            options: dict[str, Any] = {"dim": None if dim == "flat" else dim}
            if into == "reduce_broadcast":
                options = {"root": root}
            elif into == "hierarchical":
                options |= {"inner": _strings(levels[0]), "outer": _strings(levels[1])}
            SplitOp([_handle()] * _PARTS[into], _match(name, root_handle), **options)

        return self._step("split", f'split "{name}"', emit)

    def wire_type(self, name: str, type: str) -> Schedule:
        """Let the values of a collective, or of those in a fused region, travel as f16 or bf16.

        Lossy: values are rounded once per hop and added in f32; `verify` says so.
        """
        if type not in ("f16", "bf16"):
            raise ScheduleError(f"a wire type is f16 or bf16, not {type!r}")

        def emit(root: ir.Value) -> None:
            WireTypeOp(_match(name, root), to_mlir(type))

        return self._step("wire-type", f'wire_type "{name}"', emit)

    def algorithm(self, name: str, algorithm: str, *, channels: int | None = None) -> Schedule:
        """How the target does a collective or a fused region: one_shot, two_shot, ring, library."""

        def emit(root: ir.Value) -> None:
            AlgorithmOp(_match(name, root), algorithm, channels=channels)

        return self._step("algorithm", f'algorithm "{name}"', emit)

    def merge(self, reduce_scatter: str, all_gather: str | None = None) -> Schedule:
        """`AG(RS(x)) -> AR(x)`; by default NAME.ag belongs to NAME.rs."""
        gather = all_gather or reduce_scatter.removesuffix(".rs") + ".ag"
        if gather == reduce_scatter:
            raise ScheduleError(f"'{gather}' is named twice; name a reduce_scatter and its gather")

        def emit(root: ir.Value) -> None:
            MergeOp(_handle(), _match(reduce_scatter, root), _match(gather, root))

        return self._step("merge", f'merge "{reduce_scatter}"', emit)

    def reorder(self, all_gather: str, *, past: str | Sequence[str]) -> Schedule:
        """`C(AG(x)) -> AG(C(x))` for the computations called `past`; new gathers keep the name.

        Past a send, `Send(AG(x)) -> AG(Send(x))`: the all_gather is then behind the recv.
        """
        names = [past] if isinstance(past, str) else list(past)
        if not names:
            raise ScheduleError("reorder is past nothing; give the names of computations")
        if all_gather in names:
            raise ScheduleError(
                f"'{all_gather}' cannot be moved past itself; give the names of computations"
            )
        names = list(dict.fromkeys(names))

        def emit(root: ir.Value) -> None:
            handles = [_match(name, root) for name in names]
            if len(handles) > 1:
                handles = [transform.MergeHandlesOp(handles).result]
            ReorderOp(_handle(), _handle(), _match(all_gather, root), handles[0])

        return self._step("reorder", f'reorder "{all_gather}"', emit)

    def slice_send(self, name: str, *, axes: str | Sequence[str], dim: Cut = 0) -> Schedule:
        """`Send(x) -> AG(Send(shard(x)))`: each rank sends its slice along `dim`, or "flat", and
        the all_gather `NAME.ag` is behind the recv."""
        if dim != "flat" and not isinstance(dim, int):
            raise ScheduleError(f'dim is {dim!r}; give a dimension, or "flat"')

        def emit(root: ir.Value) -> None:
            cut = None if dim == "flat" else dim
            named = [axes] if isinstance(axes, str) else list(axes)
            held = ir.ArrayAttr.get([ir.StringAttr.get(axis) for axis in named])
            SliceSendOp(_handle(), _handle(), _match(name, root), held, dim=cut)

        return self._step("slice_send", f'slice_send "{name}"', emit)

    def as_slice(self, *states: str) -> Schedule:
        """Hold states in slices, as their uses cut them. Changes the function's type."""

        if not states:
            raise ScheduleError("as_slice is of nothing; give the names of states")

        def emit(root: ir.Value) -> None:
            AsSliceOp(root, ir.ArrayAttr.get([ir.StringAttr.get(state) for state in states]))

        return self._step("as_slice", f"as_slice {_quoted(states)}", emit)

    def fuse(self, *names: str, name: str | None = None) -> Schedule:
        """One region, and one kernel, of all operations with these names."""

        def emit(root: ir.Value) -> None:
            # Of an operation that is named twice, the second handle would dangle.
            FuseOp(_handle(), [_match(each, root) for each in dict.fromkeys(names)], name=name)

        return self._step("fuse", f"fuse {_quoted(names)}", emit)

    def overlap(self, *names: str, chunks: int, dim: int = 0, name: str | None = None) -> Schedule:
        """One region of operations that run chunk by chunk, communication beside computation.

        What is sent in chunks is received in chunks: of a send among the operations the recv is
        chunked too, in a region of its own function with those of the operations that are there.

        Args:
            names: of at least one collective, or fused region with one, and of what runs beside it.
            chunks: number of chunks; 1 runs operations that do not depend on each other at once.
            dim: dimension of the first result that the chunks are parts of.
            name: of the region.
        """

        def emit(root: ir.Value) -> None:
            handles = [_match(each, root) for each in names]
            OverlapStepOp(_handle(), handles, chunks, dim, name=name)

        return self._step("overlap", f"overlap {_quoted(names)}", emit)

    def bucket(self, *names: str, name: str | None = None, bytes: int | None = None) -> Schedule:
        """Many small collectives of one kind as one over a list, and so as one kernel.

        Args:
            name: of the collective, by default that of the first.
            bytes: most bytes of a bucket; several are made in program order, NAME.0, NAME.1, ...
        """

        def emit(root: ir.Value) -> None:
            BucketOp(_handle(), [_match(each, root) for each in names], name=name, bytes=bytes)

        return self._step("bucket", f"bucket {_quoted(names)}", emit)

    def fuse_allreduce(self, *, slice_state: bool = False) -> Schedule:
        """Split, reorder and fuse every all_reduce with the computation after it."""

        def emit(root: ir.Value) -> ir.Value:
            options = {"slice-state": True} if slice_state else {}
            return transform.ApplyRegisteredPassOp(
                _handle(), root, "fuse-allreduce", options=options
            ).result

        return self._step("fuse-allreduce", "fuse_allreduce", emit)

    def apply(self, script: str | Path) -> Schedule:
        """Apply a schedule that was saved as a file, as one step.

        Raises:
            InputError: the file cannot be read, or holds no schedule.
            ScheduleError: it is malformed, or a transformation is refused.
        """
        try:
            Path(script).open("rb").close()
        except OSError as error:
            raise InputError(f"cannot read {script}: {error.strerror}") from None
        with reported_as(ScheduleError):
            module = ir.Module.parseFile(str(script), context())
        return self._add("schedule", f"schedule {script}", module, _copier(module))

    def _step(self, title: str, what: str, emit: Emit) -> Schedule:
        try:
            return self._add(title, what, _sequence([emit]), emit)
        except ScheduleError as error:
            if _DANGLING not in error.message:
                raise
            raise ScheduleError(
                f"{what} is refused: of the operations that it names, one lies in another; "
                "name the region, or what is in it"
            ) from None

    def _add(self, title: str, what: str, script: ir.Module, emit: Emit) -> Schedule:
        self.steps.append(Step(title, emit, _apply(self.program, script, what)))
        return self

    # ===- Views ---------------------------------------------------------------===

    @property
    def program(self) -> Program:
        """The program after all steps."""
        return self.steps[-1].program if self.steps else self.base

    @property
    def script(self) -> ir.Module:
        """All steps as one sequence of the transform dialect."""
        return _sequence([step.emit for step in self.steps])

    def __str__(self) -> str:
        return str(self.script)

    def __repr__(self) -> str:
        titles = ", ".join(step.title for step in self.steps)
        return f"Schedule({self.base!r}, [{titles}])"

    def save(self, path: str | Path) -> None:
        """Write the transform script; `apply` and `coconet run --schedule` read it."""
        Path(path).write_text(str(self))

    def trace(self) -> list[tuple[str, str]]:
        """Title and IR of the base program and of each step; "(unchanged)" where nothing moved."""
        result = [("input", str(self.base))]
        last = result[0][1]
        for step in self.steps:
            text = str(step.program)
            result.append((f"after-{step.title}", "(unchanged)\n" if text == last else text))
            last = text
        return result

    def dump(self, folder: str | Path) -> list[Path]:
        """Write 00-input.mlir, 01-after-split.mlir, ... and return their paths."""
        target = Path(folder)
        target.mkdir(parents=True, exist_ok=True)
        paths = []
        for index, (title, text) in enumerate(self.trace()):
            paths.append(target / f"{index:02}-{title}.mlir")
            paths[-1].write_text(text if text.endswith("\n") else text + "\n")
        return paths

    # ===- Use -----------------------------------------------------------------===

    def compare(
        self,
        *,
        ranks: int | None = None,
        mesh: Mapping[str, int] | None = None,
        sizes: int | Mapping[str, int] | None = None,
        seed: int = 0,
        function: str | None = None,
    ) -> Report:
        """Compare with the base program on simulated ranks; see `coconet_mlir.check.equivalent`.

        Args:
            ranks: number of ranks, for a mesh of one axis.
            mesh: sizes of the mesh's axes by name.
            sizes: open sizes, one for all or by name; by default one that no group divides.

        Raises:
            CompileError: the mesh does not fit the program.
            ProgramError: the programs cannot be evaluated.
        """
        from coconet_mlir.check import equivalent
        from coconet_mlir.interpreter.domain import InterpretationError

        _check_sizes(self.base.signature(function), sizes)
        programs = [bind(program, ranks=ranks, mesh=mesh) for program in (self.base, self.program)]
        bound = programs[0].signature(function).mesh
        has_mesh = bound is not None
        count = bound.ranks if bound is not None else ranks or 1
        if count > _MOST_RANKS:
            raise InputError(
                f"{count} ranks are too many to simulate; give at most {_MOST_RANKS} for a check"
            )
        try:
            return equivalent(
                programs[0].generic(),
                programs[1].generic(),
                ranks=None if has_mesh else ranks,
                sizes=sizes,
                seed=seed,
                function=function,
            )
        except InterpretationError as error:
            raise ProgramError(f"the programs cannot be compared: {error}") from None

    def verify(self, **options: Any) -> Report:
        """`compare`, as an assertion.

        Raises:
            ScheduleError: the two differ; the message says where.
        """
        report = self.compare(**options)
        if not report:
            raise ScheduleError(str(report))
        return report

    def compile(self, **options: Any) -> Any:
        """Compile the scheduled program; see `coconet_mlir.compile`."""
        return self.program.compile(**options)


def _check_sizes(signature: Signature, sizes: int | Mapping[str, int] | None) -> None:
    if isinstance(sizes, Mapping):
        check_sizes(signature, sizes)
    for size in sizes.values() if isinstance(sizes, Mapping) else [sizes]:
        if size is not None and size < 0:
            raise InputError(f"{size} is no size; give 0 or more")


def _copier(script: ir.Module) -> Emit:
    """Writes the body of a script's sequence into another one."""

    def emit(root: ir.Value) -> ir.Value:
        block = _entry(script).operation.regions[0].blocks[0]
        values = {block.arguments[0]: root}
        for op in block.operations:
            if op.operation.name == "transform.yield":
                continue
            copy = op.operation.clone()
            for index, operand in enumerate(op.operation.operands):
                copy.operation.operands[index] = values[operand]
            for old, new in zip(op.operation.results, copy.operation.results, strict=True):
                values[old] = new
            takes_root = op.operation.name == "transform.apply_registered_pass"
            if takes_root and copy.operation.operands[0] == root:
                root = copy.operation.results[0]
        return root

    return emit


def _strings(names: Sequence[str]) -> ir.ArrayAttr:
    return ir.ArrayAttr.get([ir.StringAttr.get(name) for name in names])


def _quoted(names: Sequence[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)
