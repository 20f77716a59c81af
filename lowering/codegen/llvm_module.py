"""From a module of the llvm dialect to object code: emit LLVM IR, compile its parts, gather the constants."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation

from lamina.dialects.core.constants import aligned_copy, as_array
from lamina.dialects.core.diagnostics import did_you_mean, error
from lamina.lowering.codegen.compiled import CompiledCode
from lamina.lowering.codegen.entry import entry_signature
from lamina.lowering.codegen.jit import IrText, ObjectCode, compile_parts
from lamina.lowering.codegen.llvm_emitter import attribute
from lamina.lowering.codegen.llvm_functions import linkage
from lamina.lowering.codegen.memory import ALIGNMENT, address_of
from lamina.lowering.codegen.target import Target
from lamina.lowering.formats.llvm_ir import VALUE_ATTRIBUTE, emit_llvm_ir_parts


def compile_llvm_module(
    module: ModuleOp, entry: str, target: Target
) -> tuple[CompiledCode, dict[str, float]]:
    """The code of an entry of a module in the llvm dialect, and the seconds that each stage took."""
    signature = entry_signature(_find_entry(module, entry))
    started = time.perf_counter()
    texts = emit_llvm_ir_parts(module)
    emitted = time.perf_counter()
    objects = compile_parts(texts, target)
    stages = {"emit": emitted - started, **_shares(objects, time.perf_counter() - emitted)}
    contents = tuple(code.object_bytes for code in objects)
    return CompiledCode(entry, signature, contents, _constants(module), IrText.of(texts)), stages


def _shares(objects: Sequence[ObjectCode], seconds: float) -> dict[str, float]:
    """The time that compiling took, by stage, in proportion to what each part's stages took."""
    sums = {stage: sum(code.timings[stage] for code in objects) for stage in objects[0].timings}
    total = sum(sums.values()) or 1.0
    return {stage: seconds * time / total for stage, time in sums.items()}


def _find_entry(module: ModuleOp, entry: str) -> Operation:
    """The definition of the entry; a :class:`LaminaError` lists the functions where there is none."""
    functions: dict[str, Operation] = {}
    for op in module.body.block.ops:
        name = op.properties.get("sym_name")
        if op.name == "llvm.func" and isinstance(name, StringAttr) and op.regions[0].blocks:
            functions[name.data] = op
    if entry not in functions:
        known = ", ".join(functions) or "none"
        raise error(
            f"the module has no function '{entry}' in the llvm dialect",
            hint=did_you_mean(entry, list(functions)) or f"functions: {known}",
        )
    visibility = attribute(functions[entry], "sym_visibility")
    if linkage(functions[entry]) or (isinstance(visibility, StringAttr) and visibility.data == "private"):
        raise error("is private, so it cannot be an entry", functions[entry], hint="make it public")
    return functions[entry]


def _constants(module: ModuleOp) -> dict[str, np.ndarray]:
    """The values of the constants that are bound by address, aligned, by symbol name."""
    constants: dict[str, np.ndarray] = {}
    for op in module.body.block.ops:
        value, name = op.attributes.get(VALUE_ATTRIBUTE), op.properties.get("sym_name")
        if op.name == "llvm.mlir.global" and value is not None and isinstance(name, StringAttr):
            array = as_array(value)
            shareable = array.flags.c_contiguous and address_of(array) % ALIGNMENT == 0 and array.size
            constants[name.data] = array if shareable else aligned_copy(array)
    return constants
