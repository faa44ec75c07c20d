"""A program compiled for CPU threads beside the reference interpreter, for tests of its numbers."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence

import coconet_mlir as cc
import numpy as np
from coconet_mlir.binding import bind
from coconet_mlir.dtypes import is_float, to_numpy
from coconet_mlir.interpreter import run
from coconet_mlir.interpreter.tolerances import assert_close
from coconet_mlir.mirror import parse
from coconet_mlir.program import Port

Array = np.ndarray
Maker = Callable[[np.random.Generator, tuple[int, ...], str], Array]

# Around vector widths, a prime, and sizes that no number of ranks divides.
SIZES = (0, 1, 2, 3, 7, 15, 16, 17, 31, 32, 33, 127, 1000)
FEW_SIZES = (0, 1, 5, 17, 130)
FLOATS = ("f16", "bf16", "f32", "f64")
INTEGERS = ("i8", "i32", "i64")


def normal(rng: np.random.Generator, shape: tuple[int, ...], dtype: str) -> Array:
    """Floats near 1 of both signs, small integers, or coins."""
    if dtype == "i1":
        return rng.integers(0, 2, shape).astype(bool)
    if is_float(dtype):
        return rng.standard_normal(shape).astype(to_numpy(dtype))
    return rng.integers(-9, 10, shape).astype(to_numpy(dtype))


def whole(rng: np.random.Generator, shape: tuple[int, ...], dtype: str) -> Array:
    """Small whole numbers, whose sums are exact in every type and order."""
    if dtype == "i1":
        return rng.integers(0, 2, shape).astype(bool)
    return rng.integers(-3, 4, shape).astype(to_numpy(dtype))


@contextlib.contextmanager
def case(text: object) -> Iterator[None]:
    """Say in a failure which case of a loop it was."""
    try:
        yield
    except Exception as error:
        error.add_note(f"case: {text}")
        raise


class Pair:
    """A compiled program, and the reference for it.

    Args:
        program: a program, or a schedule.
        base: what the reference runs; by default the program itself.
    """

    def __init__(
        self,
        program: cc.Program | cc.Schedule,
        *,
        ranks: int | None = None,
        mesh: Mapping[str, int] | None = None,
        base: cc.Program | None = None,
    ) -> None:
        own = program if isinstance(program, cc.Program) else program.program
        bound = bind(base or own, ranks=ranks, mesh=mesh)
        self.reference = parse(bound.generic())
        self.base = bound.signature()
        self.signature = bind(own, ranks=ranks, mesh=mesh).signature()
        self.executable = cc.compile(program, ranks=ranks, mesh=mesh)
        self.rng = np.random.default_rng(0)

    def inputs(self, sizes: int | Mapping[str, int] = 0, make: Maker = normal) -> dict[str, Array]:
        """An array for every argument. `sizes` are those of open dimensions."""
        return {
            port.name: make(self.rng, self._shape(port, sizes), port.dtype)
            for port in self.signature.arguments
        }

    def _shape(self, port: Port, sizes: int | Mapping[str, int]) -> tuple[int, ...]:
        known = [
            size if size is not None else sizes if isinstance(sizes, int) else sizes[port.dims[dim]]
            for dim, size in enumerate(port.shape)
        ]
        return ((port.layout.positions,) if port.layout.leading else ()) + tuple(known)

    def expect(self, arrays: Mapping[str, Array]) -> tuple[dict[str, Array], dict[str, Array]]:
        """Results and states by name, of the reference."""
        inputs = {}
        for port in self.base.arguments:
            array = arrays[port.name]
            if port.layout.leading:
                mesh = port.layout.mesh
                lead = [mesh.size_of((axis,)) for axis in port.layout.leading]
                array = array.reshape(*lead, *array.shape[1:])
            inputs[port.name] = array
        with np.errstate(all="ignore"):
            result = run(self.reference, inputs)
        assert not result.disagreements
        names = [port.name for port in self.base.results]
        return dict(zip(names, result.results, strict=True)), result.states

    def check(
        self,
        sizes: int | Mapping[str, int] = 0,
        make: Maker = normal,
        *,
        terms: int = 1,
        ranks_agree: bool = True,
        **given: Array,
    ) -> dict[str, Array]:
        """Run both on the same arrays and compare; returns what the compiled program gave."""
        arrays = {**self.inputs(sizes, make), **given}
        actual = self.executable(**arrays)
        expected, states = self.expect(arrays)
        assert list(actual) == list(expected)
        types = {port.name: port.dtype for port in self.base.results}
        for name, value in expected.items():
            with case(f"{name} of sizes {sizes}"):
                compare(actual[name], value, types[name], terms)
        for port in self.signature.states:
            with case(f"state {port.name} of sizes {sizes}"):
                compare(self.executable.read(port.name), states[port.name], port.dtype, terms)
                if ranks_agree and port.layout.is_replicated:
                    same_bits(self.executable.state[port.name])
        return actual


def compare(actual: Array, expected: Array, dtype: str, terms: int = 1) -> None:
    """Element type, number of elements, and values. Positions along local axes may be one
    dimension or several."""
    assert actual.dtype == to_numpy(dtype)
    assert actual.size == expected.size
    assert actual.shape[1:] == expected.shape[expected.ndim - actual.ndim + 1 :]
    assert_close(actual.reshape(expected.shape), expected, dtype, terms=terms)


def same_bits(arrays: Sequence[Array]) -> None:
    """All arrays hold the same bits."""
    for other in arrays[1:]:
        assert other.tobytes() == arrays[0].tobytes()


def operations(program: cc.Program, name: str) -> int:
    """Number of operations of a kind, in regions too."""
    return program.generic().count(f'"coconet.{name}"')


def traced(body: Callable[..., object], mesh: cc.Mesh | None = None, **specs: cc.TensorSpec):
    """The program of a Python function of named tensors."""

    def program(**tensors: cc.Tensor) -> object:
        return body(**tensors)

    return cc.trace(program, mesh=mesh, **specs)


def results(program: cc.Program | cc.Schedule, arrays: dict, **where) -> list[np.ndarray]:
    """Results of one run."""
    with cc.compile(program, **where) as exe:
        return list(exe(**arrays).values())


def f32(*values: object) -> np.ndarray:
    return np.array(values, np.float32)
