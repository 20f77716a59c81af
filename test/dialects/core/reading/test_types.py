"""Types: read as xDSL reads them, written so that mlir-opt reads the same, refused where they are wrong."""

from __future__ import annotations

import pytest
from attribute_texts import (
    MLIR_OPT,
    as_op,
    by_mlir_opt,
    failure,
    read,
    read_by_xdsl,
    refused_by_mlir_opt,
    written,
)
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineMapAttr,
    IntegerType,
    MemRefType,
    NoneAttr,
    TensorType,
    VectorType,
    f32,
    i32,
)

FLOATS = [
    *("bf16", "f16", "f32", "f64", "f80", "f128", "tf32", "f8E5M2", "f8E4M3", "f8E4M3FN", "f8E5M2FNUZ"),
    *("f8E4M3FNUZ", "f8E4M3B11FNUZ", "f8E3M4", "f8E8M0FNU", "f6E2M3FN", "f6E3M2FN", "f4E2M1FN"),
]
BOTH = [
    *FLOATS,
    *("i1", "i32", "i16777215", "si8", "ui16", "index", "none"),
    *("complex<f32>", "complex<i8>", "tuple<>", "tuple<i32, tuple<f32, none>>"),
    *("() -> ()", "(i32) -> i32", "(i32, f32) -> (f32, i32)", "(i32) -> ((i32) -> i32)"),
    *("tensor<f32>", "tensor<2x3xf32>", "tensor<?x4x?xi8>", "tensor<0x10xf32>", 'tensor<4xf32, "encoding">'),
    *("tensor<*xf32>", "tensor<2xvector<4xf32>>", "tensor<4xcomplex<f64>>", "tensor<2xindex>"),
    *("vector<f32>", "vector<4xf32>", "vector<2x[4]xi8>", "vector<[2]x[4]xindex>"),
    *("memref<f32>", "memref<4x?xf32>", "memref<*xf32>", "memref<2xmemref<2xf32>>"),
    *("memref<4xf32, strided<[1]>>", "memref<4x4xf32, strided<[?, 1], offset: ?>>"),
    *("memref<4xf32, 1 : i32>", 'memref<4xf32, "gpu">', "memref<4xf32, strided<[2]>, 3 : i8>"),
    *("memref<*xf32, 2 : i64>", "tensor<1x1xf32>"),
]
"""Texts that xDSL reads as well."""
OURS = [
    *("i0", "tensor<2 x 3 x f32>", "memref<2 x\n f32 , 1>", "vector<2 x [ 3 ] x f32>", "tensor<2xf32,>"),
    *(
        "memref<2x4xf32, affine_map<(d0, d1) -> (d1, d0)>>",
        "memref<2xf32, affine_map<(d0)[s0] -> (d0 * s0)>>",
    ),
    *("memref<2xf32, affine_map<(d0) -> (d0)>>", "memref<2xf32, 0>", "memref<2xf32, {a = 1}>"),
    *("tensor<4xf32, #unknown.layout<x>>", "!unknown<type>", '!unknown<"text">', "!unknown.type<>"),
    *("!unknown.type", "!unknown.type<a, [b], {c}>"),
    *("!llvm.ptr", "!llvm.ptr<3>", "!llvm.struct<(i32, ptr)>", "!llvm.array<4 x i32>"),
    "tensor<2 // a > comment\n xf32>",
]


@pytest.mark.parametrize("text", BOTH)
def test_a_type_is_the_one_that_xdsl_reads(text: str) -> None:
    assert read(text) == read_by_xdsl(text)


@pytest.mark.skipif(MLIR_OPT is None, reason="needs mlir-opt")
def test_what_is_read_is_written_as_upstream_reads_it() -> None:
    texts = [*BOTH, *OURS]
    wanted = by_mlir_opt(tuple(map(as_op, texts)))
    got = by_mlir_opt(tuple(map(written, texts)))
    for text, ours, theirs in zip(texts, got, wanted, strict=True):
        assert ours == theirs, text


def test_shapes_and_elements() -> None:
    assert read("tensor<?x4xf32>") == TensorType(f32, [DYNAMIC_INDEX, 4])
    assert read("tensor<0x10xf32>") == TensorType(f32, [0, 10])
    assert read("vector<2x[4]xi32>").get_scalable_dims() == (False, True)  # pyright: ignore[reportAttributeAccessIssue]
    assert read("memref<4xi32>") == MemRefType(i32, [4])
    assert read("vector<4xf32>") == VectorType(f32, [4])


