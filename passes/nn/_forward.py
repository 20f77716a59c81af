"""Forward mode over the ops of a block: tangents from inputs on to what depends on them."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import scf
from xdsl.dialects.builtin import LocationAttr
from xdsl.dialects.func import ReturnOp
from xdsl.ir import Block, Operation, Region, SSAValue

from lamina.dialects.core.diagnostics import error
from lamina.dialects.nn.base import derivative, expansion, tangent
from lamina.dialects.nn.derivatives._rules import Adjoint, Forward, Reverse, Tangent
from lamina.dialects.nn.derivatives._terms import Insert, Term
from lamina.passes.nn._activity import is_differentiable
from lamina.passes.nn._reverse import Backward, active_values
from lamina.passes.nn.nn_expand import expand


class Pushforward:
    """Tangents by value; the ops that compute them go right behind what they differentiate."""

    def __init__(self, block: Block, active: set[SSAValue]) -> None:
        self._block = block
        self._next: Operation | None = block.first_op
        self._active = active
        self._location: LocationAttr | None = None
        self.tangents: dict[SSAValue, Term] = {}

    def insert(self, op: Operation) -> None:
        """Put an op where it goes, at the location of what it differentiates."""
        if self._location is not None:
            op.location = self._location
        if self._next is None:
            self._block.add_op(op)
        else:
            self._block.insert_op_before(op, self._next)

    def term(self, value: SSAValue) -> Term:
        """A value of the program for a rule to compute with."""
        return Term(value, self.insert)

    def tangent(self, value: SSAValue) -> Term:
        """A value's tangent, zeros where it has none."""
        return self.tangents.get(value) or self.term(value).splat(0.0)

    def move_to(self, op: Operation) -> None:
        """Let further ops go in front of an op."""
        self._next = op

    def run(self, ops: Sequence[Operation]) -> None:
        """Take tangents through ops, from the first to the last."""
        for op in ops:
            if not any(r in self._active for r in op.results):
                continue
            self._next = op.next_op
            self._location = op.location
            if op.name in _STRUCTURE:
                _STRUCTURE[op.name](self, op)
            elif any(v in self.tangents for v in op.operands):
                self._through(op)

    def _through(self, op: Operation) -> None:
        at = Tangent(
            op,
            tuple(self.term(v) for v in op.operands),
            tuple(self.term(r) for r in op.results),
            tuple(self.tangents.get(v) for v in op.operands),
        )
        rule: Forward | None = tangent.get(op.name)
        found = transposed(at, self.insert) if rule is None else rule(at)
        for result, value in zip(op.results, found, strict=True):
            if value is not None and is_differentiable(result.type):
                self.tangents[result] = self.term(value.value)


def transposed(at: Tangent, insert: Insert) -> list[Term | None]:
    """The tangents of an op's results by the transpose of its reverse rule, which is linear in cotangents.

    The rule is applied to unknown cotangents, and differentiated by these; what depends on them goes.
    """
    rule: Reverse | None = derivative.get(at.op.name)
    assert rule is not None, f"check_rules was not asked about {at.op.name}"
    block = Block(arg_types=[r.type for r in at.op.results])
    wanted = [t is not None for t in at.tangents]
    cotangents = rule(
        Adjoint(
            at.op,
            tuple(Term(x.value, block.add_op) for x in at.operands),
            tuple(Term(y.value, block.add_op) for y in at.results),
            tuple(Term(g, block.add_op) for g in block.args),
            tuple(wanted),
        )
    )
    pairs = [(c, t) for c, t in zip(cotangents, at.tangents, strict=True) if c is not None and t is not None]
    given = ReturnOp(*(c.value for c, _ in pairs))  # keeps them while ops are replaced
    block.add_op(given)
    for op in list(block.ops):
        if op.name not in derivative and op.name in expansion:
            expand(op)
    values = list(given.operands)
    block.erase_op(given)
    ops = list(block.ops)
    back = Backward(block.add_op, active_values(ops, block.args, values) | {*block.args})
    for value, (_, direction) in zip(values, pairs, strict=True):
        back.accumulate(value, direction)
    back.run(ops)
    found = [back.cotangent(g) for g in block.args]
    for unknown, result in zip(block.args, at.op.results, strict=True):
        unknown.replace_all_uses_with(result)  # only their shapes can matter still: the rule is linear
    _move_needed(block, [t.value for t in found if t is not None], insert)
    return found


