"""Optimizers: hyperparameters, and the step of one parameter tensor.

An optimizer computes from whole values; where the gradient lies in slices, reductions over it are
pending and `whole` completes them, so that no norm is that of a shard.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Protocol

import coconet_mlir as cc
from coconet_mlir.tracing import Tensor


class Optimizer(Protocol):
    """What `data_parallel` asks of an optimizer.

    Attributes:
        moments: prefixes of its states of the parameter's shape.
        counts: whether it needs the number of the step.
        last: prefix of the name of the operation that makes the new parameter.
    """

    moments: ClassVar[tuple[str, ...]]
    counts: ClassVar[bool]
    last: ClassVar[str]

    def step(
        self, name: str, p: Tensor, g: Tensor, moments: Mapping[str, Tensor], t: Tensor | None
    ) -> dict[str, Tensor]:
        """New values of the parameter `p`, under the key "", and of its moments.

        Args:
            name: of the parameter; operations are called opt_NAME and the like.
            g: the whole gradient.
            t: the number of this step, an f32 scalar from 1.
        """
        ...


def whole(x: Tensor) -> Tensor:
    """The value, reduced over the axes along which it is pending."""
    for kind in dict.fromkeys(x.layout.partial.values()):
        x = cc.all_reduce(x, reduction=kind)
    return x


def square_sum(x: Tensor) -> Tensor:
    """Sum of the squares of all elements, each counted once however the tensor lies."""
    return whole(cc.reduce("sum", x * x, range(len(x.shape))))


# ===- SGD --------------------------------------------------------------------===


@dataclass(frozen=True)
class SgdOptions:
    """Stochastic gradient descent with momentum (Sutskever et al., 2013) and weight decay.

    m is momentum * m + (g + weight_decay * p), and p is reduced by lr * m.
    """

    lr: float = 1e-2
    momentum: float = 0.9
    weight_decay: float = 0.0

    moments: ClassVar[tuple[str, ...]] = ("m",)
    counts: ClassVar[bool] = False
    last: ClassVar[str] = "opt"

    def step(
        self, name: str, p: Tensor, g: Tensor, moments: Mapping[str, Tensor], t: Tensor | None
    ) -> dict[str, Tensor]:
        """See `Optimizer.step`."""
        with cc.named(f"opt_{name}"):
            decayed = g + self.weight_decay * p if self.weight_decay else g
            m = self.momentum * moments["m"] + decayed
            return {"": p - self.lr * m, "m": m}


# ===- Adam -------------------------------------------------------------------===


@dataclass(frozen=True)
class AdamOptions:
    """Adam (Kingma and Ba, 2015), hyperparameters named as there.

    `weight_decay` adds to the gradient, or, if `decoupled`, to the step (AdamW, Loshchilov and
    Hutter, 2019).
    """

    lr: float = 1e-3
    beta1: float = 0.9
    beta2: float = 0.999
    eps: float = 1e-8
    weight_decay: float = 0.0
    decoupled: bool = False

    moments: ClassVar[tuple[str, ...]] = ("m", "v")
    counts: ClassVar[bool] = True
    last: ClassVar[str] = "opt"

    def step(
        self, name: str, p: Tensor, g: Tensor, moments: Mapping[str, Tensor], t: Tensor | None
    ) -> dict[str, Tensor]:
        """See `Optimizer.step`."""
        assert t is not None
        corrections = bias_corrections(t, self)
        with cc.named(f"opt_{name}"):
            if self.weight_decay and not self.decoupled:
                g = g + self.weight_decay * p
            u, new = adam_direction(g, moments["m"], moments["v"], corrections, self)
            if self.weight_decay and self.decoupled:
                u = u + self.weight_decay * p
            return {"": p - self.lr * u, **new}


class AdamLike(Protocol):
    """Hyperparameters that Adam and LAMB share."""

    @property
    def beta1(self) -> float: ...
    @property
    def beta2(self) -> float: ...
    @property
    def eps(self) -> float: ...


def bias_corrections(t: Tensor, options: AdamLike) -> tuple[Tensor, Tensor]:
    """1 - beta1^t and 1 - beta2^t of the step count `t`, an f32 scalar from 1."""
    return 1.0 - options.beta1**t, 1.0 - options.beta2**t


def adam_direction(
    g: Tensor, m: Tensor, v: Tensor, corrections: tuple[Tensor, Tensor], options: AdamLike
) -> tuple[Tensor, dict[str, Tensor]]:
    """mhat / (sqrt(vhat) + eps), eps after the bias correction, and the new moments."""
    c1, c2 = corrections
    m_new = options.beta1 * m + (1.0 - options.beta1) * g
    v_new = options.beta2 * v + (1.0 - options.beta2) * (g * g)
    return (m_new / c1) / (cc.sqrt(v_new / c2) + options.eps), {"m": m_new, "v": v_new}


def adam_update(
    p: Tensor,
    g: Tensor,
    m: Tensor,
    v: Tensor,
    corrections: tuple[Tensor, Tensor],
    options: AdamOptions,
    *,
    name: str = "opt",
) -> Tensor:
    """Update the states p, m and v of one parameter by its whole gradient g, all of one shape.

    Schedules find the computation by `name`. Returns the new p.
    """
    with cc.named(name):
        u, new = adam_direction(g, m, v, corrections, options)
        p_new = p - options.lr * u
    cc.update(m, new["m"])
    cc.update(v, new["v"])
    return cc.update(p, p_new)


# ===- LAMB -------------------------------------------------------------------===


@dataclass(frozen=True)
class LambOptions:
    """LAMB (You et al., 2020): Adam's direction, scaled by a trust ratio per parameter tensor.

    With u = mhat / (sqrt(vhat) + eps) + weight_decay * p, p is reduced by lr * ratio * u; the
    ratio is ||p|| / ||u||, and 1 where either is 0.
    """

    lr: float = 1e-3
    beta1: float = 0.9
    beta2: float = 0.999
    eps: float = 1e-6
    weight_decay: float = 0.01

    moments: ClassVar[tuple[str, ...]] = ("m", "v")
    counts: ClassVar[bool] = True
    last: ClassVar[str] = "step"

    def step(
        self, name: str, p: Tensor, g: Tensor, moments: Mapping[str, Tensor], t: Tensor | None
    ) -> dict[str, Tensor]:
        """See `Optimizer.step`. Norms are called trust_NAME, what follows them step_NAME."""
        assert t is not None
        corrections = bias_corrections(t, self)
        with cc.named(f"opt_{name}"):
            u, new = adam_direction(g, moments["m"], moments["v"], corrections, self)
            if self.weight_decay:
                u = u + self.weight_decay * p
        with cc.named(f"trust_{name}"):
            norms = cc.sqrt(square_sum(p)), cc.sqrt(square_sum(u))
            rate = self.lr * trust_ratio(*norms)
        with cc.named(f"step_{name}"):
            return {"": p - rate * u, **new}


def trust_ratio(p_norm: Tensor, u_norm: Tensor) -> Tensor:
    """p_norm / u_norm of two scalars; 1 where either is 0."""
    ratio = cc.select(u_norm > 0.0, p_norm / u_norm, 1.0)
    return cc.select(p_norm > 0.0, ratio, 1.0)
