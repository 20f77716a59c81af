"""How types below the structured level become types of the llvm dialect (upstream's LLVMTypeConverter)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineMapAttr,
    ArrayAttr,
    BFloat16Type,
    ComplexType,
    Float16Type,
    Float32Type,
    Float64Type,
    FunctionType,
    IndexType,
    IntAttr,
    IntegerAttr,
    IntegerType,
    MemRefType,
    NoneAttr,
    StridedLayoutAttr,
    UnrankedMemRefType,
    VectorType,
    i1,
    i64,
)
from xdsl.dialects.llvm import LLVMArrayType, LLVMPointerType, LLVMStructType
from xdsl.ir import Attribute, Operation
from xdsl.ir.affine import AffineMap

from lamina.dialects.core.diagnostics import LaminaError, error

INDEX = i64
"""What ``index`` becomes: the width of a pointer."""
POINTER = LLVMPointerType()
_FLOATS = (BFloat16Type, Float16Type, Float32Type, Float64Type)


@cache
def convert_type(type: Attribute) -> Attribute:
    """The llvm type for a builtin type; llvm types stand for themselves.

    ``index`` is i64, signed and unsigned integers are signless, vectors of rank 0 and 1 are vectors and those
    of higher rank arrays of them, memrefs are descriptors: struct of allocated pointer, aligned pointer,
    offset, sizes and strides. A type that has no counterpart stands for itself: its values are left alone.
    """
    match type:
        case IndexType():
            return INDEX
        case IntegerType():
            return IntegerType(type.bitwidth)
        case VectorType():
            return _vector(type)
        case MemRefType():
            return descriptor_type(type)
        case UnrankedMemRefType():
            return LLVMStructType.from_type_list([INDEX, POINTER])
        case ComplexType():
            element = convert_type(type.element_type)
            return LLVMStructType.from_type_list([element, element])
        case FunctionType():
            return POINTER
        case _:
            return type


def _vector(type: VectorType) -> Attribute:
    element = convert_type(type.element_type)
    shape = type.get_shape() or (1,)
    scalable = ArrayAttr(type.scalable_dims.data[-1:]) if type.get_num_dims() else None
    result: Attribute = VectorType(element, shape[-1:], scalable)
    for size in reversed(shape[:-1]):
        result = LLVMArrayType(size, result)
    return result


@cache
def pointer_type(memory_space: Attribute) -> LLVMPointerType:
    """The pointer type of a memory space (none, or an integer)."""
    match memory_space:
        case NoneAttr():
            return POINTER
        case IntegerAttr():
            return LLVMPointerType(IntAttr(memory_space.value.data)) if memory_space.value.data else POINTER
        case _:
            raise error(f"memory space {memory_space} has no address space in the llvm dialect")


def descriptor_type(type: MemRefType) -> LLVMStructType:
    """The descriptor struct of a ranked memref."""
    pointer = pointer_type(type.memory_space)
    rank = type.get_num_dims()
    members: list[Attribute] = [pointer, pointer, INDEX]
    if rank:
        members += [LLVMArrayType(rank, INDEX)] * 2
    return LLVMStructType.from_type_list(members)


@cache
def strides_of(type: MemRefType) -> tuple[tuple[int | None, ...], int | None] | None:
    """Strides and offset of a memref in elements, None where dynamic; None where it is not strided."""
    match type.layout:
        case NoneAttr():
            return identity_strides(type.get_shape()), 0
        case StridedLayoutAttr():
            strides = tuple(None if isinstance(s, NoneAttr) else s.data for s in type.layout.strides)
            return strides, None if isinstance(type.layout.offset, NoneAttr) else type.layout.offset.data
        case AffineMapAttr() if type.layout.data == AffineMap.identity(type.get_num_dims()):
            return identity_strides(type.get_shape()), 0
        case _:
            return None


def identity_strides(shape: tuple[int, ...]) -> tuple[int | None, ...]:
    """Row-major strides of a shape, None from the first dynamic dimension (counted from the right) on."""
    strides: list[int | None] = []
    stride: int | None = 1
    for size in reversed(shape):
        strides.append(stride)
        stride = None if stride is None or size == DYNAMIC_INDEX else stride * size
    return tuple(reversed(strides))


def is_static_identity(type: MemRefType) -> bool:
    """Whether a memref has a static shape, row-major strides and offset 0: a bare pointer says all of it."""
    layout = strides_of(type)
    return type.has_static_shape() and layout == (identity_strides(type.get_shape()), 0)


@cache
def size_in_bytes(type: Attribute) -> int:
    """Bytes that an element of a converted type takes in an array (its ABI size on 64-bit targets)."""
    match type:
        case IntegerType():
            size = max(1, -(-type.bitwidth // 8))
            return 1 << (size - 1).bit_length()
        case BFloat16Type() | Float16Type() | Float32Type() | Float64Type():
            return type.bitwidth // 8
        case LLVMPointerType():
            return 8
        case LLVMArrayType():
            return type.size.data * size_in_bytes(type.type)
        case LLVMStructType():
            return _struct_size([size_in_bytes(member) for member in type.types], type)
        case VectorType():
            bits = bit_width(type.element_type) * type.element_count()
            return 1 << max(0, (-(-bits // 8) - 1).bit_length())
        case _:
            raise error(f"the size of {type} in memory is not known")


def _struct_size(sizes: Sequence[int], type: Attribute) -> int:
    if any(size % 8 for size in sizes):
        raise error(f"the size of {type} in memory is not known")
    return sum(sizes)


def bit_width(type: Attribute) -> int:
    """Bits of a scalar type."""
    match type:
        case IntegerType():
            return type.bitwidth
        case IndexType():
            return 64
        case BFloat16Type() | Float16Type() | Float32Type() | Float64Type():
            return type.bitwidth
        case _:
            raise error(f"{type} is not a scalar type")


def element_of(type: Attribute) -> Attribute:
    """The element type of a vector type; a scalar type itself."""
    return type.element_type if isinstance(type, VectorType) else type


def like(type: Attribute, element: Attribute) -> Attribute:
    """The type with another element type: a vector of the same shape, or the scalar."""
    return VectorType(element, type.shape, type.scalable_dims) if isinstance(type, VectorType) else element


def boolean_like(type: Attribute) -> Attribute:
    """i1 for a scalar, the vector of i1 of the same shape for a vector."""
    return like(type, i1)


def require_flat(type: Attribute, op: Operation) -> None:
    """Refuse vectors of more than one dimension (which have to be unrolled before), and scalable ones."""
    if isinstance(type, VectorType):
        if type.get_num_dims() > 1:
            raise unsupported_rank(type, op)
        if any(size.value.data for size in type.scalable_dims):
            raise error(f"works on {type}: vectors of scalable length are not lowered", op)


def unsupported_rank(type: Attribute, op: Operation) -> LaminaError:
    """The error for an n-dimensional vector below the level where they exist."""
    return error(
        f"works on {type}: vectors of rank > 1 are not lowered here", hint="run lower-vector-multi-dim first"
    )
