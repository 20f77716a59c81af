"""Steps of training on 100 MiB of weights: what the process holds grows by the gradients and nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = r"""
import resource
import numpy as np
import lamina

SIDE, LAYERS = 2560, 4
x, w = f"tensor<2x{SIDE}xf32>", f"tensor<{SIDE}x{SIDE}xf32>"
lines = [f"func.func @main({', '.join(f'%w{i}: {w}' for i in range(LAYERS))}, %h0: {x}) -> tensor<f32> {{"]
for i in range(LAYERS):
    lines.append(f"%m{i} = nn.matmul %h{i}, %w{i} : ({x}, {w}) -> {x}")
    lines.append(f"%h{i + 1} = nn.tanh %m{i} : ({x}) -> {x}")
lines.append(f"%loss = nn.reduce_mean %h{LAYERS} {{axes = array<i64: 0, 1>}} : ({x}) -> tensor<f32>")
module = lamina.parse("\n".join([*lines, "return %loss : tensor<f32> }"]))
step = lamina.compile(module, entry=lamina.train_step(module, parameters=range(LAYERS), optimizer="adam"))

def filled(shape, value, kind=np.float32):
    array = np.empty(shape, kind)
    array.fill(value)  # so that its pages are there
    return array

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024

carried = [filled((SIDE, SIDE), 0.01) for _ in range(LAYERS)] + [np.zeros((), np.int32)]
carried += [filled((SIDE, SIDE), 0.0) for _ in range(2 * LAYERS)]
given, batch = list(carried), filled((2, SIDE), 0.1)
print(peak())
for number in range(50):
    *carried, loss = step(*carried, batch)
    if number in (0, 49):
        print(peak())
assert all(new is old for new, old in zip(carried, given)) and carried[LAYERS] == 50
"""
WEIGHT = 25
"""MiB of one of the four weights."""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="ru_maxrss has another unit elsewhere")
def test_fifty_steps_hold_gradients_beside_what_they_are_given() -> None:
    root = Path(__file__).resolve().parents[3]
    paths = os.environ | {"PYTHONPATH": str(root / "src")}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=paths, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    before, first, last = map(int, done.stdout.split())
    assert before > 12 * WEIGHT, "weights, and two moments for each"
    assert first - before < 4 * WEIGHT + WEIGHT // 2, "four gradients, and no copy of a weight"
    assert last - first < WEIGHT // 2
