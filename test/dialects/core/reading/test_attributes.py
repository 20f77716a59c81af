"""Attributes: read as xDSL reads them, written so that mlir-opt reads the same, refused where wrong."""

from __future__ import annotations

import math

import numpy as np
import pytest
from attribute_texts import MLIR_OPT, as_op, by_mlir_opt, failure, read, read_by_xdsl, written
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    StringAttr,
    UnitAttr,
    f32,
    i64,
)

from lamina.dialects.core.constants import as_array
from lamina.dialects.core.floats import float_from_bits, float_to_bits
from lamina.dialects.core.reader import parse
from lamina.dialects.core.reading.types import FLOATS
from lamina.dialects.core.writing.writer import write_text

BOTH = [
    *("unit", "true", "false", "42", "-7", "0x1F", "42 : i8", "-128 : i8", "255 : ui8", "3 : index"),
    *("1.5", "-2.5e-3 : f32", "0.1 : bf16", "0x7FC00000 : f32", "0x7C00 : f16", "1.e2 : f64"),
    *('"text"', '"line\\n\\t\\"quoted\\" back\\\\slash"', '""', "@symbol", "@outer::@inner::@most"),
    *("[]", '[1, "a", @b, i32]', "[[1], [2, 3]]", "{}", '{a = 1, b, "c d" = [2]}', "{i32 = i32}"),
    *("i32", "tensor<2xf32>", "(i32) -> i32"),
    *("affine_map<(d0, d1) -> (d1, d0 + 1)>", "affine_map<()[s0] -> (s0 * 2)>"),
    *("strided<[1, ?], offset: ?>", "strided<[]>", "strided<[4, 1], offset: 3>"),
    *("array<i32>", "array<i32: 1, -2>", "array<i64: 7>", "array<f32: 1.5, -0.0>", "array<i1: true, false>"),
    *(
        "dense<[1, 2]> : tensor<2xi32>",
        "dense<[[1, -2], [3, 4]]> : tensor<2x2xi8>",
        "dense<> : tensor<0xi32>",
    ),
    *("dense<[1.5, 2.5]> : vector<2xf64>", "dense<5> : tensor<i32>", "dense<1> : tensor<1xindex>"),
    *('dense<"0x0100000002000000"> : tensor<2xi32>', "dense<(1, 2)> : tensor<1xcomplex<i32>>"),
    *('opaque<"dialect", "0x01"> : tensor<1xi8>', "loc(unknown)"),
    *('loc("f.mlir":1:2)', 'loc("name")', 'loc("name"("f":1:2))', 'loc(callsite("a" at "f":3:4))'),
    *('loc(fused["a", "b"])',),
]
"""Texts that xDSL reads as well, to the same attribute."""
OURS = [
    'dense<"0x00000000"> : tensor<0xi32>',
    *("0 : i0", "0 : si0", "123456789012345678901234567890 : i128", "-1 : i300", "255 : i8"),
    *('"text" : i32', '"\\00\\FF"', "0x7F800001 : f32", "0xFFC00001 : f32", "0x7C01 : f16", "0x7F81 : bf16"),
    *("0x7FF0000000000001 : f64", "0x3FFF8000000000000001 : f80", "1.1 : f128", "1.1 : f80", "1.0e400"),
    *("0x3FFF0000000000000000000000000001 : f128", "1.0e300 : f32", "100.0 : f4E2M1FN", "0x7D : f8E5M2"),
    *("affine_map<(d0)[s0] -> (d0 * s0)>", "affine_set<(d0)[s0] : (d0 - s0 >= 0, d0 == 3)>"),
    *("dense<0.0> : tensor<99999999999xf32>", "dense<true> : tensor<4xi1>", "dense<-1> : tensor<2xi1>"),
    *("dense<[1, 2]> : tensor<2xi128>", "dense<[1.1, 2.0]> : tensor<2xf80>", "dense<1> : vector<[4]xi32>"),
    *("dense<[1, -8, 7]> : tensor<3xi4>", "dense<15> : tensor<2xi4>", "dense<1> : tensor<0xi32>"),
    *('dense<"0x55"> : tensor<8xi1>', 'dense<"0xFF"> : tensor<3xi1>', 'dense<"0x010203"> : tensor<1xi24>'),
    *("dense<[(1.0, 2.0), (3.0, 4.0)]> : tensor<2xcomplex<f32>>", "dense<(0, 1)> : tensor<3xcomplex<i8>>"),
    *('dense<"abc"> : tensor<2x!unknown.string>', 'dense<["a", "b\\22"]> : tensor<2x!unknown.string>'),
    *("sparse<[[0, 0], [1, 2]], [1, 5]> : tensor<3x4xi32>", "sparse<> : tensor<2xi32>"),
    *("sparse<0, -2.0> : vector<1x1x1xf16>", 'sparse<[[0, 0]], ["a"]> : tensor<1x1x!unknown.string>'),
    *("dense_resource<key> : tensor<2xi32>", 'dense_resource<"a key"> : tensor<2x?xf8E5M2>'),
    *("array<i128: 1>", "array<f16: 0x7C00>", "array<i8: 255>", "array<bf16: 1.1>"),
    *("distinct[0]<42 : i32>", "distinct[1]<>", "[distinct[3]<unit>, distinct[5]<unit>, distinct[3]<unit>]"),
    *("#unknown.a", "#unknown.a<>", '#unknown.a<x, [1, "a>"], {b}>', "#unknown<a b>", "#unknown.a : i32"),
    *(
        'loc("f":1:2 to 3:4)',
        'loc("f":1:2 to :4)',
        'loc("f":7)',
        'loc(fused<"m">["a", fused<"m">["b", "a"]])',
    ),
    *("loc(fused[unknown])", 'loc("a"(unknown))', "#arith.fastmath<nnan,ninf>", "#arith.overflow<nsw>"),
    *("#arith<fastmath<fast>>", "#vector.kind<maxnumf>", "#index<cmp_predicate slt>"),
    *("#complex.number<:f32 1.0, -2.0>", '#llvm.di_file<"a" in "b">', "#llvm.linkage<internal>"),
]


