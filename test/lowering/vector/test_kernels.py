"""Scheduled and vectorised kernels compute what NumPy computes, and are valid MLIR on the way."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import lamina
from lamina.lowering.pipelines import DISPATCH_PASSES

sys.path.insert(0, str(Path(__file__).parent))
from kernels import (
    MAXIMUM,
    Kernel,
    conv,
    conv_nchw,
    depthwise,
    matmul,
    max_pool,
    numbers,
    reduction,
)

_ROW = "d0, d1"
_BIAS_AND_CLIP = """^bb0(%a: f32, %b: f32, %o: f32):
  %half = arith.constant 0.5 : f32
  %s = arith.addf %a, %b : f32
  %big = arith.cmpf ogt, %s, %half : f32
  %r = arith.select %big, %s, %half : f32
  linalg.yield %r : f32"""
_IS_POSITIVE = """^bb0(%a: i8, %o: i8):
  %z = arith.constant 0 : i8
  %c = arith.cmpi sgt, %a, %z : i8
  %r = arith.extui %c : i1 to i8
  linalg.yield %r : i8"""
_POSITION = """^bb0(%a: i64, %o: i64):
  %i = linalg.index 0 : index
  %j = linalg.index 1 : index
  %s = arith.addi %i, %j : index
  %p = arith.index_cast %s : index to i64
  %r = arith.addi %p, %a : i64
  linalg.yield %r : i64"""
_WIDENING = """^bb0(%a: i8, %b: i8, %o: i32):
  %x = arith.extsi %a : i8 to i32
  %y = arith.extsi %b : i8 to i32
  %p = arith.muli %x, %y : i32
  %s = arith.addi %o, %p : i32
  linalg.yield %s : i32"""
_COPY = "^bb0(%a: f32, %o: f32):\n  linalg.yield %a : f32"


def _elementwise() -> list[Kernel]:
    x, y, b = numbers(9, 37), numbers(37, seed=1), numbers(9, 37, dtype="i1")
    n = numbers(9, 37, dtype="i8")
    whole = np.add.outer(np.arange(9), np.arange(37)) + n
    clipped = np.maximum(x + y, np.float32(0.5))
    return [
        Kernel("bias and clip", (x, y), (_ROW, "d1", _ROW), "pp", _BIAS_AND_CLIP, clipped),
        Kernel("is positive", (b,), (_ROW, _ROW), "pp", _IS_POSITIVE, (b > 0).astype("i1")),
        Kernel("positions", (n,), (_ROW, _ROW), "pp", _POSITION, whole),
        Kernel("every third", (x,), ("d0, d1 * 3 + 1", _ROW), "pp", _COPY, x[:, 1::3].copy()),
        Kernel("reversed dims", (x[:, :8].copy(),), ("d1, d0", _ROW), "pp", _COPY, x[:, :8].T.copy()),
    ]


def _integers() -> Kernel:
    a, b = numbers(7, 33, dtype="i1"), numbers(33, 19, dtype="i1", seed=1)
    expected = a.astype("i4") @ b.astype("i4")
    return Kernel("i8 matmul", (a, b), ("d0, d2", "d2, d1", _ROW), "ppr", _WIDENING, expected, "0")


def _doubles() -> Kernel:
    single = matmul(7, 33, 19)
    a, b = (array.astype("f8") for array in single.inputs)
    body = single.body.replace("f32", "f64")
    return Kernel("f64 matmul", (a, b), single.maps, "ppr", body, a @ b, "0.0")


KERNELS = [
    matmul(13, 17, 19),
    matmul(7, 33, 19, right="d1, d2"),
    matmul(12, 20, 16, left="d2, d0"),
    matmul(1, 40, 70),
    matmul(1, 40, 5, right="d1, d2"),
    matmul(30, 20, 3),
    conv((5, 7), 3, 16, 3, stride=2),
    conv((6, 6), 8, 10, 3, dilation=2),
    conv_nchw((6, 9), 3, 8, 3),
    conv_nchw((5, 9), 3, 8, 3, stride=2),
    depthwise((5, 6), 20, 3),
    depthwise((5, 6), 20, 3, stride=2),
    max_pool((4, 5), 20, 2, 2),
    reduction((9, 70), (1,)),
    reduction((9, 70), (0,)),
    reduction((9, 70), (0, 1)),
    reduction((4, 30, 6), (1,)),
    reduction((9, 70), (1,), MAXIMUM),
    *_elementwise(),
    _integers(),
    _doubles(),
]


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)
def test_compiled_kernel_agrees_with_numpy(kernel: Kernel) -> None:
    got = lamina.compile(lamina.parse(kernel.text()))(*kernel.inputs)
    np.testing.assert_allclose(got, kernel.expected, rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)
def test_vectorised_kernel_is_valid_upstream(kernel: Kernel, mlir_opt: Callable[..., str]) -> None:
    module = lamina.run_pipeline(lamina.parse(kernel.text()), ",".join(DISPATCH_PASSES))
    text = lamina.to_text(module)
    mlir_opt(text)
    if kernel.name != "reversed dims":
        assert "linalg.generic" not in text and "vector" in text
