"""Transfers as loads and stores of rows, and of scalars where the rows do not lie in one piece."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import memref, tensor, vector
from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    BoolAttr,
    MemRefType,
    NoneAttr,
    TensorType,
    VectorType,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap

from lamina.dialects.core.constants import constant_value
from lamina.lowering.vector._emitter import Index
from lamina.lowering.vector._rows import Rows, lowers, positions, row_type, shape_of
from lamina.lowering.vector._rows_shapes import is_of_squares, transposed


class _Place:
    """A buffer (or tensor) and the position of a vector's first element in it."""

    def __init__(self, rows: Rows, op: vector.TransferReadOp | vector.TransferWriteOp) -> None:
        self.rows = rows
        self.base: SSAValue = op.source
        self.start = [known_index(index) for index in op.indices]
        self.along = [
            e.position if isinstance(e, AffineDimExpr) else None for e in op.permutation_map.data.results
        ]
        self._loaded: dict[tuple[int, ...], SSAValue] = {}

    @property
    def in_memory(self) -> bool:
        return isinstance(self.base.type, MemRefType)

    @property
    def contiguous(self) -> bool:
        """Whether neighbours in the last dimension are neighbours in memory (in tensors they are)."""
        kind = self.base.type
        if not isinstance(kind, MemRefType) or isinstance(kind.layout, NoneAttr):
            return True
        strides = kind.get_strides()
        return strides is not None and strides[-1] == 1

    def key(self, at: Sequence[int]) -> tuple[int, ...]:
        """A vector position without the dimensions that repeat: equal keys are one place in memory."""
        return tuple(0 if dim is None else i for dim, i in zip(self.along, at, strict=True))

    def indices(self, at: Sequence[int]) -> list[SSAValue]:
        """The indices of the element at a vector position."""
        found = list(self.start)
        for dim, step in zip(self.along, at, strict=True):
            if dim is not None and step:
                found[dim] = self.rows.emitter.add(found[dim], step)
        return [self.rows.emitter.index(index) for index in found]

    def load(self, at: Sequence[int]) -> SSAValue:
        """One element, loaded once however often it is asked for."""
        key = self.key(at)
        if key not in self._loaded:
            indices = self.indices(key)
            if isinstance(self.base.type, MemRefType):
                op = memref.LoadOp.get(self.base, indices)
            else:
                assert isinstance(self.base.type, TensorType)
                op = tensor.ExtractOp(self.base, indices, self.base.type.element_type)
            self._loaded[key] = self.rows.value(op)
        return self._loaded[key]

    def load_row(self, at: Sequence[int], type_: VectorType) -> SSAValue:
        """The contiguous elements from a vector position on."""
        key = self.key((*at, 0))
        if key not in self._loaded:
            indices = self.indices(key)
            if self.in_memory:
                op: Operation = vector.LoadOp(self.base, indices, type_)
            else:
                padding = self.rows.emitter.number(0, type_.element_type)
                op = vector.TransferReadOp(
                    self.base, indices, padding, type_, _BOUNDS, permutation_map=_minor(len(indices))
                )
            self._loaded[key] = self.rows.value(op)
        return self._loaded[key]

    def store(self, value: SSAValue, at: Sequence[int]) -> None:
        """Write one element."""
        indices = self.indices(at)
        if self.in_memory:
            self.rows.emitter.insert(memref.StoreOp.get(value, self.base, indices))
        else:
            self.base = self.rows.value(tensor.InsertOp(value, self.base, indices))

    def store_row(self, row: SSAValue, at: Sequence[int]) -> None:
        """Write contiguous elements from a vector position on."""
        indices = self.indices((*at, 0))
        if self.in_memory:
            self.rows.emitter.insert(vector.StoreOp(row, self.base, indices))
        else:
            assert isinstance(self.base.type, TensorType)
            write = vector.TransferWriteOp(
                row,
                self.base,
                indices,
                _BOUNDS,
                permutation_map=_minor(len(indices)),
                result_type=self.base.type,
            )
            self.base = self.rows.value(write)


def known_index(value: SSAValue) -> Index:
    """An index as a number, where it is a constant."""
    array = constant_value(value)
    return value if array is None else int(array)


_BOUNDS = ArrayAttr([BoolAttr.from_bool(True)])


def _minor(rank: int) -> AffineMapAttr:
    return AffineMapAttr(AffineMap(rank, 0, (AffineDimExpr(rank - 1),)))


@lowers(vector.TransferReadOp)
def _read(rows: Rows, op: Operation) -> bool:
    assert isinstance(op, vector.TransferReadOp)
    if not _is_simple(op):
        return False
    place, shape, type_ = _Place(rows, op), shape_of(op.result.type), row_type(op.result.type)
    leading = positions(shape[:-1])
    last = len(place.start) - 1
    if place.along[-1] == last and shape[-1] > 1 and place.contiguous:
        made = [place.load_row(at, type_) for at in leading]
    elif place.along[-1] is None:
        made = [rows.value(vector.BroadcastOp(place.load((*at, 0)), type_)) for at in leading]
    elif len(shape) == 2 and place.along[0] == last and is_of_squares(shape) and place.contiguous:
        place.along.reverse()
        row = VectorType(type_.element_type, shape[:1])
        held = [place.load_row((at,), row) for at in range(shape[1])]
        made = transposed(rows, held, (shape[1], shape[0]), (1, 0))
    else:
        made = [rows.row([place.load((*at, i)) for i in range(shape[-1])]) for at in leading]
    rows.define(op.result, made)
    return True


@lowers(vector.TransferWriteOp)
def _write(rows: Rows, op: Operation) -> bool:
    assert isinstance(op, vector.TransferWriteOp)
    if not _is_simple(op):
        return False
    place, shape = _Place(rows, op), shape_of(op.vector.type)
    values = rows.of(op.vector)
    last = len(place.start) - 1
    if len(shape) == 2 and place.along[0] == last and is_of_squares(shape) and place.contiguous:
        values = transposed(rows, values, shape, (1, 0))
        place.along.reverse()
        shape = (shape[1], shape[0])
    for at, row in zip(positions(shape[:-1]), values, strict=True):
        if place.along[-1] == last and place.contiguous:
            place.store_row(row, at)
        else:
            for i in range(shape[-1]):
                place.store(rows.element(row, i), (*at, i))
    if op.result is not None:
        op.result.replace_all_uses_with(place.base)
    return True


def _is_simple(op: vector.TransferReadOp | vector.TransferWriteOp) -> bool:
    """Whether a transfer touches memory in bounds only, without a mask, element by element."""
    type_ = op.result.type if isinstance(op, vector.TransferReadOp) else op.vector.type
    whole = all(bool(flag.value.data) for flag in op.in_bounds)
    return whole and op.mask is None and bool(shape_of(type_)) and not isinstance(element_of(op), VectorType)


def element_of(op: vector.TransferReadOp | vector.TransferWriteOp) -> Attribute:
    """The element type of the buffer or tensor of a transfer."""
    assert isinstance(op.source.type, MemRefType | TensorType)
    return op.source.type.element_type
