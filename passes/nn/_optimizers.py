"""Optimisers and learning-rate schedules, as ops on parameters, gradients, state and a step counter.

Each optimiser is a function from a parameter, its gradient and its state to their new values; the formulas
are those of PyTorch and Optax.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import TypeAlias

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute

from lamina.dialects.core.diagnostics import did_you_mean, error
from lamina.dialects.nn.derivatives._terms import Term

SCHEDULES = ("constant", "linear", "cosine", "exponential", "steps")


_RANGES = {
    "momentum": (0, 1),
    "beta1": (0, 1),
    "beta2": (0, 1),
    "schedule_steps": (1, math.inf),
    "schedule_rate": (1e-300, math.inf),
}
"""The least value of a setting, and what it stays below; all others are not negative."""


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


@dataclass(frozen=True)
class Settings:
    """The numbers of an optimiser; each uses those that it knows."""

    learning_rate: float = 0.01
    momentum: float = 0.9
    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-8
    weight_decay: float = 0.0
    schedule: str = "constant"
    schedule_steps: int = 1000
    schedule_rate: float = 0.1
    warmup_steps: int = 0

    def __post_init__(self) -> None:
        """Raise :class:`LaminaError` for numbers with which no step can be computed."""
        if self.schedule not in SCHEDULES:
            hint = did_you_mean(str(self.schedule), SCHEDULES) or f"known are: {', '.join(SCHEDULES)}"
            raise error(f"there is no schedule '{self.schedule}'", hint=hint)
        for field in fields(self):
            value, (low, below) = getattr(self, field.name), _RANGES.get(field.name, (0, math.inf))
            if field.name != "schedule" and not (_is_number(value) and low <= value < below):
                bound = "" if below == math.inf else f", below {below}"
                raise error(f"the setting {field.name} has to be at least {low}{bound}, and is {value!r}")


@dataclass(frozen=True)
class Moment:
    """Where an update is: the rate of this step, and the number of this step from 0, as scalars."""

    rate: Term
    step: Term


Update: TypeAlias = "Callable[[Settings, Moment, Term, Term, Sequence[Term]], tuple[Term, list[Term]]]"


@dataclass(frozen=True)
class Optimizer:
    """An update rule, and the names of what it keeps for each parameter (of its type, first zeros)."""

    update: Update
    slots: tuple[str, ...] = ()
    counts: bool = False
    """Whether it needs the number of the step."""


def _sgd(s: Settings, at: Moment, w: Term, g: Term, slots: Sequence[Term]) -> tuple[Term, list[Term]]:
    return w - _decayed(s, w, g) * at.rate, []


def _momentum(s: Settings, at: Moment, w: Term, g: Term, slots: Sequence[Term]) -> tuple[Term, list[Term]]:
    velocity = slots[0] * s.momentum + _decayed(s, w, g)
    return w - velocity * at.rate, [velocity]


def _nesterov(s: Settings, at: Moment, w: Term, g: Term, slots: Sequence[Term]) -> tuple[Term, list[Term]]:
    g = _decayed(s, w, g)
    velocity = slots[0] * s.momentum + g
    return w - (g + velocity * s.momentum) * at.rate, [velocity]


def _adam(s: Settings, at: Moment, w: Term, g: Term, slots: Sequence[Term]) -> tuple[Term, list[Term]]:
    return _adam_step(s, at, w, _decayed(s, w, g), slots)


def _adamw(s: Settings, at: Moment, w: Term, g: Term, slots: Sequence[Term]) -> tuple[Term, list[Term]]:
    shrunk = w - w * (at.rate * s.weight_decay) if s.weight_decay else w
    return _adam_step(s, at, shrunk, g, slots)


def _adam_step(s: Settings, at: Moment, w: Term, g: Term, slots: Sequence[Term]) -> tuple[Term, list[Term]]:
    """Both corrections of bias are scalars: each element costs one root and one division."""
    mean = slots[0] * s.beta1 + g * (1 - s.beta1)
    square = slots[1] * s.beta2 + g * g * (1 - s.beta2)
    count = at.step + 1.0
    scale = at.rate / (1.0 - _power(s.beta1, count))
    root = (1.0 - _power(s.beta2, count)).rsqrt()
    return w - mean * scale / (square.sqrt() * root + s.epsilon), [mean, square]


def _power(base: float, count: Term) -> Term:
    """A number raised to a count of 1 or more."""
    return (count * math.log(base)).exp() if base else count * 0.0


def _decayed(s: Settings, w: Term, g: Term) -> Term:
    """The gradient with that of the squared weights."""
    return g + w * s.weight_decay if s.weight_decay else g


OPTIMIZERS: dict[str, Optimizer] = {
    "sgd": Optimizer(_sgd),
    "momentum": Optimizer(_momentum, ("velocity",)),
    "nesterov": Optimizer(_nesterov, ("velocity",)),
    "adam": Optimizer(_adam, ("mean", "square"), counts=True),
    "adamw": Optimizer(_adamw, ("mean", "square"), counts=True),
}


def learning_rate(s: Settings, step: Term) -> Term:
    """The rate of a step, counted from 0."""
    ratio = step / float(s.schedule_steps)
    rates: dict[str, Callable[[], Term]] = {
        "constant": lambda: step.constant(s.learning_rate),
        "linear": lambda: (1.0 - ratio.minimum(1.0)) * s.learning_rate,
        "cosine": lambda: ((ratio.minimum(1.0) * math.pi).cos() + 1.0) * (0.5 * s.learning_rate),
        "exponential": lambda: (ratio * math.log(s.schedule_rate)).exp() * s.learning_rate,
        "steps": lambda: (ratio.floor() * math.log(s.schedule_rate)).exp() * s.learning_rate,
    }
    rate = rates[s.schedule]()
    if s.warmup_steps:
        rate = rate * ((step + 1.0) / float(s.warmup_steps)).minimum(1.0)
    return rate


def clipped(gradients: Sequence[Term], norm: float) -> list[Term]:
    """Gradients scaled down so that the norm of all together is at most ``norm``."""
    first = gradients[0].type.element_type
    squares = [as_element((g * g).reduce_sum(axes=list(range(g.rank))), first) for g in gradients]
    total = squares[0]
    for square in squares[1:]:
        total = total + square
    scale = norm / total.sqrt().maximum(norm)
    return [g * as_element(scale, g.type.element_type) for g in gradients]


def as_element(value: Term, element: Attribute) -> Term:
    """A value with elements of a type."""
    if value.type.element_type == element:
        return value
    return value.emit("cast", types=[TensorType(element, value.shape)])
