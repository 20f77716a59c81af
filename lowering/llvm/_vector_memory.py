"""Rules for vector loads, stores, masked accesses, gathers and masks. Vectors have rank 0 or 1 here."""

from __future__ import annotations

from functools import cache

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    IntegerAttr,
    MemRefType,
    VectorType,
    i1,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue

from lamina.dialects.core.diagnostics import error
from lamina.dialects.llvm.intrinsics import BY_NAME
from lamina.dialects.llvm.memory import USE_OPERAND, GEPOp, LoadOp, StoreOp
from lamina.dialects.llvm.transfers import MaskedGatherOp, MaskedLoadOp, MaskedScatterOp, MaskedStoreOp
from lamina.lowering.llvm._addresses import NO_FLAGS, Part, index_list
from lamina.lowering.llvm._constants import broadcast, length, splat, vector_of
from lamina.lowering.llvm._conversion import Conversion, Rule
from lamina.lowering.llvm._descriptors import element_address
from lamina.lowering.llvm._memory import access_properties
from lamina.lowering.llvm._types import POINTER, require_flat, size_in_bytes
from lamina.lowering.llvm._values import constant_integer

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
    "vector.gather": _gather,
    "vector.scatter": _scatter,
}
