"""What a loop saves for its way back, and what the way back computes anew.

Results of an op are saved where computing them anew costs more than reading them: products, convolutions,
reductions, elementary functions. Cheap ops are repeated where they make more than they take from what is
there anyway: a broadcast is not saved, and neither is what does not change from turn to turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import DYNAMIC_INDEX, AnyFloat, IndexType, IntegerType, TensorType
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue

from lamina.passes.nn._activity import read_values

_MOVED = "broadcast_to cast concat dynamic_slice pad reshape slice squeeze tile transpose unsqueeze"
_COMPUTED = "abs add greater greater_equal equal less less_equal logical_and logical_not logical_or"
_COMPUTED += " maximum minimum mul neg not_equal relu select sign sub constant arange"
CHEAP = {f"nn.{name}" for name in f"{_MOVED} {_COMPUTED}".split()} | {"tensor.extract_slice"}


def can_be_stacked(kind: Attribute) -> bool:
    """Whether values of a type fit into a tensor with a dimension more."""
    if isinstance(kind, TensorType):
        return DYNAMIC_INDEX not in kind.get_shape()
    return isinstance(kind, AnyFloat | IntegerType | IndexType)


def saved_values(
    forward: Sequence[Operation], marker: Operation, given: Sequence[SSAValue]
) -> list[SSAValue]:
    """The values to save of a turn's ops, which stand in front of ``marker``; behind it stands the way back.

    ``given`` is what the turn starts from. Of it, too, only what is read is saved.
    """
    own = {result for op in forward for result in op.results} | {*given}
    ops = {*forward}
    needed = {v for v in own if any(_is_behind(use.operation, marker, ops) for use in v.uses)}
    changing = _changing(forward, given)
    saved: list[SSAValue] = []
    for op in reversed(forward):
        wanted = [result for result in op.results if result in needed]
        if not wanted:
            continue
        reads = [value for value in read_values(op) if value in own]
        if _is_repeated(op, wanted, [v for v in reads if v not in needed and v in changing], changing):
            needed.update(reads)
        else:
            saved += wanted
    return [*(value for value in given if value in needed), *reversed(saved)]


def _is_repeated(
    op: Operation, wanted: Sequence[SSAValue], missing: Sequence[SSAValue], changing: set[SSAValue]
) -> bool:
    """Whether the way back computes an op's results anew; ``missing`` would be saved just for this."""
    if not all(can_be_stacked(value.type) for value in wanted):
        return True
    if not any(value in changing for value in wanted):
        return True
    if op.name not in CHEAP and any(isinstance(value.type, TensorType) for value in op.results):
        return False
    return sum(map(_elements, missing)) < sum(map(_elements, wanted))


def _elements(value: SSAValue) -> int:
    return prod(value.type.get_shape()) if isinstance(value.type, TensorType) else 1


def _changing(forward: Sequence[Operation], given: Sequence[SSAValue]) -> set[SSAValue]:
    """The values that may differ from turn to turn: those that depend on what is carried, or on the turn."""
    block = forward[0].parent if forward else None
    outside = {*forward}
    changing = {*given}
    for op in forward:
        reads = read_values(op)
        if any(v in changing or _is_number_of_turn(v, block, outside) for v in reads):
            changing.update(op.results)
    return changing


def _is_number_of_turn(value: SSAValue, block: Block | None, forward: set[Operation]) -> bool:
    """Whether a value is one that the way back computes of its own turn, in front of the turn's ops."""
    if isinstance(value, BlockArgument):
        return value.owner is block
    return isinstance(value.owner, Operation) and value.owner.parent is block and value.owner not in forward


def _is_behind(op: Operation, marker: Operation, forward: set[Operation]) -> bool:
    """Whether an op, or the one around it, belongs to the way back."""
    while op.parent is not marker.parent:
        parent = op.parent_op()
        assert parent is not None
        op = parent
    return op is not marker and op not in forward
