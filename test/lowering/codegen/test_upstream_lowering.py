"""Programs that mlir-opt lowers to the llvm dialect run through our reader, emitter and JIT."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from lamina.dialects.core.text import parse
from lamina.lowering.executable import Executable

LOWERING = (
    "--convert-linalg-to-loops",
    "--convert-scf-to-cf",
    "--expand-strided-metadata",
    "--lower-affine",
    "--convert-math-to-llvm",
    "--convert-math-to-libm",
    "--convert-vector-to-llvm",
    "--convert-arith-to-llvm",
    "--finalize-memref-to-llvm",
    "--convert-func-to-llvm=use-bare-ptr-memref-call-conv=true",
    "--convert-cf-to-llvm",
    "--reconcile-unrealized-casts",
    "--canonicalize",
)


def _entry(inputs: list[str], output: str, body: str) -> str:
    arguments = [
        f'%{n}: memref<{t}> {{lamina.type = tensor<{t}>, nn.name = "{n}"}}'
        for n, t in zip("xy", inputs, strict=False)
    ]
    arguments.append(f"%out: memref<{output}> {{lamina.type = tensor<{output}>, lamina.result = 0 : i64}}")
    return f"func.func @main({', '.join(arguments)}) {{\n{body}\n  return\n}}"


MATMUL = _entry(
    ["5x7xf32", "7x3xf32"],
    "5x3xf32",
    """
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%out : memref<5x3xf32>)
  linalg.matmul ins(%x, %y : memref<5x7xf32>, memref<7x3xf32>) outs(%out : memref<5x3xf32>)""",
)

SOFTPLUS = _entry(
    ["33xf32"],
    "33xf32",
    """
  linalg.generic {
    indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
    ins(%x : memref<33xf32>) outs(%out : memref<33xf32>) {
  ^bb0(%a: f32, %b: f32):
    %e = math.exp %a : f32
    %l = math.log1p %e : f32
    %t = math.erf %l : f32
    linalg.yield %t : f32
  }""",
)

TRANSPOSE = _entry(
    ["4x6xi16"],
    "6x4xi16",
    """
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  scf.parallel (%i, %j) = (%c0, %c0) to (%c4, %c6) step (%c1, %c1) {
    %v = memref.load %x[%i, %j] : memref<4x6xi16>
    memref.store %v, %out[%j, %i] : memref<6x4xi16>
  }""",
)

MASKED = _entry(
    ["10xf32"],
    "16xf32",
    """
  %c0 = arith.constant 0 : index
  %pad = arith.constant -1.5 : f32
  %v = vector.transfer_read %x[%c0], %pad : memref<10xf32>, vector<16xf32>
  %m = arith.maximumf %v, %v : vector<16xf32>
  vector.transfer_write %m, %out[%c0] {in_bounds = [true]} : vector<16xf32>, memref<16xf32>""",
)


def _erf(x: np.ndarray) -> np.ndarray:
    import math

    return np.vectorize(math.erf)(x)


RNG = np.random.default_rng(5)
CASES = {
    "matmul": (MATMUL, [RNG.random((5, 7), np.float32), RNG.random((7, 3), np.float32)], lambda x, y: x @ y),
    "softplus": (
        SOFTPLUS,
        [RNG.uniform(-3, 3, 33).astype(np.float32)],
        lambda x: _erf(np.log1p(np.exp(x.astype(np.float64)))),
    ),
    "transpose": (TRANSPOSE, [RNG.integers(-99, 99, (4, 6)).astype(np.int16)], lambda x: x.T),
    "masked": (
        MASKED,
        [RNG.random(10, np.float32)],
        lambda x: np.concatenate([x, np.full(6, np.float32(-1.5))]),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_program_runs(name: str, mlir_opt: Callable[..., str]) -> None:
    text, inputs, reference = CASES[name]
    exe = Executable.from_llvm_module(parse(mlir_opt(text, *LOWERING)))
    result = exe(*inputs)
    np.testing.assert_allclose(result.astype(np.float64), reference(*inputs), rtol=2e-6)
