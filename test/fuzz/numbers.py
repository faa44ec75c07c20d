"""Compiled results against the reference interpreter, with room for what rounding does.

A random program may magnify a rounding, or decide by it. The reference therefore runs several
times: with rounding to the program's types, without, on inputs moved by one unit of the last place,
with what operations compute moved by one, and with erf in single precision, after which gelu has no
digits left where it is nearly 0. What
these runs disagree about says how much an element may differ; integers and conditions that they
disagree about are not compared.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from typing import Any
from unittest import mock

import coconet_mlir as cc
import numpy as np
from coconet_mlir.dtypes import is_float, to_numpy
from coconet_mlir.interpreter import float64
from coconet_mlir.interpreter.float64 import FUNCTIONS, accumulator, round_to
from coconet_mlir.interpreter.run import run
from coconet_mlir.interpreter.tolerances import TOLERANCES
from coconet_mlir.program import Port, Signature

Array = np.ndarray
Values = dict[str, Array]

_ERF = FUNCTIONS["erf"]
_LARGEST_SQUARED = 2.0**63
"""Squares of values above are infinite in f32."""
_ROOM = 16
"""By which a disagreement of the references counts."""
_NOISE = 0.01
_LARGE = 1e4
"""Where references disagree by this share of a value so large, it is a quotient by rounding alone,
of which nothing is known."""


def random_inputs(signature: Signature, sizes: Mapping[str, int], seed: int) -> Values:
    """An array for every argument, with one first dimension for pending and local ones."""
    rng = np.random.default_rng(seed)
    arrays = {}
    for port in signature.arguments:
        shape = tuple(
            sizes[name] if size is None else size
            for size, name in zip(port.shape, port.dims, strict=True)
        )
        if port.layout.leading:
            shape = (port.layout.positions, *shape)
        arrays[port.name] = _random(rng, shape, port.dtype)
    return arrays


def _random(rng: np.random.Generator, shape: tuple[int, ...], dtype: str) -> Array:
    if dtype == "i1":
        return np.asarray(rng.integers(0, 2, shape)).astype(bool)
    if is_float(dtype):
        return np.asarray(rng.normal(0, 1.5, shape)).astype(to_numpy(dtype))
    return np.asarray(rng.integers(-9, 10, shape)).astype(to_numpy(dtype))


def _moved(rng: np.random.Generator, array: Array, dtype: str) -> Array:
    """The array with each float moved to a neighbour, or left alone."""
    if not is_float(dtype):
        return array
    bits = {"f64": np.int64, "f32": np.int32}.get(dtype, np.int16)
    step = rng.integers(-1, 2, array.shape).astype(bits)
    nearest = (array.view(bits) + step).view(array.dtype)
    return np.where(array == 0, array, nearest)


def _reference(
    module: Any,
    signature: Signature,
    arrays: Values,
    steps: int,
    *,
    rounding: bool = True,
    exact: bool = True,
) -> Values:
    inputs = {}
    for port in signature.arguments:
        array, mesh = arrays[port.name], port.layout.mesh
        if port.layout.leading and mesh is not None:
            lead = [mesh.size_of((axis,)) for axis in port.layout.leading]
            array = array.reshape(*lead, *array.shape[1:])
        inputs[port.name] = array
    with np.errstate(all="ignore"):
        for _ in range(steps):
            result = run(module, inputs, rounding=rounding)
            inputs.update(result.states)
    if rounding and exact and result.disagreements:
        raise AssertionError(f"in the reference {result.disagreements[0]}")
    names = [port.name for port in signature.results]
    return {
        **dict(zip(names, result.results, strict=True)),
        **{f"state {name}": value for name, value in result.states.items()},
    }


def references(
    module: Any, signature: Signature, arrays: Values, seed: int, steps: int
) -> list[Values]:
    """Results and states of the base program after some steps, rounded first.

    Raises:
        InterpretationError: the program cannot run on these arrays.
    """
    rng = np.random.default_rng([seed, 1])
    moved = [
        {port.name: _moved(rng, arrays[port.name], port.dtype) for port in signature.arguments}
        for _ in range(2)
    ]
    found = [
        _reference(module, signature, arrays, steps),
        _reference(module, signature, arrays, steps, rounding=False),
        *(_reference(module, signature, each, steps) for each in moved),
    ]
    with mock.patch.dict(FUNCTIONS, erf=_single_erf):
        found.append(_reference(module, signature, arrays, steps))
    with mock.patch.object(float64, "round_to", functools.partial(_round_nearby, rng)):
        found.append(_reference(module, signature, arrays, steps, exact=False))
    return found


def _round_nearby(rng: np.random.Generator, values: Array, element: str) -> Array:
    """What an operation computes, rounded, or a neighbour of it."""
    rounded = round_to(values, element)
    if not is_float(element):
        return rounded
    moved = _moved(rng, rounded.astype(to_numpy(element)), element)
    return np.where(np.isfinite(rounded), moved.astype(rounded.dtype), rounded)


def _single_erf(values: Array) -> Array:
    return np.asarray(_ERF(values)).astype(np.float32).astype(np.float64)


def compiled(executable: cc.Executable, arrays: Values, steps: int) -> Values:
    """Results and states of a compiled program after some steps."""
    results = executable.run(arrays, steps=steps)
    states = {f"state {p.name}": executable.read(p.name) for p in executable.signature.states}
    return {**results, **states}


def narrowest(dtypes: Iterable[str]) -> str:
    """The float type that rounds most, through which a value of any type may have come."""
    return max(["f64", *filter(is_float, dtypes)], key=lambda dtype: TOLERANCES[dtype].relative)


def difference(
    ports: Mapping[str, Port], actual: Values, expected: list[Values], narrow: str, terms: int
) -> str:
    """Where the compiled program is wrong; "" if nowhere.

    Args:
        narrow: the narrowest float type of the program.
        terms: how many values may be summed into one.
    """
    if list(actual) != list(expected[0]):
        return f"results are {list(actual)}, the reference has {list(expected[0])}"
    for name, value in actual.items():
        dtype = ports[name].dtype
        wanted = [held[name] for held in expected]
        if value.dtype != to_numpy(dtype):
            return f"{name} is {value.dtype}, the program says {dtype}"
        if value.size != wanted[0].size:
            return f"{name} has shape {value.shape}, the reference {wanted[0].shape}"
        # Several local axes are one dimension in compiled results.
        wanted = [np.asarray(each).reshape(value.shape) for each in wanted]
        wrong = _wrong(value, wanted, dtype, narrow, terms)
        if wrong.any():
            index = tuple(int(i) for i in np.argwhere(wrong)[0])
            return (
                f"{name}{list(index)} is {value[index]}, the reference {wanted[0][index]} "
                f"({int(wrong.sum())} of {wrong.size} elements)"
            )
    return ""


def _wrong(actual: Array, wanted: list[Array], dtype: str, narrow: str, terms: int) -> Array:
    if not is_float(dtype):
        certain = np.ones(actual.shape, bool)
        for other in wanted[1:]:
            certain &= other == wanted[0]
        return np.asarray(certain & (actual != wanted[0]))
    first = wanted[0]
    with np.errstate(all="ignore"):
        spread = np.zeros(actual.shape)
        for other in wanted[1:]:
            apart = np.where(other == first, 0, np.abs(other - first))
            both = np.isnan(first) & np.isnan(other)
            spread = np.maximum(spread, np.where(both, 0, np.where(np.isnan(apart), np.inf, apart)))
        known = TOLERANCES[narrow]
        growth = terms * (2.0**-53 if accumulator(narrow) == "f64" else 2.0**-24)
        room = known.absolute + growth + (known.relative + growth) * np.abs(first) + _ROOM * spread
        found = actual.astype(np.float64)
        fine = (found == first) | (np.abs(found - first) <= room)
        # The norm squares what it sums, which may be infinite where the root is not.
        fine |= np.isinf(found) & (np.abs(first) > _LARGEST_SQUARED)
        noise = spread > max(_NOISE, 100 * known.relative) * np.abs(first)
        fine |= noise & (np.abs(first) > _LARGE)
        fine |= (np.isnan(found) & np.isnan(first)) | ~np.isfinite(spread)
    return np.asarray(~fine)
