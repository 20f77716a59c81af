"""Rules for transfers between flat vectors and memrefs: plain, masked, strided, or one element repeated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import llvm, vector
from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    IntegerAttr,
    TensorType,
    VectorType,
    i64,
)
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr

from lamina.dialects.core.diagnostics import error
from lamina.dialects.llvm.memory import LoadOp, StoreOp
from lamina.dialects.llvm.transfers import MaskedGatherOp, MaskedLoadOp, MaskedScatterOp, MaskedStoreOp
from lamina.lowering.llvm._addresses import INBOUNDS_NUW, NO_FLAGS, Part
from lamina.lowering.llvm._constants import broadcast, length, vector_of
from lamina.lowering.llvm._conversion import Conversion, Rule
from lamina.lowering.llvm._descriptors import element_address
from lamina.lowering.llvm._memory import access_properties
from lamina.lowering.llvm._types import require_flat
from lamina.lowering.llvm._values import constant_integer
from lamina.lowering.llvm._vector_memory import aligned_access, lane_addresses, lanes_below, masked_alignment
from lamina.lowering.llvm._vector_values import lane


@dataclass
class Transfer:
    """A transfer between a flat vector and a memref: what its permutation map and bounds ask for."""

    op: Operation
    base: SSAValue
    indices: Sequence[SSAValue]
    vector: VectorType
    """The vector's converted type."""
    mask: SSAValue | None
    """The given mask, converted."""

    @property
    def dimension(self) -> int | None:
        """The dimension of the memref along the vector; None where one element is repeated."""
        map = self.op.properties["permutation_map"]
        assert isinstance(map, AffineMapAttr)
        if not map.data.results:
            return None
        match map.data.results[0]:
            case AffineDimExpr(position):
                return position
            case AffineConstantExpr():
                return None
            case _:
                raise error("has a permutation map that is no permutation", self.op)

    @property
    def in_bounds(self) -> bool:
        """Whether all lanes are known to lie inside the memref."""
        flags = self.op.properties.get("in_bounds")
        return isinstance(flags, ArrayAttr) and all(
            isinstance(f, IntegerAttr) and f.value.data for f in flags
        )

    def contiguous(self, conversion: Conversion) -> bool:
        """Whether the lanes stand one after the other in memory."""
        dimension = self.dimension
        return dimension is not None and conversion.descriptor(self.base).stride(conversion, dimension) == 1

    def lanes(self, conversion: Conversion) -> SSAValue | None:
        """The mask of the lanes to transfer, None for all."""
        mask = self.mask
        dimension = self.dimension
        if self.in_bounds or dimension is None:
            return mask
        inside = lanes_below(conversion, self._remaining(conversion, dimension), length(self.vector))
        return inside if mask is None else conversion.emit(llvm.AndOp, (inside, mask), inside.type)

    def _remaining(self, conversion: Conversion, dimension: int) -> Part:
        """How many elements there are from the first lane to the end of the dimension."""
        size = conversion.descriptor(self.base).size(conversion, dimension)
        index = constant_integer(self.indices[dimension])
        if isinstance(size, int) and index is not None:
            return size - index
        size_value = conversion.constant(size) if isinstance(size, int) else size
        return conversion.emit(llvm.SubOp, (size_value, conversion.value(self.indices[dimension])), i64)

    def pointer(self, conversion: Conversion) -> SSAValue:
        """The address of the first lane; where lanes are left out, it may be outside the memref."""
        flags = INBOUNDS_NUW if self.in_bounds and self.mask is None else NO_FLAGS
        return element_address(conversion, self.base, self.indices, flags)

    def pointers(self, conversion: Conversion) -> SSAValue:
        """The addresses of all lanes, for a stride that is not one."""
        dimension = self.dimension
        assert dimension is not None
        stride = conversion.descriptor(self.base).stride(conversion, dimension)
        count = length(self.vector)
        numbers = VectorType(i64, [count])
        if isinstance(stride, int):
            offsets = vector_of(conversion, [i * stride for i in range(count)], numbers)
        else:
            offsets = conversion.emit(
                llvm.MulOp,
                (broadcast(conversion, stride, numbers), vector_of(conversion, list(range(count)), numbers)),
                numbers,
            )
        return lane_addresses(conversion, self.pointer(conversion), offsets, self.vector.element_type)


def _require_memory(op: Operation, base: SSAValue) -> None:
    if isinstance(base.type, TensorType):
        raise error("accesses a tensor", op, hint="run one-shot-bufferize first")


def _transfer(conversion: Conversion, op: vector.TransferReadOp | vector.TransferWriteOp) -> Transfer:
    _require_memory(op, op.source)
    value_type = op.result.type if isinstance(op, vector.TransferReadOp) else op.vector.type
    require_flat(value_type, op)
    type = conversion.converted_type(value_type)
    assert isinstance(type, VectorType)
    mask = conversion.value(op.mask) if op.mask is not None else None
    return Transfer(op, op.source, op.indices, type, mask)


def _transfer_read(conversion: Conversion, op: Operation) -> SSAValue:
    assert isinstance(op, vector.TransferReadOp)
    transfer = _transfer(conversion, op)
    type, element = transfer.vector, transfer.vector.element_type
    if transfer.dimension is None and transfer.mask is None:
        loaded = conversion.emit(LoadOp, (transfer.pointer(conversion),), element, access_properties(op))
        return broadcast(conversion, loaded, type)
    if transfer.dimension is None:
        raise error("repeats one element under a mask, which is not lowered", op)
    lanes = transfer.lanes(conversion)
    if transfer.contiguous(conversion):
        pointer = transfer.pointer(conversion)
        if lanes is None:
            return conversion.emit(LoadOp, (pointer,), type, aligned_access(op, element))
        padding = broadcast(conversion, conversion.value(op.padding), type)
        return conversion.emit(MaskedLoadOp, (pointer, lanes, padding), type, masked_alignment(op, element))
    if lanes is None:
        lanes = lanes_below(conversion, length(type), length(type))
    padding = broadcast(conversion, conversion.value(op.padding), type)
    operands = (transfer.pointers(conversion), lanes, padding)
    return conversion.emit(MaskedGatherOp, operands, type, masked_alignment(op, element))


def _transfer_write(conversion: Conversion, op: Operation) -> list[SSAValue]:
    assert isinstance(op, vector.TransferWriteOp)
    transfer = _transfer(conversion, op)
    element = transfer.vector.element_type
    value = conversion.value(op.vector)
    if transfer.dimension is None:
        first = lane(conversion, value, 0)
        conversion.insert(
            StoreOp.create(operands=(first, transfer.pointer(conversion)), properties=access_properties(op))
        )
        return []
    lanes = transfer.lanes(conversion)
    if transfer.contiguous(conversion):
        pointer = transfer.pointer(conversion)
        if lanes is None:
            new = StoreOp.create(operands=(value, pointer), properties=aligned_access(op, element))
        else:
            properties = masked_alignment(op, element)
            new = MaskedStoreOp.create(operands=(value, pointer, lanes), properties=properties)
    else:
        if lanes is None:
            lanes = lanes_below(conversion, length(value.type), length(value.type))
        operands = (value, transfer.pointers(conversion), lanes)
        new = MaskedScatterOp.create(operands=operands, properties=masked_alignment(op, element))
    conversion.insert(new)
    return []


TRANSFER_RULES: dict[str, Rule] = {
    "vector.transfer_read": _transfer_read,
    "vector.transfer_write": _transfer_write,
}
