"""Rules for vector operations on values: elements, shuffles, slices, reductions. Vectors have rank 0 or 1."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import llvm, vector
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    DenseArrayBase,
    IntegerAttr,
    IntegerType,
    VectorType,
    i64,
)
from xdsl.ir import Operation, SSAValue

from lamina.dialects.core.diagnostics import error
from lamina.dialects.llvm.intrinsics import BY_NAME, FMulAddOp
from lamina.dialects.llvm.reductions import BY_KIND
from lamina.dialects.llvm.values import ExtractElementOp
from lamina.lowering.llvm._constants import broadcast, length, poison, shuffle, vector_of
from lamina.lowering.llvm._conversion import Conversion, Rule
from lamina.lowering.llvm._flags import fastmath
from lamina.lowering.llvm._types import require_flat

Index = int | SSAValue


def _broadcast(conversion: Conversion, op: Operation) -> SSAValue:
    require_flat(op.results[0].type, op)
    source = conversion.value(op.operands[0])
    wanted = conversion.converted_type(op.results[0].type)
    if not isinstance(source.type, VectorType):
        return broadcast(conversion, source, wanted)
    if source.type == wanted:
        return source
    return shuffle(conversion, source, source, [0] * length(wanted))


def _position(op: Operation, dynamic: Sequence[SSAValue]) -> Index | None:
    """The one position of an extraction or insertion in a flat vector, None for the whole vector."""
    static = op.properties["static_position"]
    assert isinstance(static, DenseArrayBase)
    positions = [int(value) for value in static.get_values()]
    if len(positions) > 1:
        raise error("has more than one position", op, hint="run lower-vector-multi-dim first")
    if not positions:
        return None
    return dynamic[0] if positions[0] == DYNAMIC_INDEX else positions[0]


def lane(conversion: Conversion, source: SSAValue, position: Index) -> SSAValue:
    """One element of a vector."""
    assert isinstance(source.type, VectorType)
    at = conversion.constant(position) if isinstance(position, int) else conversion.value(position)
    return conversion.emit(ExtractElementOp, (source, at), source.type.element_type)


def _extract(conversion: Conversion, op: Operation) -> SSAValue:
    require_flat(op.operands[0].type, op)
    source = conversion.value(op.operands[0])
    position = _position(op, op.operands[1:])
    if position is None:
        return source if isinstance(op.results[0].type, VectorType) else lane(conversion, source, 0)
    return lane(conversion, source, position)


def _insert(conversion: Conversion, op: Operation) -> SSAValue:
    require_flat(op.results[0].type, op)
    source, target = conversion.values(op.operands[:2])
    position = _position(op, op.operands[2:])
    if position is None:
        if isinstance(op.operands[0].type, VectorType):
            return source
        position = 0
    at = conversion.constant(position) if isinstance(position, int) else conversion.value(position)
    return conversion.emit(llvm.InsertElementOp, (target, source, at), target.type)


def _fma(conversion: Conversion, op: Operation) -> SSAValue:
    require_flat(op.results[0].type, op)
    return conversion.emit(
        FMulAddOp, conversion.values(op.operands), conversion.converted_type(op.results[0].type), fastmath(op)
    )


def _shuffle(conversion: Conversion, op: Operation) -> SSAValue:
    require_flat(op.operands[0].type, op)
    require_flat(op.results[0].type, op)
    mask = op.properties["mask"]
    assert isinstance(mask, DenseArrayBase)
    a, b = conversion.values(op.operands)
    positions = [int(value) for value in mask.get_values()]
    if length(a.type) == length(b.type):
        return shuffle(conversion, a, b, positions)
    return _shuffle_unequal(conversion, a, b, positions)


def _shuffle_unequal(conversion: Conversion, a: SSAValue, b: SSAValue, mask: Sequence[int]) -> SSAValue:
    """A shuffle of vectors of two lengths, one element at a time: llvm's has one type for both."""
    assert isinstance(a.type, VectorType)
    result = poison(conversion, VectorType(a.type.element_type, [len(mask)]))
    for i, position in enumerate(mask):
        if position >= 0:
            first = position < length(a.type)
            element = lane(conversion, a if first else b, position if first else position - length(a.type))
            result = conversion.emit(
                llvm.InsertElementOp, (result, element, conversion.constant(i)), result.type
            )
    return result


def _integers(op: Operation, name: str) -> list[int]:
    values = op.properties[name]
    assert isinstance(values, ArrayAttr)
    return [value.value.data for value in values if isinstance(value, IntegerAttr)]


def _extract_slice(conversion: Conversion, op: Operation) -> SSAValue:
    require_flat(op.operands[0].type, op)
    source = conversion.value(op.operands[0])
    (offset,), (size,), (stride,) = (_integers(op, name) for name in ("offsets", "sizes", "strides"))
    return shuffle(conversion, source, source, [offset + i * stride for i in range(size)])


