"""Helpers of the code generation tests: the same program through mlir-translate, and LLVM IR compared."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable

import numpy as np
import pytest


@pytest.fixture
def normalised() -> Callable[[str], list[str]]:
    """The lines of LLVM IR text without names, numbers, comments and order of declarations."""
    return _normalised


def _normalised(text: str) -> list[str]:
    import llvmlite.binding as llvm

    from lamina.lowering.codegen.jit import compile_to_object

    compile_to_object("define void @f() { ret void }")  # registers the code generator
    module = llvm.parse_assembly(text, llvm.create_context())
    module.verify()
    manager = llvm.create_new_module_pass_manager()
    manager.add_strip_symbols_pass()
    machine = llvm.Target.from_default_triple().create_target_machine()
    manager.run(module, llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(0)))
    text = re.sub(
        r"^(; .*|source_filename.*|target .*|!llvm\.module\.flags.*)\n|;.*$", "", str(module), flags=re.M
    )
    text = _inlined(text, r"^(!\d+) = (?:distinct )?(.*)\n", r"!\d+")
    text = _inlined(text, r"^attributes (#\d+) = (.*)\n", r"#\d+")
    text = re.sub(r"phi (.*?) (\[.*\])", _sorted_phi, text)
    lines = [line.rstrip() for line in text.splitlines() if line.strip()]
    return [x for x in lines if "declare" not in x] + sorted(x for x in lines if "declare" in x)


def _inlined(text: str, definition: str, reference: str) -> str:
    """Put numbered definitions where they are used (loops in metadata are cut)."""
    table = dict(re.findall(definition, text, re.M))
    text = re.sub(definition, "", text, flags=re.M)
    for _ in range(3):
        text = re.sub(reference, lambda m: table.get(m.group(0), ""), text)
    return re.sub(reference, "", text)


def _sorted_phi(match: re.Match[str]) -> str:
    return f"phi {match.group(1)} " + ", ".join(sorted(re.findall(r"\[.*?\]", match.group(2))))


@pytest.fixture
def run_main() -> Callable[[str, list[np.ndarray]], list[np.ndarray]]:
    """Compile LLVM IR text and run ``@main`` with pointers to aligned copies of the arrays; the copies."""
    return _run_main


def _run_main(text: str, arrays: list[np.ndarray]) -> list[np.ndarray]:
    from lamina.dialects.core.constants import aligned_copy
    from lamina.lowering.codegen.jit import compile_to_object, load_object

    code = load_object(compile_to_object(text).object_bytes, ["main"])
    copies = [aligned_copy(array) for array in arrays]
    code.function("main", *[ctypes.c_void_p] * len(copies))(*[copy.ctypes.data for copy in copies])
    return copies
