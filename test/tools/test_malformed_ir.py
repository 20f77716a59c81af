"""IR that breaks the rules of values, blocks and operations: each mistake is one error at its place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from malformed import Case, check, in_function

WHOLE: list[Case] = [
    (
        'func.func @f() {\n  func.call @g() : () -> ()\n  return\n}\n"func.func"() <{sym_name = "g"}> ({\n'
        '  "func.return"() : () -> ()\n}) : () -> ()\n',
        "5:1",
        "'func.func' op requires attribute 'function_type'",
    ),
    (
        '%n = arith.constant 1 : index\n"affine.parallel"(%n) <{lowerBoundsGroups = dense<1> : '
        "vector<1xi32>, lowerBoundsMap = affine_map<(d0) -> (d0)>, reductions = [], steps = [1], "
        "upperBoundsGroups = dense<1> : vector<1xi32>, upperBoundsMap = affine_map<()[s0] -> (s0)>}> "
        "({\n^bb0(%i: index):\n"
        '  "affine.yield"() : () -> ()\n}) : (index) -> ()\n',
        "2:1",
        "'affine.parallel' op operand count and affine map dimension and symbol count must match",
    ),
    (
        "func.func @f(%x: index) {\n"
        '  %y = "memref.alloc"(%x) {operandSegmentSizes = array<i32: -1, 2>} : (index) -> memref<?xf32>\n'
        "  return\n}\n",
        "2:8",
        "'memref.alloc' op 'operandSegmentSizes' attribute cannot have negative elements",
    ),
    (
        "%c = arith.constant 1 : i32\nfunc.func @f() {\n  %y = arith.addi %c, %c : i32\n  return\n}\n",
        "3:19",
        "use of undeclared SSA value name '%c'",
        "it is defined outside of the function, which sees none of the values outside",
    ),
    (
        "func.func @g(%a: i32) {\n  return\n}\nfunc.func @f() {\n"
        "  %y = arith.addi %a, %a : i32\n  return\n"
        "}\n",
        "5:19",
        "use of undeclared SSA value name '%a'",
        "did you mean '%a'?",
    ),
    (
        "func.func @f(%c: i1) {\n  cf.cond_br %c, ^bb1, ^bb2\n"
        "^bb1:\n  %x = arith.constant 1 : i32\n  cf.br ^bb2\n"
        "^bb2:\n  %y = arith.addi %x, %x : i32\n  return\n"
        "}\n",
        "7:8",
        "operand #0 does not dominate this use",
    ),
    (
        "func.func @f(%c: i1) {\n  scf.if %c {\n    %x = arith.constant 1 : i32\n"
        "  }\n  %y = arith.addi %x, %x : i32\n  return\n"
        "}\n",
        "5:19",
        "use of undeclared SSA value name '%x'",
        "did you mean '%x'?",
    ),
    (
        "func.func @f(%a: i32) {\n  cf.br ^bb1(%a : i32)\n^bb1:\n  return\n}\n",
        "2:3",
        "branch has 1 operands for successor #0, but target block has 0",
    ),
    (
        "func.func @f(%a: i32) {\n  cf.br ^bb1(%a : i32)\n^bb1(%b: i64):\n  return\n}\n",
        "2:3",
        "type mismatch for bb argument #0 of successor #0",
    ),
    ("func.func @f(%a: i32, %a: i32) {\n  return\n}\n", "1:23", "redefinition of SSA value '%a'"),
    (
        'module {\n  "builtin.module"() ({\n    "func.func"() <{function_type = (i32) -> (), sym_name = '
        '"f"}> ({\n    ^bb0(%x: i64):\n      "func.return"() : () -> ()\n'
        "    }) : () -> ()\n  }) : () -> ()\n}\n",
        "3:5",
        "'func.func' op type of entry block argument #0('i64') must match the type of the "
        "corresponding argument in function signature('i32')",
    ),
    (
        "func.func @f(%a: tensor<2xf32>) -> tensor<2xi32> {\n  return %a : tensor<2xf32>\n}\n",
        "2:3",
        "type of return operand 0 ('tensor<2xf32>') doesn't match function result type "
        "('tensor<2xi32>') in function @f",
    ),
    (
        "func.func @f(%a: i32) -> i32 {\n  return\n}\n",
        "2:3",
        "'func.return' op has 0 operands, but enclosing function (@f) returns 1",
    ),
    (
        "func.func @f(%a: f32) {\n  %y = arith.negf %a : f32\n}\n",
        "2:8",
        'block with no terminator, has %y = "arith.negf"(%a) <{fastmath = #arith.fastmath<none>}> '
        ": (f32) -> f32",
        "end the block with a terminator, such as 'return'",
    ),
    ("func.func @f() {\n  return\n  %c = arith.constant 1 : i32\n}\n", "3:6", "expected ':'"),
    (
        "func.func @f() {\n  return\n}\nfunc.func @f() {\n  return\n}\n",
        "4:1",
        "redefinition of symbol named 'f'",
    ),
    (
        "func.func @f() {\n  call @g() : () -> ()\n  return\n}\nfunc.func @gg() {\n  return\n}\n",
        "2:3",
        "'func.call' op 'g' does not reference a valid function",
        "did you mean 'gg'?",
    ),
    (
        "func.func @g(%a: i32) {\n  return\n}\nfunc.func @f() {\n  call @g() : () -> ()\n  return\n}\n",
        "5:3",
        "'func.call' op incorrect number of operands for callee",
    ),
    (
        "func.func @g(%a: i32) {\n  return\n}\nfunc.func @f(%a: i64) {\n"
        "  call @g(%a) : (i64) -> ()\n  return\n}\n",
        "5:3",
        "'func.call' op operand type mismatch: expected operand type 'i32', but provided 'i64' for "
        "operand number 0",
    ),
    (
        "func.func @f(%a: i32, %b: f32) {\n  %c = arith.addi %a, %b : i32\n  return\n}\n",
        "2:23",
        "use of value '%b' expects different type than prior uses: 'i32' vs 'f32'",
    ),
    (
        "func.func @f(%a: f32) {\n  %c = arith.addi %a, %a : f32\n  return\n}\n",
        "2:8",
        "'arith.addi' op operand #0 must be signless-integer-like, but got 'f32'",
    ),
    (
        'func.func @f(%a: i32, %b: i64) {\n  %c = "arith.addi"(%a, %b) : (i32, i64) -> i32\n  return\n}\n',
        "2:8",
        "'arith.addi' op requires the same type for all operands and results",
    ),
    (
        'func.func @f(%a: i32) {\n  %c = "arith.addi"(%a) : (i32) -> i32\n  return\n}\n',
        "2:8",
        "'arith.addi' op expected 2 operands, but found 1",
    ),
    (
        "func.func @f(%a: i32) {\n  scf.if %a {\n  }\n  return\n}\n",
        "2:10",
        "use of value '%a' expects different type than prior uses: 'i1' vs 'i32'",
    ),
    (
        "func.func @f(%i: index, %a: f32) {\n  %r = scf.for %k = %i to %i step %i iter_args(%x = %a) -> "
        "(f32) {\n    scf.yield\n  }\n  return\n}\n",
        "2:8",
        "'scf.for' op different number of region iter_args and yielded values: 1 != 0",
    ),
    (
        "func.func @f(%m: memref<2x2xf32>, %i: index) {\n"
        "  %x = memref.load %m[%i] : memref<2x2xf32>\n"
        "  return\n}\n",
        "2:8",
        "'memref.load' op incorrect number of indices for load, expected 2 but got 1",
    ),
    (
        "scf.yield\n",
        "1:1",
        "'scf.yield' op expects parent op to be one of 'scf.execute_region, scf.for, scf.if, "
        "scf.index_switch, scf.while'",
    ),
    ('"func.func"() : () -> ()\n', "1:1", "'func.func' op requires attribute 'sym_name'"),
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
        "use of undeclared SSA value name '%c'",
    ),
    (
        "%y = nn.relu %a : (tensor<2x4xf32>) -> tensor<2x4xf32>",
        "2:16",
        "use of value '%a' expects different type than prior uses: 'tensor<2x4xf32>' vs 'tensor<2x3xf32>'",
    ),
    (
        "%y = nn.relu %a : (tensor<2x3xf32>) -> tensor<2x3xf32>\n"
        "  %y = nn.relu %a : (tensor<2x3xf32>) -> tensor<2x3xf32>",
        "3:3",
        "redefinition of SSA value '%y'",
    ),
    (
        "%y = nn.relu %x : (tensor<2x3xf32>) -> tensor<2x3xf32>\n"
        "  %x = nn.relu %a : (tensor<2x3xf32>) -> tensor<2x3xf32>",
        "2:8",
        "operand #0 does not dominate this use",
    ),
    (
        "%y = nn.relu %x : (tensor<2x3xf32>) -> tensor<2x3xf32>\n  %x = arith.constant 1 : i32",
        "3:3",
        "definition of SSA value '%x#0' has type 'i32', but it was used as 'tensor<2x3xf32>'",
    ),
    (
        "%y = nn.relu %a : (tensor<2x3xf32>) -> tensor<2x3xf32>\n"
        "  %z = nn.relu %y#1 : (tensor<2x3xf32>) -> tensor<2x3xf32>",
        "3:16",
        "reference to invalid result number: %y has 1",
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
