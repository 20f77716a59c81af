"""IR that breaks the rules of values, blocks and operations: each mistake is one error at its place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from malformed import Case, check, in_function

WHOLE: list[Case] = [
    (
        "%c = arith.constant 1 : i32\nfunc.func @f() {\n  %y = arith.addi %c, %c : i32\n  return\n}\n",
        "3:19",
        "%c is not defined",
        "it is defined outside of the function, which sees none of the values outside",
    ),
    (
        "func.func @g(%a: i32) {\n  return\n}\nfunc.func @f() {\n"
        "  %y = arith.addi %a, %a : i32\n  return\n"
        "}\n",
        "5:19",
        "%a is not defined",
    ),
    (
        "func.func @f(%c: i1) {\n  cf.cond_br %c, ^bb1, ^bb2\n"
        "^bb1:\n  %x = arith.constant 1 : i32\n  cf.br ^bb2\n"
        "^bb2:\n  %y = arith.addi %x, %x : i32\n  return\n"
        "}\n",
        "7:8",
        "'arith.addi' op operand #0 does not dominate this use",
    ),
    (
        "func.func @f(%c: i1) {\n  scf.if %c {\n    %x = arith.constant 1 : i32\n"
        "  }\n  %y = arith.addi %x, %x : i32\n  return\n"
        "}\n",
        "5:19",
        "%x is not defined",
    ),
    (
        "func.func @f(%a: i32) {\n  cf.br ^bb1(%a : i32)\n^bb1:\n  return\n}\n",
        "2:3",
        "'cf.br' op passes (i32) to a block that takes ()",
    ),
    (
        "func.func @f(%a: i32) {\n  cf.br ^bb1(%a : i32)\n^bb1(%b: i64):\n  return\n}\n",
        "2:3",
        "'cf.br' op passes (i32) to a block that takes (i64)",
    ),
    ("func.func @f(%a: i32, %a: i32) {\n  return\n}\n", "1:23", "%a is defined a second time"),
    (
        'module {\n  "builtin.module"() ({\n    "func.func"() <{function_type = (i32) -> (), sym_name = '
        '"f"}> ({\n    ^bb0(%x: i64):\n      "func.return"() : () -> ()\n'
        "    }) : () -> ()\n  }) : () -> ()\n}\n",
        "3:5",
        "'func.func' op has a body whose arguments do not have the types of its inputs",
    ),
    (
        "func.func @f(%a: tensor<2xf32>) -> tensor<2xi32> {\n  return %a : tensor<2xf32>\n}\n",
        "2:3",
        "'func.return' op returns (tensor<2xf32>), but the function is declared to return (tensor<2xi32>)",
    ),
    (
        "func.func @f(%a: i32) -> i32 {\n  return\n}\n",
        "2:3",
        "'func.return' op returns (), but the function is declared to return (i32)",
    ),
    (
        "func.func @f(%a: f32) {\n  %y = arith.negf %a : f32\n}\n",
        "2:8",
        "'arith.negf' op ends its block, but is no terminator",
        "end the block with a terminator, such as 'return'",
    ),
    ("func.func @f() {\n  return\n  %c = arith.constant 1 : i32\n}\n", "3:6", "expected ':'"),
    (
        "func.func @f() {\n  return\n}\nfunc.func @f() {\n  return\n}\n",
        "4:1",
        "'func.func' op @f is defined a second time",
    ),
    (
        "func.func @f() {\n  call @g() : () -> ()\n  return\n}\nfunc.func @gg() {\n  return\n}\n",
        "2:3",
        "'func.call' op there is no function @g in the module",
        "did you mean 'gg'?",
    ),
    (
        "func.func @g(%a: i32) {\n  return\n}\nfunc.func @f() {\n  call @g() : () -> ()\n  return\n}\n",
        "5:3",
        "'func.call' op does not have as many operands as its function",
    ),
    (
        "func.func @g(%a: i32) {\n  return\n}\nfunc.func @f(%a: i64) {\n"
        "  call @g(%a) : (i64) -> ()\n  return\n}\n",
        "5:3",
        "'func.call' op operand #0: expected i32, got i64",
    ),
    (
        "func.func @f(%a: i32, %b: f32) {\n  %c = arith.addi %a, %b : i32\n  return\n}\n",
        "2:23",
        "the value has type f32, but is used as i32",
    ),
    (
        "func.func @f(%a: f32) {\n  %c = arith.addi %a, %a : f32\n  return\n}\n",
        "2:8",
        "'arith.addi' op f32 is not allowed here",
    ),
    (
        'func.func @f(%a: i32, %b: i64) {\n  %c = "arith.addi"(%a, %b) : (i32, i64) -> i32\n  return\n}\n',
        "2:8",
        "'arith.addi' op operand #1 ('rhs'): expected i32, got i64",
    ),
    (
        'func.func @f(%a: i32) {\n  %c = "arith.addi"(%a) : (i32) -> i32\n  return\n}\n',
        "2:8",
        "'arith.addi' op expected 2 operands, got 1",
    ),
    (
        "func.func @f(%a: i32) {\n  scf.if %a {\n  }\n  return\n}\n",
        "2:10",
        "the value has type i32, but is used as i1",
    ),
    (
        "func.func @f(%i: index, %a: f32) {\n  %r = scf.for %k = %i to %i step %i iter_args(%x = %a) -> "
        "(f32) {\n    scf.yield\n  }\n  return\n}\n",
        "2:8",
        "'scf.for' op carries 1 values around the loop, but yields 0",
    ),
    (
        "func.func @f(%m: memref<2x2xf32>, %i: index) {\n"
        "  %x = memref.load %m[%i] : memref<2x2xf32>\n"
        "  return\n}\n",
        "2:8",
        "'memref.load' op expected an index for each dimension",
    ),
    (
        "scf.yield\n",
        "1:1",
        "'scf.yield' op may only stand in 'scf.for', 'scf.if', 'scf.execute_region', 'scf.while', "
        "'scf.index_switch'",
    ),
    ('"func.func"() : () -> ()\n', "1:1", "'func.func' op expected 1 region, got 0"),
    (
        "func.func @f(%t: tensor<4xf32>) {\n  %e = tensor.expand_shape %t [[0, 1]] output_shape [3, 2] : "
        "tensor<4xf32> into tensor<3x2xf32>\n  return\n"
        "}\n",
        "2:8",
        "'tensor.expand_shape' op expected dimension 0 of collapsed type to be static value of 6",
    ),
    (
        "func.func @f(%x: tensor<1x3x8x8xf32>, %w: tensor<4x2x3x3xf32>) {\n"
        "  %y = nn.conv2d %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = "
        'array<i64: 1, 1>, groups = 1 : i64, layout = "NCHW"} : (tensor<1x3x8x8xf32>, '
        "tensor<4x2x3x3xf32>) -> tensor<1x4x6x6xf32>\n"
        "  return\n}\n",
        "2:8",
        "'nn.conv2d' op the input has 3 channels, expected 2 (groups = 1 times 2 channels of the filter)",
    ),
]

OPERATIONS: list[Case] = [
    (
        "%y = nn.add %a, %c : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>",
        "2:19",
        "%c is not defined",
    ),
    (
        "%y = nn.relu %a : (tensor<2x4xf32>) -> tensor<2x4xf32>",
        "2:16",
        "the value has type tensor<2x3xf32>, but is used as tensor<2x4xf32>",
    ),
    (
        "%y = nn.relu %a : (tensor<2x3xf32>) -> tensor<2x3xf32>\n"
        "  %y = nn.relu %a : (tensor<2x3xf32>) -> tensor<2x3xf32>",
        "3:3",
        "%y is defined a second time",
    ),
    (
        "%y = nn.relu %x : (tensor<2x3xf32>) -> tensor<2x3xf32>\n"
        "  %x = nn.relu %a : (tensor<2x3xf32>) -> tensor<2x3xf32>",
        "2:8",
        "'nn.relu' op operand #0 does not dominate this use",
    ),
    (
        "%y = nn.relu %x : (tensor<2x3xf32>) -> tensor<2x3xf32>\n  %x = arith.constant 1 : i32",
        "3:3",
        "%x is defined with type i32, but was used as tensor<2x3xf32>",
    ),
    (
        "%y = nn.relu %a : (tensor<2x3xf32>) -> tensor<2x3xf32>\n"
        "  %z = nn.relu %y#1 : (tensor<2x3xf32>) -> tensor<2x3xf32>",
        "3:16",
        "there is no result #1: the operation has 1",
    ),
    (
        "%y = nn.matmul %a, %b : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>",
        "2:8",
        "'nn.matmul' op the columns of a and the rows of b: 3 and 2 differ",
    ),
    (
        "%y = nn.softmax %a : (tensor<2x3xf32>) -> tensor<2x3xf32>",
        "2:8",
        "'nn.softmax' op needs the attribute 'axis'",
    ),
    (
        '%y = nn.softmax %a {axis = "x"} : (tensor<2x3xf32>) -> tensor<2x3xf32>',
        "2:8",
        "'nn.softmax' op attribute 'axis': expected an integer, got \"x\"",
    ),
    (
        "%y = nn.softmax %a {axes = 1 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>",
        "2:8",
        "'nn.softmax' op needs the attribute 'axis'",
        "it has 'axes'",
    ),
    (
        "%y = nn.softmax %a {axis = 7 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>",
        "2:8",
        "'nn.softmax' op attribute 'axis' names axis 7 of a tensor of rank 2",
    ),
    (
        "%y = nn.add %a : (tensor<2x3xf32>) -> tensor<2x3xf32>",
        "2:8",
        "'nn.add' op expected 2 operands, got 1",
    ),
    (
        "%y = nn.add %a, %b, %a : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>",
        "2:8",
        "'nn.add' op expected 2 operands, got 3",
    ),
    (
        "%y = nn.add %a, %b : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<3x2xf32>",
        "2:8",
        "'nn.add' op the result has type tensor<3x2xf32>, but the operands give tensor<2x3xf32>",
    ),
    (
        "%c = arith.constant 1.0 : f32\n  %y = nn.relu %c : (f32) -> f32",
        "3:8",
        "'nn.relu' op operand #0 ('operand'): expected a tensor, got f32",
    ),
    (
        "%y = nn.transpose %a {permutation = [1, 0]} : (tensor<2x3xf32>) -> tensor<3x2xf32>",
        "2:8",
        "'nn.transpose' op attribute 'permutation': expected a list as array<i64: …>, got [1 : i64, 0 : i64]",
    ),
    (
        "%y = nn.transpose %a {permutation = array<i64: 0, 0>} : (tensor<2x3xf32>) -> tensor<2x2xf32>",
        "2:8",
        "'nn.transpose' op [0, 0] is no permutation of the 2 dimensions of the operand",
    ),
    (
        "%y = nn.reshape %a {shape = array<i64: 4, -1>} : (tensor<2x3xf32>) -> tensor<4x1xf32>",
        "2:8",
        "'nn.reshape' op the -1 of [4, -1] does not follow from the 6 elements of [2, 3]",
    ),
    (
        "%y = nn.relu %a {alpha = 1.0 : f64} : (tensor<2x3xf32>) -> tensor<2x3xf32>",
        "2:8",
        "'nn.relu' op has no attribute 'alpha' (it has: none)",
    ),
]


@pytest.mark.parametrize("case", WHOLE, ids=lambda case: case[2])
def test_a_wrong_text_is_pointed_at(call: Callable[..., Any], case: Case) -> None:
    check(call, case[0], case)


@pytest.mark.parametrize("case", OPERATIONS, ids=lambda case: case[2])
def test_a_wrong_operation_is_pointed_at(call: Callable[..., Any], case: Case) -> None:
    check(call, in_function(case[0]), case)
