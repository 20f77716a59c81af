"""What a derivative rule is given and gives, and rules that are one line for each op.

A rule of reverse mode takes an :class:`Adjoint` and returns the cotangent of each operand (None where there
is none). It must be linear in the cotangents. Forward mode transposes it, so most ops need no second rule.

    @derivative("nn.matmul")
    def _(at: Adjoint) -> Sequence[Term | None]:
        a, b = at.operands
        return at.grad.matmul(b.swapped()), a.swapped().matmul(at.grad)

What a rule builds for an operand that no one asks about is dead and goes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation

from lamina.dialects.nn.base import derivative, python_value, tangent
from lamina.dialects.nn.derivatives._terms import Term


@dataclass(frozen=True)
class Adjoint:
    """An op on the way back: its values, and the cotangents of its results."""

    op: Operation
    operands: tuple[Term, ...]
    results: tuple[Term, ...]
    grads: tuple[Term | None, ...]
    """The cotangent of each result; None for one that does not matter."""
    needs: tuple[bool, ...]
    """Whether the cotangent of an operand is asked for."""

    @property
    def grad(self) -> Term:
        """The cotangent of the only result."""
        (grad,) = self.grads
        assert grad is not None
        return grad

    @property
    def result(self) -> Term:
        """The only result."""
        return self.results[0]

    def attribute(self, name: str) -> Any:
        """An attribute of the op as a Python value; None where it is not given."""
        attr = self.op.properties.get(name)
        return None if attr is None else python_value(attr)


@dataclass(frozen=True)
class Tangent:
    """An op on the way forward: its values, and the tangents of its operands (None: constant)."""

    op: Operation
    operands: tuple[Term, ...]
    results: tuple[Term, ...]
    tangents: tuple[Term | None, ...]


Reverse: TypeAlias = Callable[[Adjoint], "Sequence[Term | None]"]
Forward: TypeAlias = Callable[[Tangent], "Sequence[Term | None]"]
Partial: TypeAlias = "Term | float | Callable[[Term], Term] | None"
"""The derivative by one operand at each place: a number, a factor, a mask (i1), or a linear function."""
Partials: TypeAlias = "Callable[[Any, *tuple[Term, ...]], Partial | tuple[Partial, ...]]"


def elementwise(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """``@elementwise("nn.x")`` registers partial derivatives as both modes' rule.

    The function takes the op, its operands, and its result, and returns a :data:`Partial` for each operand.
    """

    def register(partials: Callable[..., Any]) -> Callable[..., Any]:
        def reverse(at: Adjoint) -> list[Term | None]:
            found = _partials(partials, at.op, at.operands, at.results)
            applied = [
                applied_to(at.grad, p) if need else None for p, need in zip(found, at.needs, strict=True)
            ]
            return [
                None if value is None else value.summed_to(operand)
                for value, operand in zip(applied, at.operands, strict=True)
            ]

        def forward(at: Tangent) -> list[Term | None]:
            found = _partials(partials, at.op, at.operands, at.results)
            parts = [applied_to(t, p) for p, t in zip(found, at.tangents, strict=True) if t is not None]
            parts = [part for part in parts if part is not None]
            if not parts:
                return [None]
            total = parts[0]
            for part in parts[1:]:
                total = total + part
            return [total.broadcast_like(at.results[0])]

        derivative(*names)(reverse)
        tangent(*names)(forward)
        return partials

    return register


def _partials(
    partials: Callable[..., Any], op: Operation, operands: Sequence[Term], results: Sequence[Term]
) -> tuple[Partial, ...]:
    found = partials(op, *operands, *results)
    return found if isinstance(found, tuple) else (found,)


def applied_to(t: Term, partial: Partial) -> Term | None:
    """A cotangent (or tangent) times a partial derivative."""
    match partial:
        case None | 0:
            return None
        case 1:
            return t
        case -1:
            return -t
        case Term():
            return partial.where(t, 0.0, like=t) if partial.is_boolean else t * partial
        case int() | float():
            return t * partial
        case _:
            return partial(t)


def linear(*names: str) -> Callable[[Reverse], Reverse]:
    """``@linear("nn.x")`` registers the reverse rule of an op that is linear in its operands together.

    Forward mode applies the op to the tangents.
    """

    def register(rule: Reverse) -> Reverse:
        derivative(*names)(rule)
        tangent(*names)(_apply_to_tangents)
        return rule

    return register


def _apply_to_tangents(at: Tangent) -> list[Term | None]:
    """The op with tangents in the place of its floating-point operands; zeros for those that have none."""
    first = at.results[0]
    operands = [
        t if t is not None else (x.splat(0.0) if same_kind(x, first) else x)
        for x, t in zip(at.operands, at.tangents, strict=True)
    ]
    op = type(at.op).create(
        operands=[x.value for x in operands],
        result_types=[r.type for r in at.results],
        properties=dict(at.op.properties),
    )
    first.insert(op)
    return [Term(r, first.insert) for r in op.results]


def same_kind(a: Term, b: Term) -> bool:
    """Whether two values have one element type."""
    kinds = a.value.type, b.value.type
    return all(isinstance(k, TensorType) for k in kinds) and a.type.element_type == b.type.element_type
