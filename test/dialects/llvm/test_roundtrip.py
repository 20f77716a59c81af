"""The operations added to llvm, index, scf, math, memref: printed text reads again, and mlir-opt agrees."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lamina.dialects.core.text import parse, to_text
from lamina.dialects.core.verifier import verify

LLVM = """
llvm.func @f(%p: !llvm.ptr, %a: i32, %v: vector<4xf32>, %m: vector<4xi1>,
    %i: i64, %w: vector<4xi64>, %c: i1) {
  llvm.switch %a : i32, ^bb1(%a : i32) [
    1: ^bb1(%a : i32),
    -2: ^bb2
  ]
^bb1(%x: i32):
  llvm.fence seq_cst
  llvm.fence syncscope("agent") release
  %0 = llvm.atomicrmw add %p, %a acq_rel {alignment = 4 : i64} : !llvm.ptr, i32
  %1 = llvm.atomicrmw volatile _xor %p, %a syncscope("singlethread") monotonic : !llvm.ptr, i32
  %2 = llvm.cmpxchg weak volatile %p, %a, %a acq_rel monotonic {alignment = 4 : i64} : !llvm.ptr, i32
  %3 = llvm.load volatile %p atomic monotonic {alignment = 4 : i64} : !llvm.ptr -> i32
  %4 = llvm.load %p invariant {alignment = 4 : i64, nontemporal} : !llvm.ptr -> i32
  llvm.store %a, %p atomic syncscope("agent") release {alignment = 4 : i64} : i32, !llvm.ptr
  llvm.store volatile %a, %p {nontemporal} : i32, !llvm.ptr
  "llvm.intr.memcpy"(%p, %p, %i) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr, i64) -> ()
  "llvm.intr.memmove"(%p, %p, %i) <{isVolatile = true}> : (!llvm.ptr, !llvm.ptr, i64) -> ()
  %5 = llvm.intr.masked.load %p, %m, %v {alignment = 4 : i32, nontemporal}
    : (!llvm.ptr, vector<4xi1>, vector<4xf32>) -> vector<4xf32>
  llvm.intr.masked.store %v, %p, %m {alignment = 4 : i32} : vector<4xf32>, vector<4xi1> into !llvm.ptr
  %6 = llvm.getelementptr %p[%w] : (!llvm.ptr, vector<4xi64>) -> vector<4x!llvm.ptr>, f32
  %7 = llvm.intr.masked.gather %6, %m, %v {alignment = 4 : i32}
    : (vector<4x!llvm.ptr>, vector<4xi1>, vector<4xf32>) -> vector<4xf32>
  llvm.intr.masked.scatter %v, %6, %m {alignment = 4 : i32}
    : vector<4xf32>, vector<4xi1> into vector<4x!llvm.ptr>
  %8 = "llvm.intr.is.fpclass"(%v) <{bit = 3 : i32}> : (vector<4xf32>) -> vector<4xi1>
  %9 = "llvm.intr.abs"(%a) <{is_int_min_poison = false}> : (i32) -> i32
  %10 = "llvm.intr.ctlz"(%a) <{is_zero_poison = false}> : (i32) -> i32
  %11 = "llvm.intr.vector.reduce.add"(%w) : (vector<4xi64>) -> i64
  %12 = llvm.intr.vector.reduce.fmaximum(%v) {fastmathFlags = #llvm.fastmath<nnan>} : (vector<4xf32>) -> f32
  %13 = llvm.extractelement %v[%i : i64] : vector<4xf32>
  %14 = llvm.freeze %a : i32
  %15 = llvm.mlir.poison : vector<4xf32>
  %16 = llvm.intr.powi(%v, %a) : (vector<4xf32>, i32) -> vector<4xf32>
  %17 = llvm.getelementptr nusw|nuw %p[%i, 1] {a} : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<3 x f32>
  %18 = llvm.getelementptr inbounds|nuw %p[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %19 = "llvm.intr.sadd.with.overflow"(%a, %a) : (i32, i32) -> !llvm.struct<(i32, i1)>
  %20 = llvm.fcmp "olt" %v, %v {fastmathFlags = #llvm.fastmath<nnan>} : vector<4xf32>
  %21 = llvm.select %20, %v, %15 : vector<4xi1>, vector<4xf32>
  %22 = llvm.intr.tanh(%v) : (vector<4xf32>) -> vector<4xf32>
  %23 = llvm.intr.fmuladd(%v, %v, %v) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
  %24 = llvm.intr.fshl(%a, %a, %a) : (i32, i32, i32) -> i32
  %25 = llvm.fptosi %v : vector<4xf32> to vector<4xi32>
  %26 = llvm.addrspacecast %p : !llvm.ptr to !llvm.ptr<3>
  %27 = llvm.intr.stepvector : vector<4xi32>
  "llvm.intr.prefetch"(%p) <{cache = 1 : i32, hint = 3 : i32, rw = 0 : i32}> : (!llvm.ptr) -> ()
  llvm.intr.lifetime.start %p : !llvm.ptr
  "llvm.intr.assume"(%c) <{op_bundle_sizes = array<i32>}> : (i1) -> ()
  "llvm.intr.trap"() : () -> ()
  llvm.cond_br %c, ^bb2, ^bb3
^bb2:
  llvm.return
^bb3:
  llvm.unreachable
}
"""

INDEX = """
func.func @f(%a: index, %b: index, %i: i32) -> (index, i32, i1) {
  %0 = index.add %a, %b
  %1 = index.ceildivs %0, %b
  %2 = index.cmp slt(%1, %a)
  %3 = index.casts %1 : index to i32
  %4 = index.castu %i : i32 to index
  %5 = index.constant 42
  %6 = index.bool.constant true
  %7 = index.sizeof
  %8 = index.maxs %4, %5
  return %8, %3, %2 : index, i32, i1
}
"""

OTHERS = """
func.func @f(%n: index, %m: memref<8xf32>, %d: memref<?xf32>, %z: f32, %v: vector<4xf32>) -> f32 {
  %0 = math.isnan %z : f32
  %1 = math.isinf %v {fastmath = #arith.fastmath<nnan>} : vector<4xf32>
  %2 = math.erfc %z : f32
  %3 = memref.cast %m : memref<8xf32> to memref<?xf32>
  memref.copy %3, %d : memref<?xf32> to memref<?xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i, %j) = (%c0, %c0) to (%n, %n) step (%c1, %c1) {
    scf.reduce
  } {lamina.note}
  %r = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%z) -> f32 {
    %x = memref.load %m[%i] : memref<8xf32>
    scf.reduce(%x : f32) {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      scf.reduce.return %s : f32
    }
  }
  return %r : f32
}
"""

TEXTS = [pytest.param(LLVM, id="llvm"), pytest.param(INDEX, id="index"), pytest.param(OTHERS, id="others")]


@pytest.mark.parametrize("text", TEXTS)
def test_printed_text_reads_again(text: str) -> None:
    module = parse(text)
    verify(module)
    printed = to_text(module)
    assert to_text(parse(printed)) == printed


@pytest.mark.parametrize("text", TEXTS)
def test_mlir_opt_reads_the_same_from_both_texts(text: str, mlir_opt: Callable[..., str]) -> None:
    printed = to_text(parse(text))
    assert mlir_opt(printed, "--mlir-print-op-generic") == mlir_opt(text, "--mlir-print-op-generic")
