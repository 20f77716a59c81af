"""scf.parallel: dimensions that run never or once, and loops that hold nothing but another one."""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

from lamina.dialects.core.facts import operand_groups
from lamina.dialects.core.simplification import Rewriter, pattern
from lamina.dialects.scf.simplify.structure import (
    body_of,
    end_of,
    replace_by_known,
    segments,
    take,
    trip_count,
)


@pattern("scf.parallel")
def run_dimensions_never_or_once(op: Operation, rewriter: Rewriter) -> bool:
    """A dimension without iterations leaves the initial values; one with a single iteration is not needed."""
    lows, highs, steps, initial = operand_groups(op)
    counts = [trip_count(*bounds) for bounds in zip(lows, highs, steps, strict=True)]
    if 0 in counts:
        return rewriter.replace(op, initial)
    kept = [i for i, count in enumerate(counts) if count != 1]
    if len(kept) == len(counts):
        return False
    body = body_of(op)
    if not kept:
        return _run_once(rewriter, op, lows, initial)
    replace_by_known(rewriter, body, {i: lows[i] for i in range(len(lows)) if i not in kept})
    groups = [[group[i] for i in kept] for group in (lows, highs, steps)]
    return rewriter.replace_with(
        op,
        "scf.parallel",
        [*groups[0], *groups[1], *groups[2], *initial],
        {**op.properties, **segments(*groups, initial)},
        regions=take(op),
        attributes=dict(op.attributes),
    )


def _run_once(
    rewriter: Rewriter, op: Operation, lows: tuple[SSAValue, ...], initial: tuple[SSAValue, ...]
) -> bool:
    """Put the body in the place of the op; each result joins the initial value and what the body gives."""
    body = body_of(op)
    reduce = end_of(body)
    rewriter.inline_before(body, op, lows)
    results: list[SSAValue] = []
    for i, start in enumerate(initial):
        joining = body_of(reduce, i)
        end = end_of(joining)
        rewriter.inline_before(joining, op, [start, reduce.operands[i]])
        results.append(end.operands[0])
        rewriter.erase(end)
    rewriter.erase(reduce)
    return rewriter.replace(op, results)


@pattern("scf.parallel")
def join_nested(op: Operation, rewriter: Rewriter) -> bool:
    """A loop that holds nothing but another one: all dimensions at once."""
    body = body_of(op)
    inner = body.first_op
    if op.results or inner is None or inner.name != "scf.parallel" or inner.results:
        return False
    if inner.next_op is not end_of(body) or any(value.owner is body for value in inner.operands):
        return False
    if op.attributes or inner.attributes:
        return False  # as a mapping to processors, which counts dimensions
    outer_groups, inner_groups = operand_groups(op)[:3], operand_groups(inner)[:3]
    groups = [[*a, *b] for a, b in zip(outer_groups, inner_groups, strict=True)]
    inner_body = body_of(inner)
    for i, argument in enumerate(list(body.args)):
        new = inner_body.insert_arg(argument.type, i)
        rewriter.replace_uses(argument, new)
    return rewriter.replace_with(
        op,
        "scf.parallel",
        [*groups[0], *groups[1], *groups[2]],
        {**op.properties, **segments(*groups, ())},
        regions=take(inner),
    )
