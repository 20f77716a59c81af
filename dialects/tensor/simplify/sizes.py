"""Sizes of tensors: tensor.dim, and ops whose sizes are constants."""

from __future__ import annotations

from xdsl.dialects.builtin import IndexType, TensorType
from xdsl.ir import Operation, OpResult, SSAValue

from lamina.dialects.core.facts import facts_of, operand_groups
from lamina.dialects.core.folding import defining_op, int_of, integer
from lamina.dialects.core.simplification import Folded, Rewriter, fold, pattern
from lamina.dialects.core.slices import DYNAMIC_SIZE, dropped_dimensions, mixed, shape_of_known_sizes
from lamina.dialects.scf.simplify.structure import take


def _size(value: int | SSAValue) -> Folded:
    return integer(value, IndexType()) if isinstance(value, int) else value


def _dynamic_operand(op: Operation, type: TensorType, dimension: int) -> SSAValue:
    """Of operands that give the dynamic sizes of a type the one of a dimension."""
    return op.operands[sum(1 for size in type.get_shape()[:dimension] if size == DYNAMIC_SIZE)]


@fold("tensor.dim")
def fold_dim(op: Operation) -> Folded:
    """A size that the type tells, or that the op that makes the tensor was given."""
    source = op.operands[0]
    number = int_of(op.operands[1])
    type = source.type
    if number is None or not isinstance(type, TensorType) or not 0 <= number < len(type.get_shape()):
        return None
    if type.get_shape()[number] != DYNAMIC_SIZE:
        return integer(type.get_shape()[number], IndexType())
    maker = defining_op(source)
    if maker is None:
        return None
    if maker.name in ("tensor.empty", "tensor.generate", "tensor.splat", "bufferization.alloc_tensor"):
        position = sum(1 for size in type.get_shape()[:number] if size == DYNAMIC_SIZE)
        offset = 1 if maker.name == "tensor.splat" else 0
        group = operand_groups(maker)[0] if maker.name == "bufferization.alloc_tensor" else maker.operands
        return group[position + offset] if position + offset < len(group) else None
    if maker.name == "tensor.extract_slice":
        sizes = mixed(maker, "sizes")
        dropped = dropped_dimensions(sizes, type.get_shape())
        if dropped is None:
            return None
        return _size([size for i, size in enumerate(sizes) if i not in dropped][number])
    if maker.name == "tensor.expand_shape":
        return _size(mixed(maker, "output_shape")[number])
    return None


@pattern("tensor.dim")
def dim_of_destination(op: Operation, rewriter: Rewriter) -> bool:
    """An op that says where its results go gives tensors of these sizes, and so does scf.forall."""
    source = op.operands[0]
    maker = defining_op(source)
    if maker is None or not isinstance(source, OpResult):
        return False
    if maker.name in ("tensor.insert_slice", "tensor.insert"):
        value = maker.operands[1]
    elif maker.name.startswith("linalg.") and maker.name not in ("linalg.pack", "linalg.unpack"):
        names = facts_of(maker).operands
        if not names or names[-1].rstrip("*") not in ("outputs", "init", "inits", "output"):
            return False
        value = operand_groups(maker)[-1][source.index]
    elif maker.name == "scf.forall":
        value = operand_groups(maker)[-1][source.index]
    else:
        return False
    return rewriter.set_operands(op, [value, op.operands[1]])


@pattern("tensor.empty", "tensor.generate", "tensor.splat")
def make_with_known_sizes(op: Operation, rewriter: Rewriter) -> bool:
    """Sizes that are constants become part of the type."""
    type = op.results[0].type
    first = 1 if op.name == "tensor.splat" else 0
    if not isinstance(type, TensorType):
        return False
    shape, kept = shape_of_known_sizes(type.get_shape(), list(op.operands)[first:])
    if shape == list(type.get_shape()):
        return False
    made = rewriter.create(
        op.name,
        [*list(op.operands)[:first], *kept],
        [TensorType(type.element_type, shape, type.encoding)],
        dict(op.properties),
        regions=take(op),
        attributes=dict(op.attributes),
    )
    return rewriter.replace(op, rewriter.value("tensor.cast", [made.results[0]], type))


@pattern("tensor.dim")
def dim_of_reshape(op: Operation, rewriter: Rewriter) -> bool:
    """A size of a reshaped tensor is an element of the shape it was given."""
    source, dimension = op.operands
    reshape = defining_op(source, "tensor.reshape")
    if reshape is None:
        return False
    shape = reshape.operands[1]
    assert isinstance(shape.type, TensorType)
    element = shape.type.element_type
    value = rewriter.value("tensor.extract", [shape, dimension], element)
    if element != IndexType():
        value = rewriter.value("arith.index_cast", [value], IndexType())
    return rewriter.replace(op, value)
