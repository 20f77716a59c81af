"""Calls from the interpreter to native code without Python between: which ones, and what they hold."""

from __future__ import annotations

import gc
import sys
import threading
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import lamina
from lamina.dialects.core.diagnostics import LaminaError
from lamina.lowering.codegen import fast_call
from lamina.lowering.executable import Executable

pytestmark = pytest.mark.skipif(not fast_call.is_available(), reason="needs CPython with its lock")

TWO_RESULTS = """
func.func @main(%x: tensor<4x3xf32>, %y: tensor<3xf32>) -> (tensor<4x3xf32>, tensor<4x3xf32>) {
  %0 = nn.add %x, %y : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %1 = nn.mul %x, %y : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  return %0, %1 : tensor<4x3xf32>, tensor<4x3xf32>
}
"""
WITH_ARENA = """
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = nn.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = nn.matmul %0, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
"""


class _Counted(Executable):
    """Counts the calls that do not stay in native code."""

    slow = 0

    def _call(self, *args: Any, out: Any = None, **named: Any) -> Any:
        self.slow += 1
        return super()._call(*args, out=out, **named)


def _compile(text: str) -> _Counted:
    exe = lamina.compile(lamina.parse(text))
    exe.__class__ = _Counted
    assert isinstance(exe, _Counted)
    return exe


@pytest.fixture
def pair() -> _Counted:
    return _compile(TWO_RESULTS)


@pytest.fixture
def arrays() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    return rng.random((4, 3), np.float32), rng.random(3, np.float32)


def test_arrays_by_position_stay_in_native_code(pair: _Counted, arrays: tuple[np.ndarray, ...]) -> None:
    x, y = arrays
    total, product = pair(x, y)
    assert np.array_equal(total, x + y)
    assert np.array_equal(product, x * y)
    out = np.empty_like(x), np.empty_like(x)
    assert pair(x, y, out=out) == out
    assert np.array_equal(out[1], product)
    assert pair.slow == 0


def _other_forms(x: np.ndarray, y: np.ndarray) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    class Sub(np.ndarray):
        pass

    yield (x, y.tolist()), {}
    yield (np.asfortranarray(x), y), {}
    yield (x.view(Sub), y), {}
    yield (x,), {"arg1": y}
    yield (x, y), {"out": None}
    yield (x, y), {"out": [np.empty_like(x), np.empty_like(x)]}
    yield (x, y), {"out": {"out0": np.empty_like(x), "out1": np.empty_like(x)}}


def test_other_forms_give_the_same(pair: _Counted, arrays: tuple[np.ndarray, ...]) -> None:
    x, y = arrays
    for count, (args, named) in enumerate(_other_forms(x, y), 1):
        total, _ = pair(*args, **named)
        assert np.array_equal(total, x + y)
        assert pair.slow == count


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        (np.zeros((4, 3)), np.zeros(3, np.float32), "must have dtype float32, not float64"),
        (np.zeros((3, 4), np.float32), np.zeros(3, np.float32), r"must have shape \[4, 3\]"),
        (np.zeros((4, 3), np.float32), np.zeros((3, 1), np.float32), r"must have shape \[3\]"),
        (np.zeros((4, 3), ">f4"), np.zeros(3, np.float32), "must have dtype float32"),
        (object(), np.zeros(3, np.float32), "dtype"),
    ],
)
def test_mistakes_are_told(pair: _Counted, x: Any, y: Any, message: str) -> None:
    with pytest.raises(LaminaError, match=message):
        pair(x, y)


def test_results_that_share_memory_are_refused(pair: _Counted, arrays: tuple[np.ndarray, ...]) -> None:
    x, y = arrays
    z = np.empty((5, 3), np.float32)
    with pytest.raises(LaminaError, match="shares memory with input"):
        pair(x, y, out=(x, np.empty_like(x)))
    with pytest.raises(LaminaError, match="shares memory with output"):
        pair(x, y, out=(z[:4], z[1:]))
    frozen = np.empty_like(x)
    frozen.flags.writeable = False
    with pytest.raises(LaminaError, match="writable"):
        pair(x, y, out=(frozen, np.empty_like(x)))


def test_references_are_balanced(pair: _Counted, arrays: tuple[np.ndarray, ...]) -> None:
    x, y = arrays
    out = np.empty_like(x), np.empty_like(x)
    objects = (x, y, out, *out, x.dtype, pair)
    before = [sys.getrefcount(item) for item in objects]
    for _ in range(100):
        pair(x, y)
        pair(x, y, out=out)
    assert [sys.getrefcount(item) for item in objects] == before
    results = [weakref.ref(result) for result in pair(x, y)]
    assert [result() for result in results] == [None, None]


def test_an_executable_goes_with_its_last_reference() -> None:
    exe = _compile(WITH_ARENA)
    gone = weakref.ref(exe)
    gc.disable()
    try:
        del exe
        assert gone() is None
    finally:
        gc.enable()


def test_concurrent_calls_do_not_share_arenas() -> None:
    exe = _compile(WITH_ARENA)
    wrong: list[int] = []

    def call(seed: int) -> None:
        x = np.random.default_rng(seed).random((8, 8), np.float32)
        expected = exe.run({"arg0": x})
        wrong.extend(seed for _ in range(300) if not np.array_equal(exe(x), expected))

    threads = [threading.Thread(target=call, args=(seed,)) for seed in range(7)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_arguments_may_be_donated_only_if_writable() -> None:
    text = WITH_ARENA.replace("%x: tensor<8x8xf32>", "%x: tensor<8x8xf32> {bufferization.writable = true}", 1)
    exe = _compile(text)
    x = np.eye(8, dtype=np.float32)
    x.flags.writeable = False
    assert np.array_equal(exe(x), np.eye(8))
    assert exe.slow == 1
    assert np.array_equal(x, np.eye(8))


def test_the_plain_class_calls_the_same_method() -> None:
    class Plain(fast_call._PlainCallable):
        def _call(self, *args: Any, out: Any = None, **named: Any) -> Any:
            return args, out, named

    assert Plain()(1, 2, out=3, x=4) == ((1, 2), 3, {"x": 4})
