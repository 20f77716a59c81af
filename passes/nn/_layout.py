"""Tensors held channels-last, and the bookkeeping of a rewrite that holds more and more of them so.

A tensor with the (logical) dimensions ``[N, C…, S…]``, batch, channels and spatial ones, is held as
``[N, S…, C…]``. There may be several channel dimensions, as between the reshapes of a channel shuffle.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.traits import is_side_effect_free

from lamina.dialects.core.constants import constant_attr, constant_value
from lamina.dialects.nn.base import DYNAMIC, NnOp, make
from lamina.dialects.nn.constant import ConstantOp


@dataclass(frozen=True)
class Last:
    """A tensor held channels-last: the value, and how many of its dimensions are channels."""

    value: SSAValue
    channels: int = 1


def extents(value: SSAValue) -> tuple[int, ...]:
    """The shape of a tensor value, with :data:`DYNAMIC` for unknown extents."""
    assert isinstance(value.type, TensorType)
    return tuple(value.type.get_shape())


def to_last(rank: int, channels: int = 1) -> list[int]:
    """The permutation that moves the channels behind the spatial dimensions."""
    return [0, *range(channels + 1, rank), *range(1, channels + 1)]


def to_first(rank: int, channels: int = 1) -> list[int]:
    """The permutation that moves the channels back before the spatial dimensions."""
    return [0, *range(rank - channels, rank), *range(1, rank - channels)]


def held_axis(axis: int, rank: int, channels: int) -> int:
    """Where a logical dimension is in the tensor that is held."""
    return to_last(rank, channels).index(axis % rank)


def permuted_type(kind: Attribute, permutation: Sequence[int]) -> TensorType[Any]:
    """A tensor type with its dimensions in another order."""
    assert isinstance(kind, TensorType)
    shape = kind.get_shape()
    return TensorType(kind.element_type, [shape[d] for d in permutation])


def elements(value: SSAValue) -> int:
    """The number of elements of a tensor, unknown extents counted as 1."""
    return math.prod(1 if e == DYNAMIC else e for e in extents(value))


def moves_nothing(shape: Sequence[int], permutation: Sequence[int]) -> bool:
    """Whether a transpose only moves extents of 1."""
    kept = [d for d in permutation if shape[d] != 1]
    return kept == sorted(kept)


class Propagation:
    """The values of one block that have a channels-last form, and the ops that this replaces."""

    def __init__(self, block: Block) -> None:
        self.block = block
        self.last: dict[SSAValue, Last] = {}
        """Values that are held channels-last anyway, so that using the form costs nothing."""
        self.conversions = 0
        """Ops that compute channels-last now."""
        self._converted: dict[tuple[SSAValue, int, int, bool], SSAValue] = {}
        self._weights: dict[tuple[SSAValue, tuple[int, ...]], SSAValue] = {}
        self._replaced: list[Operation] = []

    def form(self, value: SSAValue, rank: int | None = None) -> Last | None:
        """The channels-last form a value has (of a rank, if given), or None."""
        found = self.last.get(value)
        return found if found is not None and rank in (None, len(extents(value))) else None

    def held(
        self, value: SSAValue, rank: int, channels: int, at: Operation, full_rank: bool = False
    ) -> SSAValue:
        """A value channels-last: its form, a constant in that order, or a transpose before ``at``.

        A value of lower rank is taken as broadcast to ``rank`` at the front. Where ``full_rank`` is not
        demanded, the result may have lower rank again.
        """
        found = self.last.get(value)
        if found is not None and found.channels == channels and len(extents(value)) == rank:
            return found.value
        key = (value, rank, channels, full_rank)
        if key not in self._converted:
            self._converted[key] = self._conversion(value, rank, channels, at, full_rank)
        return self._converted[key]

    def _conversion(
        self, value: SSAValue, rank: int, channels: int, at: Operation, full_rank: bool
    ) -> SSAValue:
        if not full_rank and all(e == 1 for e in extents(value)):
            return value
        order = to_last(rank, channels)
        array = constant_value(value)
        if array is not None:
            array = array.reshape((1,) * (rank - array.ndim) + array.shape).transpose(order)
            while not full_rank and array.ndim and array.shape[0] == 1:
                array = array[0]
            return self._constant(array, value, at)
        missing = rank - len(extents(value))
        if missing:
            shape = [1] * missing + [-1 if e == DYNAMIC else e for e in extents(value)]
            value = self.emit(at, "nn.reshape", [value], shape=shape).results[0]
        return self.transposed(value, order, at)

    def weight(self, value: SSAValue, permutation: Sequence[int], at: Operation) -> SSAValue:
        """A value with its dimensions in another order: a constant if it is one."""
        key = (value, tuple(permutation))
        if key not in self._weights:
            array = constant_value(value)
            if array is None:
                self._weights[key] = self.transposed(value, permutation, at)
            else:
                self._weights[key] = self._constant(array.transpose(permutation), value, at)
        return self._weights[key]

    def _constant(self, array: np.ndarray, like: SSAValue, at: Operation) -> SSAValue:
        kind = like.type
        assert isinstance(kind, TensorType)
        constant = ConstantOp.of(constant_attr(array, TensorType(kind.element_type, array.shape)))
        constant.location = at.location
        constant.result.name_hint = like.name_hint
        self.block.insert_op_before(constant, at)
        return constant.result

    def transposed(self, value: SSAValue, permutation: Sequence[int], at: Operation | None) -> SSAValue:
        """A transpose before ``at`` (or first in the block); a reshape where only extents of 1 move."""
        shape = extents(value)
        if list(permutation) == list(range(len(shape))):
            return value
        kind = permuted_type(value.type, permutation)
        wanted = [-1 if shape[d] == DYNAMIC else shape[d] for d in permutation]
        if moves_nothing(shape, permutation) and wanted.count(-1) <= 1:
            made = make("nn.reshape", [value], [kind], shape=wanted)
        else:
            made = make("nn.transpose", [value], [kind], permutation=list(permutation))
        self._insert(made, at)
        return made.results[0]

    def emit(
        self,
        at: Operation,
        name: str,
        operands: Sequence[SSAValue],
        result_types: Sequence[Attribute] | None = None,
        **attributes: Any,
    ) -> NnOp:
        """A new op before ``at``, with its location and discardable attributes."""
        made = make(name, operands, result_types, **attributes)
        made.attributes.update(at.attributes)
        for new, old in zip(made.results, at.results, strict=False):
            new.name_hint = old.name_hint
        self._insert(made, at)
        made.location = at.location
        return made

    def _insert(self, op: Operation, at: Operation | None) -> None:
        if at is not None:
            op.location = at.location
            self.block.insert_op_before(op, at)
        elif self.block.first_op is not None:
            self.block.insert_op_before(op, self.block.first_op)
        else:
            self.block.add_op(op)

    def replace(self, op: Operation, results: Sequence[Last | SSAValue]) -> None:
        """Let an op's results be held channels-last, or be other values altogether."""
        self._replaced.append(op)
        self.conversions += 1
        for old, new in zip(op.results, results, strict=True):
            if isinstance(new, Last):
                self.last[old] = new
            else:
                old.replace_all_uses_with(new)

    def finish(self) -> None:
        """Transpose back what remaining ops use, and erase what is not needed any more."""
        replaced = set(self._replaced)
        for op in self._replaced:
            for old in op.results:
                uses = [use for use in old.uses if use.operation not in replaced]
                if uses:
                    value = self._logical(self.last[old], old)
                    for use in uses:
                        use.operation.operands[use.index] = value
        for op in reversed(self._replaced):
            self.block.erase_op(op)
        for op in reversed([*self.block.ops]):
            if isinstance(op, NnOp) and is_side_effect_free(op) and not any(r.first_use for r in op.results):
                self.block.erase_op(op)

    def _logical(self, form: Last, old: SSAValue) -> SSAValue:
        """The value in its logical order, made right after the form it is held in."""
        owner = form.value.owner
        after = owner.next_op if isinstance(owner, Operation) and owner.parent is self.block else None
        value = self.transposed(form.value, to_first(len(extents(old)), form.channels), after)
        value.name_hint = old.name_hint
        return value
