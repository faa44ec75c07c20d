"""Programs of unlike ranks: one function for each stage, joined by channels.

    x, b = cc.tensor(("n", 8)), cc.tensor("n")

    def first(x: cc.tensor(("n", 8))):
        cc.send(cc.relu(x), "boundary")

    def second(bias: cc.tensor("n")):
        y = cc.recv("boundary", like=cc.tensor(("n", 8)))
        return {"total": cc.reduce("sum", y, [1]) + bias}

    program = cc.trace_stages({"first": first, "second": second}, mesh=cc.mesh(tp="?"))
    cc.compile(program, ranks=2)(x=x, bias=bias)

Stages take consecutive ranks in their order, each as many as its mesh has: here 0 and 1 run `first`
and 2 and 3 run `second`. The rank at position i of the sender's sends to the one at position i of
the receiver's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from coconet_mlir import ir
from coconet_mlir.errors import InputError, ProgramError, reported_as
from coconet_mlir.layout import Mesh
from coconet_mlir.passmanager import PassManager
from coconet_mlir.program import Program, Returned, add_function, context
from coconet_mlir.specs import TensorSpec
from coconet_mlir.tracing import Builder, Tensor, error_here, location_here


def _emit(
    op: str,
    channel: str,
    name: str | None,
    operands: list[ir.Value],
    results: list[ir.Type],
    attributes: Mapping[str, ir.Attribute],
) -> ir.Operation:
    builder = Builder.current()
    held = {"channel": ir.StringAttr.get(channel), **attributes}
    if name:
        held["coconet.name"] = ir.StringAttr.get(name)
    with reported_as(ProgramError):
        created = ir.Operation.create(
            f"coconet.{op}",
            results=results,
            operands=operands,
            attributes=held,
            loc=location_here(builder.context),
            ip=ir.InsertionPoint(builder.block),
        )
        try:
            created.verify()
        except ir.MLIRError:
            created.erase()
            raise
    return created


def send(x: Tensor, channel: str, *, name: str | None = None) -> None:
    """Give a tensor, with its layout, to the stage that receives from the channel.

    The send is complete when the other side has taken the data.

    Args:
        channel: has one send and one recv in a program.
        name: by which schedules find the send; by default that of the channel.
    """
    if not isinstance(x, Tensor):
        raise error_here(f"{type(x).__name__} is no tensor of the program")
    _emit("send", channel, channel if name is None else name, [x.value], [], {})


def recv(channel: str, *, like: TensorSpec, name: str | None = None) -> Tensor:
    """The tensor that another stage sends.

    Args:
        like: its shape, element type and layout, as `tensor` and `sliced` declare them. Names of
            open sizes are names that the function's arguments have.
        name: by which schedules find the recv.
    """
    builder = Builder.current()
    if not isinstance(like, TensorSpec):
        raise error_here(
            f"like is {type(like).__name__}, which declares no tensor",
            'write like=tensor(("n", 8))',
        )
    try:
        type_ = like.type(builder.mesh)
    except InputError as error:
        raise error_here(str(error)) from None
    names = [size if isinstance(size, str) and size != "?" else "" for size in like.shape]
    attributes = {}
    if any(names):
        attributes["dims"] = ir.ArrayAttr.get([ir.StringAttr.get(each) for each in names])
    return Tensor(_emit("recv", channel, name, [], [type_], attributes).results[0])


def trace_stages(
    functions: Mapping[str, Callable[..., Returned]],
    *,
    mesh: Mesh | Mapping[str, Mesh],
    specs: Mapping[str, Mapping[str, TensorSpec]] | None = None,
) -> Program:
    """Trace a program of unlike ranks.

    Args:
        functions: by name, in order of their ranks; `send` and `recv` join them.
        mesh: of each function, or one for all, on ranks of its own each.
        specs: by function its arguments, where annotations do not declare them.

    Raises:
        ProgramError: an operation is not well typed, or a send lacks its recv.
    """
    if not functions:
        raise InputError("a program has at least one stage; give functions by name")
    declared = specs or {}
    for name in [*declared, *(mesh if isinstance(mesh, Mapping) else ())]:
        if name not in functions:
            raise InputError(f"unknown stage '{name}'; the stages are {', '.join(functions)}")
    missing = [n for n in functions if isinstance(mesh, Mapping) and n not in mesh]
    if missing:
        raise InputError(f"no mesh for {', '.join(missing)}; every stage has one")
    with context(), ir.Location.unknown():
        module = ir.Module.create()
    for stage, (name, function) in enumerate(functions.items()):
        own = mesh[name] if isinstance(mesh, Mapping) else mesh
        add_function(module, name, function, own, declared.get(name, {}), stage=stage)
    with context(), reported_as(ProgramError):
        module.operation.verify()
        PassManager.parse("builtin.module(coconet-check-channels)").run(module.operation)
    return Program(module)
