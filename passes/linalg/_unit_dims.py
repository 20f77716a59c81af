"""Reshapes that only add or drop dimensions of extent 1, seen through by indexing maps."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import tensor
from xdsl.dialects.builtin import TensorType
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap


def groups_of(op: tensor.ExpandShapeOp | tensor.CollapseShapeOp) -> list[list[int]]:
    """The reassociation: for each collapsed dimension the expanded ones."""
    return [[index.value.data for index in group] for group in op.reassociation]


def through_unit_dims(value: SSAValue, m: AffineMap) -> tuple[SSAValue, AffineMap] | None:
    """The source of a reshape that adds or drops dimensions of extent 1, and how it is read; None for others.

    ``m`` is how the reshaped value is read.
    """
    view = value.owner
    if isinstance(view, tensor.ExpandShapeOp):
        wide = _shape(view.result)
        exprs = [_kept(group, wide, m.results) for group in groups_of(view)]
        source = view.src
    elif isinstance(view, tensor.CollapseShapeOp):
        wide = _shape(view.src)
        exprs = _spread(groups_of(view), wide, m.results)
        source = view.src
    else:
        return None
    if exprs is None or any(e is None for e in exprs):
        return None
    return source, AffineMap(m.num_dims, 0, tuple(e for e in exprs if e is not None))


def _kept(group: Sequence[int], wide: Sequence[int], results: Sequence[AffineExpr]) -> AffineExpr | None:
    """The expression of a group's only dimension that is not 1."""
    large = [i for i in group if wide[i] != 1]
    return results[large[0] if large else group[0]] if len(large) <= 1 else None


def _spread(
    groups: Sequence[Sequence[int]], wide: Sequence[int], results: Sequence[AffineExpr]
) -> list[AffineExpr] | None:
    """For each expanded dimension the expression of its group, or 0 where the extent is 1."""
    exprs: list[AffineExpr] = [AffineExpr.constant(0)] * len(wide)
    for group, expr in zip(groups, results, strict=True):
        large = [i for i in group if wide[i] != 1]
        if len(large) > 1:
            return None
        if large:
            exprs[large[0]] = expr
    return exprs


def _shape(value: SSAValue) -> tuple[int, ...]:
    assert isinstance(value.type, TensorType)
    return value.type.get_shape()
