"""LLVM IR text of memory access: addresses, loads, stores, stack slots, atomics and fences."""

from __future__ import annotations

from xdsl.dialects.builtin import DenseArrayBase, StringAttr
from xdsl.ir import Operation

from lamina.lowering.codegen.llvm_emitter import Emitter, attribute, integer, quoted
from lamina.lowering.codegen.llvm_instructions import Instruction
from lamina.lowering.codegen.llvm_metadata import access_metadata

DYNAMIC_INDEX = -(1 << 31)
"""The static index that stands for the next dynamic one."""

_ORDERINGS = {1: "unordered", 2: "monotonic", 4: "acquire", 5: "release", 6: "acq_rel", 7: "seq_cst"}
_ATOMIC_OPERATIONS = (
    *("xchg", "add", "sub", "and", "nand", "or", "xor", "max", "min", "umax", "umin"),
    *(
        "fadd",
        "fsub",
        "fmax",
        "fmin",
        "uinc_wrap",
        "udec_wrap",
        "usub_cond",
        "usub_sat",
        "fmaximum",
        "fminimum",
    ),
)


def alignment(op: Operation) -> str:
    """``, align N`` where the operation has an alignment."""
    value = integer(op, "alignment")
    return f", align {value}" if value else ""


def _get_element_pointer(emitter: Emitter, op: Operation) -> None:
    base, *dynamic = op.operands
    indices = iter(dynamic)
    static = op.properties["rawConstantIndices"]
    assert isinstance(static, DenseArrayBase)
    parts = [
        emitter.typed(next(indices)) if index == DYNAMIC_INDEX else f"i32 {index}"
        for index in static.iter_values()
    ]
    emitter.lines.append(
        f"{emitter.define(op.results[0])} = getelementptr{_no_wrap(op)}"
        f" {emitter.type(op.properties['elem_type'])}, {emitter.typed(base)}, {', '.join(parts)}"
    )


def _no_wrap(op: Operation) -> str:
    """Upstream's bit enum (1 or 3: inbounds, 2: nusw, 4: nuw), or xDSL's property ``inbounds``."""
    bits = integer(op, "noWrapFlags")
    words = " inbounds" if bits & 1 or attribute(op, "inbounds") is not None else " nusw" if bits & 2 else ""
    return words + (" nuw" if bits & 4 else "")


def _atomic(op: Operation, keyword: bool = True) -> tuple[str, str]:
    """The word ``atomic`` and the ordering (with its scope) of a load or store."""
    ordering = _ORDERINGS.get(integer(op, "ordering"))
    if ordering is None:
        return "", ""
    return (" atomic" if keyword else ""), f"{_scope(op)} {ordering}"


def _scope(op: Operation) -> str:
    scope = attribute(op, "syncscope")
    return f" syncscope({quoted(scope.data)})" if isinstance(scope, StringAttr) else ""


def _volatile(op: Operation) -> str:
    return " volatile" if attribute(op, "volatile_") is not None else ""


def _load(emitter: Emitter, op: Operation) -> None:
    result = op.results[0]
    atomic, ordering = _atomic(op)
    emitter.lines.append(
        f"{emitter.define(result)} = load{atomic}{_volatile(op)} {emitter.type(result.type)},"
        f" {emitter.typed(op.operands[0])}{ordering}{alignment(op)}{access_metadata(emitter, op)}"
    )


def _store(emitter: Emitter, op: Operation) -> None:
    value, address = op.operands
    atomic, ordering = _atomic(op)
    emitter.lines.append(
        f"store{atomic}{_volatile(op)} {emitter.typed(value)}, {emitter.typed(address)}"
        f"{ordering}{alignment(op)}{access_metadata(emitter, op)}"
    )


def _alloca(emitter: Emitter, op: Operation) -> None:
    emitter.lines.append(
        f"{emitter.define(op.results[0])} = alloca {emitter.type(op.properties['elem_type'])},"
        f" {emitter.typed(op.operands[0])}{alignment(op)}"
    )


def _atomic_rmw(emitter: Emitter, op: Operation) -> None:
    address, value = op.operands
    operation = _ATOMIC_OPERATIONS[integer(op, "bin_op")]
    emitter.lines.append(
        f"{emitter.define(op.results[0])} = atomicrmw{_volatile(op)} {operation} {emitter.typed(address)},"
        f" {emitter.typed(value)}{_atomic(op)[1]}{alignment(op)}"
    )


def _compare_exchange(emitter: Emitter, op: Operation) -> None:
    weak = " weak" if attribute(op, "weak") is not None else ""
    success, failure = (_ORDERINGS[integer(op, f"{when}_ordering", 7)] for when in ("success", "failure"))
    emitter.lines.append(
        f"{emitter.define(op.results[0])} = cmpxchg{weak}{_volatile(op)}"
        f" {emitter.typed_list(list(op.operands))}{_scope(op)} {success} {failure}{alignment(op)}"
    )


def _fence(emitter: Emitter, op: Operation) -> None:
    emitter.lines.append(f"fence{_atomic(op)[1]}")


MEMORY_INSTRUCTIONS: dict[str, Instruction] = {
    "llvm.getelementptr": _get_element_pointer,
    "llvm.load": _load,
    "llvm.store": _store,
    "llvm.alloca": _alloca,
    "llvm.atomicrmw": _atomic_rmw,
    "llvm.cmpxchg": _compare_exchange,
    "llvm.fence": _fence,
}
