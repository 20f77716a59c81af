"""Functions, the attributes of their arguments and results, returns, landing pads."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import IntegerAttr, IntegerType, UnitAttr
from xdsl.dialects.llvm import LLVMFunctionType, LLVMVoidType
from xdsl.ir import Attribute, Operation, TypeAttribute

from lamina.dialects.core.diagnostics import error
from lamina.dialects.core.verifying.groups import attribute
from lamina.dialects.core.verifying.llvm_types import is_compatible_outer_type
from lamina.dialects.core.verifying.registry import verifies
from lamina.dialects.llvm.syntax.parts import word_of
from lamina.dialects.llvm.verify.globals import comdat_of

UNIT, TYPE, INTEGER = "unit", "type", "integer"
_KINDS = {
    **dict.fromkeys(
        (
            *("noalias", "readonly", "readnone", "writeonly", "nest", "nocapture", "nofree", "nonnull"),
            *("returned", "noundef", "zeroext", "signext", "inreg", "allocptr", "allocalign"),
        ),
        UNIT,
    ),
    **dict.fromkeys(("sret", "byval", "byref", "inalloca", "preallocated"), TYPE),
    **dict.fromkeys(("align", "dereferenceable", "dereferenceable_or_null", "alignstack"), INTEGER),
}
_OF_POINTERS = frozenset(
    [
        "noalias",
        "readonly",
        "readnone",
        "writeonly",
        "nest",
        "nocapture",
        "nofree",
        "nonnull",
        "allocptr",
        "sret",
        "byval",
        "byref",
        "inalloca",
        "preallocated",
        "align",
        "dereferenceable",
        "dereferenceable_or_null",
    ]
)
_OF_INTEGERS = frozenset({"zeroext", "signext"})
_NOT_OF_RESULTS = frozenset(
    [
        "allocalign",
        "allocptr",
        "byref",
        "byval",
        "inalloca",
        "nest",
        "nocapture",
        "nofree",
        "preallocated",
        "readnone",
        "readonly",
        "returned",
        "sret",
        "writeonly",
        "alignstack",
        "immarg",
        "swiftself",
        "swifterror",
        "swiftasync",
    ]
)


def check_parameter(op: Operation, name: str, value: Attribute, type: Any, of_result: bool) -> None:
    """An attribute ``llvm.<name>`` of an argument or a result is of its kind, on a type that it fits."""
    short = name.removeprefix("llvm.")
    kind = _KINDS.get(short)
    if of_result and short in _NOT_OF_RESULTS:
        raise error(f'"{name}" is not a valid result attribute', op)
    if kind is None or not name.startswith("llvm."):
        return
    fits = {
        UNIT: isinstance(value, UnitAttr),
        TYPE: isinstance(value, TypeAttribute),
        INTEGER: isinstance(value, IntegerAttr),
    }[kind]
    if not fits:
        article = "an" if kind == INTEGER else "a"
        raise error(f'"{name}" should be {article} {kind} attribute', op)
    if short in _OF_POINTERS and getattr(type, "name", "") != "llvm.ptr":
        raise error(f'"{name}" attribute attached to non-pointer LLVM type', op)
    if short in _OF_INTEGERS and not isinstance(type, IntegerType):
        raise error(f'"{name}" attribute attached to non-integer LLVM type', op)


def check_parameters(op: Operation, inputs: Any, outputs: Any) -> None:
    """All attributes of the arguments and results of a function."""
    for key, types, of_result in (("arg_attrs", inputs, False), ("res_attrs", outputs, True)):
        entries = attribute(op, key)
        if entries is None:
            continue
        for entry, type in zip(entries.data, types, strict=False):
            for name, value in entry.data.items():
                check_parameter(op, name, value, type, of_result)


@verifies("llvm.func")
def verify_function(op: Operation) -> None:
    """Types, linkage and the first block of a function."""
    type: Any = attribute(op, "function_type")
    body = op.regions[0]
    for number, input_type in enumerate(type.inputs.data):
        if not is_compatible_outer_type(input_type):
            raise error(f"LLVM function argument #{number} has incompatible type '{input_type}'", op)
    linkage = word_of("Linkage", attribute(op, "linkage"))
    if linkage == "common":
        raise error("functions cannot have 'common' linkage", op)
    comdat_of(op)
    check_parameters(op, type.inputs.data, [type.output])
    results = attribute(op, "res_attrs")
    count = 0 if isinstance(type.output, LLVMVoidType) else 1
    if results is not None and len(results.data) != count:
        message = (
            "expects result attribute array to have the same number of elements as the number of function "
            f"results, got {len(results.data)}, but expected {count}"
        )
        raise error(message, op)
    if attribute(op, "no_inline") is not None and attribute(op, "always_inline") is not None:
        raise error("no_inline and always_inline attributes are incompatible", op)
    if attribute(op, "optimize_none") is not None and attribute(op, "no_inline") is None:
        raise error("with optimize_none must also be no_inline", op)
    if not body.blocks:
        if linkage not in ("external", "extern_weak"):
            raise error("external functions must have 'external' or 'extern_weak' linkage", op)
        return
    _check_entry(op, type, body)


def _check_entry(op: Operation, type: LLVMFunctionType, body: Any) -> None:
    arguments = body.blocks[0].args
    if len(arguments) != len(type.inputs.data):
        message = f"entry block must have {len(type.inputs.data)} arguments to match function signature"
        raise error(message, op)
    for number, (argument, wanted) in enumerate(zip(arguments, type.inputs.data, strict=True)):
        if argument.type != wanted:
            message = (
                f"type of entry block argument #{number}('{argument.type}') must match the type of the "
                f"corresponding argument in function signature('{wanted}')"
            )
            raise error(message, op)


@verifies("llvm.return")
def verify_return(op: Operation) -> None:
    """The value that the function gives, or none."""
    parent = op.parent_op()
    if parent is None or parent.name != "llvm.func":
        return
    type: Any = attribute(parent, "function_type")
    if isinstance(type.output, LLVMVoidType):
        if op.operands:
            raise error("expected no operands", op)
        return
    if len(op.operands) != 1:
        raise error("expected 1 operand", op)
    if op.operands[0].type != type.output:
        raise error("mismatching result types", op)


def _function_of(op: Operation) -> Operation | None:
    parent = op.parent_op()
    while parent is not None and parent.name != "llvm.func":
        parent = parent.parent_op()
    return parent


@verifies("llvm.landingpad")
def verify_landingpad(op: Operation) -> None:
    """Clauses are constants; the function has a personality, and one type of landing pads."""
    function = _function_of(op)
    if function is not None:
        for other in function.walk():
            if other.name == "llvm.landingpad":
                if other.results[0].type != op.results[0].type:
                    raise error(
                        "'llvm.landingpad' should have a consistent result type inside a function", op
                    )
                break
    if attribute(op, "cleanup") is None and not op.operands:
        raise error("landingpad instruction expects at least one clause or cleanup attribute", op)
    for number, value in enumerate(op.operands):
        if value.type.name == "llvm.array":
            continue
        owner = value.owner
        name = owner.name if isinstance(owner, Operation) else ""
        if name == "llvm.bitcast":
            source = owner.operands[0].owner  # pyright: ignore[reportAttributeAccessIssue]
            if not isinstance(source, Operation) or source.name != "llvm.mlir.addressof":
                raise error("constant clauses expected", op)
        elif name not in ("llvm.mlir.zero", "llvm.mlir.addressof"):
            raise error(f"clause #{number} is not a known constant - null, addressof, bitcast", op)
    if function is not None and attribute(function, "personality") is None:
        raise error("llvm.landingpad needs to be in a function with a personality", op)


@verifies("llvm.resume")
def verify_resume(op: Operation) -> None:
    """What the landing pads of the function give."""
    function = _function_of(op)
    if function is None:
        return
    for other in function.walk():
        if other.name == "llvm.landingpad" and other.results[0].type != op.operands[0].type:
            raise error("'llvm.resume' should have a consistent input type inside a function", op)
