"""Copies that run aside: upstream writes these ops in C++, so no table has them."""

from __future__ import annotations

from xdsl.dialects.builtin import AffineMapAttr
from xdsl.ir import Attribute, Operation
from xdsl.irdl import IRDLOperation, attr_def, irdl_op_definition, var_operand_def


@irdl_op_definition
class DmaStartOp(IRDLOperation):
    """Starts to copy elements from one memref to another.

    The operands are the source and its subscripts, the destination and its subscripts, the tag and its
    subscripts, the number of elements and, for a strided copy, the stride and the elements for each stride.
    """

    name = "affine.dma_start"

    arguments = var_operand_def()
    src_map = attr_def(AffineMapAttr)
    dst_map = attr_def(AffineMapAttr)
    tag_map = attr_def(AffineMapAttr)


@irdl_op_definition
class DmaWaitOp(IRDLOperation):
    """Waits for the copy of a tag. The operands are the tag, its subscripts and the number of elements."""

    name = "affine.dma_wait"

    arguments = var_operand_def()
    tag_map = attr_def(AffineMapAttr)


OPERATIONS: list[type[Operation]] = [DmaStartOp, DmaWaitOp]
ATTRIBUTES: list[type[Attribute]] = []
