"""tensor.extract_slice and tensor.insert_slice: known numbers, whole tensors, one undoing the other."""

from __future__ import annotations

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation

from lamina.dialects.core.folding import constant_like, constant_of, defining_op, splat_element
from lamina.dialects.core.simplification import Folded, Rewriter, fold, pattern
from lamina.dialects.core.slices import (
    DYNAMIC_SIZE,
    are_equal,
    are_same,
    dropped_dimensions,
    in_bounds,
    known,
    size_in_type,
    slice_of,
    spelled,
)


def _same_place(first: Operation, second: Operation) -> bool:
    one, other = slice_of(first), slice_of(second)
    return all(are_equal(one[name], other[name]) for name in one)


@fold("tensor.extract_slice")
def fold_extract_slice(op: Operation) -> Folded:
    """The whole tensor; what was just inserted at the place; a slice of a splat."""
    source = op.operands[0]
    type = op.results[0].type
    if source.type == type and isinstance(type, TensorType) and type.has_static_shape():
        return source
    insert = defining_op(source, "tensor.insert_slice")
    if insert is not None and insert.operands[0].type == type and _same_place(op, insert):
        return insert.operands[0]
    element = splat_element(constant_of(source))
    if element is not None and isinstance(type, TensorType) and type.has_static_shape():
        return constant_like([element], type)
    return None


@fold("tensor.insert_slice")
def fold_insert_slice(op: Operation) -> Folded:
    """A whole static tensor; what was just taken from the place."""
    source, dest = op.operands[0], op.operands[1]
    type = dest.type
    if source.type == type and isinstance(type, TensorType) and type.has_static_shape():
        return source
    extract = defining_op(source, "tensor.extract_slice")
    if extract is not None and extract.operands[0] is dest and _same_place(op, extract):
        return dest
    if isinstance(source.type, TensorType) and 0 in source.type.get_shape():
        return dest
    a, b = splat_element(constant_of(source)), splat_element(constant_of(dest))
    if a is not None and b is not None and _same_element(a, b):
        return dest
    return None


def _same_element(a: float, b: float) -> bool:
    return type(a) is type(b) and str(a) == str(b)


@pattern("tensor.insert_slice")
def overwrite_insertion(op: Operation, rewriter: Rewriter) -> bool:
    """What another insertion put at the same place is overwritten."""
    inner = defining_op(op.operands[1], "tensor.insert_slice")
    if inner is None or not _same_place(op, inner) or inner.operands[0].type != op.operands[0].type:
        return False
    return rewriter.set_operands(op, [op.operands[0], inner.operands[1], *list(op.operands)[2:]])


@pattern("tensor.extract_slice")
def extract_at_known_numbers(op: Operation, rewriter: Rewriter) -> bool:
    """Offsets, sizes and strides that are constants become part of the op, and known sizes of the type."""
    before = slice_of(op)
    after = {name: known(values) for name, values in before.items()}
    if all(are_same(before[name], after[name]) for name in before):
        return False
    type = op.results[0].type
    if not isinstance(type, TensorType) or not in_bounds(after, op.operands[0].type):
        return False
    dropped = dropped_dimensions(before["sizes"], type.get_shape())
    if dropped is None:
        return False
    shape = [size_in_type(s) for i, s in enumerate(after["sizes"]) if i not in dropped]
    operands, properties = spelled(op, after)
    made = rewriter.value(
        "tensor.extract_slice", operands, TensorType(type.element_type, shape, type.encoding), properties
    )
    if made.type != type:
        made = rewriter.value("tensor.cast", [made], type)
    return rewriter.replace(op, made)


@pattern("tensor.insert_slice", "tensor.parallel_insert_slice")
def insert_at_known_numbers(op: Operation, rewriter: Rewriter) -> bool:
    """Offsets, sizes and strides that are constants become part of the op; the source gets the sizes."""
    before = slice_of(op)
    after = {name: known(values) for name, values in before.items()}
    source = op.operands[0]
    type = source.type
    if not isinstance(type, TensorType) or not in_bounds(after, op.operands[1].type):
        return False
    dropped = dropped_dimensions(before["sizes"], type.get_shape())
    if dropped is None:
        # Sizes may be known in one of both only: the ranks have to be equal then.
        if len(before["sizes"]) != len(type.get_shape()):
            return False
        dropped = set()
    kept = [s for i, s in enumerate(after["sizes"]) if i not in dropped]
    shape = [t if t != DYNAMIC_SIZE else size_in_type(s) for s, t in zip(kept, type.get_shape(), strict=True)]
    if any(isinstance(s, int) and s != t for s, t in zip(kept, shape, strict=True)):
        return False
    same = all(are_same(before[name], after[name]) for name in before)
    if same and shape == list(type.get_shape()):
        return False
    if shape != list(type.get_shape()):
        place = op
        if op.name == "tensor.parallel_insert_slice":
            parent = op.parent_op()
            if parent is None:
                return False
            place = parent
        source = rewriter.value(
            "tensor.cast", [source], TensorType(type.element_type, shape, type.encoding), before=place
        )
    operands, properties = spelled(op, after, {"source": source})
    for name, value in properties.items():
        if op.properties.get(name) != value:
            rewriter.set_property(op, name, value)
    return rewriter.set_operands(op, operands)
