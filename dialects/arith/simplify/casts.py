"""Casts of arith: of constants, and chains that one cast can do."""

from __future__ import annotations

import math
import struct
from typing import Any

from xdsl.dialects.builtin import (
    IndexType,
    IntegerType,
)
from xdsl.ir import Attribute, Operation

from lamina.dialects.core.folding import (
    POISON,
    constant_like,
    constant_of,
    defining_op,
    element_type,
    elements,
    fold_elementwise,
    is_ieee,
    is_int,
    is_poison,
    round_float,
    scalar_of,
    signed,
    width_of,
)
from lamina.dialects.core.simplification import Folded, Rewriter, fold, pattern

_CASTS = (
    *("extui", "extsi", "trunci", "index_cast", "index_castui", "extf", "truncf"),
    *("sitofp", "uitofp", "fptosi", "fptoui", "bitcast"),
)


@fold(*(f"arith.{name}" for name in _CASTS))
def cast_poison(op: Operation) -> Folded:
    """A cast of poison is poison."""
    return POISON if is_poison(op.operands[0]) else None


@fold("arith.extui", "arith.trunci", "arith.index_castui")
def cast_unsigned_constant(op: Operation) -> Folded:
    """The bits, cut off or filled up with zeros."""
    return fold_elementwise(op.operands, op.results[0].type, lambda a: a)


@fold("arith.extsi", "arith.index_cast")
def cast_signed_constant(op: Operation) -> Folded:
    """The bits, cut off or filled up with the sign."""
    width = width_of(op.operands[0].type)
    return fold_elementwise(op.operands, op.results[0].type, lambda a: signed(a, width))


@fold("arith.extui", "arith.extsi")
def extend_twice(op: Operation) -> Folded:
    """An extension of an extension of the same kind starts at the first value."""
    inner = defining_op(op.operands[0], op.name)
    if inner is None:
        return None
    op.operands[0] = inner.operands[0]
    if op.name == "arith.extui" and "nneg" in op.properties and "nneg" not in inner.properties:
        del op.properties["nneg"]
    return True


@pattern("arith.extsi")
def sign_extend_unsigned(op: Operation, rewriter: Rewriter) -> bool:
    """The sign of a value that was filled up with zeros is zero."""
    inner = defining_op(op.operands[0], "arith.extui")
    return inner is not None and rewriter.replace_with(op, "arith.extui", inner.operands)


@fold("arith.trunci")
def truncate_extended(op: Operation) -> Folded:
    """Cutting off what an extension has added gives the value back, or a truncation of it."""
    inner = defining_op(op.operands[0], "arith.extui", "arith.extsi")
    if inner is not None:
        (value,) = inner.operands
        if value.type == op.results[0].type:
            return value
        if width_of(value.type) > width_of(op.results[0].type):
            return _start_at(op, inner)
    inner = defining_op(op.operands[0], "arith.trunci")
    return _start_at(op, inner) if inner is not None else None


def _start_at(op: Operation, inner: Operation) -> bool:
    op.operands[0] = inner.operands[0]
    op.properties.pop("overflowFlags", None)
    return True


@pattern("arith.trunci")
def truncate_less_than_extended(op: Operation, rewriter: Rewriter) -> bool:
    """Where more was added than is cut off, a smaller extension does it."""
    inner = defining_op(op.operands[0], "arith.extui", "arith.extsi")
    if inner is None or width_of(inner.operands[0].type) >= width_of(op.results[0].type):
        return False
    return rewriter.replace_with(op, inner.name, inner.operands)


@pattern("arith.trunci")
def truncate_upper_half(op: Operation, rewriter: Rewriter) -> bool:
    """The upper half of a product of extended values is the upper half of the wide product."""
    shift = defining_op(op.operands[0], "arith.shrui", "arith.shrsi")
    product = defining_op(shift.operands[0], "arith.muli") if shift is not None else None
    if shift is None or product is None or isinstance(element_type(op.results[0].type), IndexType):
        return False
    narrow = width_of(op.results[0].type)
    wide = width_of(op.operands[0].type)
    if wide < 2 * narrow or not is_int(shift.operands[1], narrow):
        return False
    sides = [defining_op(value, "arith.extsi", "arith.extui") for value in product.operands]
    if sides[0] is None or sides[1] is None or sides[0].name != sides[1].name:
        return False
    values = [side.operands[0] for side in sides if side is not None]
    if any(value.type != op.results[0].type for value in values):
        return False
    name = "arith.mulsi_extended" if sides[0].name == "arith.extsi" else "arith.mului_extended"
    made = rewriter.create(name, values, [values[0].type, values[0].type])
    return rewriter.replace(op, made.results[1])


@pattern("arith.trunci")
def truncate_arithmetic_shift(op: Operation, rewriter: Rewriter) -> bool:
    """The bits that an arithmetic shift fills up are cut off: a logical shift gives the same."""
    shift = defining_op(op.operands[0], "arith.shrsi")
    if shift is None:
        return False
    by = scalar_of(shift.operands[1])
    wide, narrow = width_of(op.operands[0].type), width_of(op.results[0].type)
    if not isinstance(by, int) or wide - narrow < by:
        return False
    logical = rewriter.value("arith.shrui", shift.operands, shift.results[0].type)
    return rewriter.set_operands(op, [logical])


@fold("arith.index_cast", "arith.index_castui")
def cast_index_back(op: Operation) -> Folded:
    """A value that was cast to a type that holds it, and back."""
    inner = defining_op(op.operands[0], op.name)
    if inner is None or inner.operands[0].type != op.results[0].type:
        return None
    source = inner.operands[0]
    return source if width_of(source.type) <= width_of(op.operands[0].type) else None


