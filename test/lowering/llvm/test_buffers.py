"""Lowered loops, views, allocations and kernels compute what NumPy and upstream's lowering compute."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

Arrays = Sequence[Any]
rng = np.random.default_rng(5)
N = 16
F = rng.standard_normal(N).astype(np.float32)
G = rng.standard_normal(N).astype(np.float32)
P = rng.integers(-50, 50, N).astype(np.int32)
Q = rng.integers(1, 9, N).astype(np.int32)
A, B, C = (rng.standard_normal(shape).astype(np.float32) for shape in ((4, 6), (6, 5), (4, 5)))


MATMUL = """
func.func @f(%a: memref<4x6xf32>, %b: memref<6x5xf32>, %c: memref<4x5xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c6 = arith.constant 6 : index
  %z = arith.constant 0.0 : f32
  scf.for %i = %c0 to %c4 step %c1 {
    scf.for %j = %c0 to %c5 step %c1 {
      %s = scf.for %k = %c0 to %c6 step %c1 iter_args(%acc = %z) -> (f32) {
        %x = memref.load %a[%i, %k] : memref<4x6xf32>
        %y = memref.load %b[%k, %j] : memref<6x5xf32>
        %p = arith.mulf %x, %y : f32
        %q = arith.addf %acc, %p : f32
        scf.yield %q : f32
      }
      memref.store %s, %c[%i, %j] : memref<4x5xf32>
    }
  }
  return
}"""

COLLATZ = """
func.func @f(%n: memref<1xi32>, %steps: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  %start = memref.load %n[%c0] : memref<1xi32>
  %r:2 = scf.while (%v = %start, %c = %zero) : (i32, i32) -> (i32, i32) {
    %more = arith.cmpi ne, %v, %one : i32
    scf.condition(%more) %v, %c : i32, i32
  } do {
  ^bb0(%v: i32, %c: i32):
    %rest = arith.remsi %v, %two : i32
    %odd = arith.cmpi eq, %rest, %one : i32
    %next = scf.if %odd -> (i32) {
      %t = arith.muli %v, %three : i32
      %u = arith.addi %t, %one : i32
      scf.yield %u : i32
    } else {
      %h = arith.divsi %v, %two : i32
      scf.yield %h : i32
    }
    %d = arith.addi %c, %one : i32
    scf.yield %next, %d : i32, i32
  }
  memref.store %r#1, %steps[%c0] : memref<1xi32>
  return
}"""

SWITCH = f"""
func.func @f(%a: memref<{N}xi32>, %r: memref<{N}xi32>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant {N} : index
  %c10 = arith.constant 10 : i32
  %c20 = arith.constant 20 : i32
  scf.for %i = %c0 to %n step %c1 {{
    %x = memref.load %a[%i] : memref<{N}xi32>
    %y = scf.index_switch %i -> i32
    case 2 {{
      scf.yield %c10 : i32
    }}
    case 5 {{
      %e = scf.execute_region -> (i32) {{
        scf.yield %c20 : i32
      }}
      scf.yield %e : i32
    }}
    default {{
      scf.yield %x : i32
    }}
    memref.store %y, %r[%i] : memref<{N}xi32>
  }}
  return
}}"""

PARALLEL = """
func.func @f(%a: memref<4x6xf32>, %r: memref<1xf32>, %t: memref<6x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  %z = arith.constant 0.0 : f32
  %sum = "scf.parallel"(%c0, %c0, %c4, %c6, %c1, %c1, %z) <{operandSegmentSizes = array<i32: 2, 2, 2, 1>}> ({
  ^bb0(%i: index, %j: index):
    %x = memref.load %a[%i, %j] : memref<4x6xf32>
    memref.store %x, %t[%j, %i] : memref<6x4xf32>
    "scf.reduce"(%x) ({
    ^bb1(%l: f32, %m: f32):
      %s = arith.addf %l, %m : f32
      "scf.reduce.return"(%s) : (f32) -> ()
    }) : (f32) -> ()
  }) : (index, index, index, index, index, index, f32) -> f32
  memref.store %sum, %r[%c0] : memref<1xf32>
  return
}"""

VIEWS = """
func.func @f(%a: memref<4x6xf32>, %r: memref<2x3xf32>, %i: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %s = memref.subview %a[%i, 1] [2, 3] [1, 2] : memref<4x6xf32> to memref<2x3xf32, strided<[6, 2], offset: ?>>
  %flat = memref.collapse_shape %a [[0, 1]] : memref<4x6xf32> into memref<24xf32>
  %cube = memref.expand_shape %flat [[0, 1, 2]] output_shape [2, 3, 4] : memref<24xf32> into memref<2x3x4xf32>
  %row = memref.subview %cube[1, 2, 0] [1, 1, 4] [1, 1, 1]
    : memref<2x3x4xf32> to memref<4xf32, strided<[1], offset: 20>>
  memref.copy %s, %r : memref<2x3xf32, strided<[6, 2], offset: ?>> to memref<2x3xf32>
  %x = memref.load %row[%c3] : memref<4xf32, strided<[1], offset: 20>>
  memref.store %x, %r[%c1, %c2] : memref<2x3xf32>
  return
}"""

ALLOCATION = """
func.func private @fill(%m: memref<?x6xf32>, %v: f32) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %n = memref.dim %m, %c0 : memref<?x6xf32>
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %c6 step %c1 {
      memref.store %v, %m[%i, %j] : memref<?x6xf32>
    }
  }
  return %n : index
}
func.func @f(%a: memref<4x6xf32>, %n: index, %size: memref<1xi64>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %v = memref.load %a[%c2, %c2] : memref<4x6xf32>
  %m = memref.alloc(%n) {alignment = 64 : i64} : memref<?x6xf32>
  %k = func.call @fill(%m, %v) : (memref<?x6xf32>, f32) -> index
  %w = arith.index_cast %k : index to i64
  memref.store %w, %size[%c0] : memref<1xi64>
  %s = memref.cast %m : memref<?x6xf32> to memref<4x6xf32>
  memref.copy %s, %a : memref<4x6xf32> to memref<4x6xf32>
  memref.dealloc %m : memref<?x6xf32>
  return
}"""

ARENA = """
memref.global "private" constant @table : memref<2x4xf32>
  = dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]> {alignment = 64 : i64}
