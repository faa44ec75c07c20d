"""Distributed programs: every op is carried out as each rank would do it.

A rank computes the part of the result that the result's layout gives it, from
what it holds of the operands. Nothing is taken from the logical value, so a
program whose layouts lie computes something else here than it claims.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from xdsl.ir import Block, Operation, SSAValue

from coconet_mlir.interpreter.communication import COLLECTIVES, collective_kind, group_lists
from coconet_mlir.interpreter.control import run_for, run_if, run_scalar
from coconet_mlir.interpreter.degrees import Degrees
from coconet_mlir.interpreter.domain import Array, Domain, InterpretationError
from coconet_mlir.interpreter.layouts import Interval, Mesh, Region
from coconet_mlir.interpreter.lists import run_list
from coconet_mlir.interpreter.types import (
    attribute_of,
    given_name,
    integer,
    op_name,
    required,
    strings,
    tensor_info,
    text_of,
)
from coconet_mlir.interpreter.values import Value

if TYPE_CHECKING:
    from coconet_mlir.interpreter.stages import Ends

Environment = dict[SSAValue, Value]


class Machine:
    """All ranks of a distributed program, op by op.

    With a mesh of one rank it also runs what a single rank computes.
    """

    def __init__(
        self,
        mesh: Mesh,
        domain: Domain,
        degrees: Degrees | None = None,
        channels: Ends | None = None,
    ) -> None:
        self.mesh = mesh
        self.channels = channels
        self.domain = domain
        self.degrees = degrees
        self.updates: dict[SSAValue, Value] = {}
        self.named: dict[str, Value] = {}

    def run_block(self, block: Block, env: Environment) -> list[Value]:
        """The operands of the block's terminator."""
        for op in block.ops:
            name = op_name(op)
            if name in ("func.return", "coconet.yield", "scf.yield"):
                return [env[operand] for operand in op.operands]
            results = self.run_named(op, name, env)
            env.update(zip(op.results, results, strict=True))
            label = given_name(op)
            if label is not None and len(results) == 1:
                self.named[label] = results[0]
        raise InterpretationError("a block has no terminator")

    def run_named(self, op: Operation, name: str, env: Environment) -> list[Value]:
        """The results of one op; errors say which op it was."""
        operands = [env[operand] for operand in op.operands]
        try:
            results = self.run_op(op, name, operands, env)
        except InterpretationError as error:
            if op.regions:
                raise
            label = given_name(op)
            shown = f'{name} "{label}"' if label else name
            raise InterpretationError(f"{shown}: {error}") from error
        if self.degrees is not None:
            self.degrees.step(
                op,
                name,
                [math.prod(v.shape) for v in operands],
                [math.prod(v.shape) for v in results],
                self.mesh.ranks,
            )
        return results

    def run_op(
        self, op: Operation, name: str, operands: list[Value], env: Environment
    ) -> list[Value]:
        """The results of one op."""
        from coconet_mlir.interpreter.distributed_ops import OPS
        from coconet_mlir.interpreter.neural_ops import NEURAL_OPS
        from coconet_mlir.interpreter.shape_ops import SHAPE_OPS

        if name in ("coconet.fused", "coconet.overlap"):
            body = op.regions[0].blocks[0]
            results = self.run_block(body, env)
            if self.degrees is not None and body.last_op is not None:
                self.degrees.forward(body.last_op.operands, op.results)
            return results
        if name == "scf.for":
            return run_for(self, op, operands, env)
        if name == "scf.if":
            return run_if(self, op, operands, env)
        if name.startswith(("arith.", "tensor.")):
            return run_scalar(self, op, name, operands)
        if name == "coconet.barrier":
            return []
        if name in ("coconet.send", "coconet.recv"):
            return self._run_channel(op, name, operands)
        if name == "coconet.for_each":
            return run_list(self, op, operands, env)
        if name == "coconet.update":
            self.updates[op.operands[0]] = operands[1]
            return [self.result(op, operands[1].shape, operands[1].shards)]
        handler = OPS.get(name) or SHAPE_OPS.get(name) or NEURAL_OPS.get(name)
        if handler is not None:
            return [handler(self, op, operands)]
        kind = collective_kind(name)
        if kind is None:
            raise InterpretationError("this op is not part of distributed programs")
        return [self.collective(op, kind, operands[0])]

    def _run_channel(self, op: Operation, name: str, operands: list[Value]) -> list[Value]:
        """Give a value to another function, or take one, shard by shard."""
        if self.channels is None:
            raise InterpretationError("the function at the other end of the channel is not run")
        channel = text_of(required(op, "channel"))
        if name == "coconet.send":
            self.channels.send(channel, operands[0], op)
            return []
        value, send = self.channels.receive(channel)
        if len(value.shards) != self.mesh.ranks:
            raise InterpretationError(
                f"{len(value.shards)} ranks send and {self.mesh.ranks} receive"
            )
        if self.degrees is not None:
            self.degrees.forward(send.operands, op.results)
        return [self.result(op, value.shape, value.shards)]

    def result(self, op: Operation, shape: tuple[int, ...], shards: list[Array]) -> Value:
        """A value of the op's result type, if that is what the ranks hold."""
        info = tensor_info(op.results[0].type)
        fits = len(info.shape) == len(shape) and all(
            declared in (-1, actual) for declared, actual in zip(info.shape, shape, strict=True)
        )
        if not fits:
            raise InterpretationError(
                f"the result has shape {list(shape)}, its type says {list(info.shape)}"
            )
        value = Value([np.asarray(s) for s in shards], shape, info.element, info.layout)
        for rank, region in enumerate(value.regions(self.mesh)):
            if value.shards[rank].shape != region.shape:
                raise InterpretationError(
                    f"rank {rank} has shape {list(value.shards[rank].shape)} where the "
                    f"layout of the result says {list(region.shape)}"
                )
        return value

    def collective(self, op: Operation, kind: str, operand: Value) -> Value:
        """Exchange between the members of each group, by position."""
        received: list[Array | None] = [None] * self.mesh.ranks
        self._check_second_cut(op, kind, operand)
        for members in group_lists(op, self.mesh):
            arrays = [operand.shards[m] for m in members]
            parts = COLLECTIVES[kind](self.domain, op, arrays, operand.element)
            for member, array in zip(members, parts, strict=True):
                received[member] = array
        shards = []
        for rank, array in enumerate(received):
            if array is None:
                raise InterpretationError(f"rank {rank} is in no group")
            shards.append(array)
        if attribute_of(op, "groups") is not None:
            return self.result(op, shards[0].shape, shards)
        layout = tensor_info(op.results[0].type).layout
        if kind == "permute":
            return self.result(op, self._permuted_shape(op, operand), shards)
        if kind in ("all_gather", "gather_to_root") and not layout.flat:
            # A gathered flattening is one-dimensional until here.
            targets = [layout.region(operand.shape, self.mesh, r) for r in range(self.mesh.ranks)]
            shards = self.each(_reshaped, shards, [t.shape for t in targets])
        return self.result(op, operand.shape, shards)

    def _check_second_cut(self, op: Operation, kind: str, operand: Value) -> None:
        """Slices of slices lie side by side in the whole only where all are equally large."""
        cuts = kind == "reduce_scatter" and attribute_of(op, "axes") is not None
        if not cuts or attribute_of(op, "dim") is None:
            return
        index, parts = integer(op, "dim"), self.mesh.size_of(strings(op, "axes"))
        cut = operand.layout.dims[index] if index < len(operand.layout.dims) else ()
        if cut and operand.shape[index] % (parts * self.mesh.size_of(cut)):
            raise InterpretationError(
                f"dimension {index} of {operand.shape[index]} elements is cut over "
                f"{self.mesh.size_of(cut)} and then {parts} ranks; a second cut divides exactly"
            )

    def _permuted_shape(self, op: Operation, operand: Value) -> tuple[int, ...]:
        """Logical shape once chunks of a cut dimension are values of their own."""
        axes = strings(op, "axes")
        shape = list(operand.shape)
        for dim, cut in enumerate(operand.layout.dims):
            if axes[0] not in cut:
                continue
            parts = self.mesh.size_of(cut)
            if shape[dim] % parts:
                raise InterpretationError(
                    f"{shape[dim]} elements are permuted in {parts} chunks of different sizes"
                )
            shape[dim] //= self.mesh.size_of(axes)
        return tuple(shape)

    def each(self, compute: Callable[..., Array], *lists: list) -> list[Array]:
        """`compute` per rank, once for ranks that bring the same objects."""
        known: dict[tuple, Array] = {}
        shards = []
        for items in zip(*lists, strict=True):
            key = tuple(id(i) if isinstance(i, np.ndarray) else i for i in items)
            if key not in known:
                known[key] = compute(*items)
            shards.append(known[key])
        return shards