@pytest.mark.parametrize("text", BOTH)
def test_an_attribute_is_the_one_that_xdsl_reads(text: str) -> None:
    assert read(text) == read_by_xdsl(text)


@pytest.mark.skipif(MLIR_OPT is None, reason="needs mlir-opt")
def test_what_is_read_is_written_as_upstream_reads_it() -> None:
    texts = [text for text in (*BOTH, *OURS) if not text.startswith("opaque")]
    wanted = by_mlir_opt(tuple(map(as_op, texts)))
    got = by_mlir_opt(tuple(map(written, texts)))
    for text, ours, theirs in zip(texts, got, wanted, strict=True):
        assert ours == theirs, text


def test_numbers_take_the_type_that_is_asked_for() -> None:
    assert read("7") == IntegerAttr(7, i64)
    assert read("255 : i8") == IntegerAttr(-1, 8)
    assert read("0.1 : f32") == FloatAttr(0.1, f32)
    found = read("dense<[0.1, 0.2]> : tensor<2xf32>")
    np.testing.assert_array_equal(as_array(found), np.array([0.1, 0.2], np.float32))


def test_a_splat_holds_one_element() -> None:
    for text in ("dense<7> : tensor<1000000x1000000xi64>", "dense<[[7, 7], [7, 7]]> : tensor<2x2xi64>"):
        found = read(text)
        assert isinstance(found, DenseIntOrFPElementsAttr)
        assert len(found.data.data) == 8


def test_long_lists_are_read_as_short_ones_are() -> None:
    values = np.random.default_rng(0).normal(size=(40, 50)).astype(np.float32)
    listed = ", ".join(f"[{', '.join(f'{v:.9e}' for v in row)}]" for row in values)
    found = read(f"dense<[{listed}]> : tensor<40x50xf32>")
    np.testing.assert_array_equal(as_array(found), values)
    integers = np.random.default_rng(1).integers(-128, 256, 2000)
    found = read(f"dense<[{', '.join(map(str, integers))}]> : tensor<2000xi8>")
    np.testing.assert_array_equal(as_array(found), integers.astype(np.int8))
    assert failure(f"dense<[{', '.join(['1'] * 1000)}, 300]> : tensor<1001xi8>")[0] == (
        "integer constant out of range for type"
    )


