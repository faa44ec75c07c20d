"""Arrays of a user on their way to the ranks: checks, conversions, and each rank's part."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coconet_mlir.dtypes import from_numpy, to_numpy
from coconet_mlir.errors import InputError
from coconet_mlir.program import Port, Signature

Array = NDArray[np.generic]


class Sizes:
    """What open sizes are: by name, found in the arrays of a program."""

    def __init__(self) -> None:
        self._found: dict[str, tuple[int, str]] = {}

    def copy(self) -> Sizes:
        """The same sizes, to try further arrays on."""
        other = Sizes()
        other._found = dict(self._found)
        return other

    @property
    def known(self) -> dict[str, int]:
        """The sizes found, by name."""
        return {name: size for name, (size, _) in self._found.items()}

    def check(self, port: Port, shape: Sequence[int]) -> None:
        """Check an array's shape, and take the open sizes from it."""
        if len(shape) != len(port.shape):
            raise InputError(
                f"'{port.name}' has shape {tuple(shape)}, of {len(shape)} dimensions; "
                f"the program declares {declared(port)}"
            )
        for dim, (size, wanted) in enumerate(zip(shape, port.shape, strict=True)):
            if wanted is not None and size != wanted:
                raise InputError(
                    f"'{port.name}' has size {size} in dimension {dim}; "
                    f"the program declares {declared(port)}"
                )
            name = port.dims[dim]
            if wanted is not None or not name:
                continue
            known, where = self._found.setdefault(name, (size, port.name))
            if known != size:
                raise InputError(
                    f"'{port.name}' has {name} = {size} in dimension {dim}, but '{where}' has "
                    f"{name} = {known}; sizes of one name are equal"
                )

    def shape_of(self, port: Port) -> tuple[int, ...] | None:
        """The shape of a tensor, or None where a size is not known yet."""
        sizes = [
            self._found.get(name, (None,))[0] if size is None else size
            for size, name in zip(port.shape, port.dims, strict=True)
        ]
        return None if None in sizes else tuple(sizes)  # type: ignore[arg-type]


def declared(port: Port) -> str:
    """Shape and element type as a program declares them."""
    sizes = [port.size_text(dim) for dim in range(len(port.shape))]
    return f"({', '.join(sizes)}{',' if len(sizes) == 1 else ''}) of {port.dtype}"


def as_array(port: Port, value: Any) -> Array:
    """A numpy array over the user's memory where possible: numpy, DLPack, or the array protocol.
    Numbers and lists become arrays of the declared type."""
    wanted = to_numpy(port.dtype)
    if isinstance(value, np.ndarray | np.generic):
        array = np.asarray(value)
    elif hasattr(value, "__dlpack__"):
        array = _from_dlpack(port, value)
    elif hasattr(value, "__array__"):
        array = np.asarray(value)
    else:
        return _from_numbers(port, value, wanted)
    if array.dtype == wanted.newbyteorder("S"):
        # Of the other byte order, as files of other machines have it.
        return array.astype(wanted)
    if array.dtype != wanted:
        raise InputError(
            f"'{port.name}' is an array of {from_numpy(array.dtype)}; the program declares "
            f"{declared(port)}: convert it with astype"
        )
    return array


def _from_dlpack(port: Port, value: Any) -> Array:
    try:
        return np.from_dlpack(value)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        raise InputError(
            f"'{port.name}' cannot be taken through DLPack: {error}; "
            "move it to the CPU, in a type that numpy has"
        ) from None


def _from_numbers(port: Port, value: Any, wanted: np.dtype) -> Array:
    try:
        return np.asarray(value, dtype=wanted)
    except (TypeError, ValueError, OverflowError):
        raise InputError(
            f"'{port.name}' is {type(value).__name__}, which is no array of {port.dtype}; "
            "give a numpy array, or anything with __dlpack__"
        ) from None


def as_arrays(port: Port, value: Any) -> list[Array]:
    """The arrays that make up an argument: one, or one a position where it is pending or local."""
    if not port.layout.leading:
        return [as_array(port, value)]
    count = port.layout.positions
    axes = ", ".join(port.layout.leading)
    if isinstance(value, list | tuple):
        arrays = [as_array(port, each) for each in value]
    else:
        stacked = as_array(port, value)
        if stacked.ndim != len(port.shape) + 1:
            raise InputError(
                f"'{port.name}' is {port.layout.describe()}: give a list of {count} arrays, one "
                f"for each position along {axes}, or one array with a first dimension of {count}"
            )
        arrays = list(stacked)
    if len(arrays) != count:
        raise InputError(
            f"'{port.name}' has {len(arrays)} arrays, but there are {count} positions along {axes}"
        )
    return arrays


def check(port: Port, arrays: Sequence[Array], sizes: Sizes) -> None:
    """Check shapes of an argument's arrays, which are equal among them."""
    for array in arrays:
        sizes.check(port, array.shape)
        if array.shape != arrays[0].shape:
            raise InputError(
                f"'{port.name}' has arrays of shapes {arrays[0].shape} and {array.shape}; "
                "all positions hold the same shape"
            )


def place(port: Port, arrays: Sequence[Array], ranks: int) -> list[Array]:
    """Each rank's part, contiguous: the user's memory where it is so already, else a copy. Ranks
    that hold the same part share it."""
    shared: dict[Any, Array] = {}
    parts = []
    for rank in range(ranks):
        position = port.layout.position(rank)
        region = port.layout.region(arrays[position].shape, rank)
        key = (position, tuple((part.start, part.stop) for part in region))
        if key not in shared:
            part = port.layout.take(arrays[position], rank)
            # ascontiguousarray makes a scalar one-dimensional.
            shared[key] = part if part.flags.c_contiguous else np.ascontiguousarray(part)
        parts.append(shared[key])
    return parts


def expand_lists(given: Mapping[str, Any], ports: Sequence[Port]) -> dict[str, Any]:
    """Arrays by the names of ports: a list "p" becomes "p.0", "p.1" and so on."""
    known = {port.name for port in ports}
    expanded: dict[str, Any] = {}
    for name, value in given.items():
        places = list_ports(name, known)
        if not places:
            expanded[name] = value
            continue
        if not isinstance(value, list | tuple) or len(value) != len(places):
            what = f"{len(value)} arrays" if isinstance(value, list | tuple) else "no list"
            raise InputError(f"'{name}' is {what}; the program declares a list of {len(places)}")
        expanded.update(zip(places, value, strict=True))
    return expanded


def list_ports(name: str, known: Collection[str]) -> list[str]:
    """The names of a list's members, none where `name` is no list."""
    if name in known:
        return []
    places = itertools.takewhile(known.__contains__, (f"{name}.{i}" for i in itertools.count()))
    return list(places)


def check_names(given: Iterable[str], ports: Sequence[Port], what: str) -> None:
    """Check that all names are among these ports'."""
    known = [port.name for port in ports]
    for name in given:
        if name not in known:
            listed = ", ".join(known) or "none"
            raise InputError(f"unknown {what} '{name}'; the program has {listed}")


def check_sizes(signature: Signature, names: Iterable[str]) -> None:
    """Check that all names are those of open sizes."""
    known = sorted({name for port in signature.arguments for name in port.dims if name})
    for name in names:
        if name not in known:
            listed = ", ".join(known) or "none"
            raise InputError(f"unknown size '{name}'; the program's open sizes are {listed}")