def _reshaped(array: Array, shape: tuple[int, ...]) -> Array:
    return array.reshape(shape) if array.size == math.prod(shape) else array


class Fetcher:
    """Takes parts of operands from what ranks hold, for one op."""

    def __init__(self, mesh: Mesh) -> None:
        self.mesh = mesh
        # Views of one array are one object, so that `Machine.each` sees them as equal.
        self.views: dict[tuple, tuple[Array, Array]] = {}

    def box(self, value: Value, rank: int, wanted: tuple[Interval, ...]) -> Array:
        """A box of the logical tensor."""
        held = value.layout.region(value.shape, self.mesh, rank)
        array = value.shards[rank]
        if held.flat is not None:
            if held.flat != (0, math.prod(value.shape)):
                raise InterpretationError(f"rank {rank} holds only a flat part of an operand")
            array = array.reshape(value.shape)
        if held.box == wanted:
            return array
        slices = []
        for (start, length), (first, count) in zip(held.box, wanted, strict=True):
            inside = start <= first and first + count <= start + length
            if count and not inside:
                raise InterpretationError(
                    f"rank {rank} needs elements {first} to {first + count} of an operand "
                    f"and holds {start} to {start + length}"
                )
            offset = first - start if count else 0
            slices.append(slice(offset, offset + count))
        return self._view(array, wanted, lambda: array[(*slices, ...)])

    def pointwise(self, value: Value, rank: int, shape: tuple[int, ...], region: Region) -> Array:
        """What pairs with a region of a result of logical shape `shape`."""
        if region.flat is not None:
            held = value.layout.region(value.shape, self.mesh, rank)
            if value.shape == shape and held.flat == region.flat:
                return value.shards[rank]
            whole = self.box(value, rank, tuple((0, n) for n in value.shape))
            start, length = region.flat

            def spread() -> Array:
                return np.broadcast_to(whole, shape).reshape(-1)[start : start + length]

            return self._view(whole, region, spread)
        skipped = len(shape) - len(value.shape)
        wanted = tuple(
            (0, 1) if size == 1 and shape[skipped + i] != 1 else region.box[skipped + i]
            for i, size in enumerate(value.shape)
        )
        return self.box(value, rank, wanted)

    def _view(self, array: Array, part: object, make: Callable[[], Array]) -> Array:
        key = (id(array), part)
        if key not in self.views:
            self.views[key] = (array, make())
        return self.views[key][1]
