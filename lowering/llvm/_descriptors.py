"""Memref descriptors as their parts, so that structs are built only where somebody needs a struct."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, cached_property

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseArrayBase,
    IntegerAttr,
    MemRefType,
    UnrealizedConversionCastOp,
    i64,
)
from xdsl.dialects.llvm import ExtractValueOp, InsertValueOp, LLVMArrayType
from xdsl.ir import Attribute, Operation, SSAValue

from lamina.dialects.core.diagnostics import error
from lamina.dialects.llvm.values import PoisonOp
from lamina.lowering.llvm._addresses import (
    INBOUNDS_NUW,
    NO_FLAGS,
    Part,
    Rewriter,
    add_parts,
    address,
    multiply_parts,
)
from lamina.lowering.llvm._types import (
    INDEX,
    convert_type,
    identity_strides,
    pointer_type,
    strides_of,
)
from lamina.lowering.llvm._values import constant_integer

Position = tuple[int, ...]
ALLOCATED: Position = (0,)
ALIGNED: Position = (1,)
OFFSET: Position = (2,)


class Descriptor:
    """The parts of a memref by their position in the descriptor struct; static ones are integers."""

    def __init__(self, type: MemRefType, parts: dict[Position, Part], struct: SSAValue | None = None) -> None:
        self.type = type
        self.struct = struct
        self._parts = static_parts(type) | parts
        self._behind: Operation | None = None
        """The last operation put behind the struct's definition."""
        self.place: Callable[[], Operation] | None = None
        """Where a struct is built: before the operation that made the memref, or at the top of a block."""

    @staticmethod
    def of_struct(type: Attribute, struct: SSAValue) -> Descriptor:
        """The descriptor of a memref that is known as a struct value only."""
        assert isinstance(type, MemRefType)
        return Descriptor(type, {}, struct)

    @staticmethod
    def of_pointer(type: MemRefType, allocated: SSAValue, aligned: SSAValue) -> Descriptor:
        """The descriptor of a memref whose shape and layout are static."""
        return Descriptor(type, {ALLOCATED: allocated, ALIGNED: aligned})

    @property
    def rank(self) -> int:
        """The memref's rank."""
        return self.type.get_num_dims()

    @cached_property
    def element(self) -> Attribute:
        """The converted type of the elements."""
        return convert_type(self.type.element_type)

    @cached_property
    def row(self) -> Attribute | None:
        """The array type of what the first index steps over, None for a memref that is no such array."""
        shape = self.type.get_shape()
        if [self._parts.get((4, i)) for i in range(self.rank)] != list(identity_strides(shape)):
            return None
        row = self.element
        for size in reversed(shape[1:]):
            row = LLVMArrayType(size, row)
        return row

    def part(self, conversion: Rewriter, position: Position) -> Part:
        """One part: an integer where it is static, else a value that dominates every use of the memref."""
        known = self._parts.get(position)
        if known is None:
            assert self.struct is not None
            known = inserted_value(self.struct, position)
            if known is None:
                known = self._extract(conversion, position)
            self._parts[position] = known
        return known

    def part_value(self, conversion: Rewriter, position: Position) -> SSAValue:
        """One part as an SSA value."""
        part = self.part(conversion, position)
        return conversion.constant(part) if isinstance(part, int) else part

    def pointer(self, conversion: Rewriter, position: Position = ALIGNED) -> SSAValue:
        """The aligned (or the allocated) pointer."""
        part = self.part(conversion, position)
        assert isinstance(part, SSAValue)
        return part

    def size(self, conversion: Rewriter, dimension: int) -> Part:
        """The size of a dimension."""
        return self.part(conversion, (3, dimension))

    def stride(self, conversion: Rewriter, dimension: int) -> Part:
        """The stride of a dimension, in elements."""
        return self.part(conversion, (4, dimension))

    def as_struct(self, conversion: Rewriter) -> SSAValue:
        """The descriptor as a struct value, built on first use where the memref was made."""
        if self.struct is None:
            current = conversion.op
            if self.place is not None:
                conversion.op = self.place()
            self.struct = self._build(conversion)
            conversion.op = current
        return self.struct

    def base_pointer(self, conversion: Rewriter) -> SSAValue:
        """The address of the element at index zero: the aligned pointer moved by the offset."""
        offset = self.part(conversion, OFFSET)
        if offset == 0:
            return self.pointer(conversion)
        return address(conversion, self.pointer(conversion), [offset], self.element, NO_FLAGS)

    def replace_extractions(self, conversion: Rewriter, memref: SSAValue) -> None:
        """Resolve ``extractvalue`` of casts of the memref to its struct, left behind by other conversions."""
        wanted = conversion.converted_type(self.type)
        for use in tuple(memref.uses):
            cast = use.operation
            if not (isinstance(cast, UnrealizedConversionCastOp) and cast.results[0].type == wanted):
                continue
            for inner in tuple(cast.results[0].uses):
                if isinstance(inner.operation, ExtractValueOp):
                    self._resolve(conversion, inner.operation)
            if cast.results[0].first_use is None:
                conversion.erase(cast)

    def _resolve(self, conversion: Rewriter, extraction: ExtractValueOp) -> None:
        position = tuple(int(i) for i in extraction.position.get_values())
        if position in ((3,), (4,)):
            return
        conversion.op = extraction
        extraction.results[0].replace_all_uses_with(self.part_value(conversion, position))
        conversion.erase(extraction)

    def _extract(self, conversion: Rewriter, position: Position) -> SSAValue:
        assert self.struct is not None
        result = pointer_type(self.type.memory_space) if position in (ALLOCATED, ALIGNED) else INDEX
        op = ExtractValueOp.create(
            operands=(self.struct,),
            result_types=(result,),
            properties={"position": position_attribute(position)},
        )
        op.location = conversion.op.location
        if self._behind is None:
            conversion.insert_behind(self.struct, op)
        else:
            assert self._behind.parent is not None
            self._behind.parent.insert_op_after(op, self._behind)
        self._behind = op
        return op.results[0]

    def _build(self, conversion: Rewriter) -> SSAValue:
        struct = conversion.emit(PoisonOp, (), conversion.converted_type(self.type))
        dimensions = [(field, i) for i in range(self.rank) for field in (3, 4)]
        for position in (ALLOCATED, ALIGNED, OFFSET, *dimensions):
            part = self.part_value(conversion, position)
            struct = insert_value(conversion, struct, part, position)
        return struct


