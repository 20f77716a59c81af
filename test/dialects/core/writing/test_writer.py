"""The text of IR is mlir-opt's, character by character in the generic form."""

from __future__ import annotations

import textwrap
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from xdsl.dialects import test
from xdsl.dialects.builtin import (
    BytesAttr,
    DenseIntOrFPElementsAttr,
    IntegerType,
    ModuleOp,
    StringAttr,
    TensorType,
    f16,
    f32,
    f64,
)

from lamina.dialects.core.text import parse, to_text

UNREGISTERED = "--allow-unregistered-dialect"

TEXTS = [
    """
    #m = affine_map<(d0, d1) -> (d1, d0 - 3)>
    func.func @f(%a: memref<4x4xf32, affine_map<(d0, d1) -> (d1, d0)>>, %x: f32) -> (f32, i32)
        attributes {q = #m, "a b"} {
      %0:2 = "t.u"() ({
      ^bb0(%z: i32):
        "t.b"()[^bb1, ^bb1] : () -> ()
      ^bb1:
        "t.t"() : () -> ()
      }, {}) {m = affine_map<(d0) -> (d0)>, z = [1, 2.0, 3 : i32, "s"]} : () -> (f32, i32)
      %k = arith.constant 0.7 : f32
      %i0 = arith.constant 3 : index
      scf.for %i = %i0 to %i0 step %i0 {
        "t.x"(%i) : (index) -> ()
      }
      return %0#0, %0#1 : f32, i32
    }
    """,
    """
    "t.x"() {a = sparse<[[0, 1], [1, 2]], [1.0, 2.0]> : tensor<2x3xf32>, b = sparse<0, 1> : vector<1xi32>,
      c = distinct[3]<42 : i32>, d = distinct[5]<>, e = distinct[3]<42 : i32>, g = "x" : i32,
      f = dense<["a", "b\\0A"]> : tensor<2x!foo.s>, h = 1.5 : f80, i = 0x3FFF8000000000000000 : f80,
      j = dense<(1.0, 2.0)> : tensor<2xcomplex<f32>>, k = dense<[(1,2), (3,4)]> : tensor<2xcomplex<i32>>,
      l = strided<[?, 1], offset: ?>, m = dense<true> : vector<3xi1>, n = array<i1: true, false>,
      o = array<f32: 0.7>, q = dense<[1,-2]> : tensor<2xi4>, r = dense<[1,14]> : tensor<2xui4>,
      s = dense<"0x0102"> : tensor<2xi8>, t = array<i64>} : () -> ()
    """,
    """
    "t.x"() {u = loc(fused<"m">["a", "f":1:2 to 3:4, callsite("b" at "c"("d":1:2))]),
      v = tuple<i1, i2, i3, i4, i5, i6, i7, i8, i9, i10, i11, i12, i13, i14, i15, i16, i17>,
      z = affine_set<(d0)[s0] : (d0 - s0 >= 0, d0 * 2 - 4 == 0)>, y = dense_resource<foo> : tensor<2xi8>,
      aa = affine_map<(d0, d1)[s0] -> (d0 * s0, d0 floordiv s0, (d0 + d1) mod 3, -d0, d0 - d1 * 2)>,
      bb = @a::@"b c"::@d, cc = memref<2x?xf32, affine_map<(d0, d1) -> (d1 + d0)>, 3>,
      dd = tensor<2xf32, #t.enc<"3">>, ee = vector<[4]x2xf32>, ff = () -> (() -> ()), hh = none,
      gg = (i32) -> (i32, f32), ii = 7 : ui8, jj = -7 : si8, kk = 200 : i8, ll = {b = 1, a}} : () -> ()
    """,
]


@pytest.mark.parametrize("text", TEXTS)
def test_the_generic_form_is_the_same(text: str, mlir_opt: Callable[..., str]) -> None:
    text = textwrap.dedent(text)
    wanted = mlir_opt(text, UNREGISTERED, "--mlir-print-op-generic")
    module = parse(text, allow_unregistered=True)
    assert to_text(module, generic=True, names=False).strip() == wanted.strip()
    # What is written in each form is read as the same.
    for form in ({}, {"generic": True}, {"local_scope": True}, {"locations": True}):
        again = mlir_opt(to_text(module, **form), UNREGISTERED, "--mlir-print-op-generic")
        assert again.strip() == wanted.strip(), form


def _holding(attributes: dict) -> ModuleOp:
    return ModuleOp([test.TestOp(attributes=attributes)])


def _through(module: ModuleOp, mlir_opt: Callable[..., str]) -> ModuleOp:
    text = mlir_opt(to_text(module, generic=True), UNREGISTERED, "--mlir-print-op-generic")
    return parse(text, allow_unregistered=True)


@settings(max_examples=4, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.text(), min_size=20, max_size=60))
def test_strings_survive(mlir_opt: Callable[..., str], texts: list[str]) -> None:
    module = _holding({f"a{i}": StringAttr(text) for i, text in enumerate(texts)})
    back = _through(module, mlir_opt)
    (op,) = back.ops
    for i, text in enumerate(texts):
        value = op.attributes[f"a{i}"]
        assert isinstance(value, StringAttr)
        assert value.data == text


_ELEMENTS = st.sampled_from([f16, f32, f64, IntegerType(8), IntegerType(1), IntegerType(24), IntegerType(64)])


@st.composite
def _constants(draw: st.DrawFn) -> DenseIntOrFPElementsAttr:
    element = draw(_ELEMENTS)
    shape = draw(st.lists(st.integers(1, 12), min_size=1, max_size=3))
    count = 1
    for extent in shape:
        count *= extent
    size, width = element.compile_time_size, getattr(element, "bitwidth", 64)
    patterns = st.integers(0, (1 << width) - 1)
    numbers = draw(st.lists(patterns, min_size=count, max_size=count))
    if isinstance(element, IntegerType) and width < 8 * size and width > 1:
        numbers = [(n ^ (1 << (width - 1))) - (1 << (width - 1)) for n in numbers]
    data = b"".join(n.to_bytes(size, "little", signed=n < 0) for n in numbers)
    return DenseIntOrFPElementsAttr(TensorType(element, shape), BytesAttr(data))


@settings(max_examples=4, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(_constants(), min_size=5, max_size=12))
def test_constants_survive_bit_for_bit(
    mlir_opt: Callable[..., str], constants: list[DenseIntOrFPElementsAttr]
) -> None:
    module = _holding({f"a{i}": value for i, value in enumerate(constants)})
    (op,) = _through(module, mlir_opt).ops
    for i, value in enumerate(constants):
        got = op.attributes[f"a{i}"]
        assert isinstance(got, DenseIntOrFPElementsAttr)
        # A splat holds one element.
        count = len(value.data.data) // len(got.data.data)
        assert got.data.data * count == value.data.data
        assert got.type == value.type
