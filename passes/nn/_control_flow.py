"""Reverse mode through branches, counted loops and calls of functions with a rule of their own.

A branch is taken again on the way back, and its ops are computed anew there. A loop keeps what each turn
starts from (one stacked tensor, a tape, for each value that a turn carries in and the way back needs) and
runs backwards over the tapes, computing each turn anew.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import scf
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.traits import SymbolTable

from lamina.dialects.core.diagnostics import error
from lamina.dialects.nn.derivatives._terms import Term
from lamina.passes.nn._activity import is_differentiable, read_values
from lamina.passes.nn._reverse import Backward, active_values, structure_rule
from lamina.passes.nn._tapes import Tape, Turns, erase_dead

CUSTOM_GRADIENT = "custom_grad"
"""The attribute of a function that names the function of its rule."""


def captured(op: Operation, active: set[SSAValue]) -> list[SSAValue]:
    """The active values that an op's regions read from outside."""
    own = set(op.operands)
    inside = [v for v in read_values(op) if v in active]
    direct = {v for inner in op.walk() if inner is not op for v in inner.operands}
    return [v for v in dict.fromkeys(inside) if v in direct or v not in own]


def _copy_of(
    block: Block, into: Block, values: dict[SSAValue, SSAValue]
) -> tuple[list[Operation], list[SSAValue]]:
    """The ops of a block copied to the end of another, and what its terminator gives."""
    ops: list[Operation] = []
    end = block.last_op
    assert end is not None
    for op in block.ops:
        if op is not end:
            ops.append(op.clone(values))
            into.add_op(ops[-1])
    return ops, [values.get(v, v) for v in end.operands]


@structure_rule("scf.if")
def _(op: Operation, back: Backward) -> None:
    assert isinstance(op, scf.IfOp)
    wanted = captured(op, back.active)
    regions: list[Region] = []
    for region in (op.true_region, op.false_region):
        block = Block()
        given: list[SSAValue] = []
        if region.blocks:
            ops, given = _copy_of(region.block, block, {})
            active = active_values(ops, wanted, given) | set(wanted)
        else:
            ops, active = [], set(wanted)
        inner = back.within(block, active)
        for value, result in zip(given, op.results, strict=False):
            inner.accumulate(value, back.cotangent(result))
        inner.run(ops)
        found = [inner.cotangent(v) or inner.zeros(v) for v in wanted]
        block.add_op(scf.YieldOp(*(t.value for t in found)))
        regions.append(Region(block))
    choice = scf.IfOp(op.cond, [v.type for v in wanted], regions[0], regions[1])
    back.insert(choice)
    for value, result in zip(wanted, choice.results, strict=True):
        back.accumulate(value, back.term(result))


@structure_rule("scf.for")
def _(op: Operation, back: Backward) -> None:
    assert isinstance(op, scf.ForOp) and op.parent is not None
    wanted = captured(op, back.active)
    _, *carried = op.body.block.args
    places = [i for i, value in enumerate(carried) if is_differentiable(value.type)]
    turns = Turns.of(op)
    starts = [back.cotangent(op.results[i]) or back.zeros(op.results[i]) for i in places]
    starts += [back.zeros(v) for v in wanted]
    index = turns.number.type
    block = Block(arg_types=[index, *(t.type for t in starts)])
    number, *cotangents = block.args
    # What a turn carries in is a block argument until it is known which of it the way back reads.
    for value in carried:
        block.insert_arg(value.type, len(block.args))
    placeholders: list[SSAValue] = list(block.args[-len(carried) :]) if carried else []
    turn, induction = turns.reversed(block, number)
    values: dict[SSAValue, SSAValue] = dict(
        zip([op.body.block.args[0], *carried], [induction, *placeholders], strict=True)
    )
    ops, given = _copy_of(op.body.block, block, values)
    inputs = [*wanted, *(placeholders[i] for i in places)]
    inner = back.within(block, active_values(ops, inputs, given) | set(inputs))
    for i, cotangent in zip(places, cotangents, strict=False):
        inner.accumulate(given[i], inner.term(cotangent))
    inner.run(ops)
    results = [inner.cotangent(placeholders[i]) or inner.zeros(placeholders[i]) for i in places]
    for value, before in zip(wanted, cotangents[len(places) :], strict=True):
        more = inner.cotangent(value)
        results.append(inner.term(before) if more is None else inner.term(before) + more)
    block.add_op(scf.YieldOp(*(t.value for t in results)))
    _tape(op, block, placeholders, turns, turn)
    loop = scf.ForOp(turns.zero, turns.number, turns.one, [t.value for t in starts], block)
    back.insert(loop)
    for i, result in zip([*places], loop.results, strict=False):
        back.accumulate(op.iter_args[i], back.term(result))
    for value, result in zip(wanted, loop.results[len(places) :], strict=True):
        back.accumulate(value, back.term(result))


def _tape(
    op: scf.ForOp, block: Block, placeholders: Sequence[SSAValue], turns: Turns, turn: SSAValue
) -> None:
    """Let the loop keep what the way back reads, and the way back read it from there."""
    tapes: list[Tape] = []
    erase_dead(block, kept=turn)
    for position, value in enumerate(placeholders):
        if value.first_use is not None:
            tapes.append(Tape(op, position, turns))
            value.replace_all_uses_with(tapes[-1].read(block, turn))
    for value in reversed(placeholders):
        block.erase_arg(value)  # pyright: ignore[reportArgumentType]
    Tape.record(op, tapes, turns)


@structure_rule("func.call")
def _(op: Operation, back: Backward) -> None:
    """A call that stayed because the callee names its own rule: operands, then cotangents -> gradients."""
    assert isinstance(op, CallOp)
    callee = SymbolTable.lookup_symbol(op, op.callee)
    if not isinstance(callee, FuncOp) or CUSTOM_GRADIENT not in callee.attributes:
        raise error("calls a function that cannot be inlined", op, hint="is it recursive, or only declared?")
    rule = SymbolTable.lookup_symbol(op, callee.attributes[CUSTOM_GRADIENT])  # pyright: ignore[reportArgumentType]
    if not isinstance(rule, FuncOp):
        raise error("names a function as its custom_grad that does not exist", callee)
    differentiable = [r for r in op.results if is_differentiable(r.type)]
    wanted = [v for v in op.operands if is_differentiable(v.type)]
    kinds = [v.type for v in (*op.operands, *differentiable)]
    if list(rule.function_type.inputs) != kinds or list(rule.function_type.outputs) != [
        v.type for v in wanted
    ]:
        raise error(
            f"is no rule for '@{callee.sym_name.data}': it has to take ({', '.join(map(str, kinds))}) and "
            f"give ({', '.join(str(v.type) for v in wanted)})",
            rule,
            hint="it takes the arguments and the results' cotangents, and gives those of the arguments",
        )
    seeds: list[Term] = [back.cotangent(r) or back.zeros(r) for r in differentiable]
    call = CallOp(rule.sym_name.data, [*op.operands, *(t.value for t in seeds)], [v.type for v in wanted])
    back.insert(call)
    for value, result in zip(wanted, call.results, strict=True):
        back.accumulate(value, back.term(result))
