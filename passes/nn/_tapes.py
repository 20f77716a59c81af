"""Tapes of counted loops: what each turn starts from, stacked in one tensor for each value carried."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, scf, tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, DenseArrayBase, IndexType, IntegerAttr, TensorType, i64
from xdsl.ir import Attribute, Block, Operation, SSAValue

from lamina.dialects.core.diagnostics import error
from lamina.passes.framework.effects import is_dead

_INDEX = IndexType()


def erase_dead(block: Block, kept: SSAValue) -> None:
    """Erase the ops of a block that nothing needs, but for the one that gives ``kept``."""
    for op in reversed(list(block.ops)):
        if op is not kept.owner and is_dead(op):
            block.erase_op(op)


@dataclass(frozen=True)
class Turns:
    """How often a loop runs, as values in front of it: 0, the number of turns, 1."""

    loop: scf.ForOp
    zero: SSAValue
    number: SSAValue
    one: SSAValue
    count: int | None
    """The number of turns where it is known."""

    @classmethod
    def of(cls, loop: scf.ForOp) -> Turns:
        """Compute how often a loop runs, in front of it."""
        bounds = [_known(v) for v in (loop.lb, loop.ub, loop.step)]
        zero, one = (_put_before(loop, _constant(n)) for n in (0, 1))
        low, high, step = bounds
        if step == 0:
            raise error("has the step 0, so it never ends", loop)
        if low is not None and high is not None and step is not None:
            count = len(range(low, high, step))
            return cls(loop, zero, _put_before(loop, _constant(count)), one, count)
        extent = _put_before(loop, arith.SubiOp(loop.ub, loop.lb))
        number = _as_index(loop, _put_before(loop, arith.CeilDivSIOp(extent, loop.step)))
        number = _put_before(loop, arith.MaxSIOp(number, zero))
        return cls(loop, zero, number, one, None)

    def reversed(self, block: Block, number: SSAValue) -> tuple[SSAValue, SSAValue]:
        """For a turn of the way back: which turn of the loop it undoes, and the loop's induction value."""
        last = _append(block, arith.SubiOp(self.number, self.one))
        turn = _append(block, arith.SubiOp(last, number))
        kind, counted = self.loop.lb.type, turn
        if kind != _INDEX:
            counted = _append(block, arith.IndexCastOp(turn, kind))
        return turn, _append(
            block, arith.AddiOp(self.loop.lb, _append(block, arith.MuliOp(counted, self.loop.step)))
        )


def _known(value: SSAValue) -> int | None:
    owner = value.owner
    if isinstance(owner, arith.ConstantOp) and isinstance(owner.value, IntegerAttr):
        return owner.value.value.data
    return None


def _constant(number: int) -> arith.ConstantOp:
    return arith.ConstantOp(IntegerAttr(number, _INDEX))


def _put_before(loop: Operation, op: Operation) -> SSAValue:
    assert loop.parent is not None
    op.location = loop.location
    loop.parent.insert_op_before(op, loop)
    return op.results[0]


def _as_index(loop: Operation, value: SSAValue) -> SSAValue:
    return value if value.type == _INDEX else _put_before(loop, arith.IndexCastOp(value, _INDEX))


def _append(block: Block, op: Operation) -> SSAValue:
    block.add_op(op)
    return op.results[0]


class Tape:
    """The stack of one carried value: ``[turns, …its shape]``."""

    def __init__(self, loop: scf.ForOp, position: int, turns: Turns) -> None:
        self.position = position
        kind = loop.iter_args[position].type
        self._shape = tuple(kind.get_shape()) if isinstance(kind, TensorType) else ()
        self._is_scalar = not isinstance(kind, TensorType)
        if DYNAMIC_INDEX in self._shape:
            raise error(
                "carries a value of unknown shape, which cannot be stacked", loop, hint="run nn-set-shapes"
            )
        element = kind.element_type if isinstance(kind, TensorType) else kind
        count = DYNAMIC_INDEX if turns.count is None else turns.count
        self.type = TensorType(element, [count, *self._shape])
        self._kind = kind
        size = [turns.number] if turns.count is None else []
        self.empty = _put_before(loop, tensor.EmptyOp(size, self.type))
        # The loop does not give the tape yet: what reads it is connected by `record`.
        self._reads: list[Operation] = []

    def read(self, block: Block, turn: SSAValue) -> SSAValue:
        """What a turn started from, read at the beginning of a turn of the way back (after its numbers)."""
        if self._is_scalar:
            op: Operation = tensor.ExtractOp(self.empty, [turn], self._kind)
        else:
            op = tensor.ExtractSliceOp.build(
                operands=[self.empty, [turn], [], []],
                result_types=[self._kind],
                properties=_slice_properties(self._shape),
            )
        owner = turn.owner
        assert isinstance(owner, Operation)
        block.insert_op_after(op, owner)
        self._reads.append(op)
        return op.results[0]

    @staticmethod
    def record(loop: scf.ForOp, tapes: Sequence[Tape], turns: Turns) -> None:
        """Replace the loop by one that also fills the tapes, and let what reads them read its results."""
        if not tapes:
            return
        kinds = [argument.type for argument in loop.body.block.args]
        block = Block(arg_types=[*kinds, *(tape.type for tape in tapes)])
        old = loop.body.block
        values: dict[SSAValue, SSAValue] = dict(zip(old.args, block.args[: len(kinds)], strict=True))
        turn = _turn_number(loop, block)
        filled = [
            tape._written(block, block.args[1 + tape.position], stack, turn)
            for tape, stack in zip(tapes, block.args[len(kinds) :], strict=True)
        ]
        end = old.last_op
        assert end is not None
        for op in old.ops:
            if op is not end:
                block.add_op(op.clone(values))
        block.add_op(scf.YieldOp(*(values.get(v, v) for v in end.operands), *filled))
        new = scf.ForOp(loop.lb, loop.ub, loop.step, [*loop.iter_args, *(t.empty for t in tapes)], block)
        _put_before(loop, new)
        for before, after in zip(loop.results, new.results, strict=False):
            before.replace_all_uses_with(after)
            after.name_hint = before.name_hint
        for tape, result in zip(tapes, new.results[len(loop.results) :], strict=True):
            for op in tape._reads:
                op.operands[0] = result
        assert loop.parent is not None
        loop.parent.erase_op(loop)

    def _written(self, block: Block, value: SSAValue, stack: SSAValue, turn: SSAValue) -> SSAValue:
        if self._is_scalar:
            return _append(block, tensor.InsertOp(value, stack, [turn]))
        op = tensor.InsertSliceOp.build(
            operands=[value, stack, [turn], [], []],
            result_types=[self.type],
            properties=_slice_properties(self._shape),
        )
        return _append(block, op)


def _turn_number(loop: scf.ForOp, block: Block) -> SSAValue:
    """Which turn the loop is in, counted from 0."""
    induction = block.args[0]
    low, step = _known(loop.lb), _known(loop.step)
    turn = induction if low == 0 else _append(block, arith.SubiOp(induction, loop.lb))
    turn = turn if step == 1 else _append(block, arith.DivSIOp(turn, loop.step))
    return turn if turn.type == _INDEX else _append(block, arith.IndexCastOp(turn, _INDEX))


def _slice_properties(shape: Sequence[int]) -> dict[str, Attribute]:
    return {
        "static_offsets": DenseArrayBase.from_list(i64, [DYNAMIC_INDEX, *[0] * len(shape)]),
        "static_sizes": DenseArrayBase.from_list(i64, [1, *shape]),
        "static_strides": DenseArrayBase.from_list(i64, [1] * (len(shape) + 1)),
    }
