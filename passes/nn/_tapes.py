"""Tapes of counted loops: what the way back reads of each turn, stacked in one tensor for each value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, scf, tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, DenseArrayBase, IndexType, IntegerAttr, TensorType, i64
from xdsl.ir import Attribute, Block, Operation, SSAValue

from lamina.dialects.core.diagnostics import error
from lamina.dialects.core.folding import int_of

_INDEX = IndexType()


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
        bounds = [int_of(v) for v in (loop.lb, loop.ub, loop.step)]
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
    """The stack of one value of a loop: ``[turns, …its shape]``."""

    def __init__(self, loop: scf.ForOp, value: SSAValue, turns: Turns) -> None:
        """``value`` stands for it where the way back reads it."""
        self.value = value
        self._kind = kind = value.type
        self._is_scalar = not isinstance(kind, TensorType)
        self._shape = tuple(kind.get_shape()) if isinstance(kind, TensorType) else ()
        if DYNAMIC_INDEX in self._shape:
            raise error(
                "carries a value of unknown shape, which cannot be stacked", loop, hint="run nn-set-shapes"
            )
        element = kind.element_type if isinstance(kind, TensorType) else kind
        count = DYNAMIC_INDEX if turns.count is None else turns.count
        self.type = TensorType(element, [count, *self._shape])
        size = [turns.number] if turns.count is None else []
        self.empty = _put_before(loop, tensor.EmptyOp(size, self.type))

    def read(self, tape: SSAValue, turn: SSAValue) -> Operation:
        """What a turn left, read from the whole tape."""
        if self._is_scalar:
            return tensor.ExtractOp(tape, [turn], self._kind)
        return tensor.ExtractSliceOp.build(
            operands=[tape, [turn], [], []],
            result_types=[self._kind],
            properties=_slice_properties(self._shape),
        )

    def written(self, block: Block, value: SSAValue, tape: SSAValue, turn: SSAValue) -> SSAValue:
        """The tape with a turn's value in it."""
        if self._is_scalar:
            return _append(block, tensor.InsertOp(value, tape, [turn]))
        op = tensor.InsertSliceOp.build(
            operands=[value, tape, [turn], [], []],
            result_types=[self.type],
            properties=_slice_properties(self._shape),
        )
        return _append(block, op)


def record(
    loop: scf.ForOp,
    forward: Sequence[Operation],
    gives: Sequence[SSAValue],
    started: Mapping[SSAValue, int],
    tapes: Sequence[Tape],
) -> list[SSAValue]:
    """Replace a loop by one that also fills tapes; returns these.

    Its turns are copies of ``forward``, which starts from values that are arguments of the loop's block, by
    number, and gives others to the next turn.
    """
    kinds = [argument.type for argument in loop.body.block.args]
    block = Block(arg_types=[*kinds, *(tape.type for tape in tapes)])
    stacks = block.args[len(kinds) :]
    values: dict[SSAValue, SSAValue] = {value: block.args[i] for value, i in started.items()}
    turn = _turn_number(loop, block)
    filled: dict[Tape, SSAValue] = {}
    for tape, stack in zip(tapes, stacks, strict=True):
        if tape.value in started:  # first of all: what is carried may be overwritten by the turn
            filled[tape] = tape.written(block, values[tape.value], stack, turn)
    for op in forward:
        block.add_op(op.clone(values))
    for tape, stack in zip(tapes, stacks, strict=True):
        if tape not in filled:
            filled[tape] = tape.written(block, values[tape.value], stack, turn)
    block.add_op(scf.YieldOp(*(values.get(v, v) for v in gives), *(filled[tape] for tape in tapes)))
    new = scf.ForOp(loop.lb, loop.ub, loop.step, [*loop.iter_args, *(t.empty for t in tapes)], block)
    _put_before(loop, new)
    for before, after in zip(loop.results, new.results, strict=False):
        before.replace_all_uses_with(after)
        after.name_hint = before.name_hint
    assert loop.parent is not None
    loop.parent.erase_op(loop)
    return list(new.results[len(loop.results) :])


def _turn_number(loop: scf.ForOp, block: Block) -> SSAValue:
    """Which turn the loop is in, counted from 0."""
    induction = block.args[0]
    low, step = int_of(loop.lb), int_of(loop.step)
    turn = induction if low == 0 else _append(block, arith.SubiOp(induction, loop.lb))
    turn = turn if step == 1 else _append(block, arith.DivSIOp(turn, loop.step))
    return turn if turn.type == _INDEX else _append(block, arith.IndexCastOp(turn, _INDEX))


def _slice_properties(shape: Sequence[int]) -> dict[str, Attribute]:
    return {
        "static_offsets": DenseArrayBase.from_list(i64, [DYNAMIC_INDEX, *[0] * len(shape)]),
        "static_sizes": DenseArrayBase.from_list(i64, [1, *shape]),
        "static_strides": DenseArrayBase.from_list(i64, [1] * (len(shape) + 1)),
    }
