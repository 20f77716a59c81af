"""Training steps: each optimiser against its formulas in NumPy, in place, natively."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lamina
from lamina.lowering.pipelines import TO_LOOPS
from lamina.passes.framework.manager import PassManager

LOSS = """
func.func @loss(%x: tensor<8x5xf32>, %w: tensor<5x3xf32> {nn.name = "w"}, %t: tensor<8x3xf32>,
                %b: tensor<3xf32> {nn.name = "b"}) -> tensor<f32> {
  %0 = nn.matmul %x, %w : (tensor<8x5xf32>, tensor<5x3xf32>) -> tensor<8x3xf32>
  %1 = nn.add %0, %b : (tensor<8x3xf32>, tensor<3xf32>) -> tensor<8x3xf32>
  %2 = nn.sub %1, %t : (tensor<8x3xf32>, tensor<8x3xf32>) -> tensor<8x3xf32>
  %3 = nn.mul %2, %2 : (tensor<8x3xf32>, tensor<8x3xf32>) -> tensor<8x3xf32>
  %4 = nn.reduce_mean %3 {axes = array<i64: 0, 1>} : (tensor<8x3xf32>) -> tensor<f32>
  return %4 : tensor<f32>
}
"""
Arrays = list[np.ndarray]


def gradients(x: np.ndarray, t: np.ndarray, w: Arrays) -> Arrays:
    difference = 2 * (x @ w[0] + w[1] - t) / t.size
    return [x.T @ difference, difference.sum(axis=0)]


def sgd(w: Arrays, g: Arrays, state: dict[str, Arrays], rate: float, t: int) -> Arrays:
    return [a - rate * (b + 0.1 * a) for a, b in zip(w, g, strict=True)]


def momentum(w: Arrays, g: Arrays, state: dict[str, Arrays], rate: float, t: int) -> Arrays:
    state["v"] = [0.9 * v + b for v, b in zip(state.get("v", [0, 0]), g, strict=True)]
    return [a - rate * v for a, v in zip(w, state["v"], strict=True)]


def nesterov(w: Arrays, g: Arrays, state: dict[str, Arrays], rate: float, t: int) -> Arrays:
    state["v"] = [0.9 * v + b for v, b in zip(state.get("v", [0, 0]), g, strict=True)]
    return [a - rate * (b + 0.9 * v) for a, b, v in zip(w, g, state["v"], strict=True)]


def adam(w: Arrays, g: Arrays, state: dict[str, Arrays], rate: float, t: int) -> Arrays:
    state["m"] = [0.9 * m + 0.1 * b for m, b in zip(state.get("m", [0, 0]), g, strict=True)]
    state["v"] = [0.999 * v + 0.001 * b * b for v, b in zip(state.get("v", [0, 0]), g, strict=True)]
    parts = zip(w, state["m"], state["v"], strict=True)
    correct = [(a, m / (1 - 0.9 ** (t + 1)), v / (1 - 0.999 ** (t + 1))) for a, m, v in parts]
    return [a - rate * m / (np.sqrt(v) + 1e-8) for a, m, v in correct]


def adamw(w: Arrays, g: Arrays, state: dict[str, Arrays], rate: float, t: int) -> Arrays:
    return adam([a - rate * 0.1 * a for a in w], g, state, rate, t)


def constant(t: int) -> float:
    return 0.05


def cosine(t: int) -> float:
    return 0.05 * (1 + np.cos(np.pi * min(t / 3, 1))) / 2 * min((t + 1) / 2, 1)


def clipped(g: Arrays) -> Arrays:
    norm = np.sqrt(sum((b * b).sum() for b in g))
    return [b * 0.3 / max(norm, 0.3) for b in g]


CASES = [
    ("sgd", "optimizer=sgd weight-decay=0.1", sgd, constant, False),
    ("momentum", "optimizer=momentum", momentum, constant, False),
    (
        "nesterov",
        "optimizer=nesterov schedule=cosine schedule-steps=3 warmup-steps=2",
        nesterov,
        cosine,
        False,
    ),
    ("adam", "optimizer=adam clip-norm=0.3", adam, constant, True),
    (
        "adamw",
        "optimizer=adamw weight-decay=0.1 schedule=cosine schedule-steps=3 warmup-steps=2",
        adamw,
        cosine,
        False,
    ),
]


@pytest.mark.parametrize(
    ("options", "update", "rate", "clips"), [c[1:] for c in CASES], ids=[c[0] for c in CASES]
)
def test_steps_follow_the_formulas(
    options: str, update: Callable[..., Arrays], rate: Callable[[int], float], clips: bool
) -> None:
    module = lamina.parse(LOSS)
    lamina.run_pipeline(module, f"nn-train-step{{function=loss parameters=1,3 learning-rate=0.05 {options}}}")
    generator = np.random.default_rng(0)
    x, t = (generator.standard_normal(s).astype(np.float32) for s in ((8, 5), (8, 3)))
    weights = [generator.standard_normal(s).astype(np.float32) for s in ((5, 3), (3,))]
    expected = [w.astype(np.float64) for w in weights]
    state: list[np.ndarray] = []
    if any(str(op.properties.get("sym_name")) == '"train_step_state"' for op in module.body.block.ops):
        first = lamina.interpret(module, entry="train_step_state")
        state = list(first) if isinstance(first, tuple) else [first]
    kept: dict[str, Arrays] = {}
    for number in range(4):
        g = gradients(x, t, expected)
        expected = update(expected, clipped(g) if clips else g, kept, rate(number), number)
        *results, _ = lamina.interpret(module, *weights, *state, x, t, entry="train_step")
        weights, state = results[:2], results[2:]
        for found, wanted in zip(weights, expected, strict=True):
            np.testing.assert_allclose(found, wanted, rtol=2e-5, atol=1e-6)


def test_parameters_and_state_are_updated_in_place() -> None:
    module = lamina.parse(LOSS)
    name = lamina.train_step(module, "loss", (1, 3), "adam", learning_rate=0.1)
    generator = np.random.default_rng(1)
    x, t = (generator.standard_normal(s).astype(np.float32) for s in ((8, 5), (8, 3)))
    carried = [generator.standard_normal(s).astype(np.float32) for s in ((5, 3), (3,))]
    carried += [a.copy() for a in lamina.interpret(module, entry="train_step_state")]
    wanted = lamina.interpret(module, *carried, x, t, entry=name)
    executable = lamina.compile(module, entry=name)
    results = executable(*carried, x, t)
    for found, mine, expected in zip(results, carried, wanted, strict=False):
        assert found is mine
        np.testing.assert_allclose(mine, expected, rtol=1e-5, atol=1e-6)
    losses = [float(executable(*carried, x, t)[-1]) for _ in range(200)]
    assert losses[-1] < 0.7 * losses[0]


def test_no_weight_is_copied() -> None:
    """Nothing in the arena or among copies is as large as the parameter's update needs without donation."""
    module = lamina.parse(LOSS)
    lamina.train_step(module, "loss", (1, 3), "momentum")
    for op in list(module.body.block.ops):
        if op.properties["sym_name"].data != "train_step":  # pyright: ignore[reportAttributeAccessIssue]
            op.detach()
            op.erase()
    manager = PassManager()
    manager.run(module, ",".join(TO_LOOPS))
    text = lamina.to_text(module)
    assert "x" not in "".join(re.findall(r"memref.copy .* : memref<(.*?)f32>", text)), "scalars only"
    assert text.count("_in_place(") == 2 * 4, "four updates, defined and called"


