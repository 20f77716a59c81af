"""The rules that docs/derivatives.md shows work as they stand there."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.builtin import FloatAttr, ModuleOp, TensorType, f64
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Dialect
from xdsl.irdl import IRDLOperation, irdl_op_definition, opt_prop_def, result_def, traits_def, var_operand_def
from xdsl.traits import Pure

import lamina
from lamina.dialects.core.context import register_dialect
from lamina.lowering.interpreter.machine import interprets
from lamina.passes.nn.nn_grad import add_gradient

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "derivatives.md").read_text(encoding="utf-8")


def examples(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def define(op: str) -> type[IRDLOperation]:
    """An op of tensors with one result, and perhaps an attribute `alpha`."""

    class Mine(IRDLOperation):
        name = f"mine.{op}"
        inputs = var_operand_def(TensorType)
        alpha = opt_prop_def(FloatAttr)
        result = result_def(TensorType)
        traits = traits_def(Pure())

    return irdl_op_definition(Mine)


OPS = {name: define(name) for name in ("scaled_matmul", "cube", "norm")}


@pytest.fixture(scope="module", autouse=True)
def _rules() -> None:
    """The page's rules, for a dialect that has nothing but ops."""
    register_dialect("mine", lambda: Dialect("mine", list(OPS.values())))
    (rules,) = (text for text in examples("python") if "mine." in text)
    interprets("mine.norm")(lambda machine, op, x: [np.sqrt((x[0] ** 2).sum())])
    exec(compile(rules, "docs/derivatives.md", "exec"), {"__name__": "page"})


def function(
    op: str, shapes: list[tuple[int, ...]], result: tuple[int, ...], **attributes: float
) -> ModuleOp:
    """A function that is one op of the dialect."""
    made = FuncOp("f", ([TensorType(f64, s) for s in shapes], []))
    properties = {name: FloatAttr(value, f64) for name, value in attributes.items()}
    call = OPS[op].create(
        operands=made.body.block.args, result_types=[TensorType(f64, result)], properties=properties
    )
    made.body.block.add_ops([call, ReturnOp(call.results[0])])
    made.update_function_type()
    return ModuleOp([made])


A, B = np.array([[1.0, 2.0], [3.0, 5.0]]), np.array([[7.0, -1.0], [2.0, 4.0]])
G = np.array([[1.0, -2.0], [0.5, 3.0]])


def test_a_rule_with_an_attribute() -> None:
    module = function("scaled_matmul", [(2, 2), (2, 2)], (2, 2), alpha=0.5)
    name = add_gradient(module, "f", (0, 1), cotangents=True)
    a, b = lamina.interpret(module, A, B, G, entry=name)
    np.testing.assert_allclose(a, 0.5 * G @ B.T)
    np.testing.assert_allclose(b, 0.5 * A.T @ G)
    forward = lamina.jvp(module, "f", (0, 1))
    da, db = lamina.interpret(module, A, B, G, -G, entry=forward), 0.5 * (G @ B - A @ G)
    np.testing.assert_allclose(da, db)


X, T = np.array([3.0, 4.0]), np.array([1.0, -2.0])


@pytest.mark.parametrize(
    ("op", "result", "g", "wanted"), [("cube", (2,), T, 3 * X * X), ("norm", (), np.array(2.0), X / 5)]
)
def test_rules_of_both_modes(op: str, result: tuple[int, ...], g: np.ndarray, wanted: np.ndarray) -> None:
    module = function(op, [(2,)], result)
    backward = add_gradient(module, "f", (0,), cotangents=True)
    np.testing.assert_allclose(lamina.interpret(module, X, g, entry=backward), wanted * g)
    tangents = lamina.interpret(module, X, T, entry=lamina.jvp(module, "f"))
    np.testing.assert_allclose(tangents, wanted * T if op == "cube" else (wanted * T).sum())


def test_a_rule_for_a_function() -> None:
    (text,) = (text for text in examples("mlir") if "custom_grad" in text)
    caller = """
    func.func @loss(%x: tensor<3xf32>) -> tensor<f32> {
      %0 = call @norm(%x) : (tensor<3xf32>) -> tensor<f32>
      return %0 : tensor<f32>
    }
    """
    module = lamina.parse(text + caller)
    gradient = lamina.compile(module, entry=lamina.grad(module, "loss"))
    np.testing.assert_array_equal(gradient(np.zeros(3, np.float32)), np.zeros(3))
    np.testing.assert_allclose(gradient(np.array([2, 3, 6], np.float32)), np.array([2, 3, 6]) / 7, rtol=1e-6)
