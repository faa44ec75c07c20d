"""Programs: traced from Python functions, or read from `.mlir` text."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from coconet_mlir import ir
from coconet_mlir.errors import CoCoNetError, Diagnostic, InputError, ProgramError, reported_as
from coconet_mlir.layout import Mesh
from coconet_mlir.signatures import Port as Port
from coconet_mlir.signatures import Signature as Signature
from coconet_mlir.signatures import find_mesh, merged, port_of
from coconet_mlir.specs import TensorSpec
from coconet_mlir.tracing import Builder, Tensor, error_here, user_frame

if TYPE_CHECKING:
    from coconet_mlir.runtime import Executable


@functools.cache
def context() -> ir.Context:
    """The MLIR context that all programs and schedules share."""
    return ir.Context()


class Program:
    """A module of functions over distributed tensors. `print` shows its MLIR.

    Args:
        module: taken over, and not changed afterwards.
    """

    def __init__(self, module: ir.Module) -> None:
        self.module = module

    def __str__(self) -> str:
        return str(self.module)

    def __repr__(self) -> str:
        names = ", ".join(f"@{name}" for name in self.functions)
        return f"Program({names})"

    def generic(self) -> str:
        """The text in MLIR's generic form, which `coconet_mlir.check` reads."""
        return str(
            self.module.operation.get_asm(
                print_generic_op_form=True, assume_verified=True, enable_debug_info=False
            )
        )

    def copy(self) -> Program:
        """The same program in a module of its own."""
        original = self.module.operation
        with self.module.context, original.location:
            module = ir.Module.create()
        for name in original.attributes:
            module.operation.attributes[name] = original.attributes[name]
        for op in self.module.body.operations:
            module.body.append(op.operation.clone())
        return Program(module)

    @property
    def functions(self) -> tuple[str, ...]:
        """Names of the functions that have a body."""
        return tuple(_symbol(op) for op in self._function_ops())

    def _function_ops(self) -> list[ir.OpView]:
        return [
            op
            for op in self.module.body.operations
            if op.operation.name == "func.func" and len(op.operation.regions[0].blocks)
        ]

    def function_op(self, name: str | None = None) -> ir.OpView:
        """The function of this name, by default the first public one."""
        for op in self._function_ops():
            visibility = "sym_visibility" in op.operation.attributes
            if name == _symbol(op) or (name is None and not visibility):
                return op
        message = f"no function @{name}" if name else "the program has no public function"
        listed = ", ".join(self.functions) or "none"
        raise InputError(f"{message}; functions here: {listed}")

    @property
    def stages(self) -> tuple[str, ...]:
        """Names of the functions that are run by ranks of their own, in order of these."""
        found = []
        for op in self._function_ops():
            held = op.operation.attributes
            if "coconet.ranks" in held:
                found.append((ir.DenseI64ArrayAttr(held["coconet.ranks"])[0], _symbol(op)))
            elif "coconet.stage" in held:
                found.append((ir.IntegerAttr(held["coconet.stage"]).value, _symbol(op)))
        return tuple(name for _, name in sorted(found))

    def signature(self, function: str | None = None) -> Signature:
        """Arguments, results and mesh of a function, by default of the whole program: where several
        functions are run by ranks of their own, a port whose name two of them have is called
        FUNCTION.NAME."""
        if function is None and self.stages:
            return merged([self.signature(name) for name in self.stages])
        op = self.function_op(function)
        block = op.operation.regions[0].blocks[0]
        arguments = tuple(
            port_of(value.type, attributes, f"argument {index}", "coconet.arg_name")
            for index, (value, attributes) in enumerate(
                zip(block.arguments, _attributes(op, "arg_attrs"), strict=True)
            )
        )
        types = ir.FunctionType(op.operation.attributes["function_type"].value).results
        results = tuple(
            port_of(type_, attributes, f"result {index}", "coconet.result_name")
            for index, (type_, attributes) in enumerate(
                zip(types, _attributes(op, "res_attrs"), strict=True)
            )
        )
        held = op.operation.attributes
        ranks = (
            tuple(ir.DenseI64ArrayAttr(held["coconet.ranks"])) if "coconet.ranks" in held else ()
        )
        return Signature(_symbol(op), arguments, results, find_mesh(self.module, op), ranks)

    def schedule(self) -> Any:
        """An empty schedule of this program."""
        from coconet_mlir.schedule import Schedule

        return Schedule(self)

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
        """Compile for this machine; see `coconet_mlir.compile`."""
        from coconet_mlir.compile import compile

        return compile(
            self,
            ranks=ranks,
            mesh=mesh,
            function=function,
            timeout=timeout,
            check=check,
            watch=watch,
        )

    def save(self, path: str | Path) -> None:
        """Write the MLIR text."""
        Path(path).write_text(str(self))


