"""What the verifier says of elementwise ops that are wrong, word for word."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from lamina.dialects.core.diagnostics import LaminaError
from lamina.dialects.core.text import parse
from lamina.dialects.core.verifier import verify
from lamina.dialects.nn import Nn
from lamina.dialects.nn.base import ShapeError, make, reference, shape_rule
from lamina.dialects.nn.evaluate import evaluate

CASES = [
    (
        "nn.add %a, %b : (tensor<2x3xf32>, tensor<4xf32>) -> tensor<2x3xf32>",
        "'nn.add' op shapes [2, 3] and [4] do not broadcast: 3 and 4 differ",
    ),
    (
        "nn.add %a, %b : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>",
        "'nn.add' op operand 1 has element type f64, expected f32 as operand 0 has",
    ),
    (
        "nn.add %a, %b : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>",
        "'nn.add' op expects its operands to hold floats or integers, got i1",
    ),
    (
        "nn.add %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<5xf32>",
        "'nn.add' op the result has type tensor<5xf32>, but the operands give tensor<4xf32>",
    ),
    (
        "nn.add %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf64>",
        "'nn.add' op the result has type tensor<4xf64>, but the operands give tensor<4xf32>",
    ),
    (
        "nn.less %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>",
        "'nn.less' op the result has type tensor<4xf32>, but the operands give tensor<4xi1>",
    ),
    (
        "nn.logical_and %a, %b : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>",
        "'nn.logical_and' op expects its operands to hold i1, got i8",
    ),
    (
        "nn.shift_left %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>",
        "'nn.shift_left' op expects its operands to hold integers, got f32",
    ),
    (
        "nn.exp %a : (tensor<4xi32>) -> tensor<4xi32>",
        "'nn.exp' op expects its operand to hold floats, got i32",
    ),
    (
        "nn.isnan %a : (tensor<4xi8>) -> tensor<4xi1>",
        "'nn.isnan' op expects its operand to hold floats, got i8",
    ),
    (
        "nn.neg %a : (tensor<4xi1>) -> tensor<4xi1>",
        "'nn.neg' op expects its operand to hold floats or integers, got i1",
    ),
    (
        "nn.cast %a : (tensor<4xf32>) -> tensor<3xi8>",
        "'nn.cast' op the result has type tensor<3xi8>, but the operands give tensor<4xi8>",
    ),
    (
        "nn.cast %a : (tensor<4xf32>) -> tensor<4xindex>",
        "'nn.cast' op expects its result to hold floats or integers or i1, got index",
    ),
    (
        "nn.select %a, %b, %b : (tensor<4xi8>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>",
        "'nn.select' op expects its condition to hold i1, got i8",
    ),
    (
        "nn.clip %a {min = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>",
        "'nn.clip' op attribute 'min' is 0 : i64, expected an f64 for elements of f32",
    ),
    (
        "nn.clip %a {max = 300 : i64} : (tensor<4xi8>) -> tensor<4xi8>",
        "'nn.clip' op attribute 'max' is 300, expected a value of i8",
    ),
    (
        "nn.clip %a {max = 3.0} : (tensor<4xi8>) -> tensor<4xi8>",
        "'nn.clip' op attribute 'max' is 3.000000e+00 : f64, expected an integer",
    ),
    (
        "nn.prelu %a, %b : (tensor<3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>",
        "'nn.prelu' op the slope of shape [2, 3] does not broadcast to x of shape [3]",
    ),
    (
        "nn.prelu %a, %b : (tensor<1xf32>, tensor<3xf32>) -> tensor<3xf32>",
        "'nn.prelu' op the slope of shape [3] does not broadcast to x of shape [1]",
    ),
    (
        "nn.softmax %a {axis = 2 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>",
        "'nn.softmax' op attribute 'axis' names axis 2 of a tensor of rank 2",
    ),
    (
        "nn.softmax %a {axis = 0 : i64} : (tensor<f32>) -> tensor<f32>",
        "'nn.softmax' op attribute 'axis' names axis 0 of a tensor of rank 0",
    ),
    (
        'nn.gelu %a {approximate = "fast"} : (tensor<4xf32>) -> tensor<4xf32>',
        '\'nn.gelu\' op attribute \'approximate\' is "fast", expected "none" or "tanh"',
    ),
    (
        "nn.celu %a {alpha = 0.0} : (tensor<4xf32>) -> tensor<4xf32>",
        "'nn.celu' op attribute 'alpha' is 0, expected a number to divide by",
    ),
    (
        "nn.elu %a {alpha = 0x7FF0000000000000 : f64} : (tensor<4xf32>) -> tensor<4xf32>",
        "'nn.elu' op attribute 'alpha' is inf, expected a finite number",
    ),
]


def module_of(operation: str) -> str:
    """A function around an op, which takes its operands as arguments."""
    names = re.findall(r"%\w+", operation.split(":")[0])
    types = operation.rsplit(" : ", 1)[1].split(" -> ")[0].strip("()").split(", ")
    arguments = ", ".join(dict.fromkeys(f"{n}: {t}" for n, t in zip(names, types, strict=True)))
    return f"func.func @f({arguments}) {{\n  %r = {operation}\n  func.return\n}}"


@pytest.mark.parametrize(("operation", "message"), CASES)
def test_wrong_ops_are_rejected(operation: str, message: str) -> None:
    module = parse(module_of(operation), "wrong.mlir")
    with pytest.raises(LaminaError) as caught:
        verify(module)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.message == message
    assert str(diagnostic.location).startswith("wrong.mlir:2:")


@pytest.mark.parametrize(
    ("name", "attributes"),
    [
        ("nn.softmax", {}),
        ("nn.elu", {"alpha": 1}),
        ("nn.clip", {"min": "low"}),
        ("nn.gelu", {"approximate": 1}),
    ],
)
def test_attributes_of_wrong_kinds_are_rejected(build: Any, name: str, attributes: Any) -> None:
    with pytest.raises((ShapeError, ValueError)):
        build(name, [4], **attributes)


def test_a_cast_needs_its_type() -> None:
    x = make("nn.constant", [], value=np.zeros(3, np.float32))
    with pytest.raises(ShapeError, match="needs its result type"):
        make("nn.cast", [x])


@pytest.mark.parametrize(
    "value", ["3 : i32", "dense<1.0> : vector<4xf32>", '"text"', "dense<0> : tensor<2xindex>"]
)
def test_constants_are_tensors(value: str) -> None:
    with pytest.raises(LaminaError):
        verify(parse(f"func.func @f() {{ %0 = nn.constant {value}\n func.return }}"))


def test_every_op_has_a_shape_rule_a_reference_and_a_docstring() -> None:
    for op in Nn.operations:
        assert op.name in shape_rule, op.name
        assert op.name in reference, op.name
        assert (op.__doc__ or "").strip(), op.name


def test_evaluate_checks_its_operands(build: Any) -> None:
    op = build("nn.relu", [2, -1])
    assert evaluate(op, [np.ones((2, 5), np.float32)])[0].shape == (2, 5)
    with pytest.raises(
        LaminaError, match="operand 0 has dtype float64, its type tensor<2x\\?xf32> needs float32"
    ):
        evaluate(op, [np.ones((2, 5))])
    with pytest.raises(LaminaError, match=r"operand 0 has shape \[3, 5\], its type is tensor<2x\?xf32>"):
        evaluate(op, [np.ones((3, 5), np.float32)])
