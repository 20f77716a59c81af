"""Globals, aliases, indirect functions, constructors and comdats."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, StringAttr, SymbolRefAttr
from xdsl.dialects.llvm import LLVMArrayType
from xdsl.ir import Operation

from lamina.dialects.core.diagnostics import error
from lamina.dialects.core.verifying.groups import attribute
from lamina.dialects.core.verifying.registry import verifies, verifies_uses
from lamina.dialects.core.verifying.symbols import symbol_from
from lamina.dialects.llvm.syntax.parts import word_of


@verifies("llvm.mlir.global")
def verify_global(op: Operation) -> None:
    """Type, value, linkage and alignment agree."""
    type, value = attribute(op, "global_type"), attribute(op, "value")
    linkage = word_of("Linkage", attribute(op, "linkage"))
    if type.name in ("llvm.void", "llvm.func", "llvm.metadata", "llvm.label", "function"):
        raise error("expects type to be a valid element type for an LLVM global", op)
    parent = op.parent_op()
    if parent is not None and parent.name not in ("builtin.module",) and not parent.name.startswith("gpu."):
        raise error("must appear at the module level", op)
    if isinstance(value, StringAttr):
        length = len(value.data.encode("utf-8", "surrogateescape"))
        fits = isinstance(type, LLVMArrayType) and str(type.type) == "i8" and type.size.data == length
        if not fits:
            raise error("requires an i8 array type of the length equal to that of the string attribute", op)
    if linkage == "common" and value is not None and not _is_zero(value):
        raise error("expected zero value for 'common' linkage", op)
    if linkage == "appending" and not isinstance(type, LLVMArrayType):
        raise error(f"expected array type for '{linkage}' linkage", op)
    comdat_of(op)
    alignment = attribute(op, "alignment")
    if isinstance(alignment, IntegerAttr):
        number = alignment.value.data
        if number <= 0 or number & (number - 1):
            raise error("alignment attribute is not a power of 2", op)
    if op.regions and op.regions[0].blocks and value is not None:
        raise error("cannot have both initializer value and region", op)


_EFFECTS = frozenset(
    f"llvm.{name}"
    for name in ("alloca", "load", "store", "call", "invoke", "inline_asm", "atomicrmw", "cmpxchg")
)


def comdat_of(op: Operation) -> None:
    """The comdat that an op names is one."""
    comdat = attribute(op, "comdat")
    if comdat is not None and _comdat(op, comdat) is None:
        raise error("expected comdat symbol", op)


def _is_zero(value: Any) -> bool:
    if isinstance(value, IntegerAttr):
        return value.value.data == 0
    data = getattr(getattr(value, "data", None), "data", None)
    if isinstance(data, bytes):
        return not any(data)
    number = getattr(getattr(value, "value", None), "data", None)
    return number == 0 or "zero" in value.name


def _comdat(op: Operation, symbol: Any) -> Operation | None:
    found = symbol_from(op, symbol)
    return found if found is not None and found.name == "llvm.comdat_selector" else None


@verifies("llvm.mlir.global", after_regions=True)
def verify_initializer(op: Operation) -> None:
    """The initialiser has no side effects and gives a value of the global's type."""
    for region in op.regions:
        for block in region.blocks:
            for inner in block.ops:
                if inner.name in _EFFECTS:
                    raise error("ops with side effects not allowed in global initializers", inner)
            last = block.last_op
            if last is not None and last.name == "llvm.return":
                type = attribute(op, "global_type")
                if not last.operands:
                    raise error("initializer region cannot return void", op)
                if last.operands[0].type != type:
                    message = (
                        f"initializer region type {last.operands[0].type} does not match global type {type}"
                    )
                    raise error(message, op)


@verifies("llvm.mlir.alias")
def verify_alias(op: Operation) -> None:
    """Linkages that an alias can have, and a type that a global can have."""
    linkage = word_of("Linkage", attribute(op, "linkage"))
    allowed = (
        "external",
        "internal",
        "private",
        "weak",
        "weak_odr",
        "linkonce",
        "linkonce_odr",
        "available_externally",
    )
    if attribute(op, "alias_type").name in (
        "llvm.void",
        "llvm.func",
        "llvm.metadata",
        "llvm.label",
        "function",
    ):
        raise error("expects type to be a valid element type for an LLVM global alias", op)
    if linkage not in allowed:
        message = f"'{linkage}' linkage not supported in aliases, available options: {', '.join(allowed)}"
        raise error(message, op)


@verifies("llvm.mlir.alias", after_regions=True)
def verify_aliasee(op: Operation) -> None:
    """The region gives a pointer, without side effects."""
    for inner in op.regions[0].walk():
        if inner.name in _EFFECTS:
            raise error("ops with side effects are not allowed in alias initializers", inner)
    last = op.regions[0].blocks[0].last_op
    if last is not None and last.operands and last.operands[0].type.name != "llvm.ptr":
        raise error("initializer region must always return a pointer", op)


@verifies("llvm.mlir.ifunc")
def verify_ifunc(op: Operation) -> None:
    """No common linkage."""
    linkage = word_of("Linkage", attribute(op, "linkage"))
    if linkage in ("common", "available_externally", "appending"):
        raise error(f"'{linkage}' linkage not supported in ifuncs", op)


@verifies_uses("llvm.mlir.ifunc")
def verify_resolver(op: Operation) -> None:
    """The resolver is a function with a body."""
    found = symbol_from(op, attribute(op, "resolver"))
    if found is not None and found.name == "llvm.mlir.alias":
        return
    if found is None or found.name != "llvm.func":
        raise error("must have a function resolver", op)
    if not found.regions[0].blocks:
        raise error("resolver must be a definition", op)


@verifies("llvm.mlir.global_ctors", "llvm.mlir.global_dtors")
def verify_structors(op: Operation) -> None:
    """A function, a priority and data for each."""
    kind = "ctors" if op.name.endswith("ctors") else "dtors"
    lists = [attribute(op, name) for name in (kind, "priorities", "data")]
    if len({len(one.data) for one in lists if isinstance(one, ArrayAttr)}) > 1:
        raise error(f"{kind}, priorities, and data must have the same number of elements", op)
    data = lists[2]
    if data is not None:
        for element in data.data:
            if not isinstance(element, SymbolRefAttr) and "llvm.zero" not in str(element):
                raise error("data element must be symbol or #llvm.zero", op)


@verifies_uses("llvm.mlir.global_ctors", "llvm.mlir.global_dtors")
def verify_structor_uses(op: Operation) -> None:
    """Each is a function with a body."""
    for symbol in attribute(op, "ctors" if op.name.endswith("ctors") else "dtors").data:
        found = symbol_from(op, symbol)
        name = symbol.root_reference.data
        if found is None or found.name != "llvm.func":
            raise error(f"'{name}' does not reference a valid LLVM function", op)
        if not found.regions[0].blocks:
            raise error(f"'{name}' does not have a definition", op)


@verifies("llvm.comdat")
def verify_comdat(op: Operation) -> None:
    """Holds selectors only."""
    for inner in op.regions[0].walk():
        if inner.name != "llvm.comdat_selector":
            raise error("only comdat selector symbols can appear in a comdat region", inner)
