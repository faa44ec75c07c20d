"""How likely two unlike programs look equal: degrees of what they compute.

Every element is a quotient of polynomials in the inputs and in the outputs of
keyed hashes, which count as fresh inputs. Two unlike quotients of degrees
(n, d) and (n', d') agree at a random point of a field of p elements with
probability at most max(n + d', n' + d) / p (Schwartz, Zippel), independently
for both primes. The same bounds how often a hash, or the order, takes two
unlike arguments for equal. All such chances add up.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce

from xdsl.ir import Operation, SSAValue

from coconet_mlir.interpreter.domain import holds_exactly, is_float
from coconet_mlir.interpreter.residues import PRIMES
from coconet_mlir.interpreter.types import attribute_of, keyword, tensor_info

Degree = tuple[float, float]
"""Bounds for the degrees of numerator and denominator."""

CONSTANT: Degree = (0.0, 0.0)
INPUT: Degree = (1.0, 0.0)
_LARGEST_POWER = 16

_HASHED = {
    "coconet.sqrt": (1.0, 0.0),
    "coconet.rsqrt": (1.0, 1.0),
    "coconet.exp": (1.0, 0.0),
    "coconet.log": (1.0, 0.0),
    "coconet.tanh": (1.0, 0.0),
    "coconet.sigmoid": (1.0, 0.0),
    "coconet.norm": (1.0, 0.0),
    "coconet.softmax": (1.0, 1.0),
}
_DECISIONS = {"max", "min", "relu", "abs", "compare", "is_finite", "maximumf", "minimumf", "cmpf"}


def coincidence(elements: float, degree: float) -> float:
    """Chance that one of `elements` unlike pairs of this degree looks equal."""
    chance = elements
    for prime in PRIMES:
        chance *= min(1.0, max(degree, 1.0) / prime)
    return min(1.0, chance)


class Degrees:
    """Follows a run and adds up the chances of a coincidence inside it."""

    def __init__(self) -> None:
        self.known: dict[SSAValue, Degree] = {}
        self.chance = 0.0

    def of(self, value: SSAValue) -> Degree:
        """Degrees of a value that was computed."""
        return self.known.get(value, CONSTANT)

    def forward(self, sources: Iterable[SSAValue], targets: Iterable[SSAValue]) -> None:
        """Give targets the degrees of sources, as a region's results do."""
        for source, target in zip(sources, targets, strict=False):
            self.known[target] = self.of(source)

    def step(
        self,
        op: Operation,
        name: str,
        operand_sizes: Sequence[int],
        result_sizes: Sequence[int],
        ranks: int,
    ) -> None:
        """Account for one op on tensors of these logical sizes."""
        # What is received has the degree of what was sent.
        if len(op.results) != 1 or op.regions or name.endswith(".recv"):
            return
        operands = [self.of(o) for o in op.operands]
        elements = float(max([*operand_sizes, *result_sizes, 1]))
        width = max(1.0, elements / max(1, result_sizes[0]))
        result = self._degree(op, name, operands, elements, width, ranks)
        element = tensor_info(op.results[0].type).element
        self.known[op.results[0]] = result if is_float(element) else CONSTANT

    def _hash(self, operands: Sequence[Degree], elements: float) -> None:
        worst = max((n + d for n, d in operands), default=0.0)
        if worst:
            self.chance += coincidence(elements, worst)

    def _degree(
        self,
        op: Operation,
        name: str,
        operands: list[Degree],
        elements: float,
        width: float,
        ranks: int,
    ) -> Degree:
        short = name.rpartition(".")[2]
        if name in _HASHED or short in _DECISIONS:
            self._hash(operands, elements)
        if name in _HASHED:
            return _HASHED[name]
        match short:
            case "add" | "sub" | "addf" | "subf":
                return _sum(operands)
            case "mul" | "mulf":
                return _product(*operands)
            case "div" | "divf":
                (n, d), (m, e) = operands
                return n + e, d + m
            case "silu" | "gelu":
                self._hash(operands, elements)
                return operands[0][0] + 1, operands[0][1]
            case "pow":
                self._hash(operands, elements)
                n, d = operands[0]
                return max(1.0, n * _LARGEST_POWER), d * _LARGEST_POWER
            case "cast":
                return self._cast(op, operands, elements)
            case "matmul":
                return _repeated(_product(*operands), width * ranks)
            case "reduce":
                return _repeated(operands[0], width)
            case "layer_norm" | "rms_norm" | "cross_entropy" | "pool2d":
                # Sums over all elements, a hash of them or a choice, and further factors.
                self._hash(operands, elements)
                wide = _product(_repeated(operands[0], 2 * elements), (1.0, 1.0))
                return reduce(_product, operands[1:], wide)
            case "conv2d" | "conv2d_input_gradient" | "conv2d_weight_gradient":
                return _repeated(_product(*operands), elements)
            case "scatter_add":
                return _repeated(operands[0], elements)
            case "all_reduce" | "reduce_scatter" | "reduce_to_root":
                if keyword(op, "reduction") == "prod":
                    return operands[0][0] * ranks, operands[0][1] * ranks
                return _repeated(operands[0], ranks)
        return _largest(operands)

    def _cast(self, op: Operation, operands: list[Degree], elements: float) -> Degree:
        source = tensor_info(op.operands[0].type).element
        target = tensor_info(op.results[0].type).element
        if attribute_of(op, "coconet.rounding") is not None:
            return operands[0]
        if not is_float(source) or (is_float(target) and holds_exactly(source, target)):
            return operands[0]
        self._hash(operands, elements)
        return INPUT


def _largest(operands: Sequence[Degree]) -> Degree:
    return max((n for n, _ in operands), default=0.0), max((d for _, d in operands), default=0.0)


def _product(a: Degree, b: Degree) -> Degree:
    return a[0] + b[0], a[1] + b[1]


def _sum(operands: Sequence[Degree]) -> Degree:
    (n, d), (m, e) = operands
    return max(n + e, m + d), d + e


def _repeated(degree: Degree, count: float) -> Degree:
    """A sum of `count` quotients with unlike denominators."""
    n, d = degree
    return n + (count - 1) * d, count * d
