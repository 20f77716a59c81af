"""What casts verify: shapes that fit, and element types between which the cast goes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Operation

from lamina.dialects.core.diagnostics import error
from lamina.dialects.core.verifying.registry import Check, verifies
from lamina.dialects.core.verifying.shapes import compatible_types, element_or_self

Fits = Callable[[Any, Any], bool]
"""Whether a cast goes from one element type to another."""


def verify_cast(fits: Fits, *names: str) -> None:
    """Register the check of casts of one value."""
    verifies(*names, types_only=True)(cast_check(fits))


def cast_check(fits: Fits) -> Check:
    """The check of a cast of one value: compatible shapes, the same encoding, and fitting elements."""

    def check(op: Operation) -> None:
        source, result = op.operands[0].type, op.results[0].type
        if not (
            compatible_types(source, result)
            and _same_encoding(source, result)
            and fits(element_or_self(source), element_or_self(result))
        ):
            raise error(f"operand type '{source}' and result type '{result}' are cast incompatible", op)

    return check


def _same_encoding(first: Attribute, second: Attribute) -> bool:
    if isinstance(first, TensorType) and isinstance(second, TensorType):
        return first.encoding == second.encoding
    return True
