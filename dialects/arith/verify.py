"""What upstream verifies of arith in C++."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import (
    ComplexType,
    DenseIntOrFPElementsAttr,
    DenseResourceAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    TensorType,
    VectorType,
    i1,
)
from xdsl.ir import Attribute, Operation

from lamina.dialects.core.diagnostics import error
from lamina.dialects.core.making import unchecked
from lamina.dialects.core.reading.types import FLOAT_CLASSES
from lamina.dialects.core.verifying.casts import verify_cast
from lamina.dialects.core.verifying.groups import attribute
from lamina.dialects.core.verifying.registry import verifies
from lamina.dialects.core.verifying.shapes import is_scalable
from lamina.dialects.core.writing.dense import is_splat, stored_size

_EXTRAS = ("builtin.sparse_elements", "builtin.dense_string", "builtin.float_bits")


def _is_integer(kind: Any) -> bool:
    return kind.__class__ is IntegerType


def _is_float(kind: Any) -> bool:
    return kind.__class__ in FLOAT_CLASSES


def _is_signless(kind: Any) -> bool:
    return kind.__class__ is IntegerType and kind.signedness.data.value == 0


verify_cast(
    lambda a, b: _is_integer(a) and _is_integer(b) and a.bitwidth < b.bitwidth, "arith.extui", "arith.extsi"
)


def _extends_integer(source: Any, result: Any) -> bool:
    return _is_integer(source) and _is_integer(result) and source.bitwidth < result.bitwidth


def _extends_float(source: Any, result: Any) -> bool:
    return _is_float(source) and _is_float(result) and source.bitwidth < result.bitwidth


def _from_or_to_index(source: Any, result: Any) -> bool:
    if source.__class__ is IndexType:
        return _is_signless(result)
    return result.__class__ is IndexType and _is_signless(source)


def _has_equal_bits(source: Any, result: Any) -> bool:
    numbers = all(_is_integer(kind) or _is_float(kind) for kind in (source, result))
    return numbers and source.bitwidth == result.bitwidth


verify_cast(_extends_integer, "arith.extui", "arith.extsi")
verify_cast(_extends_float, "arith.extf", "arith.scaling_extf")
verify_cast(lambda source, result: _extends_integer(result, source), "arith.trunci")
verify_cast(lambda source, result: _extends_float(result, source), "arith.truncf", "arith.scaling_truncf")
verify_cast(lambda source, result: _is_integer(source) and _is_float(result), "arith.sitofp", "arith.uitofp")
verify_cast(lambda source, result: _is_float(source) and _is_integer(result), "arith.fptosi", "arith.fptoui")
verify_cast(_from_or_to_index, "arith.index_cast", "arith.index_castui")
verify_cast(_has_equal_bits, "arith.bitcast")


@verifies("arith.constant")
def constant(op: Operation) -> None:
    """A number or elements, of a signless type; a scalable vector has one value everywhere."""
    value, kind = attribute(op, "value"), op.results[0].type
    if isinstance(kind, IntegerType) and not _is_signless(kind):
        raise error("integer return type must be signless", op)
    known = isinstance(value, IntegerAttr | FloatAttr | DenseIntOrFPElementsAttr | DenseResourceAttr)
    if not known and value.name not in _EXTRAS:
        raise error("value must be an integer, float, or elements attribute", op)
    if is_scalable(kind) and not _holds_one_value(value):
        message = "intializing scalable vectors with elements attribute is not supported"
        raise error(f"{message} unless it's a vector splat", op)


def _holds_one_value(value: Attribute) -> bool:
    if not isinstance(value, DenseIntOrFPElementsAttr):
        return False
    element = value.type.element_type
    return not isinstance(element, ComplexType) and is_splat(value.data.data, stored_size(element))


@verifies("arith.select", types_only=True)
def select(op: Operation) -> None:
    """The condition is an i1, or one for each element of the result."""
    condition, result = op.operands[0].type, op.results[0].type
    if condition == i1:
        return
    if not isinstance(result, TensorType | VectorType) and result.name != "unranked_tensor":
        raise error(f"expected condition to be a signless i1, but got '{condition}'", op)
    fields = {**result.__dict__, "element_type": i1}
    wanted = unchecked(type(result), **fields)
    if condition != wanted:
        raise error(
            "expected condition type to have the same shape as the result type, "
            f"expected '{wanted}', but got '{condition}'",
            op,
        )
