// RUN: lamina-opt %s --allow-unregistered-dialect --split-input-file --canonicalize | filecheck %s

// Constants are shared, and stand at the front of the function.
func.func @shared(%c: i1) -> (i32, i32) {
  %0:2 = scf.if %c -> (i32, i32) {
    %1 = "test.op"() : () -> i32
    %2 = arith.constant 7 : i32
    %3 = arith.addi %1, %2 : i32
    scf.yield %3, %2 : i32, i32
  } else {
    %1 = "test.op"() : () -> i32
    %2 = arith.constant 7 : i32
    scf.yield %1, %2 : i32, i32
  }
  return %0#0, %0#1 : i32, i32
}
// CHECK-LABEL: @shared
// CHECK-NEXT: %[[C:.*]] = arith.constant 7 : i32
// CHECK-NEXT: scf.if
// CHECK-NOT: arith.constant

// -----

// x + 0.0 stays: it is not -0.0 where x is.
func.func @signed_zero(%x: f32) -> (f32, f32) {
  %p = arith.constant 0.0 : f32
  %n = arith.constant -0.0 : f32
  %0 = arith.addf %x, %p : f32
  %1 = arith.addf %x, %n : f32
  return %0, %1 : f32, f32
}
// CHECK-LABEL: @signed_zero
// CHECK: arith.addf
// CHECK-NOT: arith.addf

// -----

// A quotient that does not fit, and one by zero, stay.
func.func @no_quotient() -> (i8, i8) {
  %least = arith.constant -128 : i8
  %minus = arith.constant -1 : i8
  %zero = arith.constant 0 : i8
  %0 = arith.divsi %least, %minus : i8
  %1 = arith.divui %least, %zero : i8
  return %0, %1 : i8, i8
}
// CHECK-LABEL: @no_quotient
// CHECK: arith.divsi
// CHECK: arith.divui

// -----

// Values that only feed each other around a cycle of blocks are dead.
func.func @dead_cycle(%n: i32, %c: i1) {
  cf.br ^bb1(%n : i32)
^bb1(%i: i32):
  %0 = arith.addi %i, %n : i32
  "test.op"() : () -> ()
  cf.cond_br %c, ^bb1(%0 : i32), ^bb2
^bb2:
  return
}
// CHECK-LABEL: @dead_cycle
// CHECK-NOT: arith.addi
// CHECK: ^{{.*}}:
// CHECK-NEXT: "test.op"

// -----

// A cycle of blocks that only jump on ends.
func.func @cycle() {
  cf.br ^bb1
^bb1:
  cf.br ^bb2
^bb2:
  cf.br ^bb1
}
// CHECK-LABEL: @cycle

// -----

// Nothing may be assumed of an operation without definition.
func.func @unknown() {
  %c = arith.constant 1 : i32
  %0 = "some.op"(%c) : (i32) -> i32
  %1 = "some.op"(%c) : (i32) -> i32
  return
}
// CHECK-LABEL: @unknown
// CHECK: "some.op"
// CHECK: "some.op"

// -----

func.func @composed(%i: index) -> index {
  %0 = affine.apply affine_map<(d0) -> (d0 * 4 + 2)>(%i)
  %1 = affine.apply affine_map<(d0) -> (d0 floordiv 4)>(%0)
  return %1 : index
}
// CHECK-LABEL: @composed(
// CHECK-SAME: %[[I:[^:]*]]: index
// CHECK-NEXT: return %[[I]]

// -----

func.func @slices(%t: tensor<?x?xf32>, %n: index) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %0 = tensor.extract_slice %t[%c0, %n] [%c4, %n] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
// CHECK-LABEL: @slices
// CHECK-NEXT: tensor.extract_slice %{{.*}}[0, %{{.*}}] [4, %{{.*}}] [1, 1] : tensor<?x?xf32> to tensor<4x?xf32>
// CHECK-NEXT: tensor.cast
