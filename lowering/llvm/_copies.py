"""memref.copy between contiguous buffers, as one block copy."""

from __future__ import annotations

from xdsl.dialects import memref
from xdsl.dialects.builtin import BoolAttr, MemRefType, NoneAttr
from xdsl.ir import Operation, SSAValue

from lamina.dialects.core.diagnostics import error
from lamina.dialects.llvm.transfers import MemcpyOp
from lamina.lowering.llvm._addresses import Part, multiply_parts
from lamina.lowering.llvm._conversion import Conversion, Rule
from lamina.lowering.llvm._types import convert_type, identity_strides, size_in_bytes, strides_of


def is_contiguous(type: MemRefType) -> bool:
    """Whether a memref's elements stand one after the other, at whatever offset."""
    if isinstance(type.layout, NoneAttr):
        return True
    layout = strides_of(type)
    if layout is None:
        return False
    shape = type.get_shape()
    # A dimension of one element is never stepped along: its stride says nothing.
    return all(
        size == 1 or (stride is not None and stride == dense)
        for size, stride, dense in zip(shape, layout[0], identity_strides(shape), strict=True)
    )


def _copy(conversion: Conversion, op: Operation) -> list[SSAValue]:
    assert isinstance(op, memref.CopyOp)
    source, target = conversion.descriptor(op.source), conversion.descriptor(op.destination)
    if not (is_contiguous(source.type) and is_contiguous(target.type)):
        raise error("copies memrefs with gaps", op, hint="run convert-memref-copy-to-loops first")
    size: Part = size_in_bytes(convert_type(source.type.element_type))
    for i in range(source.rank):
        known = source.size(conversion, i)
        size = multiply_parts(
            conversion, size, known if isinstance(known, int) else target.size(conversion, i)
        )
    if size == 0:
        return []
    operands = (
        target.base_pointer(conversion),
        source.base_pointer(conversion),
        conversion.constant(size) if isinstance(size, int) else size,
    )
    conversion.insert(
        MemcpyOp.create(operands=operands, properties={"isVolatile": BoolAttr.from_bool(False)})
    )
    return []


COPY_RULES: dict[str, Rule] = {"memref.copy": _copy}
