"""Helpers of the lowering tests: run passes on text, run the result, run what upstream makes of it."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence

import numpy as np
import pytest

Argument = np.ndarray | int
Execute = Callable[[str, Sequence[Argument]], list[np.ndarray]]

UPSTREAM = (
    "builtin.module(convert-scf-to-cf,expand-strided-metadata,lower-affine,convert-math-to-llvm,"
    "convert-math-to-libm,convert-vector-to-llvm,convert-index-to-llvm,convert-arith-to-llvm,"
    "convert-cf-to-llvm,finalize-memref-to-llvm,convert-func-to-llvm{use-bare-ptr-memref-call-conv=1},"
    "reconcile-unrealized-casts)"
)


@pytest.fixture
def lower() -> Callable[..., str]:
    """``lower(text, *passes)``: the text after the passes (by default all down to the llvm dialect)."""
    return _lower


def _lower(text: str, *passes: str) -> str:
    from lamina.dialects.core.text import parse, to_text
    from lamina.lowering.llvm import LLVM_PASSES
    from lamina.passes.framework.manager import run_pipeline

    module = parse(text)
    run_pipeline(module, ",".join(passes or LLVM_PASSES))
    return to_text(module)


@pytest.fixture
def execute() -> Execute:
    """``execute(text, arguments)``: lower the text, run ``@f`` with copies of the arrays; the copies."""
    return lambda text, arguments: run_llvm(_lower(text), arguments)


@pytest.fixture
def execute_upstream(mlir_opt: Callable[..., str]) -> Execute:
    """The same by upstream's passes; skips where mlir-opt is not installed."""
    return lambda text, arguments: run_llvm(mlir_opt(text, f"--pass-pipeline={UPSTREAM}"), arguments)


@pytest.fixture
def accepted_by_upstream(
    mlir_opt: Callable[..., str], mlir_translate: Callable[..., str]
) -> Callable[[str], None]:
    """Lower a text and let mlir-opt and mlir-translate read the result; skips where they are missing."""

    def accept(text: str) -> None:
        mlir_translate(mlir_opt(_lower(text)), "--mlir-to-llvmir")

    return accept


@pytest.fixture
def check() -> Callable[[Sequence[np.ndarray], Sequence[object]], None]:
    """Arrays equal expected ones up to a few roundings in f32; None is expected of anything."""

    def compare(results: Sequence[np.ndarray], expected: Sequence[object]) -> None:
        for result, wanted in zip(results, expected, strict=True):
            if wanted is not None:
                np.testing.assert_allclose(result, np.asarray(wanted, result.dtype), rtol=1e-5, atol=1e-5)

    return compare


def run_llvm(text: str, arguments: Sequence[Argument]) -> list[np.ndarray]:
    """Compile llvm dialect text and call ``@f``; arrays are passed as pointers to copies, which come back."""
    from lamina.dialects.core.constants import aligned_copy, as_array
    from lamina.dialects.core.text import parse
    from lamina.lowering.codegen.jit import compile_to_object, load_object
    from lamina.lowering.formats.llvm_ir import emit_llvm_ir

    module = parse(text)
    values = {
        op.properties["sym_name"].data: np.ascontiguousarray(as_array(op.attributes["lamina.value"]))  # pyright: ignore
        for op in module.body.block.ops
        if "lamina.value" in op.attributes
    }
    symbols = {name: value.ctypes.data for name, value in values.items()}
    data = compile_to_object(emit_llvm_ir(module)).object_bytes
    code = load_object(data, ["f"], symbols, keep_alive=values)
    copies = [aligned_copy(a) if isinstance(a, np.ndarray) else a for a in arguments]
    types = [ctypes.c_void_p if isinstance(a, np.ndarray) else ctypes.c_int64 for a in copies]
    code.function("f", *types)(*[a.ctypes.data if isinstance(a, np.ndarray) else a for a in copies])
    return [copy for copy in copies if isinstance(copy, np.ndarray)]
