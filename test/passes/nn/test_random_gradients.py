"""Random programs: forward and reverse mode agree, and agree with differences where nothing has a kink."""

from __future__ import annotations

import os

import numpy as np
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st
from random_losses import ARGUMENTS, losses
from random_programs import Recipe, recipes
from xdsl.dialects.builtin import ModuleOp

import lamina
from lamina.dialects.core.verifier import verify
from lamina.passes.nn._activity import is_differentiable
from lamina.passes.nn.nn_grad import add_gradient
from lamina.passes.nn.nn_set_shapes import find_function

KINKS = {"nn.relu", "nn.abs", "nn.leaky_relu", "nn.hard_sigmoid", "nn.maximum", "nn.minimum"}
KINKS |= {"nn.reduce_max", "nn.reduce_min", "nn.max_pool2d", "nn.mod", "nn.rem"}
JUMPS = {"nn.floor", "nn.ceil", "nn.round", "nn.sign", "nn.cast", "nn.argmax"}
JUMPS |= {f"nn.{kind}" for kind in ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")}

EXAMPLES = int(os.environ.get("LAMINA_RANDOM_GRADIENTS", "40"))
"""Programs that each test tries; more with LAMINA_RANDOM_GRADIENTS=1000."""
CHECKED = settings(
    max_examples=EXAMPLES,
    derandomize=True,
    suppress_health_check=list(HealthCheck),  # pyright: ignore[reportArgumentType]
    phases=[Phase.explicit, Phase.generate],
)


def as_tuple(values: object) -> tuple[np.ndarray, ...]:
    return values if isinstance(values, tuple) else (np.asarray(values),)


def results(module: ModuleOp, arrays: list[np.ndarray], entry: str) -> list[np.ndarray]:
    """The floating-point results of a function; programs that overflow are left out."""
    found = [a for a in as_tuple(lamina.interpret(module, *arrays, entry=entry)) if a.dtype == np.float64]
    assume(all(np.isfinite(a).all() and np.abs(a).max(initial=0) < 1e8 for a in found))
    return found


@CHECKED
@given(recipes(max_steps=6), st.integers(1, 3))
def test_both_modes_agree_on_random_programs(recipe: Recipe, seed: int) -> None:
    module = recipe.build(wide=True)
    function = find_function(module, "main")
    wrt = [i for i, kind in enumerate(function.function_type.inputs) if is_differentiable(kind)]
    assume(any(is_differentiable(kind) for kind in function.function_type.outputs))
    arrays = recipe.arrays(seed, wide=True)
    assume(sum(arrays[i].size for i in wrt) < 5000)
    forward = lamina.jvp(module, "main", wrt)
    backward = add_gradient(module, "main", wrt, cotangents=True)
    values = results(module, arrays, "main")
    generator = np.random.default_rng(seed)
    directions = [generator.standard_normal(arrays[i].shape) for i in wrt]
    weights = [generator.standard_normal(v.shape) for v in values]
    tangents = results(module, [*arrays, *directions], forward)
    gradients = results(module, [*arrays, *weights], backward)
    ahead = [float((w * t).sum()) for w, t in zip(weights, tangents, strict=True)]
    back = [float((d * g).sum()) for d, g in zip(directions, gradients, strict=True)]
    scale = sum(float(np.abs(w * t).sum()) for w, t in zip(weights, tangents, strict=True))
    assert abs(sum(ahead) - sum(back)) <= 1e-10 * scale + 1e-12
    names = {step.op for step in recipe.steps}
    if not names & (KINKS | JUMPS):
        check_by_differences(module, arrays, wrt, directions, tangents)


@CHECKED
@given(losses(), st.booleans(), st.integers(0, 2))
def test_both_modes_agree_on_random_control_flow(text: str, flag: bool, turns: int) -> None:
    """Convolutions, poolings, sorts, gathers and products in branches and loops, used several times."""
    module = lamina.parse(text)
    wrt = range(len(ARGUMENTS))
    forward = lamina.jvp(module, "main", wrt)
    backward = add_gradient(module, "main", wrt, cotangents=True)
    verify(module)
    kinds = find_function(module, "main").function_type.inputs.data[: len(wrt)]
    generator = np.random.default_rng(turns)
    arrays, directions = (
        [generator.standard_normal(kind.get_shape()) for kind in kinds]  # pyright: ignore[reportAttributeAccessIssue]
        for _ in range(2)
    )
    arrays += [np.array(flag), np.array(turns, np.int32)]
    weights = [generator.standard_normal(v.shape) for v in results(module, arrays, "main")]
    tangents = results(module, [*arrays, *directions], forward)
    gradients = results(module, [*arrays, *weights], backward)
    ahead = sum(float((w * t).sum()) for w, t in zip(weights, tangents, strict=True))
    back = sum(float((d * g).sum()) for d, g in zip(directions, gradients, strict=True))
    scale = sum(float(np.abs(w * t).sum()) for w, t in zip(weights, tangents, strict=True))
    assert abs(ahead - back) <= 1e-10 * scale + 1e-12
    check_by_differences(module, arrays, list(wrt), directions, tangents)


def check_by_differences(
    module: ModuleOp,
    arrays: list[np.ndarray],
    wrt: list[int],
    directions: list[np.ndarray],
    tangents: list[np.ndarray],
) -> None:
    step = 1e-6
    ends: list[list[np.ndarray]] = []
    for sign in (1, -1):
        moved = list(arrays)
        for i, direction in zip(wrt, directions, strict=True):
            moved[i] = arrays[i] + sign * step * direction
        ends.append(results(module, moved, "main"))
    for up, down, tangent in zip(*ends, tangents, strict=True):
        scale = max(1.0, float(np.abs(tangent).max(initial=0)), float(np.abs(up).max(initial=0)))
        np.testing.assert_allclose((up - down) / (2 * step), tangent, rtol=1e-5, atol=1e-6 * scale)
