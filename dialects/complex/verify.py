"""What upstream verifies of complex in C++."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import ComplexType, FloatAttr, IntegerAttr, IntegerType
from xdsl.ir import Operation

from lamina.dialects.core.diagnostics import error
from lamina.dialects.core.reading.types import FLOAT_CLASSES
from lamina.dialects.core.verifying.groups import attribute
from lamina.dialects.core.verifying.registry import verifies


@verifies("complex.constant")
def constant(op: Operation) -> None:
    """Two numbers of the element type."""
    parts: Any = attribute(op, "value").data
    if len(parts) != 2:
        raise error("requires 'value' to be a complex constant, represented as array of two values", op)
    if not all(isinstance(part, FloatAttr | IntegerAttr) for part in parts):
        raise error("requires attribute's elements to be float attributes", op)
    element: Any = op.results[0].type.element_type  # pyright: ignore[reportAttributeAccessIssue]
    if any(part.type != element for part in parts):
        raise error(
            f"requires attribute's element types ('{parts[0].type}', '{parts[1].type}') to match the element "
            f"type of the op's return type ('{element}')",
            op,
        )


@verifies("complex.bitcast", types_only=True)
def bitcast(op: Operation) -> None:
    """Between a complex number and an integer or float of as many bits."""
    source: Any = op.operands[0].type
    result: Any = op.results[0].type
    if source == result:
        return
    for what, kind in (("operand", source), ("result", result)):
        if not isinstance(kind, IntegerType | ComplexType) and kind.__class__ not in FLOAT_CLASSES:
            raise error(f"{what} must be int/float/complex", op)
    if isinstance(source, ComplexType) == isinstance(result, ComplexType):
        raise error("requires that either input or output has a complex type", op)
    both, one = (source, result) if isinstance(source, ComplexType) else (result, source)
    if 2 * both.element_type.bitwidth != one.bitwidth:
        raise error("casting bitwidths do not match", op)
