"""Functions of the C library that lowered code calls, declared once per module."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.llvm import FuncOp, LinkageAttr, LLVMFunctionType
from xdsl.ir import Attribute, Operation

from lamina.dialects.core.diagnostics import error


def enclosing_module(op: Operation) -> ModuleOp:
    """The module an operation is in (or is)."""
    current: Operation | None = op
    while current is not None and not isinstance(current, ModuleOp):
        current = current.parent_op()
    if current is None:
        raise error("is not inside a module", op)
    return current


def declare_function(op: Operation, name: str, inputs: Sequence[Attribute], output: Attribute) -> None:
    """Make sure that the module around ``op`` declares an external function."""
    module = enclosing_module(op)
    if any(_symbol(other) == name for other in module.body.block.ops):
        return
    declaration = FuncOp(name, LLVMFunctionType(inputs, output), LinkageAttr("external"))
    first = module.body.block.first_op
    if first is None:
        module.body.block.add_op(declaration)
    else:
        module.body.block.insert_op_before(declaration, first)


def _symbol(op: Operation) -> str | None:
    attribute = op.properties.get("sym_name")
    return attribute.data if isinstance(attribute, StringAttr) else None
