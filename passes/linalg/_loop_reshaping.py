"""How operands are read when loops are collapsed or split along with the dimensions they run over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import TypeAlias

from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr, AffineMap

Groups: TypeAlias = Sequence[Sequence[int]]


@dataclass(frozen=True)
class Reading:
    """A tensor in another shape, not yet made, and how it is read by the new loops."""

    groups: tuple[tuple[int, ...], ...]
    """For each dimension of the smaller shape those of the larger one."""
    shape: tuple[int, ...]
    exprs: tuple[AffineExpr, ...]


def collapsed(shape: Sequence[int], m: AffineMap, groups: Groups, loops: Sequence[int]) -> Reading | None:
    """How an operand is read when each group of loops becomes one loop, or None where that cannot be."""
    group_of = {d: g for g, group in enumerate(groups) for d in group}
    parts: list[tuple[int | None, list[int]]] = []
    for position, expr in enumerate(m.results):
        group = _group(expr, group_of)
        if group == -1:
            return None
        if parts and (group is None or parts[-1][0] in (group, None)):
            kept = parts[-1][0] if group is None else group
            parts[-1] = (kept, [*parts[-1][1], position])
        else:
            parts.append((group, [position]))
    numbers = [g for g, _ in parts if g is not None]
    if numbers != sorted(set(numbers)):
        return None
    exprs: list[AffineExpr] = []
    for group, positions in parts:
        expr = _collapsed_expr(shape, m, positions, group, groups, loops)
        if expr is None:
            return None
        exprs.append(expr)
    sizes = tuple(prod(shape[p] for p in positions) for _, positions in parts)
    return Reading(tuple(tuple(positions) for _, positions in parts), sizes, tuple(exprs))


def _group(expr: AffineExpr, group_of: dict[int, int]) -> int | None:
    """The group of a loop; None for a constant 0 and loops of no group (extent 1); -1 for anything else."""
    if isinstance(expr, AffineDimExpr):
        return group_of.get(expr.position)
    return None if isinstance(expr, AffineConstantExpr) and expr.value == 0 else -1


def _collapsed_expr(
    shape: Sequence[int],
    m: AffineMap,
    positions: Sequence[int],
    group: int | None,
    groups: Groups,
    loops: Sequence[int],
) -> AffineExpr | None:
    """The new loop if the dimensions are all of the group's that count, 0 if they are none of them."""
    if group is None or all(shape[p] == 1 for p in positions):
        whole = group is not None and all(loops[d] == 1 for d in groups[group])
        return AffineExpr.dimension(group) if whole and group is not None else AffineExpr.constant(0)
    wanted = [d for d in groups[group] if loops[d] != 1]
    read = [e.position for p in positions if isinstance(e := m.results[p], AffineDimExpr) and shape[p] != 1]
    return AffineExpr.dimension(group) if read == wanted else None


def expanded(shape: Sequence[int], m: AffineMap, groups: Groups, source: Sequence[int]) -> Reading | None:
    """How an operand is read when each loop becomes a group of loops, or None where that cannot be."""
    parts: list[tuple[int, ...]] = []
    sizes: list[int] = []
    exprs: list[AffineExpr] = []
    for extent, expr in zip(shape, m.results, strict=True):
        start = len(sizes)
        if isinstance(expr, AffineDimExpr) and prod(source[d] for d in groups[expr.position]) == extent:
            group = groups[expr.position]
            sizes += [source[d] for d in group]
            exprs += [AffineExpr.dimension(d) for d in group]
        elif isinstance(expr, AffineConstantExpr) and expr.value == 0:
            sizes.append(extent)
            exprs.append(expr)
        else:
            return None
        parts.append(tuple(range(start, len(sizes))))
    return Reading(tuple(parts), tuple(sizes), tuple(exprs))
