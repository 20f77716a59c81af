"""Which types the llvm dialect accepts where (upstream's ``LLVM::isCompatible…``)."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    Float80Type,
    Float128Type,
    IntAttr,
    IntegerType,
    VectorType,
)

from lamina.dialects.core.verifying.leaves import mnemonic_of, signless

_FLOATS = (BFloat16Type, Float16Type, Float32Type, Float64Type, Float80Type, Float128Type)
_OUTER = {
    "llvm.array",
    "llvm.func",
    "llvm.label",
    "llvm.metadata",
    "llvm.ppc_fp128",
    "llvm.ptr",
    "llvm.struct",
    "llvm.token",
    "llvm.void",
    "llvm.x86_amx",
    "llvm.target",
}


def is_compatible_outer_type(type: Any) -> bool:
    """Whether the type itself, whatever it contains, is one of the llvm dialect's."""
    if isinstance(type, IntegerType):
        return signless(type)
    if isinstance(type, _FLOATS):
        return True
    if isinstance(type, VectorType):
        return is_compatible_vector_type(type)
    return mnemonic_of(type) in _OUTER


def is_compatible_vector_type(type: Any) -> bool:
    """A vector of rank 1 of integers without sign, floats or pointers."""
    if not isinstance(type, VectorType) or len(type.shape.data) != 1:
        return False
    element = type.element_type
    return (
        signless(element)
        or isinstance(element, _FLOATS)
        or mnemonic_of(element) in ("llvm.ptr", "llvm.ppc_fp128")
    )


def is_compatible_floating_point_type(type: Any) -> bool:
    """LLVM's floating-point types."""
    return isinstance(type, _FLOATS) or mnemonic_of(type) == "llvm.ppc_fp128"


def is_loadable_type(type: Any) -> bool:
    """A type that has values in memory."""
    name = mnemonic_of(type)
    return is_compatible_outer_type(type) and name not in (
        "llvm.void",
        "llvm.func",
        "llvm.token",
        "llvm.label",
    )


def is_scalable_vector_type(type: Any) -> bool:
    """A vector with a scalable dimension."""
    from lamina.dialects.core.verifying.shapes import is_scalable

    return is_scalable(type)


def address_space_of(type: Any) -> int:
    """The address space of a pointer; 0 where none is written."""
    space = getattr(type, "addr_space", None)
    return space.data if isinstance(space, IntAttr) else 0
