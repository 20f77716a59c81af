"""Batch normalisation folded into weights gives what the unfolded model gives, up to rounding."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region, SSAValue

from lamina.dialects.core.dtypes import element_type
from lamina.dialects.core.verifier import verify
from lamina.dialects.nn.base import NnOp, make
from lamina.dialects.nn.evaluate import evaluate
from lamina.passes.nn.nn_fold_batch_norm import fold_batch_norms

RANDOM = np.random.default_rng(3)


def build(x: np.ndarray, layers: list[tuple[str, list[np.ndarray], dict[str, Any]]]) -> ModuleOp:
    """A chain of ops: each takes the value before it and constants."""
    block = Block(arg_types=[TensorType(element_type(x.dtype), x.shape)])
    value: SSAValue = block.args[0]
    for name, constants, attributes in layers:
        weights = [make("nn.constant", value=c) for c in constants]
        op = make(name, [value, *weights], **attributes)
        block.add_ops([*weights, op])
        value = op.results[0]
    block.add_op(ReturnOp(value))
    return ModuleOp([FuncOp("main", ([block.args[0].type], [value.type]), Region(block))])


def interpret(module: ModuleOp, x: np.ndarray) -> np.ndarray:
    (function,) = module.ops
    assert isinstance(function, FuncOp)
    known: dict[SSAValue, np.ndarray] = {function.body.block.args[0]: x}
    for op in function.body.block.ops:
        if isinstance(op, ReturnOp):
            return known[op.operands[0]]
        assert isinstance(op, NnOp)
        known.update(zip(op.results, evaluate(op, [known[v] for v in op.operands]), strict=True))
    raise AssertionError("no return")


def normal(*shape: int) -> np.ndarray:
    return RANDOM.standard_normal(shape).astype(np.float32)


def norm(channels: int, axis: int) -> tuple[str, list[np.ndarray], dict[str, Any]]:
    parameters = [normal(channels) for _ in range(3)]
    return "nn.batch_norm", [*parameters, np.abs(normal(channels)) + 0.1], {"axis": axis, "epsilon": 1e-3}


WINDOW = {"strides": [1, 2], "pads": [1, 0, 1, 2], "dilations": [1, 1]}
CASES: dict[str, tuple[tuple[int, ...], list[Any], int]] = {
    "conv": ((2, 4, 5, 6), [("nn.conv2d", [normal(6, 4, 3, 3)], WINDOW), norm(6, 1)], 1),
    "conv with bias": (
        (2, 4, 5, 6),
        [("nn.conv2d", [normal(6, 4, 3, 3), normal(6)], WINDOW), norm(6, -3)],
        1,
    ),
    "depthwise": (
        (1, 4, 5, 6),
        [("nn.conv2d", [normal(8, 1, 3, 3)], {**WINDOW, "groups": 4}), norm(8, 1)],
        1,
    ),
    "channels last": (
        (2, 5, 6, 4),
        [("nn.conv2d", [normal(3, 3, 4, 6)], {**WINDOW, "layout": "NHWC"}), norm(6, 3)],
        1,
    ),
    "sum": (
        (2, 4, 5, 6),
        [("nn.conv2d", [normal(6, 4, 3, 3)], WINDOW), ("nn.add", [normal(6, 1, 1)], {}), norm(6, 1)],
        1,
    ),
    "matmul": ((2, 3, 4), [("nn.matmul", [normal(4, 5)], {}), norm(5, 2)], 1),
    "two in a row": ((2, 4), [("nn.matmul", [normal(4, 5)], {}), norm(5, 1), norm(5, 1)], 2),
    "other axis": ((2, 3, 4), [("nn.matmul", [normal(4, 5)], {}), norm(3, 1)], 0),
    "sum along other axes": (
        (2, 4, 5, 6),
        [("nn.conv2d", [normal(6, 4, 3, 3)], WINDOW), ("nn.add", [normal(5, 1)], {}), norm(6, 1)],
        0,
    ),
    "alone": ((2, 4, 5, 6), [norm(4, 1)], 0),
}


@pytest.mark.parametrize("name", CASES)
def test_results_stay_up_to_rounding(name: str) -> None:
    shape, layers, into_weights = CASES[name]
    x = normal(*shape)
    module = build(x, layers)
    before = interpret(module, x)
    norms = sum(layer[0] == "nn.batch_norm" for layer in layers)
    assert fold_batch_norms(module) == (into_weights, norms - into_weights)
    verify(module)
    assert not any(op.name == "nn.batch_norm" for op in module.walk())
    np.testing.assert_allclose(interpret(module, x), before, rtol=2e-4, atol=2e-5)
