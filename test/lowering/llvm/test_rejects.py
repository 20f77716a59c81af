"""What the conversions refuse: the operation, its place, and what to run first."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lamina.dialects.core.diagnostics import LaminaError

CASES = [
    pytest.param(
        "convert-arith-to-llvm",
        """func.func @f(%a: vector<2x4xf32>) -> vector<2x4xf32> {
  %0 = arith.addf %a, %a : vector<2x4xf32>
  return %0 : vector<2x4xf32>
}""",
        "works on vector<2x4xf32>: vectors of rank > 1 are not lowered here",
        "run lower-vector-multi-dim first",
        id="vector of rank 2",
    ),
    pytest.param(
        "convert-vector-to-llvm",
        """func.func @f(%t: tensor<4xf32>, %i: index, %p: f32) -> vector<4xf32> {
  %0 = vector.transfer_read %t[%i], %p : tensor<4xf32>, vector<4xf32>
  return %0 : vector<4xf32>
}""",
        "accesses a tensor",
        "run one-shot-bufferize first",
        id="tensor",
    ),
    pytest.param(
        "finalize-memref-to-llvm",
        """func.func @f(%m: memref<8xf32>) -> memref<4xf32> {
  %0 = memref.subview %m[0] [4] [1] : memref<8xf32> to memref<4xf32>
  return %0 : memref<4xf32>
}""",
        "is not lowered here",
        "run expand-strided-metadata first",
        id="subview",
    ),
    pytest.param(
        "finalize-memref-to-llvm",
        """func.func @f(%a: memref<4xf32>, %b: memref<4xf32, strided<[2]>>) {
  memref.copy %a, %b : memref<4xf32> to memref<4xf32, strided<[2]>>
  return
}""",
        "copies memrefs with gaps",
        "run convert-memref-copy-to-loops first",
        id="copy with gaps",
    ),
    pytest.param(
        "finalize-memref-to-llvm",
        """func.func @f(%m: memref<4xf32>) -> memref<*xf32> {
  %0 = memref.cast %m : memref<4xf32> to memref<*xf32>
  return %0 : memref<*xf32>
}""",
        "casts to or from an unranked memref, which is not lowered",
        None,
        id="unranked memref",
    ),
    pytest.param(
        "finalize-memref-to-llvm",
        """func.func @f(%m: memref<4x4xf32, affine_map<(d0, d1) -> (d1, d0)>>, %i: index) -> f32 {
  %0 = memref.load %m[%i, %i] : memref<4x4xf32, affine_map<(d0, d1) -> (d1, d0)>>
  return %0 : f32
}""",
        "has a layout that is not strided",
        "run normalize-memrefs or use a strided layout",
        id="layout that is a map",
    ),
    pytest.param(
        "convert-math-to-libm",
        """func.func @f(%x: f80) -> f80 {
  %0 = math.erf %x : f80
  return %0 : f80
}""",
        "has type f80: the C library has functions on f32 and f64 only",
        None,
        id="f80",
    ),
]


@pytest.mark.parametrize(("name", "text", "message", "hint"), CASES)
def test_rejected_with_place_and_hint(
    name: str, text: str, message: str, hint: str | None, lower: Callable[..., str]
) -> None:
    with pytest.raises(LaminaError) as caught:
        lower(text, name)
    diagnostic = caught.value.diagnostics[0]
    assert message in diagnostic.message
    assert diagnostic.hint == hint
    assert diagnostic.location is not None and diagnostic.location.line == 2
    assert diagnostic.pass_name == name
