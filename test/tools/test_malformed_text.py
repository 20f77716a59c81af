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
    ("module {\n", "1:9", "expected an operation, a block or '}'"),
    ("func.func @f() {\n  return\n", "2:9", "expected an operation, a block or '}'"),
    ("func.func @f() {\n  return\n}\n}\n", "3:2", "expected an operation"),
    (
        'func.func @f() attributes {a = "abc} {\n  return\n}\n',
        "1:32",
        "the string is not closed by '\"' on its line",
    ),
    ("func.func @f() {\n  `return\n}\n", "2:3", "unexpected character '`'"),
    ("func.func @f() {\n  \x00return\n}\n", "2:3", "unexpected character U+0000"),
    ("func.func @é() {\n  return\n}\n", "1:11", "expected the name of a symbol after '@', found 'é'"),
    ("func.func () {\n  return\n}\n", "1:11", "expected a symbol such as @name"),
    ("func.func @f( {\n  return\n}\n", "1:15", "expected an argument such as %a: f32"),
    ("func.func @f() {\n}\n", "1:16", "the body is empty", "end it with a terminator, such as 'return'"),
    (
        "func.func @f() {\n  return loc(here)\n}\n",
        "2:18",
        "expected a location",
        'write loc("file":1:2) or loc(unknown)',
    ),
    (
        "func.func @f() attributes {a = 1 : i32, a = 2 : i32} {\n  return\n}\n",
        "1:54",
        "attribute 'a' is given twice",
    ),
    ("func.func @f() attributes {a = } {\n  return\n}\n", "1:32", "expected an attribute"),
    ("#m = affine_map<(i) -> (j)>\n", "1:25", "'j' is no dimension or symbol of the map"),
    ("#m = affine_map<(i) -> (i +)>\n", "1:28", "expected a dimension, a symbol, a number or '('"),
    ("func.func @f() {\n  cf.br ^bb1\n}\n", "2:9", "there is no block ^bb1 in this region"),
    (
        "func.func @f() {\n  cf.br ^bb1\n^bb1:\n  cf.br ^bb1\n^bb1:\n  return\n}\n",
        "5:1",
        "block ^bb1 is defined a second time",
    ),
    ("func.func @f(%a: f33) {\n  return\n}\n", "1:18", "expected a type"),
    ("func.func @f(%a: !foo.t) {\n  return\n}\n", "1:18", "unknown type or attribute 'foo.t'"),
    ("func.func @f(%a: !foo) {\n  return\n}\n", "1:18", "there is no type or attribute named !foo"),
    (
        "func.func @f() attributes {a = #foo.bar} {\n  return\n}\n",
        "1:32",
        "unknown type or attribute 'foo.bar'",
    ),
    (
        "func.func @f() attributes {a = #map} {\n  return\n}\n",
        "1:32",
        "there is no type or attribute named #map",
    ),
    (
        "func.func @f(%a: tensor<2x3>) {\n  return\n}\n",
        "1:28",
        "expected 'x' and an element type after the extent",
    ),
    ("func.func @f(%a: tensor<2x-3xf32>) {\n  return\n}\n", "1:27", "expected an extent or an element type"),
    ("func.func @f(%a: tensor<2xf32) {\n  return\n}\n", "1:30", "expected '>' at the end of the type"),
    ("func.func @f(%a: tensor 2xf32) {\n  return\n}\n", "1:25", "expected '<' after the name of the type"),
    (
        "func.func @f(%a: tensor<2xtensor<2xf32>>) {\n  return\n}\n",
        "1:18",
        "a tensor has no elements of type tensor<2xf32>",
    ),
    ("func.func @f(%a: vector<?xf32>) {\n  return\n}\n", "1:25", "expected an extent or an element type"),
    (
        "func.func @f(%a: vector<2xvector<2xf32>>) {\n  return\n}\n",
        "1:18",
        "a vector has no elements of type vector<2xf32>",
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
        "2 names are given to 1 results",
    ),
    ("%y = nn.add %a, %b : (tensor<2x3xf32>) -> tensor<2x3xf32>", "2:24", "expected 2 operand types, got 1"),
    (
        "%y = foo.bar %a : (tensor<2x3xf32>) -> tensor<2x3xf32>",
        "2:8",
        "unknown dialect 'foo' of operation 'foo.bar'",
        "`lamina-opt --allow-unregistered-dialect` accepts operations in the generic form",
    ),
    (
        '"foo.bar"(%a) : (tensor<2x3xf32>) -> ()',
        "2:3",
        "unknown dialect 'foo' of operation 'foo.bar'",
        "`lamina-opt --allow-unregistered-dialect` accepts operations in the generic form",
    ),
    (
        "%y = nn.rleu %a : (tensor<2x3xf32>) -> tensor<2x3xf32>",
        "2:8",
        "dialect 'nn' has no operation 'nn.rleu'",
        "did you mean 'nn.relu'?",
    ),
    (
        '"nn.rleu"(%a) : (tensor<2x3xf32>) -> ()',
        "2:3",
        "dialect 'nn' has no operation 'nn.rleu'",
        "did you mean 'nn.relu'?",
    ),
    ("retrun", "2:3", "unknown operation 'retrun'", "did you mean 'return'?"),
    ("%c = arith.constant 300 : i8", "2:23", "300 does not fit into i8"),
    ("%c = arith.constant 3.0 : i32", "2:23", "a number with a fraction is no value of an integer type"),
    ("%c = arith.constant 1 : tensor<2xi32>", "2:23", "a number cannot have this type"),
    ("%c = arith.constant 1.0e999 : f32", "2:23", "the number is too large for f32"),
    ("%c = arith.constant 0x123456789 : f32", "2:23", "the hexadecimal number does not fit into its type"),
    (
        "%c = nn.constant dense<[1.0, 2.0]> : tensor<3xf32>",
        "2:26",
        "the literal has shape [2], its type needs [3]",
    ),
    (
        "%c = nn.constant dense<[[1.0, 2.0], [3.0]]> : tensor<2x2xf32>",
        "2:45",
        "the rows of the literal differ in length",
    ),
    (
        "%c = nn.constant dense<[[1.0, 2.0]]> : tensor<2xf32>",
        "2:26",
        "the literal has shape [1, 2], its type needs [2]",
    ),
    ("%c = nn.constant dense<> : tensor<2xf32>", "2:26", "the literal is empty, but its type is not"),
    ('%c = nn.constant dense<"0x0102"> : tensor<2xf32>', "2:26", "the literal has 2 bytes, its type needs 8"),
    (
        '%c = nn.constant dense<"0x012"> : tensor<2xf32>',
        "2:26",
        "the string is no hexadecimal number of whole bytes",
    ),
    (
        '%c = nn.constant dense<"xyz"> : tensor<2xf32>',
        "2:26",
        "the string is no hexadecimal number of whole bytes",
    ),
    ('%c = nn.constant dense<"0x0102"> : tensor<2xi1>', "2:26", "the literal has 2 bytes, its type needs 1"),
    ("%c = nn.constant dense<1.5> : tensor<2xi32>", "2:26", "expected an integer"),
    ("%c = nn.constant dense<true> : tensor<2xi32>", "2:26", "'true' and 'false' are values of i1 only"),
    ("%c = nn.constant dense<[1, 300]> : tensor<2xi8>", "2:30", "300 does not fit into i8"),
    (
        "%c = nn.constant dense<-1> : tensor<2xui8>",
        "2:26",
        "a negative number is no value of an unsigned type",
    ),
    ("%c = nn.constant dense<1.0e300> : tensor<2xf32>", "2:26", "the number is too large for its type"),
    ("%c = nn.constant dense<(1.0, 2.0)> : tensor<2xf32>", "2:26", "(1.0, 2.0) is no value of f32"),
    ("%c = nn.constant dense<1.0> : tensor<2xcomplex<f32>>", "2:26", "1.0 is no value of complex<f32>"),
    (
        "%c = nn.constant dense<0x1FFFFFFFF> : tensor<2xf32>",
        "2:26",
        "the hexadecimal number does not fit into f32",
    ),
    ("%c = nn.constant dense<1.0> : tensor<?xf32>", "2:46", "a dense literal needs a type of static shape"),
    (
        "%c = nn.constant dense<1.0> : f32",
        "2:36",
        "a dense literal needs a tensor, vector or memref type of numbers",
    ),
    (
        "%c = nn.constant 1.0 : f32",
        "2:29",
        "'nn.constant' op expects the value of a tensor, got 1.000000e+00 : f32",
    ),
    ("%c = nn.constant dense<[1.0, ]> : tensor<2xf32>", "2:32", "expected a number"),
    (
        '%c = nn.constant dense<"a"> : tensor<2x!foo.t>',
        "2:26",
        "the string is no hexadecimal number of whole bytes",
    ),
    ("%c = nn.constant dense_resource<> : tensor<2xf32>", "2:35", "expected the key of a resource"),
    (
        "%s = nn.softmax %a {axis = array<i64: 1.5>} : (tensor<2x3xf32>) -> tensor<2x3xf32>",
        "2:41",
        "expected an integer",
    ),
    (
        "%s = nn.softmax %a {axis = array<i8: 300>} : (tensor<2x3xf32>) -> tensor<2x3xf32>",
        "2:40",
        "300 does not fit into i8",
    ),
]


@pytest.mark.parametrize("case", WHOLE, ids=lambda case: case[2])
def test_a_wrong_text_is_pointed_at(call: Callable[..., Any], case: Case) -> None:
    check(call, case[0], case)


@pytest.mark.parametrize("case", OPERATIONS, ids=lambda case: case[2])
def test_a_wrong_operation_is_pointed_at(call: Callable[..., Any], case: Case) -> None:
    check(call, in_function(case[0]), case)