@pytest.mark.parametrize("name", FLOATS)
def test_every_bit_pattern_of_a_float_comes_back(name: str) -> None:
    kind: object = FLOATS[name]
    width: int = kind.bitwidth  # pyright: ignore[reportAttributeAccessIssue]
    patterns = (
        range(1 << width) if width <= 8 else [1, 1 << (width - 1), *(0x3FF5 << i for i in range(width - 14))]
    )
    for bits in patterns:
        value = float_from_bits(bits, kind)
        if value is not None and not (width <= 8 and math.isnan(value)):
            assert float_to_bits(value, kind) == bits, hex(bits)


def test_floats_are_rounded_as_the_machine_does() -> None:
    for value in (0.1, 1e-45, 3.4028236e38, 65519.99, 5.9e-8, -0.0, math.inf, 2.0**-126):
        with np.errstate(over="ignore"):
            assert float_to_bits(value, FLOATS["f32"]) == int(np.float32(value).view(np.uint32))
            assert float_to_bits(value, FLOATS["f16"]) == int(np.float16(value).view(np.uint16))


def test_aliases_may_be_defined_after_their_use() -> None:
    assert read("[#a, #b]", "#b = [#a]\n#a = unit\n") == ArrayAttr([UnitAttr(), ArrayAttr([UnitAttr()])])
    found = written("#unknown.attribute<#a>")
    assert "#unknown.attribute<#a>" in found
    assert str(read("#unknown.attribute<#a, x>", '#a = "hello"\n')) == '#unknown.attribute<"hello", x>'


def test_bytes_that_are_no_text_survive() -> None:
    assert read('"\\FF\\00é"') == StringAttr("\udcff\x00é")
    assert '"\\FF\\00\\C3\\A9"' in written('"\\FF\\00é"')


WRONG = [
    ("1 : f32", "unexpected decimal integer literal for a floating point value", 1),
    ("1.0 : i32", "floating point value not valid for specified type", 1),
    ("-1 : ui8", "negative integer literal not valid for unsigned integer type", 2),
    ("256 : i8", "integer constant out of range for attribute", 1),
    ("-129 : i8", "integer constant out of range for attribute", 2),
    ("128 : si8", "integer constant out of range for attribute", 1),
    ("18446744073709551615 : index", "integer constant out of range for attribute", 1),
    ("1 : i0", "integer constant out of range for attribute", 1),
    ("9" * 5000, "integer constant out of range for attribute", 1),
    ("5 : tensor<i32>", "integer literal not valid for specified type", 1),
    ("-foo", "expected constant integer or floating point value", 2),
    ("-0x7fff : f16", "hexadecimal float literal should not have a leading minus", 2),
    ("0xffffffff : f16", "hexadecimal float constant out of range for type", 1),
    ("true : i1", "expected '}' in attribute dictionary", 6),
    ("foo", "expected attribute value", 1),
    ("[1,]", "expected attribute value", 4),
    ("[1", "expected ',' or ']'", 3),
    ("{a = 1, a = 2}", "duplicate key 'a' in dictionary attribute", 9),
    ("{1 = 2}", "expected attribute name", 2),
    ('{"" = 1}', "expected valid attribute name", 2),
    ("@a::b", "expected nested symbol reference identifier", 5),
    ('"ab', "the string is not closed in its line", 1),
    ("array<i32: 1.0>", "expected integer literal", 12),
    ("array<i1: 1>", "expected 'true' or 'false' values for i1 type", 11),
    ("array<i33: 1>", "element type bitwidth must be a multiple of 8", 7),
    ("array<index: 1>", "expected integer or float type, got: 'index'", 7),
    ("array<i32 1>", "expected ':' after dense array type", 11),
    (
        "dense<[1, [2]]> : tensor<2xi32>",
        "tensor literal is invalid; ranks are not consistent between elements",
        14,
    ),
    (
        "dense<[1, 2, 3]> : tensor<2xi32>",
        "inferred shape of elements literal ([3]) does not match type ([2])",
        1,
    ),
    ("dense<[1.0]> : tensor<1xi32>", "expected integer elements, but parsed floating-point", 8),
    ("dense<1> : tensor<1xf32>", "unexpected decimal integer literal for a floating point value", 7),
    ("dense<true> : tensor<1xi8>", "expected i1 type for 'true' or 'false' values", 7),
    ("dense<-1> : tensor<1xui8>", "expected unsigned integer elements, but parsed negative value", 8),
    ("dense<300> : tensor<1xi8>", "integer constant out of range for type", 7),
    ("dense<1> : tensor<?xi32>", "elements literal type must have static shape", 1),
    ("dense<1> : i32", "elements literal must be a shaped type", 1),
    ("dense<> : tensor<2xi32>", "parsed zero elements, but type ('tensor<2xi32>') expected at least 1", 1),
    (
        "dense<0> : tensor<2xcomplex<i8>>",
        "parsed 1 elements, but type ('complex<i8>') expected 2 elements",
        1,
    ),
    (
        'dense<"0x010000"> : tensor<2xi32>',
        "elements hex data size is invalid for provided type: 'tensor<2xi32>'",
        1,
    ),
    ('dense<"0x1"> : tensor<2xi8>', "expected string containing hex digits starting with `0x`", 7),
    (
        "sparse<1, 10> : tensor<1x1xi16>",
        "sparse index #0 is not contained within the value shape, with index=[1, 1], "
        "and type='tensor<1x1xi16>'",
        1,
    ),
    ("sparse<[[0]], [[1]]> : tensor<1xi32>", "expected 1-d tensor for sparse element values", 1),
    ("dense_resource<> : tensor<i32>", "expected identifier key for 'resource' entry", 16),
    ("strided<[9223372036854775808]>", "expected a 64-bit signed integer or '?'", 10),
    ("strided<[1], foo: 1>", "expected 'offset' after comma", 14),
    ("distinct[a]<42>", "expected distinct ID", 10),
    ('loc("f":1:)', "expected integer column number in FileLineColRange", 11),
    ("loc(foo)", "expected location instance", 5),
    ('loc(callsite("a" "b"))', "expected 'at' in callsite location", 18),
    ("array<i32: 1, 010x5>", "expected '>' to close an array attribute", 18),
    ('!transform.any_op<"">', "'transform.any_op' has 0 parameters, but 1 are given", 18),
    ("#foo", "undefined symbol alias id 'foo'", 1),
    ("#arith.foo", "unknown attribute `foo` in dialect `arith`", 1),
]


