"""The benchmark of training steps: the first losses decide whether a step is timed."""

from __future__ import annotations

import importlib.util
from typing import Any

import pytest

pytest.importorskip("onnx")


@pytest.fixture
def training() -> Any:
    """The benchmark's module (its folder is on the path by then)."""
    import benchmarks.training

    return benchmarks.training


@pytest.fixture
def small(training: Any) -> Any:
    """One dense layer."""
    import benchmarks.training_models as models

    shapes = {"w": (6, 10), "b": (10,)}

    def text() -> str:
        layers = models._Layers(shapes, (6,))
        layers.dense("w", "b", 10)
        return layers.cross_entropy()

    return models.Example("small", text, shapes, (6,))


@pytest.mark.parametrize("runtime", ["lamina", "jax.jit", "torch"])
def test_steps_of_every_runtime_have_the_losses_of_the_definition(
    training: Any, small: Any, runtime: str
) -> None:
    if importlib.util.find_spec(runtime.partition(".")[0]) is None:
        pytest.skip(f"{runtime} is not installed")
    row = training.run_example(small, [runtime], threads=1, rounds=2)
    assert row.problems == {}
    assert len(row.timings[runtime].rounds) == 2 and row.built[runtime] > 0
    assert training.TrainingRow.read(row.written()) == row


def test_a_wrong_loss_is_reported_and_not_timed(
    training: Any, small: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(training.RUNTIMES, "lamina", lambda example, threads: lambda: 1.0)
    row = training.run_example(small, ["lamina"], threads=1, rounds=1)
    assert row.timings == {}
    assert row.problems["lamina"].startswith("wrong: the first losses differ by")


@pytest.mark.parametrize("name", ["mlp-784-512-512-10", "cnn-32-64-128-10"])
def test_the_examples_are_losses_of_their_weights(training: Any, name: str) -> None:
    import lamina

    example = training.EXAMPLES[name]
    module = lamina.parse(example.text())
    lamina.train_step(module, "loss", range(len(example.shapes)))
