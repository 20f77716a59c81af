"""Rules for vector loads, stores, transfers, masked accesses, gathers. Vectors have rank 0 or 1 here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from xdsl.dialects import llvm, vector
from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    IntegerAttr,
    MemRefType,
    TensorType,
    VectorType,
    i1,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr

from lamina.dialects.core.diagnostics import error
from lamina.dialects.llvm.intrinsics import BY_NAME
from lamina.dialects.llvm.memory import (
    USE_OPERAND,
    GEPOp,
    LoadOp,
    MaskedGatherOp,
    MaskedLoadOp,
    MaskedScatterOp,
    MaskedStoreOp,
    StoreOp,
)
from lamina.lowering.llvm._constants import broadcast, length, splat, vector_of
from lamina.lowering.llvm._conversion import Conversion, Rule
from lamina.lowering.llvm._descriptors import INBOUNDS_NUW, NO_FLAGS, Part, element_address, index_list
from lamina.lowering.llvm._memory import access_properties
from lamina.lowering.llvm._types import POINTER, require_flat, size_in_bytes
from lamina.lowering.llvm._values import constant_integer
from lamina.lowering.llvm._vector_values import lane

SIGNED_GREATER = {"predicate": IntegerAttr(4, i64)}


def aligned_access(op: Operation, element: Attribute) -> dict[str, Attribute]:
    """The properties of an access to a vector: aligned as its elements are, unless it says more."""
    properties = access_properties(op)
    if "alignment" not in properties:
        properties["alignment"] = _alignment(element)
    return properties


@cache
def _alignment(element: Attribute) -> Attribute:
    return IntegerAttr(size_in_bytes(element), i64)


def masked_alignment(op: Operation, element: Attribute) -> dict[str, Attribute]:
    """The alignment of a masked access."""
    alignment = aligned_access(op, element)["alignment"]
    assert isinstance(alignment, IntegerAttr)
    return {"alignment": IntegerAttr(alignment.value.data, i32)}


def _element(type: Attribute) -> Attribute:
    assert isinstance(type, VectorType)
    return type.element_type


def _require_memory(op: Operation, base: SSAValue) -> None:
    if isinstance(base.type, TensorType):
        raise error("accesses a tensor", op, hint="run one-shot-bufferize first")


def _load(conversion: Conversion, op: Operation) -> SSAValue:
    require_flat(op.results[0].type, op)
    type = conversion.converted_type(op.results[0].type)
    pointer = element_address(conversion, op.operands[0], op.operands[1:])
    return conversion.emit(LoadOp, (pointer,), type, aligned_access(op, _element(type)))


def _store(conversion: Conversion, op: Operation) -> list[SSAValue]:
    require_flat(op.operands[0].type, op)
    value = conversion.value(op.operands[0])
    pointer = element_address(conversion, op.operands[1], op.operands[2:])
    properties = aligned_access(op, _element(value.type))
    conversion.insert(StoreOp.create(operands=(value, pointer), properties=properties))
    return []


def _masked_load(conversion: Conversion, op: Operation) -> SSAValue:
    *_, mask, pass_through = op.operands
    pointer = element_address(conversion, op.operands[0], op.operands[1:-2], NO_FLAGS)
    operands = (pointer, *conversion.values((mask, pass_through)))
    type = conversion.converted_type(op.results[0].type)
    return conversion.emit(MaskedLoadOp, operands, type, masked_alignment(op, _element(type)))


def _masked_store(conversion: Conversion, op: Operation) -> list[SSAValue]:
    mask, value = conversion.values(op.operands[-2:])
    pointer = element_address(conversion, op.operands[0], op.operands[1:-2], NO_FLAGS)
    properties = masked_alignment(op, _element(value.type))
    conversion.insert(MaskedStoreOp.create(operands=(value, pointer, mask), properties=properties))
    return []


def _create_mask(conversion: Conversion, op: Operation) -> SSAValue:
    require_flat(op.results[0].type, op)
    type = conversion.converted_type(op.results[0].type)
    if not op.operands:
        raise error("makes a mask of rank 0", op)
    constant = constant_integer(op.operands[0])
    count = conversion.value(op.operands[0]) if constant is None else constant
    return lanes_below(conversion, count, length(type))


def _constant_mask(conversion: Conversion, op: Operation) -> SSAValue:
    require_flat(op.results[0].type, op)
    sizes = op.properties["mask_dim_sizes"].get_values()  # pyright: ignore[reportAttributeAccessIssue]
    return lanes_below(conversion, int(sizes[0]), length(conversion.converted_type(op.results[0].type)))


def lanes_below(conversion: Conversion, count: Part, lanes: int) -> SSAValue:
    """The mask whose first ``count`` lanes are set.

    A count that is not constant is limited to the number of lanes first, so that 32 bits hold it:
    comparisons of 32-bit lanes are the cheap ones.
    """
    mask = VectorType(i1, [lanes])
    if isinstance(count, int):
        set_lanes = max(0, min(count, lanes))
        if set_lanes in (0, lanes):
            return splat(conversion, bool(set_lanes), mask)
        return vector_of(conversion, [int(i < set_lanes) for i in range(lanes)], mask)
    limited = conversion.emit(BY_NAME["llvm.intr.smin"], (count, conversion.constant(lanes)), i64)
    narrow = conversion.emit(llvm.TruncOp, (limited,), i32)
    numbers = VectorType(i32, [lanes])
    counts = broadcast(conversion, narrow, numbers)
    positions = vector_of(conversion, list(range(lanes)), numbers)
    return conversion.emit(llvm.ICmpOp, (counts, positions), mask, SIGNED_GREATER)


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


def lane_addresses(
    conversion: Conversion, pointer: SSAValue, offsets: SSAValue, element: Attribute
) -> SSAValue:
    """A vector of addresses: one base, an offset in elements for each lane."""
    properties: dict[str, Attribute] = {
        "elem_type": element,
        "noWrapFlags": NO_FLAGS,
        "rawConstantIndices": index_list((USE_OPERAND,)),
    }
    return conversion.emit(GEPOp, (pointer, offsets), VectorType(POINTER, [length(offsets.type)]), properties)


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


def _lane_pointers(conversion: Conversion, op: Operation, offsets: SSAValue, element: Attribute) -> SSAValue:
    """The addresses of a gather or scatter: the base's, moved along the innermost dimension."""
    base = op.operands[0]
    assert isinstance(base.type, MemRefType)
    rank = base.type.get_num_dims()
    pointer = element_address(conversion, base, op.operands[1 : 1 + rank], NO_FLAGS)
    stride = conversion.descriptor(base).stride(conversion, rank - 1) if rank else 1
    if stride != 1:
        factor = conversion.constant(stride) if isinstance(stride, int) else stride
        wide = VectorType(i64, [length(offsets.type)])
        if offsets.type != wide:
            offsets = conversion.emit(llvm.SExtOp, (offsets,), wide)
        offsets = conversion.emit(llvm.MulOp, (offsets, broadcast(conversion, factor, wide)), wide)
    return lane_addresses(conversion, pointer, offsets, element)


