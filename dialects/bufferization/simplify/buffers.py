"""Tensors that are buffers, and buffers that are tensors."""

from __future__ import annotations

from xdsl.dialects.builtin import MemRefType, TensorType, UnrankedTensorType
from xdsl.ir import Operation, SSAValue

from lamina.dialects.core.folding import defining_op
from lamina.dialects.core.simplification import Folded, Rewriter, fold, pattern
from lamina.dialects.core.slices import shape_of_known_sizes
from lamina.dialects.memref.simplify.casts import only_forgets


@fold("bufferization.to_buffer")
def buffer_of_tensor(op: Operation) -> Folded:
    """The buffer that a tensor was made of."""
    maker = defining_op(op.operands[0], "bufferization.to_tensor")
    if maker is not None and maker.operands[0].type == op.results[0].type:
        return maker.operands[0]
    return None


@fold("bufferization.to_tensor")
def tensor_of_buffer(op: Operation) -> Folded:
    """The tensor that a buffer directly before was made of."""
    maker = defining_op(op.operands[0], "bufferization.to_buffer")
    if maker is None or maker.parent is not op.parent or maker.next_op is not op:
        return None
    return maker.operands[0] if maker.operands[0].type == op.results[0].type else None


@pattern("bufferization.to_buffer")
def cast_buffer_of_tensor(op: Operation, rewriter: Rewriter) -> bool:
    """The buffer that a tensor was made of, cast; the buffer of a cast tensor, cast."""
    source = op.operands[0]
    type = op.results[0].type
    maker = defining_op(source, "bufferization.to_tensor")
    if maker is not None:
        buffer = maker.operands[0]
        if only_forgets(buffer.type, type):
            return rewriter.replace_with(op, "memref.cast", [buffer])
        return False
    cast = defining_op(source, "tensor.cast")
    if cast is None or not isinstance(type, MemRefType):
        return False
    before = cast.operands[0].type
    if not isinstance(before, TensorType) or isinstance(source.type, UnrankedTensorType):
        return False
    kind = MemRefType(type.element_type, before.get_shape(), type.layout, type.memory_space)
    made = rewriter.value("bufferization.to_buffer", [cast.operands[0]], kind, dict(op.properties))
    return rewriter.replace_with(op, "memref.cast", [made])


@pattern("memref.load")
def load_from_tensor(op: Operation, rewriter: Rewriter) -> bool:
    """An element of the buffer of a tensor is one of the tensor."""
    buffer, *indices = op.operands
    maker = defining_op(buffer, "bufferization.to_buffer")
    if maker is None or not (maker.get_attr_or_prop("read_only") is not None or _only_loaded(maker)):
        return False
    return rewriter.replace_with(op, "tensor.extract", [maker.operands[0], *indices])


def _only_loaded(maker: Operation) -> bool:
    return all(use.operation.name == "memref.load" for use in maker.results[0].uses)


@pattern("tensor.dim")
def dim_of_buffer(op: Operation, rewriter: Rewriter) -> bool:
    """A size of the tensor of a buffer is one of the buffer."""
    maker = defining_op(op.operands[0], "bufferization.to_tensor")
    if maker is None:
        return False
    return rewriter.replace_with(op, "memref.dim", [maker.operands[0], op.operands[1]])


@pattern("bufferization.alloc_tensor")
def allocate_known_sizes(op: Operation, rewriter: Rewriter) -> bool:
    """Sizes that are constants become part of the type."""
    type = op.results[0].type
    if not isinstance(type, TensorType) or defining_op(op.results[0]) is None:
        return False
    from xdsl.dialects.builtin import DenseArrayBase, i32

    from lamina.dialects.core.facts import operand_groups

    sizes, copied, hint = operand_groups(op)
    if copied:
        return False
    shape, kept = shape_of_known_sizes(type.get_shape(), sizes)
    if len(kept) == len(sizes):
        return False
    properties = dict(op.properties)
    properties["operandSegmentSizes"] = DenseArrayBase.from_list(i32, [len(kept), 0, len(hint)])
    result = TensorType(type.element_type, shape, type.encoding)
    made = rewriter.value("bufferization.alloc_tensor", [*kept, *hint], result, properties)
    return rewriter.replace(op, rewriter.value("tensor.cast", [made], type))


@pattern("bufferization.clone")
def drop_clone(op: Operation, rewriter: Rewriter) -> bool:
    """A clone that is freed in its block, or whose source is, is not needed: one buffer and one free are."""
    source, result = op.operands[0], op.results[0]
    if source.type != result.type or op.parent is None:
        return False
    frees = [_free_of(value, op) for value in (result, source)]
    if frees[0] is None:
        if result.first_use is None:
            return rewriter.erase(op)
        free = frees[1]
        if free is None or _is_freed_between(op, free, source):
            return False
    else:
        free = frees[0]
    place = op.next_op
    while place is not None and place is not free:
        if place.name == "memref.dealloc" and place.operands[0] in (source, result):
            return False
        place = place.next_op
    rewriter.erase(free)
    return rewriter.replace(op, source)


def _free_of(value: SSAValue, near: Operation) -> Operation | None:
    """The one op that frees a value in the block of ``near``, behind it."""
    frees = [u.operation for u in value.uses if u.operation.name == "memref.dealloc"]
    if len(frees) != 1 or frees[0].parent is not near.parent:
        return None
    return frees[0] if near.is_before_in_block(frees[0]) else None


def _is_freed_between(op: Operation, free: Operation, source: SSAValue) -> bool:
    uses = [u.operation for u in source.uses]
    return any(use.parent is not op.parent for use in uses) or any(
        free.is_before_in_block(use) for use in uses if use is not free and use is not op
    )
