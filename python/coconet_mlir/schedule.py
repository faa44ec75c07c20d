"""Schedules: transformations of a program, recorded as IR of the transform dialect.

Each step is applied to the program as the steps before left it, and finds operations by name, so
no handle dangles. A step that is refused raises, and leaves schedule and program as they were.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
    MergeOp,
    OverlapStepOp,
    ReorderOp,
    SliceSendOp,
    SplitOp,
    WireTypeOp,
)
from coconet_mlir.dtypes import to_mlir
from coconet_mlir.errors import InputError, ProgramError, ScheduleError, reported_as
from coconet_mlir.program import Program, Signature, context
from coconet_mlir.scripts import (
    Emit,
    applied,
    copier,
    handle,
    match_named,
    quoted,
    sequence,
    strings,
)
from coconet_mlir.specs import Cut

if TYPE_CHECKING:
    from coconet_mlir.check import Report
    from coconet_mlir.runtime import Executable

_DANGLING = "uses a handle invalidated"
"""Said of a handle to an operation in a region that another handle is to."""
_PARTS = {"rs_ag": 2, "reduce_broadcast": 2, "hierarchical": 3}
"""Forms of split, and how many collectives each makes."""
_MOST_RANKS = 4096
"""Of a comparison, which holds every rank's tensors at once."""


