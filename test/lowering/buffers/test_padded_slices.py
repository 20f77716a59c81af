"""Channels are padded by the iterations that read them, natively with the interpreter's values."""

from __future__ import annotations

import numpy as np
import pytest

import lamina
from lamina.lowering.pipelines import TO_LOOPS

DEPTHWISE = """
func.func @main(%x: tensor<{n}x{c}x{h}x{w}x{t}>, %k: tensor<{c}x1x3x3x{t}>) -> tensor<{n}x{c}x{p}x{q}x{t}> {{
  %0 = nn.conv2d %x, %k {{pads = array<i64: 1, 1, 1, 1>, strides = array<i64: {s}, {s}>, groups = {c} : i64}}
    : (tensor<{n}x{c}x{h}x{w}x{t}>, tensor<{c}x1x3x3x{t}>) -> tensor<{n}x{c}x{p}x{q}x{t}>
  return %0 : tensor<{n}x{c}x{p}x{q}x{t}>
}}"""
MAX_POOL = """
func.func @main(%x: tensor<{n}x{c}x{h}x{w}x{t}>) -> tensor<{n}x{c}x{p}x{q}x{t}> {{
  %0 = nn.max_pool2d %x {{kernel = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>,
    strides = array<i64: {s}, {s}>}} : (tensor<{n}x{c}x{h}x{w}x{t}>) -> tensor<{n}x{c}x{p}x{q}x{t}>
  return %0 : tensor<{n}x{c}x{p}x{q}x{t}>
}}"""
SHAPES = [(1, 5, 9, 11), (2, 3, 16, 33), (1, 24, 40, 41), (1, 1, 8, 8), (3, 2, 1, 2)]


def _module(text: str, shape: tuple[int, int, int, int], stride: int, kind: str):
    n, c, h, w = shape
    p, q = ((size - 1) // stride + 1 for size in (h, w))
    return lamina.parse(text.format(n=n, c=c, h=h, w=w, p=p, q=q, s=stride, t=kind))


@pytest.mark.parametrize("text", [DEPTHWISE, MAX_POOL], ids=["depthwise", "max_pool"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("stride", [1, 2, 3, 4])
@pytest.mark.parametrize("kind", ["f32", "f64"])
def test_values(text: str, shape: tuple[int, int, int, int], stride: int, kind: str) -> None:
    module = _module(text, shape, stride, kind)
    rng = np.random.default_rng(stride)
    exe = lamina.compile(module, threads=2)
    inputs = [rng.standard_normal(info.shape).astype(f"f{int(kind[1:]) // 8}") for info in exe.inputs]
    wanted = lamina.interpret(module, *inputs)
    np.testing.assert_allclose(exe(*inputs), wanted, rtol=1e-5, atol=1e-5)


def test_a_channel_of_scratch_is_left_of_the_padded_image() -> None:
    module = _module(DEPTHWISE, (1, 24, 40, 41), 1, "f32")
    lamina.run_pipeline(module, ",".join(TO_LOOPS))
    text = lamina.to_text(module)
    assert "memref<1x1x42x43xf32>" in text
    assert "memref<1x24x42x43xf32>" not in text
