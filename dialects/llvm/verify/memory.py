"""Loads, stores, atomics, stack slots, addresses."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import IntegerType
from xdsl.dialects.llvm import LLVMArrayType, LLVMStructType
from xdsl.ir import Operation

from lamina.dialects.core.diagnostics import error
from lamina.dialects.core.ods.formats.attributes import case_text
from lamina.dialects.core.verifying.groups import attribute
from lamina.dialects.core.verifying.registry import verifies
from lamina.dialects.llvm.syntax.parts import enum

_FLOATS = frozenset({"f16", "bf16", "f32", "f64"})
_ORDER = ("not_atomic", "unordered", "monotonic", "acquire", "release", "acq_rel", "seq_cst")


def ordering(op: Operation, name: str = "ordering") -> str:
    """The keyword of an ordering."""
    value = attribute(op, name)
    return case_text(enum("AtomicOrdering"), value.value.data) if value is not None else "not_atomic"


def _atomic_type(type: Any) -> bool:
    if type.name == "llvm.ptr" or str(type) in _FLOATS:
        return True
    width = type.width.data if isinstance(type, IntegerType) else 0
    return width >= 8 and width & (width - 1) == 0


def _check_access(op: Operation, type: Any, wrong: tuple[str, ...]) -> None:
    order = ordering(op)
    if order == "not_atomic":
        if attribute(op, "syncscope") is not None:
            raise error("expected syncscope to be null for non-atomic access", op)
        return
    if order in wrong:
        raise error(f"unsupported ordering '{order}'", op)
    if not _atomic_type(type) or (type.name == "llvm.target"):
        raise error(f"unsupported type '{type}' for atomic access", op)
    if attribute(op, "alignment") is None:
        raise error("expected alignment for atomic access", op)


@verifies("llvm.load")
def verify_load(op: Operation) -> None:
    """An atomic load has an ordering, a type and an alignment that fit."""
    _check_access(op, op.results[0].type, ("release", "acq_rel"))


@verifies("llvm.store")
def verify_store(op: Operation) -> None:
    """An atomic store likewise."""
    _check_access(op, op.operands[0].type, ("acquire", "acq_rel"))


@verifies("llvm.atomicrmw")
def verify_atomicrmw(op: Operation) -> None:
    """The value fits the operation."""
    kind = case_text(enum("AtomicBinOp"), attribute(op, "bin_op").value.data)
    type: Any = op.operands[1].type
    element = getattr(type, "element_type", type)
    is_float = str(element) in (*_FLOATS, "f80", "f128")
    if type.name == "vector" and kind not in ("fadd", "fsub", "fmax", "fmin"):
        raise error("expected LLVM IR integer type", op)
    if kind.startswith("f"):
        if not is_float:
            what = " for vector element" if type.name == "vector" else ""
            raise error(f"expected LLVM IR floating point type{what}", op)
    elif kind == "xchg":
        if not _atomic_type(type):
            raise error("unexpected LLVM IR type for 'xchg' bin_op", op)
    elif not isinstance(type, IntegerType) or type.width.data not in (8, 16, 32, 64):
        raise error("expected LLVM IR integer type", op)
    if _ORDER.index(ordering(op)) < _ORDER.index("monotonic"):
        raise error("expected at least 'monotonic' ordering", op)


@verifies("llvm.cmpxchg")
def verify_cmpxchg(op: Operation) -> None:
    """Integers or pointers, orderings that are at least monotonic."""
    type: Any = op.operands[1].type
    if type.name != "llvm.ptr" and not (isinstance(type, IntegerType) and type.width.data in (8, 16, 32, 64)):
        raise error("unexpected LLVM IR type", op)
    success, failure = ordering(op, "success_ordering"), ordering(op, "failure_ordering")
    if min(_ORDER.index(success), _ORDER.index(failure)) < _ORDER.index("monotonic"):
        raise error("ordering must be at least 'monotonic'", op)
    if failure in ("release", "acq_rel"):
        raise error("failure ordering cannot be 'release' or 'acq_rel'", op)


@verifies("llvm.fence")
def verify_fence(op: Operation) -> None:
    """A fence orders something."""
    if ordering(op) in ("not_atomic", "unordered", "monotonic"):
        raise error("can be given only acquire, release, acq_rel, and seq_cst orderings", op)


@verifies("llvm.alloca")
def verify_alloca(op: Operation) -> None:
    """A type that can stand on the stack."""
    type = attribute(op, "elem_type")
    if getattr(type, "name", "") == "builtin.ods_type" and "spirv.Event" not in str(type):
        text = str(type)
        if text.startswith("!llvm.target") and ("spirv" not in text):
            raise error("this target extension type cannot be used in alloca", op)


@verifies("llvm.getelementptr")
def verify_getelementptr(op: Operation) -> None:
    """Indices go into the type; those of structures are constants in range."""
    numbers = list(attribute(op, "rawConstantIndices").get_values())
    dynamic = sum(1 for number in numbers if number == -(1 << 31))
    if dynamic != len(op.operands) - 1:
        raise error(
            f"expected as many dynamic indices as specified in 'rawConstantIndices' ({dynamic}), got "
            f"{len(op.operands) - 1}",
            op,
        )
    type: Any = attribute(op, "elem_type")
    for position, number in enumerate(numbers[1:], 1):
        if isinstance(type, LLVMStructType):
            if number == -(1 << 31):
                raise error(f"expected index {position} indexing a struct to be constant", op)
            if not 0 <= number < len(type.types.data):
                raise error(f"index {position} indexing a struct is out of bounds", op)
            type = type.types.data[number]
        elif isinstance(type, LLVMArrayType):
            type = type.type
        elif type.name == "vector":
            type = type.element_type
        elif type.name == "builtin.ods_type":
            return
        else:
            raise error(f"type '{type}' cannot be indexed (index #{position})", op)
