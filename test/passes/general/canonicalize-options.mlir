// RUN: lamina-opt %s --canonicalize="region-simplify=disabled" | filecheck %s --check-prefix=DISABLED
// RUN: lamina-opt %s --canonicalize="region-simplify=aggressive" | filecheck %s --check-prefix=AGGRESSIVE
// RUN: lamina-opt %s --canonicalize="disable-patterns=join_constants" | filecheck %s --check-prefix=WITHOUT
// RUN: lamina-opt %s --canonicalize="max-num-rewrites=0" | filecheck %s --check-prefix=WITHOUT

func.func @f(%c: i1, %x: i32) -> i32 {
  %0 = arith.constant 1 : i32
  %1 = arith.addi %x, %0 : i32
  %2 = arith.addi %1, %0 : i32
  "test.termop"(%c) [^bb1, ^bb2] : (i1) -> ()
^bb1:
  "test.op"() : () -> ()
  return %2 : i32
^bb2:
  "test.op"() : () -> ()
  return %2 : i32
^bb3:
  "test.op"() {unreachable} : () -> ()
  return %2 : i32
}
// DISABLED: unreachable
// AGGRESSIVE-NOT: unreachable
// WITHOUT: arith.addi
// WITHOUT: arith.addi