func.func private @add(%a: memref<2x4xf32>, %b: memref<2x4xf32>, %r: memref<2x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.for %i = %c0 to %c2 step %c1 {
    %x = vector.load %a[%i, %c0] : memref<2x4xf32>, vector<4xf32>
    %y = vector.load %b[%i, %c0] : memref<2x4xf32>, vector<4xf32>
    %z = arith.addf %x, %y : vector<4xf32>
    vector.store %z, %r[%i, %c0] {nontemporal = true} : memref<2x4xf32>, vector<4xf32>
  }
  return
}
func.func @f(%x: memref<2x4xf32>, %arena: memref<128xi8>, %y: memref<2x4xf32>) {
  %c64 = arith.constant 64 : index
  %w = memref.get_global @table : memref<2x4xf32>
  %t = memref.view %arena[%c64][] : memref<128xi8> to memref<2x4xf32>
  func.call @add(%x, %w, %t) : (memref<2x4xf32>, memref<2x4xf32>, memref<2x4xf32>) -> ()
  func.call @add(%t, %t, %y) : (memref<2x4xf32>, memref<2x4xf32>, memref<2x4xf32>) -> ()
  return
}"""


PROGRAMS = [
    pytest.param(MATMUL, [A, B, C], lambda a, b, c: [a, b, a @ b], id="matmul"),
    pytest.param(
        COLLATZ, [np.int32([27]), np.int32([0])], lambda n, s: [n, np.int32([111])], id="while and if"
    ),
    pytest.param(
        SWITCH,
        [P, np.zeros_like(P)],
        lambda a, r: [a, np.where(np.arange(N) == 2, 10, np.where(np.arange(N) == 5, 20, a))],
        id="index_switch and execute_region",
    ),
    pytest.param(
        PARALLEL,
        [A, np.zeros(1, np.float32), np.zeros((6, 4), np.float32)],
        lambda a, r, t: [a, a.sum(keepdims=True)[0], a.T],
        id="parallel with a reduction",
    ),
]
OURS_ONLY = [
    pytest.param(
        VIEWS,
        [A, np.zeros((2, 3), np.float32), 1],
        lambda a, r, i: [a, np.float32([a[1, 1:6:2], [*a[2, 1:5:2], a[3, 5]]])],
        id="views",
    ),
    pytest.param(
        ALLOCATION,
        [A, 4, np.zeros(1, np.int64)],
        lambda a, n, s: [np.full_like(a, a[2, 2]), np.int64([4])],
        id="allocation with a dynamic size",
    ),
    pytest.param(
        ARENA,
        [np.ones((2, 4), np.float32), np.zeros(128, np.int8), np.zeros((2, 4), np.float32)],
        lambda x, arena, y: [x, None, 2 * (x + np.arange(1, 9, dtype=np.float32).reshape(2, 4))],
        id="arena, constants and kernels",
    ),
]


@pytest.mark.parametrize(("text", "arguments", "expected"), [*PROGRAMS, *OURS_ONLY])
def test_result_is_what_numpy_computes(
    text: str,
    arguments: Arrays,
    expected: Callable[..., Arrays],
    execute: Callable[..., Arrays],
    check: Callable[..., None],
) -> None:
    check(execute(text, arguments), expected(*arguments))


@pytest.mark.parametrize(("text", "arguments", "expected"), PROGRAMS)
def test_result_is_what_upstream_computes(
    text: str,
    arguments: Arrays,
    expected: object,
    execute: Callable[..., Arrays],
    execute_upstream: Callable[..., Arrays],
) -> None:
    for ours, upstream in zip(execute(text, arguments), execute_upstream(text, arguments), strict=True):
        np.testing.assert_array_equal(ours, upstream)


@pytest.mark.parametrize(("text", "arguments", "expected"), [*PROGRAMS, *OURS_ONLY])
def test_upstream_accepts_the_lowered_text(
    text: str, arguments: object, expected: object, accepted_by_upstream: Callable[[str], None]
) -> None:
    accepted_by_upstream(text)
