"""Rows whose elements stand apart: read side by side and thinned out, in an order of lanes that is cheap.

Registers of x86 consist of parts of 128 bits, and shuffles that stay inside of these are the cheap ones. Of
two registers they pick every second element, but not in order: for eight f32 as 0 1 4 5 2 3 6 7. Where a
root's lanes do not know each other, it is computed in that order, and its results are put back once.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects import vector
from xdsl.dialects.builtin import DenseArrayBase, TensorType, VectorType, i64
from xdsl.dialects.linalg.ops import IndexOp
from xdsl.ir import SSAValue

from lamina.lowering.vector._access import Structured
from lamina.lowering.vector._cost import bits_of
from lamina.lowering.vector._emitter import Emitter
from lamina.lowering.vector._schedule import Schedule

_PART_BITS = 128
_STRIDE = 2


def thinned_out(emitter: Emitter, parts: Sequence[tuple[int, SSAValue]], wanted: Sequence[int]) -> SSAValue:
    """A row of elements out of rows of that size.

    ``parts`` are pairs of where a row starts and the row; ``wanted`` says where the elements stand.
    """
    (begin, made), *rest = parts
    assert isinstance(made.type, VectorType)
    row = made.type
    size = len(wanted)
    held = [place - begin if place - begin < size else None for place in wanted]
    for start, part in rest:
        new = [size + place - start if 0 <= place - start < size else None for place in wanted]
        picked = [there if here is None else here for here, there in zip(held, new, strict=True)]
        mask = DenseArrayBase.from_list(i64, [index or 0 for index in picked])
        made = emitter.value(vector.ShuffleOp(made, part, mask, result_type=row))
        held = [None if index is None else lane for lane, index in enumerate(picked)]
    return made


def cheap_order(root: Structured, schedule: Schedule) -> tuple[int, ...]:
    """The order in which a root's lanes are computed, () for their own.

    What is read has to be the same for all lanes, or every second element of a row.
    """
    loop = schedule.vector
    size = schedule.tile[loop]
    if loop in root.reductions or not root.reductions or root.sizes[loop] < size:
        return ()
    if any(isinstance(op, IndexOp) for op in root.body.ops):
        return ()
    moving = [i for i in root.used_inputs() if any(e.coefficient(loop) for e in root.input_accesses[i])]
    for i in moving:
        *leading, last = root.input_accesses[i]
        if last.coefficient(loop) != _STRIDE or any(e.coefficient(loop) for e in leading):
            return ()
    kinds = {root.inputs[i].type for i in moving}
    bits = {bits_of(kind.element_type) for kind in kinds if isinstance(kind, TensorType)}
    if len(bits) != 1:
        return ()
    half = _PART_BITS // bits.pop() // 2
    if not half or size % (2 * half):
        return ()
    starts = [first + begin for begin in range(0, size // 2, half) for first in (0, size // 2)]
    return tuple(start + lane for start in starts for lane in range(half))


def put_back(emitter: Emitter, value: SSAValue, order: Sequence[int]) -> SSAValue:
    """A vector whose innermost dimension stands in an order, in its own one."""
    assert isinstance(value.type, VectorType)
    *leading, size = value.type.get_shape()
    row = VectorType(value.type.element_type, [size])
    mask = DenseArrayBase.from_list(i64, [order.index(lane) for lane in range(size)])
    if not leading:
        return emitter.value(vector.ShuffleOp(value, value, mask, result_type=row))
    whole = emitter.number(0, row.element_type, value.type.get_shape())
    for at in np.ndindex(*leading):
        held = emitter.value(vector.ExtractOp(value, at, row))
        held = emitter.value(vector.ShuffleOp(held, held, mask, result_type=row))
        whole = emitter.value(vector.InsertOp(held, whole, at))
    return whole
