"""Reshapes as views: ``collapse_shape`` and ``expand_shape`` over the finest grouping of dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import TensorType, i64
from xdsl.ir import SSAValue

from lamina.dialects.core.reshapes import groups_attribute
from lamina.dialects.nn.base import DYNAMIC
from lamina.dialects.tensor.extension import ExpandShapeOp, ReshapeOp
from lamina.lowering.linalg._builder import LinalgBuilder, Size, element, static_shape

Groups = list[list[int]]


def reshape(builder: LinalgBuilder, value: SSAValue, sizes: Sequence[Size]) -> SSAValue:
    """The tensor's elements in row-major order in another shape.

    Where both shapes split into groups of equal products this is one view, or two (collapse, then expand);
    where unknown extents hide that, ``tensor.reshape``.
    """
    own = builder.sizes(value)
    if list(own) == list(sizes):
        return value
    if not sizes:
        return collapse(builder, value, [])
    if not own:
        return expand(builder, value, [], sizes)
    groups = common_groups(builder, own, sizes)
    if groups is None:
        return _dynamic_reshape(builder, value, sizes)
    source, target = groups
    if any(len(group) != 1 for group in source):
        value = collapse(builder, value, source)
    if any(len(group) != 1 for group in target):
        value = expand(builder, value, target, sizes)
    return value


def collapse_leading(builder: LinalgBuilder, value: SSAValue, count: int) -> SSAValue:
    """The first ``count`` dimensions as one."""
    rank = len(builder.sizes(value))
    if count == 1:
        return value
    if count == 0:
        return expand(
            builder, value, [[0, 1], *[[i + 1] for i in range(1, rank)]], [1, *builder.sizes(value)]
        )
    return collapse(builder, value, [list(range(count)), *[[i] for i in range(count, rank)]])


def collapse(builder: LinalgBuilder, value: SSAValue, groups: Groups) -> SSAValue:
    """A view in which each group of dimensions is one dimension."""
    own = builder.sizes(value)
    sizes = [builder.product([own[i] for i in group]) for group in groups]
    kind = TensorType(element(value.type), static_shape(sizes))
    op = tensor.CollapseShapeOp(
        operands=[value], result_types=[kind], properties={"reassociation": groups_attribute(groups)}
    )
    return builder.named(op, sizes)


def expand(builder: LinalgBuilder, value: SSAValue, groups: Groups, sizes: Sequence[Size]) -> SSAValue:
    """A view in which each dimension is split into a group of the dimensions ``sizes``."""
    kind = TensorType(element(value.type), static_shape(sizes))
    unknown = [size for size in sizes if isinstance(size, SSAValue)]
    shape = [size if isinstance(size, int) else DYNAMIC for size in sizes]
    op = ExpandShapeOp(value, unknown, groups_attribute(groups), shape, kind)
    return builder.named(op, sizes)


def common_groups(
    builder: LinalgBuilder, source: Sequence[Size], target: Sequence[Size]
) -> tuple[Groups, Groups] | None:
    """The finest split of both shapes into consecutive groups of equal products, or None if there is none.

    An unknown extent only equals itself. Extents of 1 join the group before them. Shapes without
    elements make one group.
    """
    if 0 in source or 0 in target:
        return [list(range(len(source)))], [list(range(len(target)))]
    groups: tuple[Groups, Groups] = ([], [])
    i = j = 0
    while i < len(source) and j < len(target):
        left, right = [i], [j]
        i, j = i + 1, j + 1
        while (
            order := _compare(
                builder.factors([source[k] for k in left]), builder.factors([target[k] for k in right])
            )
        ) != 0:
            if order is None:
                return None
            if order < 0 and i < len(source):
                left.append(i)
                i += 1
            elif order > 0 and j < len(target):
                right.append(j)
                j += 1
            else:
                return None
        groups[0].append(left)
        groups[1].append(right)
    return _with_trailing_ones(groups, source[i:], target[j:], (i, j))


def _with_trailing_ones(
    groups: tuple[Groups, Groups], source: Sequence[Size], target: Sequence[Size], next: tuple[int, int]
) -> tuple[Groups, Groups] | None:
    if any(not (isinstance(n, int) and n == 1) for n in (*source, *target)):
        return None
    groups[0][-1].extend(range(next[0], next[0] + len(source)))
    groups[1][-1].extend(range(next[1], next[1] + len(target)))
    return groups


def _compare(left: Sequence[Size], right: Sequence[Size]) -> int | None:
    """-1, 0 or 1 as the product on the left is less, equal or greater; None where that is unknown."""
    unknown_left = [n for n in left if not isinstance(n, int)]
    unknown_right = [n for n in right if not isinstance(n, int)]
    for value in list(unknown_left):
        if value in unknown_right:
            unknown_left.remove(value)
            unknown_right.remove(value)
    a, b = (prod(n for n in side if isinstance(n, int)) for side in (left, right))
    if not unknown_left and not unknown_right:
        return (a > b) - (a < b)
    if unknown_left and unknown_right:
        return None
    return 1 if unknown_left and a >= b else -1 if unknown_right and b >= a else None


def _dynamic_reshape(builder: LinalgBuilder, value: SSAValue, sizes: Sequence[Size]) -> SSAValue:
    elements = [builder.value(arith.IndexCastOp(builder.index(size), i64)) for size in sizes]
    kind = TensorType(i64, [len(sizes)])
    shape = builder.value(tensor.FromElementsOp(*elements, result_type=kind))
    result = TensorType(element(value.type), static_shape(sizes))
    op = ReshapeOp.create(operands=[value, shape], result_types=[result])
    return builder.named(op, sizes)
