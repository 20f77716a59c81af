"""Aggregates of llvm: what was inserted, and parts of constants."""

from __future__ import annotations

from xdsl.dialects.builtin import DenseArrayBase, TensorType, VectorType, i64
from xdsl.ir import Operation

from lamina.dialects.core.folding import constant_like, constant_of, defining_op, elements
from lamina.dialects.core.simplification import Folded, Rewriter, fold, pattern
from lamina.dialects.core.verifying.groups import static_values
from lamina.dialects.vector.simplify.positions import flat_position


@fold("llvm.extractvalue")
def extract_inserted(op: Operation) -> Folded:
    """What was inserted at the place; inserts at other places do not matter."""
    place = static_values(op, "position")
    value = op.operands[0]
    inner = defining_op(value, "llvm.extractvalue")
    if inner is not None:
        op.operands[0] = inner.operands[0]
        op.properties["position"] = DenseArrayBase.from_list(i64, [*static_values(inner, "position"), *place])
        return True
    moved = False
    while (insert := defining_op(value, "llvm.insertvalue")) is not None:
        other = static_values(insert, "position")
        container, inserted = insert.operands
        if other == place:
            return inserted
        shared = min(len(other), len(place))
        if other[:shared] == place[:shared]:
            if len(other) > len(place):
                break
            op.operands[0] = inserted
            op.properties["position"] = DenseArrayBase.from_list(i64, place[shared:])
            return True
        value, moved = container, True
    if moved:
        op.operands[0] = value
        return True
    return None


@pattern("llvm.extractvalue")
def extract_from_nothing(op: Operation, rewriter: Rewriter) -> bool:
    """A part of zero, of an undefined value and of poison is that itself."""
    maker = defining_op(op.operands[0], "llvm.mlir.zero", "llvm.mlir.undef", "llvm.mlir.poison")
    return maker is not None and rewriter.replace_with(op, maker.name, [])


@fold("llvm.extractvalue")
def extract_from_constant(op: Operation) -> Folded:
    """An element of a constant array."""
    attribute = constant_of(op.operands[0])
    if attribute is None:
        return None
    place = static_values(op, "position")
    found = elements(attribute)
    kind = getattr(attribute, "type", None)
    if (
        found is None
        or not isinstance(kind, TensorType | VectorType)
        or kind.element_type != op.results[0].type
    ):
        return None
    values, splat = found
    if len(place) != len(kind.get_shape()):
        return None
    flat = flat_position(place, kind.get_shape())
    if flat is None:
        return None
    return constant_like(values[:1] if splat else values[flat : flat + 1], op.results[0].type)


@fold("llvm.shufflevector")
def shuffle_one_element(op: Operation) -> Folded:
    """The first of vectors of one element each, as it is."""
    type = op.results[0].type
    first = op.operands[0]
    mask = static_values(op, "mask")
    single = isinstance(type, VectorType) and list(type.get_shape()) == [1]
    return first if single and mask == [0] and first.type == type else None
