"""scf.for: loops that run never or once, and values that loops carry in vain."""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

from lamina.dialects.core.folding import defining_op
from lamina.dialects.core.simplification import Rewriter, pattern
from lamina.dialects.scf.simplify.structure import (
    body_of,
    end_of,
    inline_body,
    is_inside,
    pass_on,
    take,
    trip_count,
    yield_other,
)


@pattern("scf.for")
def run_never_or_once(op: Operation, rewriter: Rewriter) -> bool:
    """A loop without iterations gives its initial values, one with a single iteration its body."""
    low, high, step, *initial = op.operands
    count = trip_count(low, high, step, unsigned=op.get_attr_or_prop("unsignedCmp") is not None)
    if count == 0:
        return rewriter.replace(op, initial)
    body = body_of(op)
    if count == 1:
        return inline_body(rewriter, op, body, [low, *initial])
    end = end_of(body)
    if count is None or body.first_op is not end:
        return False
    # The last of several iterations decides: it yields what all of them yield.
    if any(is_inside(value, op) for value in end.operands):
        return False
    return rewriter.replace(op, list(end.operands))


@pattern("scf.for")
def drop_carried_values(op: Operation, rewriter: Rewriter) -> bool:
    """Values that a loop carries without changing them, that nobody looks at, or that it carries twice."""
    body = body_of(op)
    end = end_of(body)
    initial = list(op.operands)[3:]
    arguments = body.args[1:]
    yielded = list(end.operands)
    kept: list[int] = []
    seen: dict[tuple[SSAValue, SSAValue], int] = {}
    twin: dict[int, int] = {}
    for i, (start, argument, value) in enumerate(zip(initial, arguments, yielded, strict=True)):
        if value is argument or value is start:
            rewriter.replace_uses(argument, start)
            rewriter.replace_uses(op.results[i], start)
        elif argument.first_use is None and (
            op.results[i].first_use is None or (not is_inside(value, op) and _runs(op))
        ):
            rewriter.replace_uses(op.results[i], value)
        elif (start, value) in seen:
            twin[i] = seen[start, value]
        else:
            seen[start, value] = i
            kept.append(i)
    if len(kept) == len(initial):
        return False
    for i, j in twin.items():
        rewriter.replace_uses(arguments[i], arguments[j])
        rewriter.replace_uses(op.results[i], op.results[j])
    yield_other(rewriter, end, [end.operands[i] for i in kept])
    for i in reversed(range(len(initial))):
        if i not in kept:
            body.erase_arg(body.args[i + 1])
    made = rewriter.create(
        "scf.for",
        [*list(op.operands)[:3], *(initial[i] for i in kept)],
        [op.results[i].type for i in kept],
        dict(op.properties),
        regions=take(op),
        attributes=dict(op.attributes),
    )
    return pass_on(rewriter, op, made, kept)


def _runs(op: Operation) -> bool:
    count = trip_count(*list(op.operands)[:3], unsigned=op.get_attr_or_prop("unsignedCmp") is not None)
    return count is not None and count > 0


@pattern("scf.for")
def carry_tensor_before_cast(op: Operation, rewriter: Rewriter) -> bool:
    """A tensor that is cast before the loop, and whose result is cast back, is carried as it was."""
    body = body_of(op)
    end = end_of(body)
    for i, start in enumerate(list(op.operands)[3:]):
        cast = defining_op(start, "tensor.cast")
        result = op.results[i]
        if cast is None or not result.has_one_use():
            continue
        use = next(iter(result.uses)).operation
        source = cast.operands[0]
        if use.name != "tensor.cast" or use.results[0].type != source.type:
            continue
        operands = list(op.operands)
        operands[3 + i] = source
        types = [r.type for r in op.results]
        types[i] = source.type
        argument = body.insert_arg(source.type, i + 1)
        old = body.args[i + 2]
        if body.first_op is None:
            return False
        inner = rewriter.value("tensor.cast", [argument], old.type, before=body.first_op)
        rewriter.replace_uses(old, inner)
        body.erase_arg(old)
        back = rewriter.value("tensor.cast", [end.operands[i]], source.type, before=end)
        yielded = list(end.operands)
        yielded[i] = back
        yield_other(rewriter, end, yielded)
        made = rewriter.create(
            "scf.for", operands, types, dict(op.properties), regions=take(op), attributes=dict(op.attributes)
        )
        results = list(made.results)
        outside = rewriter.value("tensor.cast", [results[i]], result.type)
        for j, old_result in enumerate(op.results):
            rewriter.replace_uses(old_result, outside if j == i else results[j])
        return rewriter.erase(op)
    return False
