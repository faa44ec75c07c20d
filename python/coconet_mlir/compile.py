"""From a program to machine code for the ranks of this process."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from coconet_mlir import _runtime, ir
from coconet_mlir.binding import bind, run_pipeline
from coconet_mlir.compiled import Compiled, Part
from coconet_mlir.dtypes import check_name
from coconet_mlir.errors import CompileError, InputError, reported_as
from coconet_mlir.program import Program, Signature, context
from coconet_mlir.runtime import Executable

if TYPE_CHECKING:
    from coconet_mlir.schedule import Schedule

# In three parts: what folds away may make a result of a state, and the program of one rank says
# which sizes follow its tensors.
_FOLD = "builtin.module(canonicalize,inline,canonicalize)"
_TO_RANK = "builtin.module(coconet-lower-to-rank{{check={check} watch={watch}}})"
_TO_CPU = "builtin.module(coconet-rank-to-cpu)"


def compile(
    program: Program | Schedule,
    *,
    ranks: int | None = None,
    mesh: Mapping[str, int] | None = None,
    function: str | None = None,
    timeout: float | None = None,
    check: bool = True,
    watch: str | None = None,
) -> Executable:
    """Compile a program for ranks that are threads of this process.

    Args:
        program: a program, or a schedule, whose program is meant.
        ranks: number of ranks, for a mesh of one axis or a program without mesh.
        mesh: sizes of the mesh's axes by name; those that are given replace those of the program.
        function: the function to run; by default the first public one.
        timeout: seconds that a rank may be waited for; by default COCONET_TIMEOUT, else 30.
        check: prove that ranks meet in all communication, and that nothing in flight is written.
        watch: "nonfinite" makes a run fail at the first argument or operation, on the first rank,
            whose value is infinite or not a number. Fused operations are run one by one then.

    Raises:
        CompileError: the mesh does not fit the program, or it cannot be lowered.
        InputError: `watch` is something else.
    """
    if watch not in (None, "nonfinite"):
        raise InputError(f'watch={watch!r} is unknown; watch "nonfinite", or nothing')
    base = program if isinstance(program, Program) else program.program
    bound = bind(base, ranks=ranks, mesh=mesh)
    if function in bound.stages:
        raise CompileError(
            f"@{function} is one of the functions {', '.join(bound.stages)}, which are run "
            "together; compile the program without naming one"
        )
    signature = bound.signature(function)
    stages = signature.stages or (signature,)
    _check_ports(signature)
    for stage in stages:
        _check_body(bound, stage)
        _check_results(stage)
    lowered = bound.copy()
    run_pipeline(lowered, _FOLD)
    result_states = [_result_states(lowered, stage) for stage in stages]
    options = {"check": str(check).lower(), "watch": str(watch is not None).lower()}
    run_pipeline(lowered, _TO_RANK.format(**options))
    sizes = [_size_arguments(lowered, stage.name) for stage in stages]
    run_pipeline(lowered, _TO_CPU)
    engine = _generate(lowered)
    parts = tuple(
        Part(
            stage,
            stage.ranks or tuple(range(stage.mesh.ranks if stage.mesh else ranks or 1)),
            _entry(engine, stage.name),
            extra,
            states,
        )
        for stage, extra, states in zip(stages, sizes, result_states, strict=True)
    )
    return Executable(Compiled(signature, parts, engine), timeout=timeout)


def _check_body(program: Program, signature: Signature) -> None:
    count = len(program.function_op(signature.name).operation.regions[0].blocks)
    if count > 1:
        raise CompileError(
            f"@{signature.name} has {count} blocks; a program is one block, without branches"
        )


def _check_ports(signature: Signature) -> None:
    """Check what the lowering takes for granted, and that each array has a name of its own."""
    for ports in (signature.arguments, signature.results):
        names = [port.name for port in ports]
        for port in ports:
            check_name(port.dtype)
            if names.count(port.name) > 1:
                raise CompileError(
                    f"two arguments or two results of @{signature.name} are called "
                    f"'{port.name}'; names are arrays' names, so give each another one"
                )


def _check_results(signature: Signature) -> None:
    for port in signature.results:
        if port.layout.flat and None in port.shape:
            raise CompileError(
                f"result '{port.name}' is cut flat and has an open size, so its shape would not be "
                "known; all_gather it first"
            )


def _result_states(program: Program, signature: Signature) -> tuple[str | None, ...]:
    """For each result the state whose buffer holds it after a run, if there is one."""
    block = program.function_op(signature.name).operation.regions[0].blocks[0]
    *_, terminator = block.operations
    names: list[str | None] = []
    for value in terminator.operation.operands:
        owner = value.owner
        is_update = isinstance(value, ir.OpResult) and owner.name == "coconet.update"
        state = ir.BlockArgument(owner.operands[0]) if is_update else None
        names.append(signature.arguments[state.arg_number].name if state is not None else None)
    return tuple(names)


def _size_arguments(lowered: Program, function: str) -> tuple[tuple[int, int], ...]:
    """Argument and dimension of each logical size that a function of one rank takes."""
    held = lowered.function_op(function).operation.attributes["arg_attrs"]
    marks = [entry.attr for each in held for entry in each if entry.name == "coconet.size_of"]
    pairs = [tuple(ir.DenseI64ArrayAttr(mark)) for mark in marks]
    return tuple((argument, dim) for argument, dim in pairs)


def _generate(lowered: Program) -> Any:
    from coconet_mlir.execution_engine import ExecutionEngine

    _runtime.load_library()
    with context(), reported_as(CompileError):
        return ExecutionEngine(
            lowered.module, opt_level=3, shared_libs=[str(_runtime.library_path())]
        )


def _entry(engine: Any, function: str) -> int:
    address: int = engine.raw_lookup(f"_mlir_ciface_{function}")
    if not address:
        raise CompileError(f"the compiled code has no entry point for @{function}")
    return address
