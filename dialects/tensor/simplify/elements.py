"""Single elements, and tensors made of elements."""

from __future__ import annotations

import math

from xdsl.dialects.builtin import IndexType, TensorType
from xdsl.ir import Operation, SSAValue

from lamina.dialects.core.effects import is_side_effect_free
from lamina.dialects.core.folding import (
    constant_like,
    constant_of,
    defining_op,
    elements,
    int_of,
    integer,
    scalar_of,
    splat_element,
)
from lamina.dialects.core.simplification import Folded, Rewriter, fold, pattern
from lamina.dialects.core.slices import DYNAMIC_SIZE


def _shape(value: SSAValue) -> tuple[int, ...]:
    return tuple(value.type.get_shape()) if isinstance(value.type, TensorType) else ()


def _position(shape: tuple[int, ...], indices: list[int]) -> int | None:
    """The place of an element in memory order, None outside of the tensor."""
    place = 0
    for size, index in zip(shape, indices, strict=True):
        if size == DYNAMIC_SIZE or not 0 <= index < size:
            return None
        place = place * size + index
    return place


@fold("tensor.extract")
def fold_extract(op: Operation) -> Folded:
    """An element of a constant, of given elements, of a splat; or one that was just inserted."""
    source, *indices = op.operands
    splat = defining_op(source, "tensor.splat")
    if splat is not None:
        return splat.operands[0]
    attribute = constant_of(source)
    element = splat_element(attribute)
    type = op.results[0].type
    if element is not None:
        return constant_like([element], type)
    insert = defining_op(source, "tensor.insert")
    if insert is not None and list(insert.operands)[2:] == indices:
        return insert.operands[0]
    numbers = [int_of(index) for index in indices]
    if any(number is None for number in numbers):
        return None
    place = _position(_shape(source), [n for n in numbers if n is not None])
    if place is None:
        return None
    made = defining_op(source, "tensor.from_elements")
    if made is not None:
        return made.operands[place]
    found = elements(attribute) if attribute is not None and type_is_plain(op) else None
    return constant_like([found[0][place]], type) if found is not None else None


def type_is_plain(op: Operation) -> bool:
    """Whether the result is an integer or a float."""
    return not hasattr(op.results[0].type, "element_type")


@fold("tensor.insert")
def fold_insert(op: Operation) -> Folded:
    """An element that is there already."""
    value, dest = scalar_of(op.operands[0]), splat_element(constant_of(op.operands[1]))
    if value is not None and dest is not None and str(value) == str(dest):
        return op.operands[1]
    return None


@fold("tensor.from_elements")
def elements_that_are_constants(op: Operation) -> Folded:
    """A tensor of constants is a constant."""
    values = [scalar_of(value) for value in op.operands]
    if not values or any(value is None for value in values):
        return None
    type = op.results[0].type
    if len({(type_, str(v)) for type_, v in ((type, v) for v in values)}) == 1:
        return constant_like(values[:1], type)
    return constant_like(values, type)


@fold("tensor.splat")
def splat_of_constant(op: Operation) -> Folded:
    """A static tensor of one constant."""
    value = scalar_of(op.operands[0])
    return None if value is None else constant_like([value], op.results[0].type)


@fold("tensor.rank")
def known_rank(op: Operation) -> Folded:
    """The rank of a ranked tensor."""
    type = op.operands[0].type
    return integer(len(type.get_shape()), IndexType()) if isinstance(type, TensorType) else None


@fold("tensor.bitcast")
def fold_bitcast(op: Operation) -> Folded:
    """A bitcast to the same type; a chain of them."""
    (source,) = op.operands
    if source.type == op.results[0].type:
        return source
    inner = defining_op(source, "tensor.bitcast")
    if inner is None:
        return None
    op.operands[0] = inner.operands[0]
    return inner.operands[0] if inner.operands[0].type == op.results[0].type else True


@fold("tensor.gather")
def gather_from_splat(op: Operation) -> Folded:
    """Elements of a splat."""
    element = splat_element(constant_of(op.operands[0]))
    return None if element is None else constant_like([element], op.results[0].type)


@fold("tensor.concat")
def concat_one(op: Operation) -> Folded:
    """A single tensor."""
    (first, *others) = op.operands
    return first if not others and first.type == op.results[0].type else None


@pattern("tensor.extract")
def extract_generated(op: Operation, rewriter: Rewriter) -> bool:
    """An element of a generated tensor is computed where it is needed."""
    source, *indices = op.operands
    generate = defining_op(source, "tensor.generate")
    if generate is None:
        return False
    block = generate.regions[0].blocks.first
    if block is None or block.next_block is not None:
        return False
    end = block.last_op
    if end is None or not all(is_side_effect_free(inner) for inner in block.ops if inner is not end):
        return False
    known: dict[SSAValue, SSAValue] = dict(zip(block.args, indices, strict=True))
    for inner in block.ops:
        if inner is not end:
            rewriter.insert(inner.clone(known))
    return rewriter.replace(op, known.get(end.operands[0], end.operands[0]))


@pattern("arith.index_cast")
def cast_before_extract(op: Operation, rewriter: Rewriter) -> bool:
    """An element that is cast to index: the tensor of constants was cast from index itself."""
    extract = defining_op(op.operands[0], "tensor.extract")
    cast = defining_op(extract.operands[0], "arith.index_cast") if extract is not None else None
    if extract is None or cast is None:
        return False
    source = cast.operands[0]
    kind = source.type
    if not isinstance(kind, TensorType) or kind.element_type != op.results[0].type:
        return False
    return rewriter.replace_with(op, "tensor.extract", [source, *list(extract.operands)[1:]])


def size_of(type: TensorType) -> int | None:
    """The number of elements, None where it is not known."""
    return math.prod(type.get_shape()) if type.has_static_shape() else None
