"""Element types: their names, their numpy types, their MLIR types."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from coconet_mlir.errors import InputError

if TYPE_CHECKING:
    from coconet_mlir import ir

_NUMPY = {
    "f16": np.float16,
    "f32": np.float32,
    "f64": np.float64,
    "i1": np.bool_,
    "i8": np.int8,
    "i32": np.int32,
    "i64": np.int64,
}
NAMES = ("f16", "bf16", "f32", "f64", "i1", "i8", "i32", "i64")


def check_name(dtype: str) -> str:
    """The name itself, if it is an element type of the dialect."""
    if dtype not in NAMES:
        raise InputError(f"unknown element type '{dtype}'; known are {', '.join(NAMES)}")
    return dtype


def to_numpy(dtype: str) -> np.dtype:
    """The numpy type of an element type. bf16 is that of ml_dtypes."""
    if check_name(dtype) == "bf16":
        import ml_dtypes

        return np.dtype(ml_dtypes.bfloat16)
    return np.dtype(_NUMPY[dtype])


def from_numpy(dtype: np.dtype) -> str:
    """The name of a numpy type, or numpy's own name where the dialect has none."""
    if dtype.name == "bfloat16":
        return "bf16"
    for name, kind in _NUMPY.items():
        if np.dtype(kind) == dtype:
            return name
    return dtype.name


def to_mlir(dtype: str) -> ir.Type:
    """The MLIR type, in the current context."""
    from coconet_mlir import ir

    return ir.Type.parse(check_name(dtype))


def is_float(dtype: str) -> bool:
    """Whether values have a fraction."""
    return "f" in dtype
