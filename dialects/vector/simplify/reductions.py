"""Reductions of vectors of one element, and along no dimension."""

from __future__ import annotations

from xdsl.dialects.builtin import DenseArrayBase, IndexType, IntegerType, i64
from xdsl.ir import Attribute, Operation, SSAValue

from lamina.dialects.core.folding import element_type
from lamina.dialects.core.simplification import Rewriter, pattern
from lamina.dialects.vector.simplify.common import is_scalable, numbers, shape_of, size_of

_KINDS = {
    "add": ("arith.addi", "arith.addf"),
    "mul": ("arith.muli", "arith.mulf"),
    "minui": ("arith.minui", ""),
    "minsi": ("arith.minsi", ""),
    "maxui": ("arith.maxui", ""),
    "maxsi": ("arith.maxsi", ""),
    "and": ("arith.andi", ""),
    "or": ("arith.ori", ""),
    "xor": ("arith.xori", ""),
    "minnumf": ("", "arith.minnumf"),
    "maxnumf": ("", "arith.maxnumf"),
    "minimumf": ("", "arith.minimumf"),
    "maximumf": ("", "arith.maximumf"),
}


@pattern("vector.reduction")
def reduce_one_element(op: Operation, rewriter: Rewriter) -> bool:
    """The one element, with the initial value."""
    source, *initial = op.operands
    parent = op.parent_op()
    if (
        size_of(source.type) != 1
        or is_scalable(source.type)
        or (parent is not None and parent.name == "vector.mask")
    ):
        return False
    type = op.results[0].type
    rank = len(shape_of(source.type))
    value = rewriter.value(
        "vector.extract", [source], type, {"static_position": DenseArrayBase.from_list(i64, [0] * rank)}
    )
    if not initial:
        return rewriter.replace(op, value)
    return _combine(op, rewriter, value, initial[0])


@pattern("vector.multi_reduction")
def reduce_nothing(op: Operation, rewriter: Rewriter) -> bool:
    """Without a dimension to reduce, elements are combined with the initial ones."""
    parent = op.parent_op()
    masked = parent is not None and parent.name == "vector.mask"
    return not masked and not numbers(op, "reduction_dims") and _combine(op, rewriter, *op.operands)


def _combine(op: Operation, rewriter: Rewriter, value: SSAValue, initial: SSAValue) -> bool:
    """Replace a reduction by one step of it."""
    kind = str(op.get_attr_or_prop("kind")).rpartition("<")[2].strip(" >")
    pair = _KINDS.get(kind)
    if pair is None:
        return False
    is_integer = isinstance(element_type(op.results[0].type), IntegerType | IndexType)
    name = pair[0 if is_integer else 1]
    if not name:
        return False
    properties: dict[str, Attribute] = {}
    fastmath = op.get_attr_or_prop("fastmath")
    if not is_integer and fastmath is not None:
        properties["fastmath"] = fastmath
    return rewriter.replace_with(op, name, [value, initial], properties)