RUNNING = """
func.func @loss(%w: tensor<3xf32>, %mean: tensor<3xf32> {nn.name = "mean"}, %x: tensor<3xf32>)
    -> (tensor<f32>, tensor<3xf32>) {
  %0 = nn.mul %w, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %1 = nn.reduce_sum %0 {axes = array<i64: 0>} : (tensor<3xf32>) -> tensor<f32>
  %2 = nn.add %mean, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %1, %2 : tensor<f32>, tensor<3xf32>
}
"""


def test_what_the_loss_renews_is_carried() -> None:
    module = lamina.parse(RUNNING)
    lamina.run_pipeline(module, "nn-train-step{function=loss carried=1:1 learning-rate=1.0}")
    w, mean, x = np.ones(3, np.float32), np.zeros(3, np.float32), np.arange(3, dtype=np.float32)
    new, kept, loss = lamina.interpret(module, w, mean, x, entry="train_step")
    np.testing.assert_array_equal(new, w - x)
    np.testing.assert_array_equal(kept, x)
    assert loss == 3
    with pytest.raises(lamina.LaminaError, match="another type"):
        lamina.train_step(
            lamina.parse(
                RUNNING.replace("%mean: tensor<3xf32>", "%mean: tensor<1xf32>").replace(
                    "(tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>\n  return",
                    "(tensor<1xf32>, tensor<3xf32>) -> tensor<3xf32>\n  return",
                )
            ),
            "loss",
            (0,),
            carried=[(1, 1)],
        )