@pytest.mark.parametrize(("text", "message", "column"), WRONG, ids=[text[:40] for text, _, _ in WRONG])
def test_what_is_wrong_is_said_at_its_place(text: str, message: str, column: int) -> None:
    assert failure(text) == (message, column)


def test_a_case_that_an_enumeration_lacks() -> None:
    message, column = failure("#arith.fastmath<foo>")
    assert message.startswith("expected fastmath to be one of: none, reassoc, nnan")
    assert column == 17


@pytest.mark.parametrize(
    "text",
    ["[" * 100_000, "{a = " * 50_000, "dense<" + "[" * 100_000, "loc(callsite(" * 20_000, "#foo<" * 100_000],
    ids=["arrays", "dictionaries", "elements", "locations", "dialects"],
)
def test_endless_nesting_is_refused(text: str) -> None:
    failure(text)


@pytest.mark.parametrize(
    "text",
    [
        '"' + "a\\" * 200_000,
        "#foo.bar<" + "(" * 200_000,
        "dense<[" + "1, " * 200_000,
        "affine_map<(" + "a" * 200_000,
    ],
    ids=["string", "body", "list", "name"],
)
def test_what_is_not_closed_is_refused_at_once(text: str) -> None:
    failure(text)


def test_what_tools_keep_beside_the_ir_is_written_again() -> None:
    entries = 'tool: {\n      flag: true,\n      text: "a \\"b\\"",\n      data: "0x0400000001"\n    }'
    section = f"{{-#\n  external_resources: {{\n    {entries}\n  }}\n#-}}"
    text = write_text(parse(f'"t.op"() : () -> ()\n{section}\n', "t", allow_unregistered=True))
    assert text.endswith(f"\n{section}\n")


def test_a_resource_keeps_the_alignment_of_its_text() -> None:
    constant = "dense_resource<aligned_to_8> : tensor<1xi32>"
    section = '{-# dialect_resources: { builtin: { aligned_to_8: "0x0800000007000000" } } #-}'
    module = parse(f"{as_op(constant)}\n{section}\n", "t", allow_unregistered=True)
    assert '"0x0800000007000000"' in write_text(module)
