"""scf.forall: known bounds, dimensions that run never or once, outputs that nobody needs, casts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import DenseArrayBase, IndexType, i64
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue

from lamina.dialects.core.facts import operand_groups
from lamina.dialects.core.folding import integer
from lamina.dialects.core.simplification import Rewriter, pattern
from lamina.dialects.core.slices import DYNAMIC_NUMBER, are_same, known
from lamina.dialects.core.verifying.groups import static_values
from lamina.dialects.scf.simplify.structure import (
    body_of,
    end_of,
    pass_on,
    replace_by_known,
    segments,
    take,
    trip_count,
)
from lamina.dialects.tensor.simplify.casts import uncast

_BOUNDS = ("LowerBound", "UpperBound", "Step")
Bounds = Mapping[str, "list[int | SSAValue]"]


def bounds_of(op: Operation) -> dict[str, list[int | SSAValue]]:
    """The lower bounds, upper bounds and steps, by their names."""
    found: dict[str, list[int | SSAValue]] = {}
    for name, group in zip(_BOUNDS, operand_groups(op)[:3], strict=True):
        given = iter(group)
        found[name] = [next(given) if v == DYNAMIC_NUMBER else v for v in static_values(op, f"static{name}")]
    return found


def again(
    rewriter: Rewriter,
    op: Operation,
    bounds: Bounds,
    outputs: Sequence[SSAValue],
    *,
    properties: Mapping[str, Attribute] | None = None,
) -> Operation:
    """A loop with other bounds and outputs that takes the body away from ``op``."""
    dynamic = [[v for v in bounds[name] if not isinstance(v, int)] for name in _BOUNDS]
    static = {
        f"static{name}": DenseArrayBase.from_list(
            i64, [v if isinstance(v, int) else DYNAMIC_NUMBER for v in bounds[name]]
        )
        for name in _BOUNDS
    }
    return rewriter.create(
        "scf.forall",
        [*dynamic[0], *dynamic[1], *dynamic[2], *outputs],
        [value.type for value in outputs],
        {**op.properties, **static, **segments(*dynamic, outputs), **(properties or {})},
        regions=take(op),
        attributes=dict(op.attributes),
    )


@pattern("scf.forall")
def loop_to_known_numbers(op: Operation, rewriter: Rewriter) -> bool:
    """Bounds and steps that are constants become part of the op."""
    before = bounds_of(op)
    after = {name: known(values) for name, values in before.items()}
    if all(are_same(before[name], after[name]) for name in _BOUNDS):
        return False
    return rewriter.replace(op, again(rewriter, op, after, operand_groups(op)[3]))


@pattern("scf.forall")
def run_dimensions_never_or_once(op: Operation, rewriter: Rewriter) -> bool:
    """A dimension without iterations leaves the outputs; one with a single iteration is not needed.

    A loop that is mapped to processors keeps its dimensions.
    """
    bounds = bounds_of(op)
    outputs = operand_groups(op)[3]
    lows = bounds["LowerBound"]
    counts = [trip_count(*each) for each in zip(*(bounds[name] for name in _BOUNDS), strict=True)]
    mapped = op.get_attr_or_prop("mapping") is not None
    if 0 in counts and not mapped:
        return rewriter.replace(op, outputs)
    body = body_of(op)
    once = [i for i, count in enumerate(counts) if count == 1 and (not mapped or body.args[i].first_use)]
    if not once:
        return False
    starts = {i: _value(rewriter, lows[i]) for i in once}
    if mapped:
        replace_by_known(rewriter, body, starts, erase=False)
        return True
    if len(once) == len(counts):
        return _run_once(rewriter, op, [starts[i] for i in once], outputs)
    replace_by_known(rewriter, body, starts)
    kept = {name: [v for i, v in enumerate(values) if i not in once] for name, values in bounds.items()}
    return rewriter.replace(op, again(rewriter, op, kept, outputs))


def _value(rewriter: Rewriter, number: int | SSAValue) -> SSAValue:
    if not isinstance(number, int):
        return number
    return rewriter.value("arith.constant", [], IndexType(), {"value": integer(number, IndexType())})


def _run_once(
    rewriter: Rewriter, op: Operation, lows: Sequence[SSAValue], outputs: Sequence[SSAValue]
) -> bool:
    """Put the body in the place of the op; what it inserts in parallel is inserted one after the other."""
    body = body_of(op)
    inserts = list(body_of(end_of(body)).ops)
    if any(insert.name != "tensor.parallel_insert_slice" for insert in inserts):
        return False
    end = end_of(body)
    rank = len(lows)
    current: dict[SSAValue, SSAValue] = dict(zip(body.args[rank:], outputs, strict=True))
    order = list(current)
    for insert in inserts:
        source, dest, *numbers = insert.operands
        made = rewriter.create(
            "tensor.insert_slice",
            [source, current[dest], *numbers],
            [dest.type],
            dict(insert.properties),
            attributes=dict(insert.attributes),
            before=end,
        )
        current[dest] = made.results[0]
        rewriter.erase(insert)
    rewriter.inline_before(body, op, [*lows, *outputs])
    rewriter.erase(end)
    return rewriter.replace(op, [current[argument] for argument in order])


def _inserts_into(op: Operation, argument: BlockArgument) -> list[Operation]:
    """What is put together into an output when the loop ends."""
    end = end_of(body_of(op))
    return [use.operation for use in argument.uses if use.operation.parent_op() is end]


@pattern("scf.forall")
def drop_outputs(op: Operation, rewriter: Rewriter) -> bool:
    """Outputs that nobody looks at, and those into which nothing is put."""
    outputs = operand_groups(op)[3]
    body = body_of(op)
    rank = len(body.args) - len(outputs)
    dropped: dict[int, SSAValue] = {}
    for i, (output, argument) in enumerate(zip(outputs, body.args[rank:], strict=True)):
        inserts = _inserts_into(op, argument)
        if inserts and op.results[i].first_use is not None:
            continue
        for insert in inserts:
            rewriter.erase(insert)
        rewriter.replace_uses(op.results[i], output)
        dropped[i] = output
    if not dropped:
        return False
    replace_by_known(rewriter, body, {rank + i: value for i, value in dropped.items()})
    kept = [i for i in range(len(outputs)) if i not in dropped]
    made = again(rewriter, op, bounds_of(op), [outputs[i] for i in kept])
    return pass_on(rewriter, op, made, kept)


@pattern("scf.forall")
def put_together_before_cast(op: Operation, rewriter: Rewriter) -> bool:
    """Outputs are put together as the tensors that they were before casts."""
    outputs = operand_groups(op)[3]
    sources = [uncast(value) for value in outputs]
    if all(value is None for value in sources):
        return False
    body = body_of(op)
    rank = len(body.args) - len(outputs)
    for i, source in enumerate(sources):
        if source is None:
            continue
        old = body.args[rank + i]
        new = body.insert_arg(source.type, rank + i)
        inside = rewriter.value("tensor.cast", [new], old.type, before=body.first_op)
        inserted = _inserts_into(op, old)
        rewriter.replace_uses_if(old, new, lambda user, inserted=inserted: user in inserted)
        rewriter.replace_uses(old, inside)
        body.erase_arg(old)
    better = [new if new is not None else old for old, new in zip(outputs, sources, strict=True)]
    made = again(rewriter, op, bounds_of(op), better)
    results = [
        new if new.type == old.type else rewriter.value("tensor.cast", [new], old.type)
        for old, new in zip(op.results, made.results, strict=True)
    ]
    return rewriter.replace(op, results)
