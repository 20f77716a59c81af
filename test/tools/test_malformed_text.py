"""Text that is no IR: each mistake is one error at its place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from malformed import Case, check, in_function

WHOLE: list[Case] = [
    (
        "hello world\n",
        "1:1",
        "unknown operation 'hello'",
        "operations are named dialect.operation, as func.func",
    ),
    ("12345\n", "1:1", "expected an operation"),
    ("{\n", "1:1", "expected an operation"),
    ("\x7fELF\x02\n", "1:1", "unexpected character U+007F"),
    ("(((((((((\n", "1:1", "expected an operation"),
    ("module {\n", "1:9", "expected '}'"),
    ("func.func @f() {\n  return\n", "2:9", "expected '}'"),
    ("func.func @f() {\n  return\n}\n}\n", "3:2", "expected an operation"),
    ('func.func @f() attributes {a = "abc} {\n  return\n}\n', "1:32", "the string is not closed in its line"),
    ("func.func @f() {\n  `return\n}\n", "1:17", "expected '}'"),
    ("func.func @é() {\n  return\n}\n", "1:11", "expected a symbol name, as @name"),
    ("func.func () {\n  return\n}\n", "1:11", "expected a symbol name, as @name"),
    (
        "func.func @f( {\n  return\n}\n",
        "1:15",
        "expected non-function type",
        "a type is i32, f32, index, tensor<2x3xf32>, memref<…>, vector<…> or !dialect.name",
    ),
    (
        "func.func @f() {\n}\n",
        "1:16",
        "expected non-empty function body",
        "end it with a terminator, such as 'return'",
    ),
    (
        "func.func @f() {\n  return loc(here)\n}\n",
        "2:14",
        "expected location instance",
        'write loc("file":1:2) or loc(unknown)',
    ),
    (
        "func.func @f() attributes {a = 1 : i32, a = 2 : i32} {\n  return\n}\n",
        "1:41",
        "duplicate key 'a' in dictionary attribute",
        "give each attribute once",
    ),
    (
        "func.func @f() attributes {a = } {\n  return\n}\n",
        "1:32",
        "expected attribute value",
        'an attribute is a number, "text", [a list], {a = 1}, @name or #name',
    ),
    (
        "#m = affine_map<(i) -> (j)>\n",
        "1:25",
        "use of undeclared identifier",
        "a map may use the names in its own (dimensions)[symbols]",
    ),
    ("#m = affine_map<(i) -> (i +)>\n", "1:28", "missing right operand of binary operator"),
    (
        "func.func @f() {\n  cf.br ^bb1\n}\n",
        "2:9",
        "reference to an undefined block '^bb1'",
        "a block starts with its name, as ^bb1:",
    ),
    (
        "func.func @f() {\n  cf.br ^bb1\n^bb1:\n  cf.br ^bb1\n^bb1:\n  return\n}\n",
        "5:1",
        "redefinition of block '^bb1'",
    ),
    (
        "func.func @f(%a: f33) {\n  return\n}\n",
        "1:18",
        "expected non-function type",
        "a type is i32, f32, index, tensor<2x3xf32>, memref<…>, vector<…> or !dialect.name",
    ),
    (
        "func.func @f(%a: !foo.t) {\n  return\n}\n",
        "1:18",
        "type !foo.t is of the dialect 'foo', which is not registered",
        "--allow-unregistered-dialect accepts it",
    ),
    (
        "func.func @f(%a: !foo) {\n  return\n}\n",
        "1:18",
        "undefined symbol alias id 'foo'",
        "an alias is defined on a line of its own, as #name = … or !name = …",
    ),
    (
        "func.func @f() attributes {a = #foo.bar} {\n  return\n}\n",
        "1:32",
        "attribute #foo.bar is of the dialect 'foo', which is not registered",
        "--allow-unregistered-dialect accepts it",
    ),
    (
        "func.func @f() attributes {a = #map} {\n  return\n}\n",
        "1:32",
        "undefined symbol alias id 'map'",
        "an alias is defined on a line of its own, as #name = … or !name = …",
    ),
    ("func.func @f(%a: tensor<2x3>) {\n  return\n}\n", "1:28", "expected 'x' in dimension list"),
    (
        "func.func @f(%a: tensor<2x-3xf32>) {\n  return\n}\n",
        "1:27",
        "expected non-function type",
        "a type is i32, f32, index, tensor<2x3xf32>, memref<…>, vector<…> or !dialect.name",
    ),
    ("func.func @f(%a: tensor<2xf32) {\n  return\n}\n", "1:30", "expected '>' in tensor type"),
    ("func.func @f(%a: tensor 2xf32) {\n  return\n}\n", "1:25", "expected '<' in tensor type"),
    ("func.func @f(%a: tensor<2xtensor<2xf32>>) {\n  return\n}\n", "1:27", "invalid tensor element type"),
    (
        "func.func @f(%a: vector<?xf32>) {\n  return\n}\n",
        "1:25",
        "expected non-function type",
        "a type is i32, f32, index, tensor<2x3xf32>, memref<…>, vector<…> or !dialect.name",
    ),
    (
        "func.func @f(%a: vector<2xvector<2xf32>>) {\n  return\n}\n",
        "1:18",
        "failed to verify 'elementType': VectorElementTypeInterface instance",
        "a vector holds integers, index or floats, not 'vector<2xf32>'",
    ),
]

OPERATIONS: list[Case] = [
    ("%y = nn.add %a, %b", "2:21", "expected ':' before the type of the operation"),
    (
        "%y = nn.add %a, %b : tensor<2x3xf32>",
        "2:24",
        "expected the types of operands and results",
        "write them as (tensor<2xf32>) -> tensor<2xf32>",
    ),
    ("%y = nn.add %a %b : (f32, f32) -> f32", "2:18", "expected ':' before the type of the operation"),
    (
        "%y:2 = nn.add %a, %b : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>",
        "2:3",
        "operation defines 1 results but was provided 2 to bind",
        "write %name:N = … for N results",
    ),
    ("%y = nn.add %a, %b : (tensor<2x3xf32>) -> tensor<2x3xf32>", "2:24", "expected 2 operand types, got 1"),
    (
        "%y = foo.bar %a : (tensor<2x3xf32>) -> tensor<2x3xf32>",
        "2:8",
        "unknown dialect 'foo' of operation 'foo.bar'",
        "give its file with --load or install its package; "
        "`lamina-opt --allow-unregistered-dialect` accepts operations in the generic form",
    ),
    (
        '"foo.bar"(%a) : (tensor<2x3xf32>) -> ()',
        "2:12",
        "unknown dialect 'foo' of operation 'foo.bar'",
        "give its file with --load or install its package; "
        "`lamina-opt --allow-unregistered-dialect` accepts operations in the generic form",
    ),
    (
        "%y = arith.addii %a, %a : tensor<2x3xf32>",
        "2:8",
        "dialect 'arith' has no operation 'arith.addii'",
        "did you mean 'arith.addi'?",
    ),
    (
        "%y = nn.rleu %a : (tensor<2x3xf32>) -> tensor<2x3xf32>",
        "2:8",
        "dialect 'nn' has no operation 'nn.rleu'",
        "did you mean 'nn.relu'?",
    ),
    (
        '"nn.rleu"(%a) : (tensor<2x3xf32>) -> ()',
        "2:12",
        "dialect 'nn' has no operation 'nn.rleu'",
        "did you mean 'nn.relu'?",
    ),
    ("retrun", "2:3", "unknown operation 'retrun'", "did you mean 'return'?"),
    ("%c = arith.constant 300 : i8", "2:23", "integer constant out of range for attribute"),
    ("%c = arith.constant 3.0 : i32", "2:23", "floating point value not valid for specified type"),
    ("%c = arith.constant 1 : tensor<2xi32>", "2:23", "integer literal not valid for specified type"),
    ("%c = arith.constant 0x123456789 : f32", "2:23", "hexadecimal float constant out of range for type"),
    (
        "%c = nn.constant dense<[1.0, 2.0]> : tensor<3xf32>",
        "2:20",
        "inferred shape of elements literal ([2]) does not match type ([3])",
    ),
    (
        "%c = nn.constant dense<[[1.0, 2.0], [3.0]]> : tensor<2x2xf32>",
        "2:44",
        "tensor literal is invalid; ranks are not consistent between elements",
    ),
    (
        "%c = nn.constant dense<[[1.0, 2.0]]> : tensor<2xf32>",
        "2:20",
        "inferred shape of elements literal ([1, 2]) does not match type ([2])",
    ),
    (
        "%c = nn.constant dense<> : tensor<2xf32>",
        "2:20",
        "parsed zero elements, but type ('tensor<2xf32>') expected at least 1",
    ),
    (
        '%c = nn.constant dense<"0x0102"> : tensor<2xf32>',
        "2:20",
        "elements hex data size is invalid for provided type: 'tensor<2xf32>'",
    ),
    (
        '%c = nn.constant dense<"0x012"> : tensor<2xf32>',
        "2:26",
        "expected string containing hex digits starting with `0x`",
    ),
    (
        '%c = nn.constant dense<"xyz"> : tensor<2xf32>',
        "2:26",
        "expected string containing hex digits starting with `0x`",
    ),
    (
        '%c = nn.constant dense<"0x0102"> : tensor<2xi1>',
        "2:20",
        "elements hex data size is invalid for provided type: 'tensor<2xi1>'",
    ),
    (
        "%c = nn.constant dense<1.5> : tensor<2xi32>",
        "2:26",
        "expected integer elements, but parsed floating-point",
    ),
    ("%c = nn.constant dense<true> : tensor<2xi32>", "2:26", "expected i1 type for 'true' or 'false' values"),
    ("%c = nn.constant dense<[1, 300]> : tensor<2xi8>", "2:30", "integer constant out of range for type"),
    (
        "%c = nn.constant dense<-1> : tensor<2xui8>",
        "2:27",
        "expected unsigned integer elements, but parsed negative value",
    ),
    ("%c = nn.constant dense<(1.0, 2.0)> : tensor<2xf32>", "2:20", "complex elements are no values of 'f32'"),
    (
        "%c = nn.constant dense<1.0> : tensor<2xcomplex<f32>>",
        "2:20",
        "parsed 1 elements, but type ('complex<f32>') expected 2 elements",
    ),
    (
        "%c = nn.constant dense<0x1FFFFFFFF> : tensor<2xf32>",
        "2:26",
        "hexadecimal float constant out of range for type",
    ),
    ("%c = nn.constant dense<1.0> : tensor<?xf32>", "2:20", "elements literal type must have static shape"),
    ("%c = nn.constant dense<1.0> : f32", "2:20", "elements literal must be a shaped type"),
    (
        "%c = nn.constant 1.0 : f32",
        "2:23",
        "'nn.constant' op expects the value of a tensor, got 1.000000e+00 : f32",
    ),
    ("%c = nn.constant dense<[1.0, ]> : tensor<2xf32>", "2:32", "expected element literal of primitive type"),
    (
        '%c = nn.constant dense<"a"> : tensor<2x!foo.t>',
        "2:42",
        "type !foo.t is of the dialect 'foo', which is not registered",
        "--allow-unregistered-dialect accepts it",
    ),
    (
        "%c = nn.constant dense_resource<> : tensor<2xf32>",
        "2:35",
        "expected identifier key for 'resource' entry",
    ),
    (
        "%s = nn.softmax %a {axis = array<i64: 1.5>} : (tensor<2x3xf32>) -> tensor<2x3xf32>",
        "2:41",
        "expected integer literal",
    ),
    (
        "%s = nn.softmax %a {axis = array<i8: 300>} : (tensor<2x3xf32>) -> tensor<2x3xf32>",
        "2:40",
        "integer constant out of range for type",
    ),
]


@pytest.mark.parametrize("case", WHOLE, ids=lambda case: case[2])
def test_a_wrong_text_is_pointed_at(call: Callable[..., Any], case: Case) -> None:
    check(call, case[0], case)


@pytest.mark.parametrize("case", OPERATIONS, ids=lambda case: case[2])
def test_a_wrong_operation_is_pointed_at(call: Callable[..., Any], case: Case) -> None:
    check(call, in_function(case[0]), case)