@pattern("arith.index_cast", "arith.index_castui")
def cast_extended_to_index(op: Operation, rewriter: Rewriter) -> bool:
    """The cast to index extends by itself."""
    inner = defining_op(op.operands[0], "arith.extsi" if op.name == "arith.index_cast" else "arith.extui")
    return inner is not None and rewriter.set_operands(op, inner.operands)


@fold("arith.bitcast")
def fold_bitcast(op: Operation) -> Folded:
    """Between equal types nothing happens; chains are one; the bits of constants."""
    (value,) = op.operands
    type = op.results[0].type
    if value.type == type:
        return value
    inner = defining_op(value, "arith.bitcast")
    if inner is not None:
        op.operands[0] = inner.operands[0]
        return True
    attribute = constant_of(value)
    found = elements(attribute) if attribute is not None else None
    if attribute is None or found is None:
        return None
    return _with_bits(attribute, type)


def _with_bits(attribute: Attribute, type: Attribute) -> Attribute | None:
    """A constant of another type with the same bits."""
    source = element_type(attribute.type)  # pyright: ignore[reportAttributeAccessIssue, reportUnknownArgumentType, reportUnknownMemberType]
    target = element_type(type)
    if isinstance(source, IndexType) or isinstance(target, IndexType):
        return None
    found = elements(attribute)
    if found is None:
        return None
    values = [_from_bits(_to_bits(value, source), target) for value in found[0]]
    return None if any(value is None for value in values) else constant_like(values, type)


_FORMATS = {"f16": "e", "f32": "f", "f64": "d"}


def _to_bits(value: Any, type: Attribute) -> int | None:
    if isinstance(type, IntegerType):
        return value
    code = _FORMATS.get(str(type))
    if code is None and str(type) == "bf16":
        return int.from_bytes(struct.pack(">f", value)[:2], "big")
    return None if code is None else int.from_bytes(struct.pack(">" + code, value), "big")


def _from_bits(bits: int | None, type: Attribute) -> Any:
    if bits is None or isinstance(type, IntegerType):
        return bits
    code = _FORMATS.get(str(type))
    if code is None and str(type) == "bf16":
        return struct.unpack(">f", bits.to_bytes(2, "big") + b"\0\0")[0]
    if code is None:
        return None
    return struct.unpack(">" + code, bits.to_bytes(struct.calcsize(code), "big"))[0]


@fold("arith.extf", "arith.truncf")
def cast_float_constant(op: Operation) -> Folded:
    """A constant in another float type; a truncation with another rounding mode is left alone."""
    type = op.results[0].type
    if not is_ieee(type) or not is_ieee(op.operands[0].type):
        return None
    mode = str(op.get_attr_or_prop("roundingmode"))
    exact = op.name == "arith.extf"
    if not exact and mode not in ("None",) and "even" not in mode:
        return None
    return fold_elementwise(op.operands, type, lambda a: round_float(a, type))


@fold("arith.truncf")
def truncate_extended_float(op: Operation) -> Folded:
    """An extension is exact: cutting it off again gives the value back, or a truncation of it."""
    inner = defining_op(op.operands[0], "arith.extf")
    if inner is None:
        return None
    source, type = inner.operands[0].type, op.results[0].type
    if source == type:
        return inner.operands[0]
    if _bits(element_type(source)) > _bits(element_type(type)):
        op.operands[0] = inner.operands[0]
        return True
    return None


def _bits(type: Attribute) -> int:
    width = getattr(type, "bitwidth", 0)
    return int(width)


@pattern("arith.truncf")
def truncate_less_than_extended_float(op: Operation, rewriter: Rewriter) -> bool:
    """Where more was added than is cut off, a smaller extension does it."""
    inner = defining_op(op.operands[0], "arith.extf")
    if inner is None:
        return False
    source, type = element_type(inner.operands[0].type), element_type(op.results[0].type)
    if _bits(source) >= _bits(type) or not is_ieee(source) or not is_ieee(type) or str(type) == "bf16":
        return False
    return rewriter.replace_with(op, "arith.extf", inner.operands)


@pattern("arith.extf")
def extend_float_twice(op: Operation, rewriter: Rewriter) -> bool:
    """An extension of an extension starts at the first value."""
    inner = defining_op(op.operands[0], "arith.extf")
    return inner is not None and rewriter.set_operands(op, inner.operands)


@fold("arith.sitofp", "arith.uitofp")
def integer_constant_to_float(op: Operation) -> Folded:
    """The float nearest to an integer."""
    type, width = op.results[0].type, width_of(op.operands[0].type)
    if not is_ieee(type) or width > 64:
        return None
    is_signed = op.name == "arith.sitofp"

    def convert(value: int) -> float | None:
        number = signed(value, width) if is_signed else value
        exact = float(number)
        # A number that a double does not hold would be rounded twice.
        return round_float(exact, type) if int(exact) == number or _bits(element_type(type)) == 64 else None

    return fold_elementwise(op.operands, type, convert)


@fold("arith.fptosi", "arith.fptoui")
def float_constant_to_integer(op: Operation) -> Folded:
    """The integer towards zero, where the type holds it."""
    width = width_of(op.results[0].type)
    is_signed = op.name == "arith.fptosi"
    least, end = (-(1 << (width - 1)), 1 << (width - 1)) if is_signed else (0, 1 << width)

    def convert(value: float) -> int | None:
        if math.isnan(value) or math.isinf(value):
            return None
        number = math.trunc(value)
        return number if least <= number < end else None

    return fold_elementwise(op.operands, op.results[0].type, convert)