@pytest.mark.parametrize(
    ("parameters", "settings", "message"),
    [
        ((1,), {"optimizer": "adma"}, "there is no optimizer 'adma'"),
        ((1,), {"lr": 1}, "no setting 'lr'"),
        ((1,), {"learning_rate": -1.0}, "learning_rate has to be at least 0, and is -1.0"),
        ((1,), {"optimizer": "adam", "beta1": 1.0}, "beta1 has to be at least 0, below 1, and is 1.0"),
        ((1,), {"schedule": "cosin"}, "there is no schedule 'cosin'"),
        ((1,), {"schedule": "linear", "schedule_steps": 0}, "schedule_steps has to be at least 1"),
        ((1,), {"clip_norm": -1.0}, "cannot be clipped to -1.0"),
        ((), {}, "has no parameter to train"),
        ((1, -3), {}, "argument 1 renewed twice"),
        ((1,), {"carried": [(1, 0)]}, "argument 1 renewed twice"),
        ((1,), {"carried": [(-1, 0)]}, "no argument -1 and result 0 to carry"),
        ((1,), {"name": "loss"}, "there is a function 'loss' already"),
        ((1,), {"name": "taken"}, "there is a function 'taken_state' already"),
    ],
)
def test_what_cannot_be_meant_is_refused(
    parameters: tuple[int, ...], settings: dict[str, Any], message: str
) -> None:
    module = lamina.parse(LOSS + "func.func private @taken_state()")
    before = lamina.to_text(module)
    with pytest.raises(lamina.LaminaError, match=message):
        lamina.train_step(module, "loss", parameters, **settings)
    assert lamina.to_text(module) == before


def test_narrow_parameters_are_updated_by_numbers_in_f32() -> None:
    """Adam's epsilon is 0 in f16, and 0 / 0 would follow where a gradient is 0."""
    module = lamina.parse(LOSS.replace("f32", "f16"))
    name = lamina.train_step(module, "loss", (1,), "adam", learning_rate=0.1)
    x, w = np.eye(8, 5, dtype=np.float16), np.ones((5, 3), np.float16)
    t, b = np.ones((8, 3), np.float16), np.zeros(3, np.float16)
    t[0, 0] = 2
    state = lamina.interpret(module, entry=f"{name}_state")
    assert [a.dtype for a in state] == [np.int32, np.float32, np.float32]
    expected = np.ones((5, 3))
    expected[0, 0] += 0.1  # Adam's first step goes by the rate, whatever the gradient
    found = lamina.interpret(module, w, *state, x, t, b, entry=name)
    np.testing.assert_allclose(found[0], expected, rtol=1e-3)
    native = lamina.compile(module, entry=name)(w, *(a.copy() for a in state), x, t, b)
    np.testing.assert_allclose(native[0], expected, rtol=1e-3)


def test_donated_arguments_are_named() -> None:
    module = lamina.parse(LOSS)
    with pytest.raises(lamina.LaminaError, match="no argument 'weights' to donate"):
        lamina.compile(module, entry="loss", donate=("weights",))
