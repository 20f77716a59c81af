"""Reverse mode through branches, counted loops and calls of functions with a rule of their own.

A branch is taken again on the way back, and its ops are computed anew there. A loop saves what the way back
needs of each turn (one stacked tensor, a tape, for each value) and runs backwards over the tapes.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import scf
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.traits import SymbolTable

from lamina.dialects.core.diagnostics import error
from lamina.dialects.nn.derivatives._terms import Term
from lamina.passes.framework.effects import is_dead
from lamina.passes.nn._activity import is_differentiable, read_values
from lamina.passes.nn._reverse import Backward, active_values, structure_rule
from lamina.passes.nn._saving import saved_values
from lamina.passes.nn._tapes import Tape, Turns, record

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
    assert isinstance(op, scf.ForOp)
    wanted = captured(op, back.active)
    _, *carried = op.body.block.args
    places = [i for i, value in enumerate(carried) if is_differentiable(value.type)]
    inputs = [op.iter_args[i] for i in places]
    turns = Turns.of(op)
    starts = [back.cotangent(op.results[i]) or back.zeros(op.results[i]) for i in places]
    starts += [back.zeros(v) for v in wanted]
    turn_back = _TurnBack(op, turns, [t.type for t in starts])
    inner = turn_back.run(back, wanted, places)
    results = [inner.cotangent(v) or inner.zeros(v) for v in (turn_back.started[i] for i in places)]
    for value, before in zip(wanted, turn_back.cotangents[len(places) :], strict=True):
        more = inner.cotangent(value)
        results.append(inner.term(before) if more is None else inner.term(before) + more)
    turn_back.block.add_op(scf.YieldOp(*(t.value for t in results)))
    turn_back.save()
    loop = scf.ForOp(turns.zero, turns.number, turns.one, [t.value for t in starts], turn_back.block)
    back.insert(loop)
    for value, result in zip([*inputs, *wanted], loop.results, strict=True):
        back.accumulate(value, back.term(result))


class _TurnBack:
    """The block that undoes one turn of a loop: the turn's own ops once more, then their way back.

    What a turn starts from are arguments of the block, until it is known what has to be saved.
    """

    def __init__(self, loop: scf.ForOp, turns: Turns, cotangents: Sequence[Attribute]) -> None:
        self._loop = loop
        self._turns = turns
        body = loop.body.block
        self.block = Block(arg_types=[turns.number.type, *cotangents, *(a.type for a in body.args[1:])])
        self.cotangents: Sequence[SSAValue] = self.block.args[1 : 1 + len(cotangents)]
        self.started: Sequence[SSAValue] = self.block.args[1 + len(cotangents) :]
        self._turn, self._induction = turns.reversed(self.block, self.block.args[0])
        values: dict[SSAValue, SSAValue] = dict(zip(body.args, [self._induction, *self.started], strict=True))
        self._front = {*self.block.ops}
        self._ops, self._given = _copy_of(body, self.block, values)
        self._marker = scf.YieldOp(*self._given)
        self.block.add_op(self._marker)

    def run(self, back: Backward, wanted: Sequence[SSAValue], places: Sequence[int]) -> Backward:
        """Take the cotangents through the turn; ``wanted`` is captured, ``places`` are carried values."""
        inputs = [*wanted, *(self.started[i] for i in places)]
        inner = back.within(self.block, active_values(self._ops, inputs, self._given) | {*inputs})
        for i, cotangent in zip(places, self.cotangents, strict=False):
            inner.accumulate(self._given[i], inner.term(cotangent))
        inner.run(self._ops)
        return inner

    def save(self) -> None:
        """Let the loop save what the way back needs, and the way back read it; the rest it computes anew."""
        self._erase_dead()
        ops = [op for op in self.block.ops if op not in self._front]
        forward = ops[: ops.index(self._marker)]
        saved = saved_values(forward, self._marker, self.started)
        tapes = [Tape(self._loop, value, self._turns) for value in saved]
        if tapes:
            started = {self._induction: 0} | {v: 1 + i for i, v in enumerate(self.started)}
            stacks = record(self._loop, forward, self._marker.operands, started, tapes)
            self._read(tapes, stacks)
        self._marker.detach()
        self._marker.erase()
        self._erase_dead()
        for value in reversed(self.started):
            self.block.erase_arg(value)  # pyright: ignore[reportArgumentType]

    def _read(self, tapes: Sequence[Tape], stacks: Sequence[SSAValue]) -> None:
        place = self._turn.owner
        assert isinstance(place, Operation)
        for tape, stack in zip(tapes, stacks, strict=True):
            read = tape.read(stack, self._turn)
            self.block.insert_op_after(read, place)
            tape.value.replace_all_uses_with(read.results[0])

    def _erase_dead(self) -> None:
        """Erase what nothing needs, but for the turn's number."""
        for op in reversed(list(self.block.ops)):
            if op not in (self._turn.owner, self._marker) and is_dead(op):
                self.block.erase_op(op)


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
