"""Errors, locations and constants of the conversion from nn to linalg."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects.builtin import FusedLoc
from xdsl.irdl import irdl_op_definition, operand_def, result_def

import lamina
from lamina.dialects.core.constants import constant_value
from lamina.dialects.core.diagnostics import LaminaError, location_of
from lamina.dialects.nn.base import NnOp, make
from lamina.lowering.linalg.convert_nn_to_linalg import convert_nn_to_linalg


@irdl_op_definition
class UnknownOp(NnOp):
    """An op of the nn dialect that nobody lowers."""

    name = "nn.unknown"
    x = operand_def()
    result = result_def()


def test_ops_without_a_lowering_are_all_listed_and_nothing_is_changed() -> None:
    module = lamina.parse("func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }")
    block = next(iter(module.body.block.ops)).regions[0].block
    kind = block.args[0].type
    first = UnknownOp.create(operands=[block.args[0]], result_types=[kind])
    second = UnknownOp.create(operands=[first.results[0]], result_types=[kind])
    relu = make("nn.relu", [second.results[0]])
    block.insert_ops_before([first, second, relu], block.last_op)  # pyright: ignore[reportArgumentType]
    with pytest.raises(LaminaError, match=r"no lowering to linalg for: nn.unknown \(2\)") as caught:
        convert_nn_to_linalg(module)
    assert "linalg_rule" in (caught.value.diagnostics[0].hint or "")
    assert [op.name for op in block.ops] == ["nn.unknown", "nn.unknown", "nn.relu", "func.return"]


def test_large_constants_keep_their_buffer() -> None:
    value = np.arange(4096, dtype=np.uint8)
    constant = make("nn.constant", value=value)
    before = constant_value(constant.results[0])
    module = lamina.parse(
        "func.func @f() -> tensor<4096xui8> {\n"
        "  %0 = nn.constant dense<1> : tensor<4096xui8>\n  return %0 : tensor<4096xui8>\n}"
    )
    old = next(op for op in module.walk() if op.name == "nn.constant")
    old.properties["value"] = constant.properties["value"]
    convert_nn_to_linalg(module)
    after = constant_value(next(op for op in module.walk() if op.name == "arith.constant").results[0])
    assert before is not None and after is not None
    assert after.dtype == np.int8
    assert after.ctypes.data == before.ctypes.data


def test_locations_lead_back_to_the_operations_that_were_fused() -> None:
    text = """func.func @f(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = nn.matmul %x, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = nn.tanh %0 : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = nn.neg %1 : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}"""
    module = lamina.parse(text, name="model.mlir")
    lamina.run_pipeline(module, "convert-nn-to-linalg,linalg-fuse-elementwise-ops,form-dispatches")
    generic = next(op for op in module.walk() if op.name == "linalg.generic")
    assert isinstance(generic.location, FusedLoc)
    assert {loc.line.data for loc in generic.location.locations} == {3, 4}  # pyright: ignore
    call = next(op for op in module.walk() if op.name == "func.call")
    assert str(location_of(call)).startswith("model.mlir:2")
    assert {loc.line.data for loc in call.location.locations} == {2, 3, 4}  # pyright: ignore


def test_a_filter_of_unknown_size_is_an_error_that_says_what_to_do() -> None:
    module = lamina.parse(
        "func.func @f(%x: tensor<1x2x8x8xf32>, %w: tensor<4x2x?x?xf32>) -> tensor<1x4x?x?xf32> {\n"
        "  %0 = nn.conv2d %x, %w : (tensor<1x2x8x8xf32>, tensor<4x2x?x?xf32>) -> tensor<1x4x?x?xf32>\n"
        "  return %0 : tensor<1x4x?x?xf32>\n}"
    )
    with pytest.raises(LaminaError, match="filter of unknown height or width"):
        convert_nn_to_linalg(module)


def test_a_branch_on_an_element_of_bool() -> None:
    module = lamina.parse("""
        func.func @main(%flag: tensor<i1>, %x: tensor<3xf32>) -> tensor<3xf32> {
          %condition = tensor.extract %flag[] : tensor<i1>
          %0 = scf.if %condition -> (tensor<3xf32>) {
            %1 = nn.neg %x : (tensor<3xf32>) -> tensor<3xf32>
            scf.yield %1 : tensor<3xf32>
          } else {
            scf.yield %x : tensor<3xf32>
          }
          return %0 : tensor<3xf32>
        }""")
    compiled = lamina.compile(module)
    x = np.array([1, -2, 3], np.float32)
    np.testing.assert_array_equal(compiled(np.array(True), x), -x)
    np.testing.assert_array_equal(compiled(np.array(False), x), x)
