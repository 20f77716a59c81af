"""Integer arithmetic of llvm on constants."""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Attribute, Operation, SSAValue

from lamina.dialects.core.folding import constant_of, defining_op, integer, width_of
from lamina.dialects.core.simplification import Folded, fold


def _bits(value: SSAValue) -> int | None:
    """The bits of a constant integer; zero is one."""
    if defining_op(value, "llvm.mlir.zero") is not None and _is_integer(value.type):
        return 0
    attribute = constant_of(value)
    if not isinstance(attribute, IntegerAttr) or not _is_integer(value.type):
        return None
    return attribute.value.data & ((1 << width_of(value.type)) - 1)


def _is_integer(type: Attribute) -> bool:
    return type.name == "integer_type"


@fold("llvm.zext")
def extend_constant(op: Operation) -> Folded:
    """The number without a sign in more bits."""
    number, type = _bits(op.operands[0]), op.results[0].type
    return None if number is None or not _is_integer(type) else integer(number, type)


@fold("llvm.shl", "llvm.or")
def compute_constant(op: Operation) -> Folded:
    """Constants shifted to the left (not beyond their width, nor more than flags allow), and joined."""
    left, right = map(_bits, op.operands)
    type = op.results[0].type
    if right == 0 and op.operands[0].type == type:
        return op.operands[0]
    if left is None or right is None or not _is_integer(type):
        return None
    if op.name == "llvm.or":
        return integer(left | right, type)
    return integer(left << right, type) if right < width_of(type) else None
