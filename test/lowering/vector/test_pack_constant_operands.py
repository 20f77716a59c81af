"""Constant operands are packed where tiles are read, and nothing else changes."""

from __future__ import annotations

import numpy as np
import pytest

import lamina
from lamina.dialects.linalg.packing import pack_array, unpack_array
from lamina.lowering.pipelines import DISPATCH_PASSES, TO_LINALG

BEFORE = ",".join((*TO_LINALG, *DISPATCH_PASSES[: DISPATCH_PASSES.index("pack-constant-operands")]))


def _matmul(rows: int, depth: int, columns: int) -> str:
    x, w, y = (rows, depth), (depth, columns), (rows, columns)
    return _program(f"nn.matmul %x, %w : ({_type(x)}, {_type(w)}) -> {_type(y)}", x, w, y)


def _convolution(size: int, channels: int, kernels: int, window: int) -> str:
    out = size - window + 1
    x, w, y = (1, channels, size, size), (kernels, channels, window, window), (1, kernels, out, out)
    return _program(f"nn.conv2d %x, %w : ({_type(x)}, {_type(w)}) -> {_type(y)}", x, w, y)


def _type(shape: tuple[int, ...]) -> str:
    return f"tensor<{'x'.join(map(str, shape))}xf32>"


def _program(op: str, x: tuple[int, ...], w: tuple[int, ...], y: tuple[int, ...]) -> str:
    """An operation on an argument and constant weights, with an epilogue."""
    data = np.random.default_rng(1).standard_normal(w).astype(np.float32).tobytes().hex().upper()
    return f"""
func.func @main(%x: {_type(x)}) -> {_type(y)} {{
  %w = nn.constant dense<"0x{data}"> : {_type(w)}
  %0 = {op}
  %1 = nn.relu %0 : ({_type(y)}) -> {_type(y)}
  return %1 : {_type(y)}
}}"""


@pytest.mark.parametrize(
    ("text", "packed"),
    [
        pytest.param(_matmul(1, 128, 256), True, id="vector times matrix"),
        pytest.param(_matmul(7, 300, 48), True, id="few rows"),
        pytest.param(_matmul(50, 64, 128), True, id="matmul"),
        pytest.param(_matmul(50, 64, 127), True, id="columns that no tile divides"),
        pytest.param(_matmul(1, 256, 257), True, id="vector times matrix of odd width"),
        pytest.param(_matmul(7, 300, 49), True, id="one column more than tiles have"),
        pytest.param(_convolution(11, 16, 37, 3), True, id="convolution to odd channels"),
        pytest.param(_matmul(9, 8, 16), False, id="small"),
        pytest.param(_convolution(12, 16, 32, 3), True, id="convolution"),
        pytest.param(_convolution(9, 64, 96, 1), True, id="1x1 convolution"),
    ],
)
def test_values_are_those_of_the_interpreter(text: str, packed: bool) -> None:
    module = lamina.parse(text)
    exe = lamina.compile(module, threads=1)
    x = np.random.default_rng(2).standard_normal(exe.inputs[0].shape).astype(np.float32)
    wanted = lamina.interpret(module, x)
    np.testing.assert_allclose(exe(x), wanted, rtol=1e-4, atol=1e-4)
    lamina.run_pipeline(module, BEFORE)
    lamina.run_pipeline(module, "pack-constant-operands{fold=false}")
    lowered = lamina.to_text(module)
    assert ("linalg.pack" in lowered) == packed
    assert ("linalg.unpack" in lowered) == packed
    np.testing.assert_allclose(lamina.interpret(module, x), wanted, rtol=1e-5, atol=1e-5)


def test_an_operand_that_is_no_constant_everywhere_stays() -> None:
    text = """
func.func @main(%x: tensor<8x64xf32>, %w: tensor<64x64xf32>) -> tensor<8x64xf32> {
  %0 = nn.matmul %x, %w : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
  return %0 : tensor<8x64xf32>
}"""
    module = lamina.parse(text)
    lamina.run_pipeline(module, BEFORE + ",pack-constant-operands{fold=false}")
    assert "linalg.pack" not in lamina.to_text(module)


@pytest.mark.parametrize(
    ("shape", "positions", "tiles", "order"),
    [
        ((8, 32), (1,), (16,), (1, 0)),
        ((6, 8), (1, 0), (4, 2), (0, 1)),
        ((3, 4, 10), (2,), (5,), (2, 0, 1)),
        ((8, 33), (1,), (16,), (1, 0)),
        ((7, 9), (1, 0), (4, 2), (0, 1)),
    ],
)
def test_packed_elements_stand_where_upstream_puts_them(
    shape: tuple[int, ...], positions: tuple[int, ...], tiles: tuple[int, ...], order: tuple[int, ...]
) -> None:
    array = np.arange(np.prod(shape)).reshape(shape)
    packed = pack_array(array, positions, tiles, order)
    for index in np.ndindex(*shape):
        outer, inner = list(index), [0] * len(positions)
        for number, (position, tile) in enumerate(zip(positions, tiles, strict=True)):
            outer[position], inner[number] = divmod(index[position], tile)
        assert packed[(*(outer[d] for d in order), *inner)] == array[index]
    assert packed.sum() == array.sum()  # what fills up the last tiles is zero
    assert np.array_equal(unpack_array(packed, positions, tiles, order, shape), array)