def _move_needed(block: Block, values: Sequence[SSAValue], insert: Insert) -> None:
    """Insert the ops of a block that values need; the others are erased."""
    needed: set[Operation] = set()
    pending = [v.owner for v in values]
    while pending:
        owner = pending.pop()
        if isinstance(owner, Operation) and owner.parent is block and owner not in needed:
            needed.add(owner)
            pending += [v.owner for v in owner.operands]
    for op in reversed(list(block.ops)):
        if op not in needed:
            block.erase_op(op)
    for op in list(block.ops):
        op.detach()
        insert(op)


def _branch(state: Pushforward, op: Operation) -> None:
    """A branch is taken again for the tangents of its results."""
    assert isinstance(op, scf.IfOp)
    places = [i for i, r in enumerate(op.results) if is_differentiable(r.type)]
    regions: list[Region] = []
    for region in (op.true_region, op.false_region):
        block = Block()
        values: dict[SSAValue, SSAValue] = {}
        given = _forward_copy(state, region.block, block, values, {})
        block.add_op(scf.YieldOp(*(given[1][i] for i in places)))
        regions.append(Region(block))
    made = scf.IfOp(op.cond, [op.results[i].type for i in places], regions[0], regions[1])
    state.insert(made)
    for i, result in zip(places, made.results, strict=True):
        state.tangents[op.results[i]] = state.term(result)


def _loop(state: Pushforward, op: Operation) -> None:
    """A loop carries the tangents beside what it carries; it takes the old loop's place."""
    assert isinstance(op, scf.ForOp) and op.parent is not None
    old = op.body.block
    places = [i for i, v in enumerate(op.iter_args) if is_differentiable(v.type)]
    starts = [state.tangent(op.iter_args[i]).value for i in places]
    block = Block(arg_types=[*(a.type for a in old.args), *(s.type for s in starts)])
    values: dict[SSAValue, SSAValue] = dict(zip(old.args, block.args[: len(old.args)], strict=True))
    carried: dict[SSAValue, SSAValue] = dict(
        zip((old.args[1 + i] for i in places), block.args[len(old.args) :], strict=True)
    )
    given, tangents = _forward_copy(state, old, block, values, carried)
    block.add_op(scf.YieldOp(*given, *(tangents[i] for i in places)))
    made = scf.ForOp(op.lb, op.ub, op.step, [*op.iter_args, *starts], block)
    state.insert(made)
    for i, result in zip(places, made.results[len(op.results) :], strict=True):
        state.tangents[made.results[i]] = state.term(result)
    for before, after in zip(op.results, made.results, strict=False):
        before.replace_all_uses_with(after)
    op.parent.erase_op(op)


def _forward_copy(
    state: Pushforward,
    old: Block,
    block: Block,
    values: dict[SSAValue, SSAValue],
    carried: dict[SSAValue, SSAValue],
) -> tuple[list[SSAValue], dict[int, SSAValue]]:
    """A block's ops copied with those of their tangents: what it gives, and the tangents of that by place."""
    end = old.last_op
    assert end is not None
    ops: list[Operation] = []
    for op in old.ops:
        if op is not end:
            ops.append(op.clone(values))
            block.add_op(ops[-1])
    # The terminator stands for what the copy gives while loops in it are replaced.
    gives = scf.YieldOp(*(values.get(v, v) for v in end.operands))
    block.add_op(gives)
    starts = {v: t.value for v, t in state.tangents.items()} | {values[v]: t for v, t in carried.items()}
    inner = Pushforward(block, active_values(ops, starts, gives.operands))
    inner.tangents = {v: inner.term(t) for v, t in starts.items()}
    inner.run(ops)
    inner.move_to(gives)
    given = list(gives.operands)
    places = {i: inner.tangent(v).value for i, v in enumerate(given) if is_differentiable(v.type)}
    block.erase_op(gives)
    return given, places


def _call(state: Pushforward, op: Operation) -> None:
    hint = "a rule of reverse mode has no forward form: drop custom_grad, or use nn-grad"
    raise error("calls a function with a rule of its own, or one that cannot be inlined", op, hint=hint)


_STRUCTURE = {"scf.if": _branch, "scf.for": _loop, "func.call": _call}
