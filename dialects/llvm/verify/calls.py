"""Calls: the callee exists, and its type is that of the call; operand bundles."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.llvm import LLVMFunctionType, LLVMVoidType
from xdsl.ir import Operation

from lamina.dialects.core.diagnostics import error
from lamina.dialects.core.verifying.groups import attribute
from lamina.dialects.core.verifying.registry import verifies, verifies_uses
from lamina.dialects.core.verifying.symbols import nearest_symbol, symbol_from
from lamina.dialects.llvm.syntax.parts import groups
from lamina.dialects.llvm.verify.values import check_weights


@verifies("llvm.call", "llvm.call_intrinsic", "llvm.invoke")
def verify_call(op: Operation) -> None:
    """A callee or a pointer to one, results that are no void, bundles with a tag each."""
    arguments = groups(op)[0]
    if op.successors:
        check_weights(op)
    if op.name != "llvm.call_intrinsic":
        if attribute(op, "callee") is None:
            if not arguments:
                raise error("must have either a `callee` attribute or at least an operand", op)
            if arguments[0].type.name != "llvm.ptr":
                raise error(f"indirect call expects a pointer as callee: '{arguments[0].type}'", op)
        _check_variadic_type(op, arguments)
    if len(op.results) > 1:
        raise error("expected function with 0 or 1 result", op)
    if op.results and isinstance(op.results[0].type, LLVMVoidType):
        raise error("expected a non-void result type", op)
    _check_bundles(op)


def _check_bundles(op: Operation) -> None:
    tags, sizes = attribute(op, "op_bundle_tags"), attribute(op, "op_bundle_sizes")
    count = len(sizes.get_values()) if sizes is not None else 0
    got = len(tags.data) if tags is not None else 0
    if count != got:
        raise error(f"expected {count} operand bundle tags, but actually got {got}", op)


def _check_variadic_type(op: Operation, arguments: Any) -> None:
    """``vararg(!llvm.func<…>)`` says the fixed part of the call's type."""
    type = attribute(op, "var_callee_type")
    if type is None:
        return
    if not isinstance(type, LLVMFunctionType) or not type.is_variadic:
        raise error("expected var_callee_type to be a variadic function type", op)
    passed = arguments if attribute(op, "callee") is not None else arguments[1:]
    fixed = type.inputs.data
    if len(fixed) > len(passed):
        raise error(f"expected var_callee_type to have at most {len(passed)} parameters", op)
    for wanted, value in zip(fixed, passed, strict=False):
        if wanted != value.type:
            raise error(f"var_callee_type parameter type mismatch: '{wanted}' != '{value.type}'", op)
    if not op.results:
        if not isinstance(type.output, LLVMVoidType):
            raise error("expected var_callee_type to return void", op)
    elif type.output != op.results[0].type:
        raise error(f"var_callee_type return type mismatch: '{type.output}' != '{op.results[0].type}'", op)


@verifies_uses("llvm.call")
def verify_callee(op: Operation) -> None:
    """The function that is called, where it is named."""
    callee: Any = attribute(op, "callee")
    if callee is None:
        return
    found = symbol_from(op, callee)
    name = callee.root_reference.data
    if found is None:
        hint = nearest_symbol(op, name)
        raise error(f"'{name}' does not reference a symbol in the current scope", op, hint=hint)
    if found.name in ("llvm.mlir.ifunc", "llvm.mlir.alias"):
        return
    if found.name != "llvm.func":
        raise error(f"'{name}' does not reference a valid LLVM function", op)
    _check_type(op, attribute(found, "function_type"))


def _check_type(op: Operation, type: Any) -> None:
    arguments = groups(op)[0]
    if type.is_variadic and attribute(op, "var_callee_type") is None:
        raise error("missing var_callee_type attribute for vararg call", op)
    wanted = type.inputs.data
    if not type.is_variadic and len(wanted) != len(arguments):
        message = f"incorrect number of operands ({len(arguments)}) for callee (expecting: {len(wanted)})"
        raise error(message, op)
    for number, (value, input_type) in enumerate(zip(arguments, wanted, strict=False)):
        if value.type != input_type:
            raise error(f"operand type mismatch for operand {number}: '{value.type}' != '{input_type}'", op)
    if not op.results and not isinstance(type.output, LLVMVoidType):
        raise error("expected function call to produce a value", op)
    if op.results and isinstance(type.output, LLVMVoidType):
        raise error("calling function with void result must not produce values", op)
    if op.results and op.results[0].type != type.output:
        raise error(f"result type mismatch: '{op.results[0].type}' != '{type.output}'", op)