def _insert_slice(conversion: Conversion, op: Operation) -> SSAValue:
    """The short vector, widened by a shuffle, replaces lanes of the long one in a second shuffle."""
    require_flat(op.results[0].type, op)
    source, target = conversion.values(op.operands)
    (offset,), (stride,) = (_integers(op, name) for name in ("offsets", "strides"))
    count, total = length(source.type), length(target.type)
    widened = source
    if count != total:
        widened = shuffle(conversion, source, source, [i if i < count else -1 for i in range(total)])
    mask = list(range(total))
    for i in range(count):
        mask[offset + i * stride] = total + i
    return shuffle(conversion, target, widened, mask)


def _same_vector(conversion: Conversion, op: Operation) -> SSAValue:
    """Shape casts and transpositions between shapes that are the same flat vector."""
    require_flat(op.operands[0].type, op)
    require_flat(op.results[0].type, op)
    return conversion.value(op.operands[0])


def _bitcast(conversion: Conversion, op: Operation) -> SSAValue:
    require_flat(op.results[0].type, op)
    return conversion.emit(
        llvm.BitcastOp, conversion.values(op.operands), conversion.converted_type(op.results[0].type)
    )


def _step(conversion: Conversion, op: Operation) -> SSAValue:
    count = length(conversion.converted_type(op.results[0].type))
    return vector_of(conversion, list(range(count)), VectorType(i64, [count]))


def _from_elements(conversion: Conversion, op: Operation) -> SSAValue:
    require_flat(op.results[0].type, op)
    type = conversion.converted_type(op.results[0].type)
    result = poison(conversion, type)
    for i, element in enumerate(conversion.values(op.operands)):
        result = conversion.emit(llvm.InsertElementOp, (result, element, conversion.constant(i)), type)
    return result


def _to_elements(conversion: Conversion, op: Operation) -> list[SSAValue]:
    require_flat(op.operands[0].type, op)
    source = conversion.value(op.operands[0])
    return [lane(conversion, source, i) for i in range(len(op.results))]


_INTEGER_KINDS: dict[str, tuple[str, type[Operation]]] = {
    "add": ("add", llvm.AddOp),
    "mul": ("mul", llvm.MulOp),
    "and": ("and", llvm.AndOp),
    "or": ("or", llvm.OrOp),
    "xor": ("xor", llvm.XOrOp),
    "minsi": ("smin", BY_NAME["llvm.intr.smin"]),
    "minui": ("umin", BY_NAME["llvm.intr.umin"]),
    "maxsi": ("smax", BY_NAME["llvm.intr.smax"]),
    "maxui": ("umax", BY_NAME["llvm.intr.umax"]),
}
"""vector.kind of integers: the reduction, and the operation that adds an accumulator."""

_FLOAT_KINDS: dict[str, tuple[str, type[Operation]]] = {
    "minnumf": ("fmin", llvm.VectorFMinOp),
    "maxnumf": ("fmax", llvm.VectorFMaxOp),
    "minimumf": ("fminimum", BY_NAME["llvm.intr.minimum"]),
    "maximumf": ("fmaximum", BY_NAME["llvm.intr.maximum"]),
}
_ORDERED_KINDS: dict[str, tuple[type[Operation], float]] = {
    "add": (llvm.VectorReduceFAddOp, 0.0),
    "mul": (llvm.VectorReduceFMulOp, 1.0),
}
"""Sums and products of floats: the reduction, and what it starts from without an accumulator."""


def _reduction(conversion: Conversion, op: Operation) -> SSAValue:
    assert isinstance(op, vector.ReductionOp)
    require_flat(op.operands[0].type, op)
    kind = op.kind.data.value
    source, *accumulator = conversion.values(op.operands)
    type = conversion.converted_type(op.dest.type)
    flags = fastmath(op)
    if isinstance(type, IntegerType):
        table, flags = _INTEGER_KINDS, {}
    elif kind in _ORDERED_KINDS:
        reduce, neutral = _ORDERED_KINDS[kind]
        start = accumulator[0] if accumulator else conversion.constant(neutral, type)
        return conversion.emit(reduce, (start, source), type, flags)
    else:
        table = _FLOAT_KINDS
    if kind not in table:
        raise error(f"reduces {op.operands[0].type} by {kind}, which is not a reduction of such elements", op)
    name, combine = table[kind]
    reduced = conversion.emit(BY_KIND[name], (source,), type, flags)
    return conversion.emit(combine, (reduced, accumulator[0]), type, flags) if accumulator else reduced


VALUE_RULES: dict[str, Rule] = {
    "vector.broadcast": _broadcast,
    "vector.extract": _extract,
    "vector.insert": _insert,
    "vector.fma": _fma,
    "vector.shuffle": _shuffle,
    "vector.extract_strided_slice": _extract_slice,
    "vector.insert_strided_slice": _insert_slice,
    "vector.shape_cast": _same_vector,
    "vector.transpose": _same_vector,
    "vector.bitcast": _bitcast,
    "vector.step": _step,
    "vector.from_elements": _from_elements,
    "vector.to_elements": _to_elements,
    "vector.reduction": _reduction,
}
