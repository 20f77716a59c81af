"""Models of dynamic shapes: code for each set of shapes, kept within bounds, and made by several threads."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import lamina
from lamina.lowering.specialized import MAX_SPECIALIZATIONS, Specialized

ROWS = """
func.func @main(%x: tensor<?x3xf32> {nn.name = "x"}) -> tensor<?xf32> {
  %0 = nn.exp %x : (tensor<?x3xf32>) -> tensor<?x3xf32>
  %1 = nn.reduce_sum %0 {axes = array<i64: 1>, keepdims = false} : (tensor<?x3xf32>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}
"""


def _rows(count: int) -> np.ndarray:
    return np.random.default_rng(count).random((count, 3), np.float32)


def test_code_is_made_once_for_each_shape_and_kept_in_a_bounded_cache() -> None:
    made: list[int] = []

    def compile_for(shapes: Any) -> Any:
        """The number of rows in place of code."""
        made.append(shapes[0][0])
        return made[-1]

    exe = Specialized("main", lamina.compile(lamina.parse(ROWS))._signature, compile_for)  # pyright: ignore

    def use(rows: int) -> None:
        assert exe.executable_for(_rows(rows)) == rows  # pyright: ignore

    for rows in range(MAX_SPECIALIZATIONS):
        use(rows)
    use(0)  # now 1 is the one not used for longest
    assert made == list(range(MAX_SPECIALIZATIONS))
    use(99)
    use(0)
    use(1)
    assert made == [*range(MAX_SPECIALIZATIONS), 99, 1]


def test_threads_that_meet_new_shapes_get_right_results() -> None:
    exe = lamina.compile(lamina.parse(ROWS))
    counts = [1, 5, 5, 1, 2, 5, 2, 1] * 4
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda count: exe(_rows(count)), counts))
    for count, result in zip(counts, results, strict=True):
        np.testing.assert_allclose(result, np.exp(_rows(count)).sum(axis=1), rtol=1e-5)


def test_a_call_does_not_wait_while_code_for_other_shapes_is_made() -> None:
    exe: Any = lamina.compile(lamina.parse(ROWS))
    exe(_rows(2))
    real, started, go_on = exe._compile_for, threading.Event(), threading.Event()

    def slow(*args: Any) -> Any:
        started.set()
        assert go_on.wait(60)
        return real(*args)

    exe._compile_for = slow
    with ThreadPoolExecutor(1) as pool:
        pending = pool.submit(exe, _rows(4))
        assert started.wait(60)
        assert exe(_rows(2)).shape == (2,)
        assert not pending.done()
        go_on.set()
        assert pending.result(60).shape == (4,)


def test_shapes_of_results_follow_from_static_inputs() -> None:
    text = ROWS.replace("%x: tensor<?x3xf32>", "%y: tensor<4x3xf32>").replace(
        "  %0 = nn.exp", "  %x = tensor.cast %y : tensor<4x3xf32> to tensor<?x3xf32>\n  %0 = nn.exp"
    )
    exe = lamina.compile(lamina.parse(text))
    assert [info.shape for info in exe.outputs] == [(4,)]
    np.testing.assert_allclose(exe(_rows(4)), np.exp(_rows(4)).sum(axis=1), rtol=1e-5)


def test_shapes_must_be_set_before_tensors_become_buffers() -> None:
    module = lamina.run_pipeline(lamina.parse(ROWS), "lower-to-loops")
    with pytest.raises(lamina.LaminaError) as caught:
        lamina.compile(module)
    assert str(caught.value) == (
        "<text>:2:1: error: 'func.func' op has dynamic shapes, x: float32[?, 3], out0: float32[?], "
        "and is lowered to 'memref' already\n"
        "  hint: write the shapes into the types, or run `nn-set-shapes` while values are tensors"
    )


PRODUCT = """
func.func @main(%x: tensor<?x?xf32>, %w: tensor<?x5xf32>) -> tensor<?x5xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %e = tensor.empty(%n) : tensor<?x5xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x5xf32>) -> tensor<?x5xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<?x?xf32>, tensor<?x5xf32>)
      outs(%z : tensor<?x5xf32>) -> tensor<?x5xf32>
  return %0 : tensor<?x5xf32>
}
"""


def test_a_program_in_linalg_is_compiled_for_the_shapes_of_its_inputs() -> None:
    exe = lamina.compile(lamina.parse(PRODUCT))
    rng = np.random.default_rng(0)
    for rows, depth in ((4, 8), (7, 3)):
        x, w = rng.random((rows, depth), np.float32), rng.random((depth, 5), np.float32)
        np.testing.assert_allclose(exe(x, w), x @ w, rtol=1e-5)
    lowered = lamina.compile(lamina.run_pipeline(lamina.parse(ROWS), "lower-to-linalg"))
    np.testing.assert_allclose(lowered(_rows(4)), np.exp(_rows(4)).sum(axis=1), rtol=1e-5)


def test_shapes_that_contradict_each_other_in_linalg_are_an_error() -> None:
    exe = lamina.compile(lamina.parse(PRODUCT))
    with pytest.raises(lamina.LaminaError, match=r"<text>:8:8: error: .*does not fit the given shapes: .*"):
        exe(np.ones((4, 8), np.float32), np.ones((7, 5), np.float32))


def test_a_result_whose_shape_depends_on_values_is_an_error() -> None:
    exe = lamina.compile(
        lamina.parse("""
func.func @main(%x: tensor<?xf32> {nn.name = "x"}, %shape: tensor<2xi64> {nn.name = "shape"})
    -> (tensor<?x?xf32> {nn.name = "y"}) {
  %0 = nn.dynamic_reshape %x, %shape : (tensor<?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}""")
    )
    with pytest.raises(lamina.LaminaError) as caught:
        exe(np.zeros(6, np.float32), np.array([2, 3]))
    message = "gives a result whose shape does not follow from those of the inputs, y: float32[?, ?]"
    assert message in str(caught.value)


def test_what_is_asked_of_code_is_that_of_given_shapes_or_of_the_last_call() -> None:
    module = lamina.parse(ROWS)
    exe: Any = lamina.compile(module, threads=1)
    with pytest.raises(
        lamina.LaminaError, match=r"'main' has code for no shapes yet\n.*call the model first"
    ):
        exe.asm()
    exe(_rows(3))
    for rows in (3, 5):
        alone: Any = lamina.compile(
            lamina.run_pipeline(module.clone(), f"nn-set-shapes{{shapes=x={rows}x3}}"), threads=1
        )
        assert exe.llvm_ir(_rows(rows)) == exe.llvm_ir(x=_rows(rows)) == exe.llvm_ir() == alone.llvm_ir()
        assert (exe.asm(), exe.memory(), exe.object_bytes()) == (
            alone.asm(),
            alone.memory(),
            alone.object_bytes(),
        )
    assert exe.profile(_rows(4), calls=1).kernels[0].bytes == 4 * (4 * 3 + 4)
    with pytest.raises(lamina.LaminaError, match="x"):
        exe.profile(_rows(4)[0])
