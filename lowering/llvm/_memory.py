"""Rules for loads, stores, allocation and what is asked about a memref."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import llvm, memref
from xdsl.dialects.builtin import IntegerAttr, MemRefType, UnitAttr, i1, i8, i32, i64
from xdsl.ir import Attribute, Operation, SSAValue

from lamina.dialects.core.diagnostics import error
from lamina.dialects.llvm.atomics import AtomicRMWOp
from lamina.dialects.llvm.memory import LoadOp, StoreOp
from lamina.dialects.llvm.transfers import PrefetchOp
from lamina.dialects.llvm.values import SelectOp
from lamina.lowering.llvm._addresses import NO_FLAGS, add_parts, address, multiply_parts
from lamina.lowering.llvm._constants import poison
from lamina.lowering.llvm._conversion import Conversion, Rule
from lamina.lowering.llvm._descriptors import ALIGNED, ALLOCATED, Descriptor, element_address, row_major_parts
from lamina.lowering.llvm._symbols import declare_function
from lamina.lowering.llvm._types import INDEX, POINTER, size_in_bytes
from lamina.lowering.llvm._values import constant_integer

ORDERING = {"ordering": IntegerAttr(0, i64)}
DEFAULT_ALIGNMENT = 64
"""Of allocations without an alignment: what the kernels' streaming stores want."""


def access_properties(op: Operation) -> dict[str, Attribute]:
    """The properties of a load or store that a memref or vector access asks for."""
    flag = op.properties.get("nontemporal")
    alignment = op.get_attr_or_prop("alignment")
    properties: dict[str, Attribute] = dict(ORDERING)
    if isinstance(flag, IntegerAttr) and flag.value.data:
        properties["nontemporal"] = UnitAttr()
    if isinstance(alignment, IntegerAttr):
        properties["alignment"] = IntegerAttr(alignment.value.data, i64)
    return properties


def _load(conversion: Conversion, op: Operation) -> SSAValue:
    pointer = element_address(conversion, op.operands[0], op.operands[1:])
    return conversion.emit(
        LoadOp, (pointer,), conversion.converted_type(op.results[0].type), access_properties(op)
    )


def _store(conversion: Conversion, op: Operation) -> list[SSAValue]:
    value = conversion.value(op.operands[0])
    pointer = element_address(conversion, op.operands[1], op.operands[2:])
    conversion.insert(StoreOp.create(operands=(value, pointer), properties=access_properties(op)))
    return []


def _prefetch(conversion: Conversion, op: Operation) -> list[SSAValue]:
    pointer = element_address(conversion, op.operands[0], op.operands[1:])
    names = {"rw": "isWrite", "hint": "localityHint", "cache": "isDataCache"}
    given = {name: op.properties[held] for name, held in names.items()}
    # A bool that is true is held as -1.
    numbers = {name: abs(n.value.data) for name, n in given.items() if isinstance(n, IntegerAttr)}
    properties = {name: IntegerAttr(number, i32) for name, number in numbers.items()}
    conversion.insert(PrefetchOp.create(operands=(pointer,), properties=properties))
    return []


def _alloc(conversion: Conversion, op: Operation) -> Descriptor:
    assert isinstance(op, memref.AllocOp)
    type = op.memref.type
    assert isinstance(type, MemRefType)
    parts, count = row_major_parts(conversion, type, op.dynamic_sizes)
    size = multiply_parts(conversion, count, size_in_bytes(conversion.converted_type(type.element_type)))
    alignment = op.alignment.value.data if op.alignment is not None else DEFAULT_ALIGNMENT
    declare_function(op, "malloc", [INDEX], POINTER)
    size = add_parts(conversion, size, alignment)
    bytes_value = conversion.constant(size) if isinstance(size, int) else size
    call = llvm.CallOp("malloc", bytes_value, return_type=POINTER)
    conversion.insert(call)
    allocated = call.results[0]
    aligned = _align(conversion, allocated, alignment)
    return Descriptor(type, parts | {ALLOCATED: allocated, ALIGNED: aligned})


def _align(conversion: Conversion, pointer: SSAValue, alignment: int) -> SSAValue:
    """The next multiple of the alignment, by a byte offset: so the pointer's origin stays visible."""
    number = conversion.emit(llvm.PtrToIntOp, (pointer,), INDEX)
    negative = conversion.emit(llvm.SubOp, (conversion.constant(0), number), INDEX)
    gap = conversion.emit(llvm.AndOp, (negative, conversion.constant(alignment - 1)), INDEX)
    return address(conversion, pointer, [gap], i8, NO_FLAGS)


