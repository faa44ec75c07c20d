"""Files of training state: logical tensors by name, in the safetensors format.

A file says nothing of ranks, layouts or schedules, so it can be read into any of them, and by every
tool that knows the format.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from coconet_mlir import __version__
from coconet_mlir.arguments import Array, Sizes, declared
from coconet_mlir.errors import InputError
from coconet_mlir.program import Port

# The format's names of element types are those of the dialect, but for this one.
_NAMES = {"BOOL": "i1"}
_FORMAT = "coconet-mlir state"
_VERSION = 1
_RESERVED = "__metadata__"


def save_states(path: str | Path, arrays: Mapping[str, Array], program: str) -> None:
    """Write logical tensors, whole or not at all: a file that was there is replaced at the end.

    Args:
        program: its name, which the file's metadata tell.

    Raises:
        InputError: the file cannot be written.
    """
    from safetensors import SafetensorError
    from safetensors.numpy import save_file

    if _RESERVED in arrays:
        raise InputError(
            f"a state is called '{_RESERVED}', which the safetensors format keeps for itself; "
            "call it otherwise"
        )
    metadata = {
        "format": _FORMAT,
        "format_version": str(_VERSION),
        "coconet_mlir_version": __version__,
        "program": program,
    }
    # The format has no strides. ascontiguousarray would make a scalar one-dimensional.
    plain = {name: np.array(array, order="C", copy=None) for name, array in arrays.items()}
    try:
        with _replacing(path) as temporary:
            save_file(plain, temporary, metadata)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from None
    except SafetensorError as error:
        raise InputError(f"cannot write {path}: {error}") from None


@contextlib.contextmanager
def _replacing(path: str | Path) -> Iterator[Path]:
    """An empty file beside this one, which takes its place when the block ends without an error.

    Its bytes are on the disk before its name is, so a crash leaves the old file or the new one.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        raise OSError(errno.EINVAL, "it is no plain file; name one, or a new one")
    temporary = target.with_name(f".{target.name[:200]}.{secrets.token_hex(4)}.tmp")
    os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    try:
        yield temporary
        _flush(temporary)
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _flush(target.parent)


def _flush(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def load_states(path: str | Path, ports: Sequence[Port]) -> dict[str, Array]:
    """The logical tensors of a file, which are those of these states.

    Files of other tools do as well: names, element types and shapes are what counts.

    Raises:
        InputError: the file cannot be read, is no safetensors file, or holds other tensors.
    """
    from safetensors import SafetensorError, safe_open

    try:
        # The package maps what it opens, and calls a folder a missing device.
        with open(path, "rb"):
            pass
        # Not mapped: a file that shrinks while it is read is an error, and no signal.
        with safe_open(path, framework="np", backend="pread") as file:
            _check_version(path, file.metadata() or {})
            _check_tensors(path, _contents(file), ports)
            arrays = {port.name: file.get_tensor(port.name) for port in ports}
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from None
    except SafetensorError as error:
        raise InputError(
            f"{path} is no safetensors file, or not a whole one ({error}); "
            "write one with Executable.save"
        ) from None
    for port in ports:
        if port.dtype == "i1":
            arrays[port.name] = arrays[port.name].view(np.uint8) != 0
    return arrays


def _contents(file: object) -> dict[str, tuple[str, tuple[int, ...]]]:
    """Element type and shape of each tensor."""
    found = {}
    for name in file.keys():  # type: ignore[attr-defined]
        view = file.get_slice(name)  # type: ignore[attr-defined]
        kind = view.get_dtype()
        found[name] = (_NAMES.get(kind, kind.lower()), tuple(view.get_shape()))
    return found


def _check_version(path: str | Path, metadata: Mapping[str, str]) -> None:
    version = metadata.get("format_version", "")
    if metadata.get("format") == _FORMAT and version != str(_VERSION):
        raise InputError(
            f"{path} has version {version or 'none'} of the format of states; "
            f"this is coconet_mlir {__version__}, which reads version {_VERSION}"
        )


def _check_tensors(
    path: str | Path, found: Mapping[str, tuple[str, tuple[int, ...]]], ports: Sequence[Port]
) -> None:
    names = [port.name for port in ports]
    for port in ports:
        if port.name not in found:
            raise InputError(
                f"{path} has no tensor '{port.name}'; the program's state '{port.name}' is "
                f"{declared(port)}, and the file has {', '.join(sorted(found)) or 'none'}"
            )
    for name, (dtype, shape) in found.items():
        if name not in names:
            raise InputError(
                f"{path} has a tensor '{name}', {shape} of {dtype}; "
                f"the program's states are {', '.join(names) or 'none'}"
            )
    sizes = Sizes()
    for port in ports:
        dtype, shape = found[port.name]
        if dtype != port.dtype:
            raise InputError(
                f"{path}: tensor '{port.name}' is {shape} of {dtype}; "
                f"the program declares {declared(port)}"
            )
        try:
            sizes.check(port, shape)
        except InputError as error:
            raise InputError(f"{path}: tensor {error.message}") from None