@dataclass(frozen=True)
class Step:
    """One transformation: what it is called, how it is written, what it made of the program."""

    title: str
    emit: Emit
    program: Program


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
                f"an all_reduce is not split into '{into}'; into is {quoted(list(_PARTS))}"
            )
        if dim != "flat" and not isinstance(dim, int):
            raise ScheduleError(f'dim is {dim!r}; give a dimension, or "flat"')
        levels = [(axes,) if isinstance(axes, str) else tuple(axes) for axes in (inner, outer)]

        def emit(root_handle: ir.Value) -> None:
            options: dict[str, Any] = {"dim": None if dim == "flat" else dim}
            if into == "reduce_broadcast":
                options = {"root": root}
            elif into == "hierarchical":
                options |= {"inner": strings(levels[0]), "outer": strings(levels[1])}
            SplitOp([handle()] * _PARTS[into], match_named(name, root_handle), **options)

        return self._step("split", f'split "{name}"', emit)

    def wire_type(self, name: str, type: str) -> Schedule:
        """Let the values of a collective, or of those in a fused region, travel as f16 or bf16.

        Lossy: values are rounded once per hop and added in f32; `verify` says so.
        """
        if type not in ("f16", "bf16"):
            raise ScheduleError(f"a wire type is f16 or bf16, not {type!r}")

        def emit(root: ir.Value) -> None:
            WireTypeOp(match_named(name, root), to_mlir(type))

        return self._step("wire-type", f'wire_type "{name}"', emit)

    def algorithm(self, name: str, algorithm: str, *, channels: int | None = None) -> Schedule:
        """How the target does a collective or a fused region: one_shot, two_shot, ring, library."""

        def emit(root: ir.Value) -> None:
            AlgorithmOp(match_named(name, root), algorithm, channels=channels)

        return self._step("algorithm", f'algorithm "{name}"', emit)

    def merge(self, reduce_scatter: str, all_gather: str | None = None) -> Schedule:
        """`AG(RS(x)) -> AR(x)`; by default NAME.ag belongs to NAME.rs."""
        gather = all_gather or reduce_scatter.removesuffix(".rs") + ".ag"
        if gather == reduce_scatter:
            raise ScheduleError(f"'{gather}' is named twice; name a reduce_scatter and its gather")

        def emit(root: ir.Value) -> None:
            MergeOp(handle(), match_named(reduce_scatter, root), match_named(gather, root))

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
            handles = [match_named(name, root) for name in names]
            if len(handles) > 1:
                handles = [transform.MergeHandlesOp(handles).result]
            ReorderOp(handle(), handle(), match_named(all_gather, root), handles[0])

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
            SliceSendOp(handle(), handle(), match_named(name, root), held, dim=cut)

        return self._step("slice_send", f'slice_send "{name}"', emit)

    def as_slice(self, *states: str) -> Schedule:
        """Hold states in slices, as their uses cut them. Changes the function's type."""

        if not states:
            raise ScheduleError("as_slice is of nothing; give the names of states")

        def emit(root: ir.Value) -> None:
            AsSliceOp(root, ir.ArrayAttr.get([ir.StringAttr.get(state) for state in states]))

        return self._step("as_slice", f"as_slice {quoted(states)}", emit)

    def fuse(self, *names: str, name: str | None = None) -> Schedule:
        """One region, and one kernel, of all operations with these names."""

        def emit(root: ir.Value) -> None:
            # Of an operation that is named twice, the second handle would dangle.
            FuseOp(handle(), [match_named(each, root) for each in dict.fromkeys(names)], name=name)

        return self._step("fuse", f"fuse {quoted(names)}", emit)

    def overlap(self, *names: str, chunks: int, dim: int = 0, name: str | None = None) -> Schedule:
        """One region of operations that run chunk by chunk, communication beside computation.

        What is sent in chunks is received in chunks: of a send among the operations the recv is
        chunked too, in a region of its own function with those of the operations that are there.
        Overlap comes last: what runs in chunks is not split, merged or reordered any more.

        Args:
            names: of at least one collective, or fused region with one, and of what runs beside it.
            chunks: number of chunks; 1 runs operations that do not depend on each other at once:
                those that are named, or, where only communication is, all independent ones up to
                other communication.
            dim: dimension of the first result that the chunks are parts of.
            name: of the region.
        """

        def emit(root: ir.Value) -> None:
            handles = [match_named(each, root) for each in names]
            OverlapStepOp(handle(), handles, chunks, dim, name=name)

        return self._step("overlap", f"overlap {quoted(names)}", emit)

    def bucket(self, *names: str, name: str | None = None, bytes: int | None = None) -> Schedule:
        """Many small collectives of one kind as one over a list, and so as one kernel.

        Args:
            name: of the collective, by default that of the first.
            bytes: most bytes of a bucket; several are made in program order, NAME.0, NAME.1, ...
        """

        def emit(root: ir.Value) -> None:
            BucketOp(handle(), [match_named(each, root) for each in names], name=name, bytes=bytes)

        return self._step("bucket", f"bucket {quoted(names)}", emit)

    def fuse_allreduce(self, *, slice_state: bool = False) -> Schedule:
        """Split, reorder and fuse every all_reduce with the computation after it."""

        def emit(root: ir.Value) -> ir.Value:
            options = {"slice-state": True} if slice_state else {}
            return transform.ApplyRegisteredPassOp(
                handle(), root, "fuse-allreduce", options=options
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
        return self._add("schedule", f"schedule {script}", module, copier(module))

    def _step(self, title: str, what: str, emit: Emit) -> Schedule:
        try:
            return self._add(title, what, sequence([emit]), emit)
        except ScheduleError as error:
            if _DANGLING not in error.message:
                raise
            raise ScheduleError(
                f"{what} is refused: of the operations that it names, one lies in another; "
                "name the region, or what is in it"
            ) from None

    def _add(self, title: str, what: str, script: ir.Module, emit: Emit) -> Schedule:
        self.steps.append(Step(title, emit, applied(self.program, script, what)))
        return self

    # ===- Views ---------------------------------------------------------------===

    @property
    def program(self) -> Program:
        """The program after all steps."""
        return self.steps[-1].program if self.steps else self.base

    @property
    def script(self) -> ir.Module:
        """All steps as one sequence of the transform dialect."""
        return sequence([step.emit for step in self.steps])

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

    def verify(
        self,
        *,
        ranks: int | None = None,
        mesh: Mapping[str, int] | None = None,
        sizes: int | Mapping[str, int] | None = None,
        seed: int = 0,
        function: str | None = None,
    ) -> Report:
        """`compare`, as an assertion.

        Raises:
            ScheduleError: the two differ; the message says where.
        """
        report = self.compare(ranks=ranks, mesh=mesh, sizes=sizes, seed=seed, function=function)
        if not report:
            raise ScheduleError(str(report))
        return report

    def compile(
        self,
        *,
        ranks: int | None = None,
        mesh: Mapping[str, int] | None = None,
        function: str | None = None,
        timeout: float | None = None,
        check: bool = True,
        watch: str | None = None,
    ) -> Executable:
        """Compile the scheduled program; see `coconet_mlir.compile`."""
        return self.program.compile(
            ranks=ranks, mesh=mesh, function=function, timeout=timeout, check=check, watch=watch
        )


def _check_sizes(signature: Signature, sizes: int | Mapping[str, int] | None) -> None:
    if isinstance(sizes, Mapping):
        check_sizes(signature, sizes)
    for size in sizes.values() if isinstance(sizes, Mapping) else [sizes]:
        if size is not None and size < 0:
            raise InputError(f"{size} is no size; give 0 or more")