def _symbol(op: ir.OpView) -> str:
    return ir.StringAttr(op.operation.attributes["sym_name"]).value


def _attributes(op: ir.OpView, key: str) -> list[Mapping[str, ir.Attribute]]:
    """One dictionary for each argument or result."""
    function_type = ir.FunctionType(op.operation.attributes["function_type"].value)
    count = len(function_type.inputs if key == "arg_attrs" else function_type.results)
    if key not in op.operation.attributes:
        return [{}] * count
    return [{entry.name: entry.attr for entry in held} for held in op.operation.attributes[key]]


# ===- Text ------------------------------------------------------------------===


def parse(text: str) -> Program:
    """A program from MLIR text.

    Raises:
        ProgramError: the text is malformed or an operation is not well typed.
    """
    with reported_as(ProgramError):
        return Program(ir.Module.parse(text, context()))


def load(path: str | Path) -> Program:
    """A program from a `.mlir` file.

    Raises:
        InputError: the file cannot be read.
        ProgramError: its text is malformed or an operation is not well typed.
    """
    _check_readable(path)
    with reported_as(ProgramError):
        return Program(ir.Module.parseFile(str(path), context()))


def _check_readable(path: str | Path) -> None:
    try:
        with open(path, "rb"):
            pass
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from None


# ===- Tracing ---------------------------------------------------------------===

Returned = Tensor | Sequence[Any] | Mapping[str, Any] | None
Spec = TensorSpec | Sequence[TensorSpec]
"""An argument, or a list of arguments."""


@overload
def program(function: Callable[..., Returned], *, mesh: Mesh | None = None) -> Program: ...


@overload
def program(*, mesh: Mesh | None = None) -> Callable[[Callable[..., Returned]], Program]: ...


def program(function: Any = None, *, mesh: Mesh | None = None) -> Any:
    """Decorator: trace a function whose parameters are annotated with `tensor`, `state`,
    `partial`, `sliced` or `local`.

    The function returns nothing (it updates states), a tensor, a sequence of tensors, or a
    dictionary that names its results.
    """
    if function is None:
        return lambda decorated: trace(decorated, mesh=mesh)
    return trace(function, mesh=mesh)


def trace(function: Callable[..., Returned], *, mesh: Mesh | None = None, **specs: Spec) -> Program:
    """Trace a function with these arguments, or those that its annotations declare.

    Where a specification is a list of them, as `states` makes one, the function gets a list of
    tensors; the arguments are called "p.0", "p.1" and so on.

    Raises:
        ProgramError: an operation is not well typed; the error names the Python line.
    """
    with context(), ir.Location.file(*_place(function)):
        module = ir.Module.create()
    add_function(module, function.__name__, function, mesh, specs)
    with reported_as(ProgramError):
        module.operation.verify()
    return Program(module)


def _place(function: Callable[..., Any]) -> tuple[str, int, int]:
    code = inspect.unwrap(function).__code__
    return code.co_filename, code.co_firstlineno, 1