def _gather(conversion: Conversion, op: Operation) -> SSAValue:
    require_flat(op.results[0].type, op)
    type = conversion.converted_type(op.results[0].type)
    offsets, mask, pass_through = conversion.values(op.operands[-3:])
    pointers = _lane_pointers(conversion, op, offsets, _element(type))
    properties = masked_alignment(op, _element(type))
    return conversion.emit(MaskedGatherOp, (pointers, mask, pass_through), type, properties)


def _scatter(conversion: Conversion, op: Operation) -> list[SSAValue]:
    offsets, mask, value = conversion.values(op.operands[-3:])
    require_flat(op.operands[-1].type, op)
    pointers = _lane_pointers(conversion, op, offsets, _element(value.type))
    properties = masked_alignment(op, _element(value.type))
    conversion.insert(MaskedScatterOp.create(operands=(value, pointers, mask), properties=properties))
    return []


ACCESS_RULES: dict[str, Rule] = {
    "vector.load": _load,
    "vector.store": _store,
    "vector.maskedload": _masked_load,
    "vector.maskedstore": _masked_store,
    "vector.create_mask": _create_mask,
    "vector.constant_mask": _constant_mask,
    "vector.transfer_read": _transfer_read,
    "vector.transfer_write": _transfer_write,
    "vector.gather": _gather,
    "vector.scatter": _scatter,
}
