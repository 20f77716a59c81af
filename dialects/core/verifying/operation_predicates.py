"""Predicates over a whole op (upstream's ``PredOpTrait``), by the C++ text of each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation

from lamina.dialects.core.later import regex
from lamina.dialects.core.verifying.groups import attribute, values
from lamina.dialects.core.verifying.leaves import signless
from lamina.dialects.core.verifying.shapes import (
    MEMREFS,
    RANKED,
    SHAPED,
    TENSORS,
    compatible_shapes,
    element_or_self,
    elements_in,
    is_scalable,
    shape_of,
)

OpPredicate: TypeAlias = "Callable[[Any], bool]"

_VALUE = regex(r"getElementTypeOrSelf\(\$_op\.get(Result|Operand)\((\d+)\)\)")


def operation_predicate(tree: Any, name: str) -> OpPredicate | None:
    """The predicate of a trait; None where it is left to the op's hand-written check."""
    if name in _BY_NAME:
        return _BY_NAME[name]
    text = str(tree)
    same = _VALUE.findall(text)
    if len(same) == 2:
        return _same_element_type(*same, shaped="isa<ShapedType>" in text)
    return next((holds for part, holds in _BY_TEXT.items() if part in text), None)


def _same_element_type(first: tuple[str, str], second: tuple[str, str], shaped: bool) -> OpPredicate:
    def type_at(op: Operation, place: tuple[str, str]) -> Any:
        found = op.results if place[0] == "Result" else op.operands
        return found[int(place[1])].type

    def holds(op: Operation) -> bool:
        a, b = type_at(op, first), type_at(op, second)
        if shaped and not (isinstance(a, SHAPED) and isinstance(b, SHAPED)):
            return False
        return element_or_self(a) == element_or_self(b)

    return holds


def _select(op: Operation) -> bool:
    condition, result = op.operands[0].type, op.results[0].type
    if signless(condition, 1):
        return True
    return (
        isinstance(condition, RANKED)
        and isinstance(result, RANKED)
        and shape_of(condition) == shape_of(result)
    )


def _same_tensor_dims(op: Operation) -> bool:
    source, result = op.operands[0].type, op.results[0].type
    first = shape_of(source) if isinstance(source, TensorType) else ()
    return first == (shape_of(result) if isinstance(result, TensorType) else ())


def _even(op: Operation) -> bool:
    extents = shape_of(op.operands[0].type)
    return bool(extents) and extents[-1] % 2 == 0


def _tensor_and_buffer(op: Operation) -> bool:
    first, second = op.operands[0].type, op.results[0].type
    tensor: Any = first if isinstance(first, TENSORS) else second
    buffer: Any = second if tensor is first else first
    if not isinstance(tensor, TENSORS) or not isinstance(buffer, MEMREFS):
        return False
    if isinstance(tensor, RANKED) != isinstance(buffer, RANKED):
        return False
    if isinstance(tensor, RANKED) and not compatible_shapes(shape_of(tensor), shape_of(buffer)):
        return False
    return tensor.element_type == buffer.element_type


_BY_NAME: dict[str, OpPredicate] = {
    "BooleanConditionOrMatchingShape": _select,
    "SameInputOutputTensorDims": _same_tensor_dims,
    "SourceVectorEvenElementCount": _even,
    "Bufferization_TensorAndBufferMatch": _tensor_and_buffer,
}


def _print_is_whole(op: Operation) -> bool:
    if attribute(op, "stringLiteral") is None:
        return True
    punctuation: Any = attribute(op, "punctuation")
    shown = getattr(punctuation, "data", punctuation)
    return not op.operands and (punctuation is None or "newline" in str(shown).lower())


def _bits(type: Any) -> int:
    width = getattr(getattr(type.element_type, "width", None), "data", None)
    size: Any = width if width is not None else getattr(type.element_type, "bitwidth", 64)
    return elements_in(type) * int(size)


def _small(op: Operation) -> bool:
    vectors = [v.type for v in (*op.operands, *op.results) if hasattr(v.type, "scalable_dims")]
    return all(_bits(type) <= 1 << 17 for type in vectors)


def _from_scalable(op: Operation) -> bool:
    return not is_scalable(op.results[0].type) or is_scalable(op.operands[0].type)


def _into_scalable(op: Operation) -> bool:
    destination, source = values(op, "dstvec"), values(op, "srcvec")
    return not is_scalable(source[0].type) or is_scalable(destination[0].type)


def _twice(op: Operation) -> bool:
    part, whole = op.operands[0].type, op.results[0].type
    return elements_in(whole) == 2 * elements_in(part) and element_or_self(part) == element_or_self(whole)


def _multiple_of(type_of: Callable[[Operation], Any]) -> OpPredicate:
    def holds(op: Operation) -> bool:
        return attribute(op, "pos").value.data % max(1, elements_in(type_of(op))) == 0

    return holds


_BY_TEXT: dict[str, OpPredicate] = {
    "getStringLiteral()": _print_is_whole,
    "!isScalableVectorType($res.getType())": _from_scalable,
    "!isScalableVectorType($srcvec.getType())": _into_scalable,
    "getVectorNumElements($res.getType()) ==": _twice,
    "getPos() % getResultVectorType()": _multiple_of(lambda op: op.results[0].type),
    "getPos() % getSourceVectorType()": _multiple_of(lambda op: values(op, "valueToStore")[0].type),
    "VectorBitWidth() <= 131072": _small,
}
"""By a part of the C++ text."""
