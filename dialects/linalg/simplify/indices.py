"""linalg.index: the index of a loop that runs once."""

from __future__ import annotations

from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, IndexType, IntegerAttr, MemRefType, TensorType
from xdsl.ir import Operation
from xdsl.ir.affine import AffineDimExpr

from lamina.dialects.core.folding import integer
from lamina.dialects.core.simplification import Folded, fold


@fold("linalg.index")
def index_of_single_iteration(op: Operation) -> Folded:
    """A dimension of size 1 has only the index 0."""
    parent = op.parent_op()
    number = op.get_attr_or_prop("dim")
    maps = parent.get_attr_or_prop("indexing_maps") if parent is not None else None
    if parent is None or not isinstance(number, IntegerAttr) or not isinstance(maps, ArrayAttr):
        return None
    wanted = AffineDimExpr(number.value.data)
    for value, map in zip(parent.operands, maps, strict=False):
        if not isinstance(value.type, TensorType | MemRefType) or not isinstance(map, AffineMapAttr):
            continue
        for expression, size in zip(map.data.results, value.type.get_shape(), strict=False):
            if expression == wanted and size == 1:
                return integer(0, IndexType())
    return None