def _alloca(conversion: Conversion, op: Operation) -> Descriptor:
    assert isinstance(op, memref.AllocaOp)
    type = op.memref.type
    assert isinstance(type, MemRefType)
    parts, count = row_major_parts(conversion, type, op.dynamic_sizes)
    properties: dict[str, Attribute] = {"elem_type": conversion.converted_type(type.element_type)}
    if op.alignment is not None:
        properties["alignment"] = op.alignment
    number = conversion.constant(count) if isinstance(count, int) else count
    pointer = conversion.emit(llvm.AllocaOp, (number,), POINTER, properties)
    return Descriptor(type, parts | {ALLOCATED: pointer, ALIGNED: pointer})


def _dealloc(conversion: Conversion, op: Operation) -> list[SSAValue]:
    declare_function(op, "free", [POINTER], llvm.LLVMVoidType())
    pointer = conversion.descriptor(op.operands[0]).pointer(conversion, ALLOCATED)
    conversion.insert(llvm.CallOp("free", pointer))
    return []


def _dim(conversion: Conversion, op: Operation) -> SSAValue:
    assert isinstance(op, memref.DimOp)
    descriptor = conversion.descriptor(op.source)
    dimension = constant_integer(op.index)
    if dimension is not None:
        if not 0 <= dimension < descriptor.rank:
            return poison(conversion, INDEX)
        return descriptor.part_value(conversion, (3, dimension))
    sizes = [descriptor.part_value(conversion, (3, i)) for i in range(descriptor.rank)]
    return _pick(conversion, conversion.value(op.index), sizes)


def _pick(conversion: Conversion, index: SSAValue, values: Sequence[SSAValue]) -> SSAValue:
    """The value at a position known at run time only."""
    if not values:
        return conversion.constant(0)
    picked = values[0]
    for i, value in enumerate(values[1:], 1):
        equal = conversion.emit(
            llvm.ICmpOp, (index, conversion.constant(i)), i1, {"predicate": IntegerAttr(0, i64)}
        )
        picked = conversion.emit(SelectOp, (equal, value, picked), INDEX)
    return picked


def _rank(conversion: Conversion, op: Operation) -> SSAValue:
    return conversion.constant(conversion.descriptor(op.operands[0]).rank)


def _aligned_pointer(conversion: Conversion, op: Operation) -> SSAValue:
    return conversion.emit(
        llvm.PtrToIntOp, (conversion.descriptor(op.operands[0]).pointer(conversion),), INDEX
    )


def _assume_alignment(conversion: Conversion, op: Operation) -> Descriptor:
    """The promise itself is dropped: alignments are on the accesses."""
    return conversion.descriptor(op.operands[0])


_ATOMIC_KINDS = {0: 11, 1: 1, 2: 0, 3: 13, 4: 7, 5: 9, 6: 14, 7: 8, 8: 10, 10: 5, 11: 3}
"""arith's kinds to llvm.atomicrmw's: addf addi assign maximumf maxs maxu minimumf mins minu ori andi."""
_ACQUIRE_RELEASE = IntegerAttr(6, i64)


def _atomic(conversion: Conversion, op: Operation) -> SSAValue:
    assert isinstance(op, memref.AtomicRMWOp)
    kind = _ATOMIC_KINDS.get(op.kind.value.data)
    if kind is None:
        raise error(f"has kind {op.kind.value.data}, which llvm.atomicrmw does not know", op)
    value = conversion.value(op.value)
    pointer = element_address(conversion, op.memref, op.indices)
    properties = {"bin_op": IntegerAttr(kind, i64), "ordering": _ACQUIRE_RELEASE}
    return conversion.emit(AtomicRMWOp, (pointer, value), value.type, properties)


MEMORY_RULES: dict[str, Rule] = {
    "memref.load": _load,
    "memref.store": _store,
    "memref.prefetch": _prefetch,
    "memref.alloc": _alloc,
    "memref.alloca": _alloca,
    "memref.dealloc": _dealloc,
    "memref.dim": _dim,
    "memref.rank": _rank,
    "memref.extract_aligned_pointer_as_index": _aligned_pointer,
    "memref.assume_alignment": _assume_alignment,
    "memref.atomic_rmw": _atomic,
}
