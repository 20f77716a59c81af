// RUN: lamina-opt %s --split-input-file --cse | filecheck %s

// Reads are equal while nothing is written between them.
func.func @reads(%m: memref<4xf32>, %i: index, %x: f32) -> (f32, f32, f32) {
  %0 = memref.load %m[%i] : memref<4xf32>
  %1 = memref.load %m[%i] : memref<4xf32>
  memref.store %x, %m[%i] : memref<4xf32>
  %2 = memref.load %m[%i] : memref<4xf32>
  return %0, %1, %2 : f32, f32, f32
}
// CHECK-LABEL: @reads
// CHECK-NEXT: %[[A:.*]] = memref.load
// CHECK-NEXT: memref.store
// CHECK-NEXT: %[[B:.*]] = memref.load
// CHECK-NEXT: return %[[A]], %[[A]], %[[B]]

// -----

// A block sees what the blocks that dominate it have computed, not what its neighbours have.
func.func @blocks(%c: i1, %x: i32, %y: i32) -> i32 {
  %0 = arith.addi %x, %y : i32
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  %1 = arith.addi %y, %x : i32
  %2 = arith.muli %1, %y : i32
  return %2 : i32
^bb2:
  %3 = arith.muli %0, %y : i32
  return %3 : i32
}
// CHECK-LABEL: @blocks
// CHECK: arith.addi
// CHECK-NOT: arith.addi
// CHECK: arith.muli
// CHECK: arith.muli

// -----

// Equal regions are equal.
func.func @regions(%c: i1, %x: i32) -> (i32, i32) {
  %0 = scf.if %c -> (i32) {
    %2 = arith.addi %x, %x : i32
    scf.yield %2 : i32
  } else {
    scf.yield %x : i32
  }
  %1 = scf.if %c -> (i32) {
    %2 = arith.addi %x, %x : i32
    scf.yield %2 : i32
  } else {
    scf.yield %x : i32
  }
  return %0, %1 : i32, i32
}
// CHECK-LABEL: @regions
// CHECK: scf.if
// CHECK-NOT: scf.if
