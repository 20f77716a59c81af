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
from lamina.lowering.codegen.llvm_functions import emit_declaration, emit_function, linkage

VALUE_ATTRIBUTE = "lamina.value"
"""The attribute that holds the value of a constant without initialiser."""


def emit_llvm_ir(module: ModuleOp, *, inline_constants: bool = False) -> str:
    """The LLVM IR text (of LLVM 22) of a module whose operations are all of the llvm dialect.

    Anything else in the module is a :class:`LaminaError` at that operation. Constants that are bound at
    load time stay external unless ``inline_constants`` is given.
    """
    emitter = Emitter()
    texts = [_emit_top_level(emitter, op, inline_constants) for op in module.body.block.ops]
    return _assembled(module, emitter, texts)


OPERATIONS_PER_PART = 125
"""As small as parts can be before what they all declare costs more time than many cores save."""
SMALL_MODULE = 500
"""Operations of a module that stays whole: LLVM then sees its calls, and there is little to share out."""


def emit_llvm_ir_parts(
    module: ModuleOp, limit: int = OPERATIONS_PER_PART, small: int = SMALL_MODULE
) -> list[str]:
    """The module as LLVM IR texts that can be compiled apart, at the same time, and linked.

    Functions go into parts in their order, a new part after ``limit`` operations, so the split does not
    depend on the machine. A private function is ``hidden`` instead of internal. A module of ``small``
    operations or with variables of its own is one part.
    """
    ops = list(module.body.block.ops)
    functions = [op for op in ops if op.name == "llvm.func" and op.regions[0].blocks]
    parts = _split(functions, limit)
    is_small = sum(map(_size, functions)) <= small
    if len(parts) < 2 or is_small or any(_is_variable(op) for op in ops):
        return [emit_llvm_ir(module)]
    symbols = {name.data: op for op in ops if isinstance(name := op.properties.get("sym_name"), StringAttr)}
    return [_emit_part(module, part, symbols) for part in parts]


def _split(functions: list[Operation], limit: int) -> list[list[Operation]]:
    parts: list[list[Operation]] = []
    size = limit
    for function in functions:
        if size >= limit:
            parts.append([])
            size = 0
        parts[-1].append(function)
        size += _size(function)
    return parts


def _size(function: Operation) -> int:
    return sum(len(block.ops) for block in function.regions[0].blocks)


def _is_variable(op: Operation) -> bool:
    return op.name == "llvm.mlir.global" and attribute(op, "constant") is None


def _emit_part(module: ModuleOp, functions: list[Operation], symbols: dict[str, Operation]) -> str:
    """Some functions, with the constants they use and declarations of the functions they call."""
    emitter = Emitter(is_part=True)
    texts = [_emit_top_level(emitter, op, False) for op in functions]
    emitted = {op.properties["sym_name"].data for op in functions}  # pyright: ignore[reportAttributeAccessIssue]
    while pending := [name for name in emitter.references if name not in emitted]:
        for name in pending:
            op = symbols.get(name)
            if op is None:
                raise error(f"a function uses '{name}', which the module neither defines nor declares")
            is_function = op.name == "llvm.func"
            texts.append(emit_declaration(emitter, op) if is_function else _emit_global(emitter, op, False))
            emitted.add(name)
    return _assembled(module, emitter, texts)


def _emit_top_level(emitter: Emitter, op: Operation, inline_constants: bool) -> str:
    match op.name:
        case "llvm.func":
            return emit_function(emitter, op)
        case "llvm.mlir.global":
            return _emit_global(emitter, op, inline_constants)
        case "llvm.module_flags":
            return ""
        case _:
            hint = "lower it to the llvm dialect (`--lower-to-llvm`)"
            raise error("has no translation to LLVM IR", op, hint=hint)


def _assembled(module: ModuleOp, emitter: Emitter, texts: list[str]) -> str:
    """The whole text: what the emission collected stands around the functions and globals."""
    structs = [f"%{quoted(name)} = type {body}\n" for name, body in emitter.types.named_structs.items()]
    declarations = [f"{text}\n" for text in emitter.declarations.values()]
    nodes = [f"!{index} = {text}\n" for index, text in enumerate(emitter.metadata)]
    return "".join([*_header(module), *structs, *texts, *declarations, *nodes])


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