def static_parts(type: MemRefType) -> dict[Position, Part]:
    """The parts that a memref's type fixes. A layout that is not strided is an error."""
    layout = strides_of(type)
    if layout is None:
        raise error(
            f"{type} has a layout that is not strided", hint="run normalize-memrefs or use a strided layout"
        )
    strides, offset = layout
    parts: dict[Position, Part] = {(3, i): n for i, n in enumerate(type.get_shape()) if n != DYNAMIC_INDEX}
    parts |= {(4, i): stride for i, stride in enumerate(strides) if stride is not None}
    return parts if offset is None else parts | {OFFSET: offset}


def row_major_parts(
    conversion: Rewriter, type: MemRefType, sizes: Sequence[SSAValue]
) -> tuple[dict[Position, Part], Part]:
    """Sizes and strides of a new row-major memref with these dynamic sizes, and its number of elements."""
    parts = static_parts(type)
    dynamic = iter(sizes)
    dimensions = range(type.get_num_dims())
    for i in dimensions:
        if (3, i) not in parts:
            parts[3, i] = conversion.value(next(dynamic))
    count: Part = 1
    for i in reversed(dimensions):
        parts.setdefault((4, i), count)
        count = multiply_parts(conversion, count, parts[3, i])
    return parts, count


def inserted_value(struct: SSAValue, position: Position) -> SSAValue | None:
    """What a chain of ``insertvalue`` put at a position of a struct, if that is visible."""
    attribute = position_attribute(position)
    owner = struct.owner
    while isinstance(owner, InsertValueOp):
        if owner.position == attribute:
            return owner.value
        owner = owner.container.owner
    return None


@cache
def position_attribute(position: Position) -> DenseArrayBase:
    """The attribute for a position in a struct, made once."""
    return DenseArrayBase.from_list(i64, position)


def insert_value(conversion: Rewriter, struct: SSAValue, value: SSAValue, position: Position) -> SSAValue:
    """The struct with a value at a position."""
    return conversion.emit(
        InsertValueOp, (struct, value), struct.type, {"position": position_attribute(position)}
    )


def element_address(
    conversion: Rewriter, memref: SSAValue, indices: Sequence[SSAValue], flags: IntegerAttr = INBOUNDS_NUW
) -> SSAValue:
    """The address of an element of a memref.

    A static row-major memref is indexed as the array it is, in one getelementptr; other layouts by the sum
    of index times stride.
    """
    descriptor = conversion.descriptor(memref)
    base = descriptor.base_pointer(conversion)
    subscripts: list[Part] = []
    for index in indices:
        constant = constant_integer(index)
        subscripts.append(conversion.value(index) if constant is None else constant)
    element = descriptor.row
    if element is None:
        element = descriptor.element
        strides = [descriptor.stride(conversion, i) for i in range(descriptor.rank)]
        subscripts = [linear_index(conversion, subscripts, strides)]
    if all(isinstance(s, int) and s == 0 for s in subscripts):
        return base
    return address(conversion, base, subscripts, element, flags)


def linear_index(conversion: Rewriter, subscripts: Sequence[Part], strides: Sequence[Part]) -> Part:
    """The sum of subscript times stride."""
    total: Part = 0
    for subscript, stride in zip(subscripts, strides, strict=True):
        total = add_parts(conversion, total, multiply_parts(conversion, subscript, stride))
    return total
