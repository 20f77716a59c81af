"""Random numbers: the generator's known answers, the same numbers natively, what distribution they have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lamina
from lamina.dialects.nn.reference._threefry import threefry2x32

KNOWN = [  # Random123's kat_vectors: counter, key, result
    ((0, 0), (0, 0), (0x6B200159, 0x99BA4EFE)),
    ((0xFFFFFFFF, 0xFFFFFFFF), (0xFFFFFFFF, 0xFFFFFFFF), (0x1CB996FC, 0xBB002BE7)),
    ((0x243F6A88, 0x85A308D3), (0x13198A2E, 0x03707344), (0xC4923A9C, 0x483DF7A0)),
]


@pytest.mark.parametrize(("counter", "key", "expected"), KNOWN)
def test_the_generator_gives_the_known_answers(
    counter: tuple[int, int], key: tuple[int, int], expected: tuple[int, int]
) -> None:
    words = tuple(np.array([c], np.uint32) for c in counter)
    found = threefry2x32(np.array(key, np.uint32), (words[0], words[1]))
    assert tuple(int(w[0]) for w in found) == expected


TEXT = """
func.func @main(%k: tensor<2xui32>, %x: tensor<7x9xf32>)
    -> (tensor<5x13xf32>, tensor<40xf64>, tensor<33xf16>, tensor<3x50xf32>, tensor<7x9xf32>) {
  %0 = nn.rng_uniform %k {shape = array<i64: 5, 13>, low = -2.0, high = 3.0}
    : (tensor<2xui32>) -> tensor<5x13xf32>
  %1 = nn.rng_uniform %k {shape = array<i64: 40>, type = f64} : (tensor<2xui32>) -> tensor<40xf64>
  %2 = nn.rng_uniform %k {shape = array<i64: 33>, type = f16} : (tensor<2xui32>) -> tensor<33xf16>
  %3 = nn.rng_normal %k {shape = array<i64: 3, 50>, mean = 1.0, stddev = 2.0}
    : (tensor<2xui32>) -> tensor<3x50xf32>
  %4 = nn.dropout %x, %k {rate = 0.4} : (tensor<7x9xf32>, tensor<2xui32>) -> tensor<7x9xf32>
  return %0, %1, %2, %3, %4
    : tensor<5x13xf32>, tensor<40xf64>, tensor<33xf16>, tensor<3x50xf32>, tensor<7x9xf32>
}
"""


def test_native_numbers_are_the_interpreters() -> None:
    module = lamina.parse(TEXT)
    key, x = np.array([42, 7], np.uint32), np.ones((7, 9), np.float32)
    executable = lamina.compile(module)
    for seed in (0, 42):
        key[0] = seed
        found, expected = executable(key, x), lamina.interpret(module, key, x)
        for place in (0, 1, 2, 4):
            np.testing.assert_array_equal(found[place], expected[place])
        np.testing.assert_allclose(found[3], expected[3], rtol=1e-5, atol=1e-5)


def test_the_distributions_have_their_moments(run: Callable[..., Any]) -> None:
    key = np.array([1, 2], np.uint32)
    uniform = run("nn.rng_uniform", key, shape=[20000], low=-1.0, high=3.0)
    assert uniform.min() >= -1 and uniform.max() < 3
    assert abs(uniform.mean() - 1) < 0.03 and abs(uniform.var() - 16 / 12) < 0.03
    normal = run("nn.rng_normal", key, shape=[20000], mean=2.0, stddev=3.0)
    assert abs(normal.mean() - 2) < 0.06 and abs(normal.std() - 3) < 0.06
    dropped = run("nn.dropout", np.ones(20000, np.float32), key, rate=0.25)
    assert set(np.unique(dropped)) == {np.float32(0), np.float32(1 / 0.75)}
    assert abs((dropped == 0).mean() - 0.25) < 0.01


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "nn.rng_uniform %k {shape = array<i64: 2>, type = i32} : (tensor<2xui32>) -> tensor<2xi32>",
            "expected a floating",
        ),
        ("nn.dropout %x, %k {rate = 1.0} : (tensor<3xf32>, tensor<2xui32>) -> tensor<3xf32>", "less than 1"),
        (
            "nn.dropout %x, %x {rate = 0.5} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>",
            "the key has type",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(text: str, message: str) -> None:
    function = f"func.func @f(%x: tensor<3xf32>, %k: tensor<2xui32>) {{ %0 = {text}\n return }}"
    with pytest.raises(lamina.LaminaError, match=message):
        lamina.parse(function)
