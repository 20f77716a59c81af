"""Every derivative rule against central differences in f64, forward mode against reverse mode."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import derivative_cases
import derivative_window_cases as windows
import numpy as np
import pytest
from derivative_cases import Case
from xdsl.dialects.builtin import ModuleOp, TensorType, f32
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import SSAValue

import lamina
from lamina.dialects.core.constants import constant_attr
from lamina.dialects.core.dtypes import element_type
from lamina.dialects.nn import Nn
from lamina.dialects.nn.base import derivative, expansion, make
from lamina.dialects.nn.constant import ConstantOp
from lamina.dialects.nn.derivatives.not_differentiable import NOT_DIFFERENTIABLE
from lamina.dialects.nn.evaluate import evaluate
from lamina.passes.framework.manager import PassManager
from lamina.passes.nn.nn_grad import add_gradient
from lamina.passes.nn.nn_jvp import jvp

CASES = [*derivative_cases.all_cases(), *windows.convolution_cases(), *windows.pooling_cases()]


def build(case: Case) -> tuple[ModuleOp, list[np.ndarray]]:
    """A function of the case's float operands (others are constants), and their values."""
    floats = [a for a in case.operands if a.dtype == np.float64]
    function = FuncOp("main", ([TensorType(element_type(a.dtype), a.shape) for a in floats], []))
    block = function.body.block
    arguments = iter(block.args)
    values: list[SSAValue] = []
    for array in case.operands:
        if array.dtype == np.float64:
            values.append(next(arguments))
        else:
            constant = ConstantOp.of(constant_attr(array))
            block.add_op(constant)
            values.append(constant.result)
    types = [TensorType(f32, case.operands[0].shape)] if case.op == "nn.cast" else None
    op = make(case.op, values, types, **case.attributes)
    block.add_op(op)
    block.add_op(ReturnOp(*op.results))
    function.update_function_type()
    return ModuleOp([function]), floats


def along(
    module: ModuleOp, arrays: list[np.ndarray], index: int, direction: np.ndarray, weights: list[np.ndarray]
) -> float:
    """The derivative of the weighted sum of all results along a direction of one argument, numerically."""
    block = next(op for op in module.body.block.ops if isinstance(op, FuncOp)).body.block
    *constants, op, _ = block.ops
    step = 1e-5 if op.name != "nn.cast" else 2**-4
    known = {id(v): a for v, a in zip(block.args, arrays, strict=True)}
    known |= {id(c.results[0]): evaluate(c, ())[0] for c in constants}  # pyright: ignore[reportArgumentType]
    sums: list[float] = []
    for sign in (1, -1):
        known[id(block.args[index])] = arrays[index] + sign * step * direction
        found = evaluate(op, [known[id(v)] for v in op.operands])  # pyright: ignore[reportArgumentType]
        terms = ((w * y.astype(np.float64)).sum() for w, y in zip(weights, found, strict=True))
        sums.append(float(sum(terms)))
    return (sums[0] - sums[1]) / (2 * step)


def directions_of(array: np.ndarray, generator: np.random.Generator) -> Iterator[np.ndarray]:
    """Each element of a small array by itself, else some random directions."""
    if array.size <= 4:
        for place in np.ndindex(array.shape):
            unit = np.zeros_like(array)
            unit[place] = 1
            yield unit
        return
    for _ in range(4):
        yield generator.uniform(-1, 1, array.shape)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_rule_agrees_with_central_differences(case: Case) -> None:
    module, arrays = build(case)
    plain = build(case)[0]
    results = tuple_of(lamina.interpret(module, *arrays))
    generator = np.random.default_rng(7)
    weights = [np.round(generator.uniform(0.5, 2, r.shape), 1).astype(r.dtype) for r in results]
    name = add_gradient(module, "main", range(len(arrays)), cotangents=True)
    PassManager(verify_each=False).run(module, "canonicalize,cse")
    found = tuple_of(lamina.interpret(module, *arrays, *weights, entry=name))
    tolerance = 1e-6 if case.op != "nn.cast" else 1e-4
    for i, gradient in enumerate(found):
        assert gradient.shape == arrays[i].shape
        for direction in directions_of(arrays[i], generator):
            expected = along(plain, arrays, i, direction, weights)
            scale = max(1.0, float(np.abs(gradient * direction).sum()))
            assert float((gradient * direction).sum()) == pytest.approx(
                expected, rel=tolerance, abs=tolerance * scale
            )


@pytest.mark.parametrize("case", CASES, ids=str)
def test_forward_mode_is_the_transpose_of_reverse_mode(case: Case) -> None:
    """The product of cotangents with tangents of results is that of gradients with tangents of inputs."""
    module, arrays = build(case)
    wrt = range(len(arrays))
    generator = np.random.default_rng(11)
    forward = jvp(module, "main", wrt)
    backward = add_gradient(module, "main", wrt, cotangents=True)
    directions = [generator.standard_normal(a.shape) for a in arrays]
    tangents = tuple_of(lamina.interpret(module, *arrays, *directions, entry=forward))
    weights = [generator.standard_normal(t.shape).astype(t.dtype) for t in tangents]
    gradients = tuple_of(lamina.interpret(module, *arrays, *weights, entry=backward))
    ahead = sum(float((w * t).sum()) for w, t in zip(weights, tangents, strict=True))
    back = sum(float((d * g).sum()) for d, g in zip(directions, gradients, strict=True))
    assert ahead == pytest.approx(back, rel=1e-10 if case.op != "nn.cast" else 1e-5, abs=1e-10)


def tuple_of(results: Any) -> tuple[np.ndarray, ...]:
    return results if isinstance(results, tuple) else (results,)


@pytest.mark.parametrize("name", [op.name for op in Nn.operations])
def test_each_op_has_a_rule_or_a_reason(name: str) -> None:
    has_rule = name in derivative or name in expansion
    assert has_rule != (name in NOT_DIFFERENTIABLE), (
        f"{name}: a derivative rule or an entry in NOT_DIFFERENTIABLE is missing"
    )
    if name not in NOT_DIFFERENTIABLE:
        assert any(case.op == name for case in CASES), f"{name} has a rule that no case tests"
