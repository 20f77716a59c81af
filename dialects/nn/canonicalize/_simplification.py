"""Canonicalisation patterns of ``nn`` as small functions from an op to what replaces it.

A simplification never changes a result: NaN, infinities, signs of zeros, rounding and overflow included
(payloads of NaNs are not results). What follows only from real-number algebra, such as x + 0.0 -> x, where
x may be -0.0, is left alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from xdsl.dialects.builtin import IntegerType, TensorType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from lamina.dialects.core.constants import constant_attribute, constant_value, is_splat, splat_attr
from lamina.dialects.nn.base import canonicalization
from lamina.dialects.nn.constant import ConstantOp
from lamina.dialects.nn.reference._elementwise import to_element
from lamina.dialects.nn.reference._numerics import is_floating

Replacement: TypeAlias = "SSAValue | Operation | Sequence[Operation] | None"
Rule: TypeAlias = "Callable[[Any], Replacement]"

_patterns: dict[str, list[RewritePattern]] = {}


class Simplification(RewritePattern):
    """A pattern that replaces an op with one result by an equal value of the same type."""

    def __init__(self, rule: Rule) -> None:
        self._rule = rule

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        found = self._rule(op)
        if found is None:
            return
        ops: list[Operation] = []
        if isinstance(found, Operation):
            ops = [found]
        elif not isinstance(found, SSAValue):
            ops = list(found)
        value = found if isinstance(found, SSAValue) else ops[-1].results[0]
        if value.type != op.results[0].type:
            # A broadcast happens in the op, or a dynamic extent is known on one side only.
            for made in reversed(ops):
                made.drop_all_references()
            return
        rewriter.replace(op, ops, [value])


def simplification(*names: str) -> Callable[[Rule], Rule]:
    """Register ``f(op) -> value, new op, new ops (the last one's result counts), or None`` for ops by name.

    The function's name is the pattern's; where the replacement's type is not the op's it is not applied.
    """

    def register(rule: Rule) -> Rule:
        pattern = type(rule.__name__, (Simplification,), {"__doc__": rule.__doc__})(rule)
        add_pattern(pattern, *names)
        return rule

    return register


def add_pattern(pattern: RewritePattern, *names: str) -> None:
    """Register a pattern that is more than a simplification for ops by name."""
    for name in names:
        if name not in _patterns:
            _patterns[name] = []
            canonicalization(name)(partial(_patterns.__getitem__, name))
        _patterns[name].append(pattern)


def splat_value(value: SSAValue) -> np.generic | None:
    """The one element of a constant that is a splat, or None."""
    attribute = constant_attribute(value)
    if attribute is None or not is_splat(attribute):
        return None
    array = constant_value(value)
    return None if array is None or array.size == 0 else array.flat[0]


def is_constant(value: SSAValue, number: float) -> bool:
    """Whether a value is a splat of a number, telling -0.0 from 0.0."""
    element = splat_value(value)
    if element is None or element != number:
        return False
    return not is_floating(element.dtype) or bool(np.signbit(element)) == bool(np.signbit(float(number)))


def defining(value: SSAValue, *names: str) -> Any:
    """The op that defines a value if it is one of the named ones, or None."""
    return value.owner if isinstance(value.owner, Operation) and value.owner.name in names else None


def element_type(value: SSAValue) -> Attribute:
    """The element type of a tensor."""
    assert isinstance(value.type, TensorType)
    return value.type.element_type


def is_integer(value: SSAValue) -> bool:
    """Whether a tensor holds integers other than i1."""
    element = element_type(value)
    return isinstance(element, IntegerType) and element.width.data > 1


def constant_like(result: SSAValue, number: float) -> ConstantOp | None:
    """A constant of a result's type with one number everywhere, or None where its shape is not known."""
    kind = result.type
    assert isinstance(kind, TensorType)
    if not kind.has_static_shape():
        return None
    return ConstantOp.of(splat_attr(to_element(number, kind.element_type).item(), kind))
