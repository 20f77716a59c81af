"""Training steps in each runtime: the same weights, batch and rate; a call is one step and gives its loss."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.training_models import RATE, Example

Step = Callable[[], Any]
"""Forward, backward and update, in place where the runtime can; returns the loss before the update."""


def lamina_step(example: Example, threads: int) -> Step:
    """The step that `nn-train-step` makes, compiled; weights are updated in place."""
    import lamina

    module = lamina.parse(example.text())
    name = lamina.train_step(module, "loss", range(len(example.shapes)), "sgd", learning_rate=RATE)
    executable = lamina.compile(module, entry=name, threads=threads)
    weights, (x, labels) = [w.copy() for w in example.weights()], example.batch()
    return lambda: executable(*weights, x, labels)[-1]


def jax_step(example: Example, threads: int) -> Step:
    """``jax.jit`` of a step that donates the weights."""
    import jax

    def loss(weights: Any, x: Any, labels: Any) -> Any:
        parts = list(weights)
        while parts[0].ndim == 4:
            kernel, bias = parts.pop(0), parts.pop(0)
            x = jax.lax.conv_general_dilated(
                x, kernel, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
            )
            window = (1, 2, 2, 1)
            x = jax.lax.reduce_window(jax.nn.relu(x + bias), -np.inf, jax.lax.max, window, window, "VALID")
        x = x.reshape(x.shape[0], -1)
        while parts:
            x = x @ parts.pop(0) + parts.pop(0)
            x = jax.nn.relu(x) if parts else x
        chosen = jax.numpy.take_along_axis(jax.nn.log_softmax(x), labels[:, None], 1)
        return -chosen.mean()

    def step(weights: Any, x: Any, labels: Any) -> Any:
        value, gradients = jax.value_and_grad(loss)(weights, x, labels)
        return value, [w - RATE * g for w, g in zip(weights, gradients, strict=True)]

    jitted = jax.jit(step, donate_argnums=(0,))
    x, labels = map(jax.numpy.asarray, example.batch())
    weights = [jax.numpy.asarray(w) for w in example.weights()]

    def call() -> Any:
        nonlocal weights
        value, weights = jitted(weights, x, labels)
        return jax.block_until_ready((value, weights))[0]

    return call


def torch_step(example: Example, threads: int, compiled: bool = False) -> Step:
    """PyTorch: a loss of parameters (by ``torch.compile`` or not), ``backward``, and its ``SGD``."""
    torch = importlib.import_module("torch")  # no part of the extra [test]: its types are not known
    functional = torch.nn.functional
    torch.set_num_threads(threads)
    parameters = [
        torch.nn.Parameter(torch.from_numpy(w.transpose(3, 2, 0, 1).copy() if w.ndim == 4 else w.T.copy()))
        for w in _in_torchs_order(example)
    ]
    images, numbers = example.batch()
    images = images.transpose(0, 3, 1, 2).copy() if images.ndim == 4 else images
    x, labels = torch.from_numpy(images), torch.from_numpy(numbers)
    optimizer = torch.optim.SGD(parameters, lr=RATE)

    def loss(x: Any, labels: Any) -> Any:
        parts = list(parameters)
        while parts[0].ndim == 4:
            x = functional.relu(functional.conv2d(x, parts.pop(0), parts.pop(0), padding=1))
            x = functional.max_pool2d(x, 2)
        x = x.flatten(1)
        while parts:
            x = functional.linear(x, parts.pop(0), parts.pop(0))
            x = functional.relu(x) if parts else x
        return functional.cross_entropy(x, labels)

    forward = torch.compile(loss) if compiled else loss

    def call() -> Any:
        optimizer.zero_grad()
        value = forward(x, labels)
        value.backward()
        optimizer.step()
        return value.detach()

    return call


def _in_torchs_order(example: Example) -> list[np.ndarray]:
    """The weights, where PyTorch flattens images channel by channel: rows of the next matrix move along."""
    weights = example.weights()
    filters = [w for w in weights if w.ndim == 4]
    if filters:
        place = next(i for i, w in enumerate(weights) if w.ndim == 2)
        depth = filters[-1].shape[3]
        side = round((weights[place].shape[0] / depth) ** 0.5)
        rows = weights[place].reshape(side, side, depth, -1).transpose(2, 0, 1, 3)
        weights[place] = rows.reshape(weights[place].shape)
    return weights


RUNTIMES: dict[str, Callable[[Example, int], Step]] = {
    "lamina": lamina_step,
    "jax.jit": jax_step,
    "torch": torch_step,
    "torch.compile": lambda example, threads: torch_step(example, threads, compiled=True),
}
"""How to make a step, by runtime; Lamina comes first."""


def installed() -> list[str]:
    """The runtimes that are there."""
    return [name for name in RUNTIMES if importlib.util.find_spec(name.partition(".")[0]) is not None]
