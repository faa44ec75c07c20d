"""Errors that a user can act on: they carry the compiler's diagnostic and its place."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from coconet_mlir import ir

_FILE_LOCATION = re.compile(r'"([^"]+)":(\d+):(\d+)')


@dataclass(frozen=True)
class Diagnostic:
    """A message of the compiler. `file` is empty where the place is not known; lines and columns
    count from 1."""

    message: str
    file: str = ""
    line: int = 0
    column: int = 0
    notes: tuple[Diagnostic, ...] = ()

    @property
    def place(self) -> str:
        """`file:line:column`, or nothing."""
        if not self.file:
            return ""
        return f"{self.file}:{self.line}:{self.column}" if self.line else self.file

    def render(self, kind: str = "error") -> str:
        """The message as compilers print it, one line for it and one for each note."""
        head = f"{self.place}: " if self.place else ""
        lines = [f"{head}{kind}: {self.message}"]
        lines += [note.render("note") for note in self.notes]
        return "\n".join(lines)


class CoCoNetError(Exception):
    """Base of all errors of the package.

    Attributes:
        diagnostics: what the compiler reported, the first one first.
    """

    def __init__(self, message: str | None = None, diagnostics: tuple[Diagnostic, ...] = ()):
        self.diagnostics = diagnostics or (Diagnostic(message or "unknown error"),)
        self.context = message if diagnostics else None
        super().__init__(str(self))

    @property
    def message(self) -> str:
        """The first message alone, without place and notes."""
        return self.diagnostics[0].message

    @property
    def notes(self) -> tuple[str, ...]:
        """The notes of the first diagnostic: what disagrees, and what would be accepted."""
        return tuple(note.message for note in self.diagnostics[0].notes)

    def __str__(self) -> str:
        lines = [f"error: {self.context}"] if self.context else []
        lines += [diagnostic.render() for diagnostic in self.diagnostics]
        text = "\n".join(lines)
        # Python says which kind of error it is.
        return text.removeprefix("error: ")

    def render(self) -> str:
        """The text that a command prints."""
        lines = [f"error: {self.context}"] if self.context else []
        return "\n".join([*lines, *(d.render() for d in self.diagnostics)])


class ProgramError(CoCoNetError):
    """A program is malformed: it does not parse, or an operation is not well typed."""


class ScheduleError(CoCoNetError):
    """A transformation was refused. The program is as it was before."""


class CompileError(CoCoNetError):
    """A program cannot be bound to these ranks, or cannot be lowered."""


class InputError(CoCoNetError, ValueError):
    """Arrays or sizes that do not fit a program, or a file that cannot be read."""


def _place(location: object) -> tuple[str, int, int]:
    """The innermost file, line and column that a location names."""
    found = _FILE_LOCATION.search(str(location))
    if not found:
        return "", 0, 0
    file, line, column = found.groups()
    return ("<text>" if file == "-" else file), int(line), int(column)


def diagnostic_from(info: ir.DiagnosticInfo) -> Diagnostic:
    """A diagnostic of the bindings as a value."""
    return Diagnostic(
        info.message.strip(),
        *_place(info.location),
        notes=tuple(diagnostic_from(note) for note in info.notes),
    )


@contextlib.contextmanager
def reported_as(kind: type[CoCoNetError], message: str | None = None) -> Iterator[None]:
    """Raise what the bindings report inside the block as an error of this kind.

    `message` goes first where the diagnostics alone would not say what was tried.
    """
    from coconet_mlir import ir

    try:
        yield
    except ir.MLIRError as error:
        found = tuple(diagnostic_from(info) for info in error.error_diagnostics)
        raise kind(message or (None if found else str(error.message)), found) from None
