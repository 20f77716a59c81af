"""LLVM IR text of a module in the llvm dialect.

One pass over the operations, a table entry each. What mlir-translate does with the same module is the
yardstick; differences are:

* a function whose ``sym_visibility`` is private becomes ``internal``, so that LLVM may drop or change it;
* names are ``%v0``, ``%v1``, … and ``bb0``, ``bb1``, …; constants are spelled in hexadecimal;
* an external constant with ``lamina.value`` is written with its bytes if ``inline_constants`` asks for it.
"""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Attribute, Operation

from lamina.dialects.core.constants import as_array
from lamina.dialects.core.diagnostics import error
from lamina.lowering.codegen.llvm_constants import bytes_literal, literal
from lamina.lowering.codegen.llvm_emitter import LITERALS, Emitter, attribute, integer, quoted, symbol
from lamina.lowering.codegen.llvm_functions import emit_function, linkage

VALUE_ATTRIBUTE = "lamina.value"
"""The attribute that holds the value of a constant without initialiser."""


def emit_llvm_ir(module: ModuleOp, *, inline_constants: bool = False) -> str:
    """The LLVM IR text (of LLVM 22) of a module whose operations are all of the llvm dialect.

    Anything else in the module is a :class:`LaminaError` at that operation. Constants that are bound at
    load time stay external unless ``inline_constants`` is given.
    """
    emitter = Emitter()
    parts: list[str] = []
    for op in module.body.block.ops:
        emit = _TOP_LEVEL.get(op.name)
        if emit is None:
            raise error(
                "has no translation to LLVM IR", op, hint="lower it to the llvm dialect (`--lower-to-llvm`)"
            )
        parts.append(
            _emit_global(emitter, op, inline_constants)
            if op.name == "llvm.mlir.global"
            else emit(emitter, op)
        )
    structs = [f"%{quoted(name)} = type {body}\n" for name, body in emitter.types.named_structs.items()]
    declarations = [f"{text}\n" for text in emitter.declarations.values()]
    nodes = [f"!{index} = {text}\n" for index, text in enumerate(emitter.metadata)]
    return "".join([*_header(module), *structs, *parts, *declarations, *nodes])


def _header(module: ModuleOp) -> list[str]:
    lines: list[str] = []
    for name, keyword in (("llvm.data_layout", "datalayout"), ("llvm.target_triple", "triple")):
        value = module.attributes.get(name)
        if isinstance(value, StringAttr) and value.data:
            lines.append(f"target {keyword} = {quoted(value.data)}\n")
    return lines


def _emit_global(emitter: Emitter, op: Operation, inline: bool) -> str:
    """A global: external, or with the initialiser that its attribute or its region gives."""
    name, kind = op.properties["sym_name"], op.properties["global_type"]
    assert isinstance(name, StringAttr)
    text, value = emitter.type(kind), _initializer(emitter, op, kind)
    bound = op.attributes.get(VALUE_ATTRIBUTE)
    word = linkage(op) or ("external " if value is None else "")
    if inline and bound is not None and value is None:
        data = np.ascontiguousarray(as_array(bound)).tobytes()
        text, value, word = f"[{len(data)} x i8]", bytes_literal(data), "internal "
    local = "thread_local " if attribute(op, "thread_local_") is not None else ""
    unnamed = ("", "local_unnamed_addr ", "unnamed_addr ")[integer(op, "unnamed_addr")]
    space = integer(op, "addr_space")
    mutability = "constant" if attribute(op, "constant") is not None else "global"
    section, align = attribute(op, "section"), integer(op, "alignment")
    return (
        f"{symbol(name.data)} = {word}{local}{unnamed}{f'addrspace({space}) ' if space else ''}"
        f"{mutability} {text}{'' if value is None else ' ' + value}"
        f"{f', section {quoted(section.data)}' if isinstance(section, StringAttr) else ''}"
        f"{f', align {align}' if align else ''}\n"
    )


def _initializer(emitter: Emitter, op: Operation, kind: Attribute) -> str | None:
    value = attribute(op, "value")
    if value is not None:
        return literal(value, kind, emitter.types)
    blocks = list(op.regions[0].blocks) if op.regions else []
    if not blocks:
        return None
    returned = blocks[0].last_op
    if returned is None or any(inner.name not in (*LITERALS, "llvm.return") for inner in blocks[0].ops):
        raise error("has an initialiser that is not a constant, an address, zero or undef", op)
    emitter.start_function()
    return emitter.use(returned.operands[0])


def _emit_nothing(emitter: Emitter, op: Operation) -> str:
    return ""


_TOP_LEVEL = {
    "llvm.func": emit_function,
    "llvm.mlir.global": _emit_nothing,
    "llvm.module_flags": _emit_nothing,
}
