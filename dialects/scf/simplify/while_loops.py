"""scf.while: values that are passed around in vain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import Operation, SSAValue

from lamina.dialects.core.folding import integer
from lamina.dialects.core.simplification import Rewriter, pattern
from lamina.dialects.scf.simplify.structure import (
    body_of,
    end_of,
    is_inside,
    made_with,
    replace_by_known,
    yield_other,
)


def _keep(
    rewriter: Rewriter, op: Operation, inputs: Mapping[int, SSAValue], outputs: Mapping[int, SSAValue]
) -> bool:
    """Make a loop again without some inputs and outputs, which become the given values."""
    before, after = body_of(op, 0), body_of(op, 1)
    condition, end = end_of(before), end_of(after)
    for i, value in outputs.items():
        rewriter.replace_uses(op.results[i], value)
    replace_by_known(rewriter, before, inputs)
    replace_by_known(rewriter, after, outputs)
    kept_inputs = [i for i in range(len(op.operands)) if i not in inputs]
    kept = [i for i in range(len(op.results)) if i not in outputs]
    yield_other(rewriter, end, [end.operands[i] for i in kept_inputs])
    yield_other(rewriter, condition, [condition.operands[0], *(condition.operands[i + 1] for i in kept)])
    return made_with(rewriter, op, [op.operands[i] for i in kept_inputs], kept)


@pattern("scf.while")
def drop_inputs(op: Operation, rewriter: Rewriter) -> bool:
    """Values that the loop passes back as they came in, and those that nobody looks at."""
    before, end = body_of(op, 0), end_of(body_of(op, 1))
    passed = list(end_of(before).operands)[1:]
    dropped: dict[int, SSAValue] = {}
    for i, (start, argument, back) in enumerate(zip(op.operands, before.args, end.operands, strict=True)):
        origin = passed[back.index] if back.owner is body_of(op, 1) else back  # pyright: ignore[reportAttributeAccessIssue]
        if origin is start or origin is argument or argument.first_use is None:
            dropped[i] = start
    return bool(dropped) and _keep(rewriter, op, dropped, {})


@pattern("scf.while")
def drop_outputs(op: Operation, rewriter: Rewriter) -> bool:
    """Values from outside of the loop, those that are passed on twice, and those that nobody looks at."""
    after = body_of(op, 1)
    passed = list(end_of(body_of(op, 0)).operands)[1:]
    seen: dict[SSAValue, int] = {}
    dropped: dict[int, SSAValue] = {}
    twins: dict[int, int] = {}
    for i, (value, argument, result) in enumerate(zip(passed, after.args, op.results, strict=True)):
        if not is_inside(value, op) or (argument.first_use is None and result.first_use is None):
            dropped[i] = value
        elif value in seen:
            twins[i] = seen[value]
        else:
            seen[value] = i
    return _drop(rewriter, op, dropped, twins)


def _drop(rewriter: Rewriter, op: Operation, dropped: dict[int, SSAValue], twins: Mapping[int, int]) -> bool:
    arguments: Sequence[SSAValue] = list(body_of(op, 1).args)
    for i, first in twins.items():
        rewriter.replace_uses(arguments[i], arguments[first])
        rewriter.replace_uses(op.results[i], op.results[first])
        dropped[i] = op.results[first]
    return bool(dropped) and _keep(rewriter, op, {}, dropped)


@pattern("scf.while")
def condition_is_true_inside(op: Operation, rewriter: Rewriter) -> bool:
    """The second region runs only where the condition is true."""
    condition, *passed = end_of(body_of(op, 0)).operands
    after = body_of(op, 1)
    for value, argument in zip(passed, after.args, strict=True):
        if value is condition and argument.first_use is not None:
            assert after.first_op is not None
            type = value.type
            true = rewriter.value(
                "arith.constant", [], type, {"value": integer(1, type)}, before=after.first_op
            )
            rewriter.replace_uses(argument, true)
            return True
    return False
