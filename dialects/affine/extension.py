"""Copies that run aside: upstream writes these ops in C++, so no table has them."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import AffineMapAttr, MemRefType
from xdsl.ir import Attribute, Operation
from xdsl.irdl import IRDLOperation, attr_def, irdl_op_definition, var_operand_def

from lamina.dialects.core.diagnostics import error


def check_accesses(op: Operation, accesses: Sequence[tuple[str, str]]) -> int:
    """The memrefs with their subscripts, by word and attribute; returns how many operands come after them."""
    from lamina.dialects.affine.verify import check_subscripts

    first = 0
    for word, name in accesses:
        map = op.attributes[name].data  # pyright: ignore[reportAttributeAccessIssue]
        end = first + 1 + map.num_dims + map.num_symbols
        if end > len(op.operands) or not isinstance(op.operands[first].type, MemRefType):
            raise error(f"expects {word or 'tag'} to be of memref type, with its subscripts", op)
        check_subscripts(op, op.operands[first + 1 : end], f"{word} index".strip())
        first = end
    return len(op.operands) - first


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

    def verify_(self) -> None:
        rest = check_accesses(self, (("src", "src_map"), ("dst", "dst_map"), ("tag", "tag_map")))
        if rest not in (1, 3):
            raise error("expects a number of elements, and a stride with the elements for each", self)


@irdl_op_definition
class DmaWaitOp(IRDLOperation):
    """Waits for the copy of a tag. The operands are the tag, its subscripts and the number of elements."""

    name = "affine.dma_wait"

    arguments = var_operand_def()
    tag_map = attr_def(AffineMapAttr)

    def verify_(self) -> None:
        if check_accesses(self, (("", "tag_map"),)) != 1:
            raise error("expects one number of elements", self)


OPERATIONS: list[type[Operation]] = [DmaStartOp, DmaWaitOp]
ATTRIBUTES: list[type[Attribute]] = []