def add_function(
    module: ir.Module,
    name: str,
    function: Callable[..., Returned],
    mesh: Mesh | None,
    specs: Mapping[str, TensorSpec],
    *,
    stage: int | None = None,
) -> None:
    """Trace a function into a module, with ranks of its own if it is a stage."""
    parameters = specs or _annotations(function)
    declared = _each_spec(parameters)
    place = _place(function)
    ctx = context()
    with ctx, ir.Location.file(*place):
        try:
            types = [spec.type(mesh) for spec in declared.values()]
        except (ir.MLIRError, InputError) as error:
            raise _at(error, place) from None
        attributes = {
            "sym_name": ir.StringAttr.get(name),
            "function_type": ir.TypeAttr.get(ir.FunctionType.get(types, [])),
            "arg_attrs": ir.ArrayAttr.get(
                [ir.DictAttr.get(spec.attributes(name)) for name, spec in declared.items()]
            ),
        }
        plain = all(spec.layout(mesh).is_replicated for spec in declared.values())
        if mesh is not None and (plain or stage is not None):
            attributes["coconet.mesh"] = mesh.attribute()
        if stage is not None:
            attributes["coconet.stage"] = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), stage)
        op = ir.Operation.create(
            "func.func", attributes=attributes, regions=1, ip=ir.InsertionPoint(module.body)
        )
        block = op.regions[0].blocks.append(
            *types, arg_locs=[ir.Location.file(*place)] * len(types)
        )
        builder = Builder(ctx, mesh, block)
    with builder.active():
        values = iter(block.arguments)
        tensors = {
            name: Tensor(next(values))
            if isinstance(spec, TensorSpec)
            else [Tensor(next(values)) for _ in spec]
            for name, spec in parameters.items()
        }
        returned = function(**tensors)
        _finish(op, block, returned, types)


def _each_spec(parameters: Mapping[str, Spec]) -> dict[str, TensorSpec]:
    """Specifications of the arguments by name, members of lists one by one."""
    declared: dict[str, TensorSpec] = {}
    for name, spec in parameters.items():
        if isinstance(spec, TensorSpec):
            declared[name] = spec
        else:
            declared |= {f"{name}.{index}": each for index, each in enumerate(spec)}
    return declared


def _is_spec(found: Any) -> bool:
    if isinstance(found, list | tuple):
        return len(found) > 0 and all(isinstance(each, TensorSpec) for each in found)
    return isinstance(found, TensorSpec)


def _annotations(function: Callable[..., Any]) -> dict[str, Spec]:
    # The text of an annotation may name what only the function around it knows.
    frame = user_frame()
    names = {**function.__globals__, **(frame.f_locals if frame else {})}
    try:
        found = inspect.get_annotations(function, globals=names, eval_str=True)
    except NameError as error:
        raise error_here(
            f"an annotation of {function.__name__} uses a name that is not defined: {error.name}",
            "define it, or give the arguments to trace(...)",
        ) from None
    specs = {}
    for name in inspect.signature(function).parameters:
        spec = found.get(name)
        if not _is_spec(spec):
            raise error_here(
                f"parameter '{name}' of {function.__name__} does not say what it is",
                f'annotate it, as in {name}: tensor("n")',
            )
        specs[name] = spec
    return specs


def _at(error: ir.MLIRError | InputError, place: tuple[str, int, int]) -> ProgramError:
    """An error in a declaration, at the function that declares it."""
    messages = (
        [d.message for d in error.diagnostics]
        if isinstance(error, CoCoNetError)
        else [d.message for d in error.error_diagnostics]
    )
    return ProgramError(None, tuple(Diagnostic(message, *place) for message in messages))


def _flattened(returned: Mapping[Any, Any]) -> dict[str, Any]:
    """Results one by one: of a list "x" they are called "x.0", "x.1" and so on."""
    each: dict[str, Any] = {}
    for name, value in returned.items():
        if isinstance(value, list | tuple):
            each |= {f"{name}.{index}": member for index, member in enumerate(value)}
        else:
            each[str(name)] = value
    return each


def _finish(op: ir.Operation, block: ir.Block, returned: Returned, types: list[ir.Type]) -> None:
    """Return values from the function and give it its type."""
    names: list[str] = []
    if returned is None:
        values: list[Tensor] = []
    elif isinstance(returned, Tensor):
        values = [returned]
    elif isinstance(returned, Mapping):
        each = _flattened(returned)
        names, values = list(each), list(each.values())
    else:
        values = list(_flattened(dict(enumerate(returned))).values())
    for value in values:
        if not isinstance(value, Tensor):
            raise error_here(
                f"a program returns tensors, not {type(value).__name__}",
                "return a tensor, a tuple of them, or a dictionary that names them",
            )
    ir.Operation.create(
        "func.return", operands=[v.value for v in values], ip=ir.InsertionPoint(block)
    )
    results = [value.value.type for value in values]
    op.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(types, results))
    if names:
        op.attributes["res_attrs"] = ir.ArrayAttr.get(
            [ir.DictAttr.get({"coconet.result_name": ir.StringAttr.get(n)}) for n in names]
        )
