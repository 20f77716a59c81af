"""Parallel regions: results do not depend on the number of threads, nor on who calls from where."""

from __future__ import annotations

import os
import signal
import threading
import time
import warnings
from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

import lamina

PROGRAMS = {
    "matmul with a long epilogue": """
func.func @main(%x: tensor<211x300xf32>, %w: tensor<300x187xf32>, %b: tensor<187xf32>)
    -> tensor<211x187xf32> {
  %0 = nn.matmul %x, %w : (tensor<211x300xf32>, tensor<300x187xf32>) -> tensor<211x187xf32>
  %1 = nn.add %0, %b : (tensor<211x187xf32>, tensor<187xf32>) -> tensor<211x187xf32>
  %2 = nn.gelu %1 : (tensor<211x187xf32>) -> tensor<211x187xf32>
  return %2 : tensor<211x187xf32>
}""",
    "convolution": """
func.func @main(%x: tensor<1x32x30x30xf32>, %w: tensor<40x32x3x3xf32>) -> tensor<1x40x28x28xf32> {
  %0 = nn.conv2d %x, %w : (tensor<1x32x30x30xf32>, tensor<40x32x3x3xf32>) -> tensor<1x40x28x28xf32>
  %1 = nn.relu %0 : (tensor<1x40x28x28xf32>) -> tensor<1x40x28x28xf32>
  return %1 : tensor<1x40x28x28xf32>
}""",
    "elementwise": """
func.func @main(%x: tensor<1001x301xf32>, %y: tensor<301xf32>) -> tensor<1001x301xf32> {
  %0 = nn.add %x, %y : (tensor<1001x301xf32>, tensor<301xf32>) -> tensor<1001x301xf32>
  %1 = nn.tanh %0 : (tensor<1001x301xf32>) -> tensor<1001x301xf32>
  return %1 : tensor<1001x301xf32>
}""",
    "softmax": """
func.func @main(%x: tensor<515x517xf32>) -> tensor<515x517xf32> {
  %0 = nn.softmax %x {axis = 1 : i64} : (tensor<515x517xf32>) -> tensor<515x517xf32>
  return %0 : tensor<515x517xf32>
}""",
    "transpose": """
func.func @main(%x: tensor<801x803xf32>) -> tensor<803x801xf32> {
  %0 = nn.transpose %x {permutation = array<i64: 1, 0>} : (tensor<801x803xf32>) -> tensor<803x801xf32>
  return %0 : tensor<803x801xf32>
}""",
}


def _inputs(module: ModuleOp) -> list[np.ndarray]:
    rng = np.random.default_rng(7)
    return [
        rng.standard_normal(info.shape).astype(info.dtype)
        for info in lamina.compile(module, threads=1).inputs
    ]


@pytest.mark.parametrize("name", PROGRAMS)
def test_results_are_the_same_for_any_number_of_threads(name: str) -> None:
    module = lamina.parse(PROGRAMS[name])
    inputs = _inputs(module)
    wanted = lamina.compile(module, threads=1)(*inputs)
    np.testing.assert_allclose(wanted, lamina.interpret(module, *inputs), rtol=1e-4, atol=1e-4)
    for threads in (2, 3, 8):
        exe = lamina.compile(module, threads=threads)
        assert "@lamina_parallel(" in exe.llvm_ir(), "the test needs a program with a parallel region"
        for _ in range(10):
            assert np.array_equal(exe(*inputs), wanted), threads


@pytest.fixture(scope="module")
def product() -> tuple[lamina.lowering.executable.Executable, list[np.ndarray], np.ndarray]:
    module = lamina.parse(PROGRAMS["matmul with a long epilogue"])
    inputs = _inputs(module)
    exe = lamina.compile(module, threads=3)
    return exe, inputs, exe(*inputs)


def test_concurrent_callers_share_the_workers(product) -> None:
    exe, inputs, wanted = product
    wrong: list[int] = []

    def call(number: int) -> None:
        wrong.extend(number for _ in range(30) if not np.array_equal(exe(*inputs), wanted))

    threads = [threading.Thread(target=call, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_workers_that_sleep_are_woken(product) -> None:
    exe, inputs, wanted = product
    for _ in range(5):
        time.sleep(0.02)
        assert np.array_equal(exe(*inputs), wanted)


def test_a_forked_process_makes_new_workers(product) -> None:
    exe, inputs, wanted = product
    with warnings.catch_warnings():
        # A fork while other threads run, those of JAX among them, is the point.
        warnings.simplefilter("ignore", DeprecationWarning)
        warnings.simplefilter("ignore", RuntimeWarning)
        child = os.fork()
    if child == 0:
        signal.alarm(60)
        same = all(np.array_equal(exe(*inputs), wanted) for _ in range(5))
        os._exit(0 if same and len(list(Path("/proc/self/task").iterdir())) > 1 else 1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert np.array_equal(exe(*inputs), wanted)


def test_ctrl_c_arrives_while_workers_run(product) -> None:
    exe, inputs, _ = product
    signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.05, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            exe(*inputs)
    timer.join()


def test_small_work_stays_on_its_caller() -> None:
    text = PROGRAMS["elementwise"].replace("1001x301", "10x301")
    assert "lamina_parallel" not in lamina.compile(lamina.parse(text), threads=8).llvm_ir()


def test_an_object_file_needs_no_worker_pool(product) -> None:
    from lamina.lowering.codegen.object_file import unresolved_symbols

    exe, _, _ = product
    assert "lamina_parallel" not in unresolved_symbols([exe.object_bytes()])