def test_defaults_of_a_memref_are_not_held() -> None:
    found = read("memref<4xf32, affine_map<(d0) -> (d0)>, 0 : i32>")
    assert isinstance(found, MemRefType)
    assert found.layout == NoneAttr()
    assert found.memory_space == NoneAttr()
    assert isinstance(read("memref<4xf32, affine_map<(d0) -> (d0 + 1)>>").layout, AffineMapAttr)  # pyright: ignore[reportAttributeAccessIssue]


def test_equal_texts_give_one_object() -> None:
    found = read("tuple<tensor<4xf32>, tensor<4xf32>>")
    first, second = found.types.data  # pyright: ignore[reportAttributeAccessIssue]
    assert first is second


def test_aliases() -> None:
    assert read("!t", "!t = tensor<4x!e>\n!e = i32\n") == TensorType(IntegerType(32), [4])
    assert read("tensor<4x!e>", "!e = f32\n") == TensorType(f32, [4])


WRONG = [
    ("tensor<tensor<i8>>", "invalid tensor element type", 8),
    ("tensor<2x", "expected non-function type", 10),
    ("tensor<2 x f32", "expected '>' in tensor type", 15),
    ('tensor<*xf32, "a">', "cannot apply encoding to unranked tensor", 18),
    ("tensor<-1xf32>", "expected non-function type", 8),
    ("tensor<2xfoo>", "expected non-function type", 10),
    ("tensor", "expected '<' in tensor type", 7),
    ("tensor<2x3>", "expected 'x' in dimension list", 11),
    ("tensor<9223372036854775808xf32>", "invalid dimension", 8),
    ("tensor<*f32>", "expected 'x' in dimension list", 9),
    ("memref<2x4xi8, i8>", "unsupported memory space Attribute", 1),
    ("memref<*xi8, affine_map<(d0) -> (d0)>>", "cannot have affine map for unranked memref type", 38),
    ("memref<2xi8, 1, 2>", "multiple memory spaces specified in memref type", 18),
    ("memref<2xi8, 1, strided<[1]>>", "expected memory space to be last in memref type", 29),
    ("memref<2x4xi8, >", "expected list element", 16),
    ("memref<2x4xi8 foo>", "expected ',' or '>' in memref type", 15),
    (
        "memref<4xi8, affine_map<(d0, d1) -> (d0)>>",
        "memref layout mismatch between rank and affine map: 1 != 2",
        1,
    ),
    ("memref<4xi8, strided<[1, 2]>>", "expected the number of strides to match the rank", 1),
    ("memref<2xtensor<i8>>", "invalid memref element type", 10),
    ("memref<2xnone>", "invalid memref element type", 10),
    ("vector<0xf32>", "vector types must have positive constant sizes but got 0", 1),
    ("vector<1x0xi32>", "vector types must have positive constant sizes but got 1, 0", 1),
    ("vector<2xvector<1xf32>>", "failed to verify 'elementType': VectorElementTypeInterface instance", 1),
    ("vector<[4xf32>", "missing ']' closing scalable dimension", 10),
    ("vector<[]xf32>", "invalid dimension", 9),
    ("vector<?xf32>", "expected non-function type", 8),
    ("vector<2f32>", "expected 'x' in dimension list", 9),
    ("tuple<i32,>", "expected non-function type", 11),
    ("tuple<i32", "expected '>' in tuple type", 10),
    ("complex<index>", "invalid element type for complex", 9),
    ("complex i32", "expected '<' in complex type", 9),
    ("i16777216", "integer bitwidth is limited to 16777215 bits", 1),
    ("i21312312323120", "integer bitwidth is limited to 16777215 bits", 1),
    ("(i32)", "expected '->' in function type", 6),
    ("() -> (i32,)", "expected non-function type", 12),
    ("!foo", "undefined symbol alias id 'foo'", 1),
    ("!foo.bar<i32", "unbalanced '<' character in pretty dialect name", 9),
    ("!foo.bar<(]>", "unbalanced '(' character in pretty dialect name", 10),
]


@pytest.mark.parametrize(("text", "message", "column"), WRONG)
def test_what_is_wrong_is_said_at_its_place(text: str, message: str, column: int) -> None:
    assert failure(text) == (message, column)


@pytest.mark.slow
@pytest.mark.skipif(MLIR_OPT is None, reason="needs mlir-opt")
@pytest.mark.parametrize("text", [text for text, _, _ in WRONG])
def test_upstream_refuses_it_too(text: str) -> None:
    assert refused_by_mlir_opt(text)


@pytest.mark.parametrize("text", ["tuple<" * 5000, "(" * 5000, "tensor<" * 5000, "tuple<" * 900 + ">" * 900])
def test_deep_nesting_is_read_or_refused(text: str) -> None:
    if text.endswith(">"):
        assert text in written(text)
    else:
        failure(text)
