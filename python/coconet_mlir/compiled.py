"""What the compiler hands to the launcher."""

from __future__ import annotations

from dataclasses import dataclass

from coconet_mlir._abi import ResultType
from coconet_mlir.dtypes import to_numpy
from coconet_mlir.signatures import Signature


@dataclass(frozen=True)
class Part:
    """A compiled function.

    Attributes:
        signature: of the bound function; names are those in the whole program.
        ranks: numbers of the ranks that run it; the one at position i has number i in its mesh.
        address: of the packed entry point.
        sizes: argument and dimension whose logical size follows the tensors, in order.
        results: for each result the state that holds it, or None where the function returns it.
    """

    signature: Signature
    ranks: tuple[int, ...]
    address: int
    sizes: tuple[tuple[int, int], ...]
    results: tuple[str | None, ...]

    @property
    def result_types(self) -> list[ResultType]:
        """What the function returns."""
        return [
            ResultType(to_numpy(port.dtype), 1 if port.layout.flat else len(port.shape))
            for port, state in zip(self.signature.results, self.results, strict=True)
            if state is None
        ]


@dataclass(frozen=True)
class Compiled:
    """What the compiler hands over.

    Attributes:
        signature: of the bound program.
        parts: its functions; more than one where they are run by unlike ranks.
        code: owns the machine code.
    """

    signature: Signature
    parts: tuple[Part, ...]
    code: object

    @property
    def ranks(self) -> int:
        """Number of ranks."""
        return sum(len(part.ranks) for part in self.parts)
