// RUN: lamina-opt %s --allow-unregistered-dialect --split-input-file --canonicalize | filecheck %s

// Reshapes before casts that only forget.
func.func @reshapes(%a: memref<6x?x2xf32>, %b: memref<6x4xf32>, %n: index) -> (memref<?x?xf32>, memref<2x3x4xf32>) {
  %0 = memref.cast %a : memref<6x?x2xf32> to memref<?x?x?xf32>
  %1 = memref.collapse_shape %0 [[0], [1, 2]] : memref<?x?x?xf32> into memref<?x?xf32>
  %2 = memref.cast %b : memref<6x4xf32> to memref<?x4xf32>
  %3 = memref.expand_shape %2 [[0, 1], [2]] output_shape [%n, 3, 4] : memref<?x4xf32> into memref<?x3x4xf32>
  %4 = memref.cast %3 : memref<?x3x4xf32> to memref<2x3x4xf32>
  return %1, %4 : memref<?x?xf32>, memref<2x3x4xf32>
}
// CHECK-LABEL: @reshapes
// CHECK-SAME: (%[[A:.*]]: memref<6x?x2xf32>, %[[B:.*]]: memref<6x4xf32>
// CHECK-NEXT: memref.collapse_shape %[[A]] {{.*}} into memref<6x?xf32>
// CHECK-NEXT: memref.cast
// CHECK-NEXT: memref.expand_shape %[[B]] {{.*}} output_shape [2, 3, 4] : memref<6x4xf32> into memref<2x3x4xf32>
// CHECK-NEXT: return

// -----

// The base of a memref with the numbers that it had.
func.func @metadata(%a: memref<3x?xf32>) -> memref<3x?xf32, strided<[?, 1], offset: ?>> {
  %c3 = arith.constant 3 : index
  %0, %1, %2:2, %3:2 = memref.extract_strided_metadata %a : memref<3x?xf32> -> memref<f32>, index, index, index, index, index
  %4 = memref.reinterpret_cast %0 to offset: [%1], sizes: [%c3, %2#1], strides: [%3#0, 1] : memref<f32> to memref<?x?xf32, strided<[?, 1], offset: ?>>
  %5 = memref.cast %4 : memref<?x?xf32, strided<[?, 1], offset: ?>> to memref<3x?xf32, strided<[?, 1], offset: ?>>
  return %5 : memref<3x?xf32, strided<[?, 1], offset: ?>>
}
// CHECK-LABEL: @metadata
// CHECK-NEXT: memref.cast %{{.*}} : memref<3x?xf32> to memref<3x?xf32, strided<[?, 1], offset: ?>>
// CHECK-NEXT: return

// -----

// Not with other numbers.
func.func @other_numbers(%a: memref<3x?xf32>) -> memref<2x?xf32, strided<[?, 1], offset: ?>> {
  %0, %1, %2:2, %3:2 = memref.extract_strided_metadata %a : memref<3x?xf32> -> memref<f32>, index, index, index, index, index
  %4 = memref.reinterpret_cast %0 to offset: [%1], sizes: [2, %2#1], strides: [%3#0, 1] : memref<f32> to memref<2x?xf32, strided<[?, 1], offset: ?>>
  return %4 : memref<2x?xf32, strided<[?, 1], offset: ?>>
}
// CHECK-LABEL: @other_numbers
// CHECK: memref.reinterpret_cast

// -----

// Scopes that end where the one around them does, or that allocate nothing.
func.func @scopes(%n: index) {
  memref.alloca_scope {
    memref.alloca_scope {
      %a = memref.alloca(%n) : memref<?xf32>
      memref.copy %a, %a : memref<?xf32> to memref<?xf32>
    }
    "test.between"() : () -> ()
  }
  memref.alloca_scope {
    %0 = memref.alloca(%n) : memref<?xf32>
    "test.use"(%0) : (memref<?xf32>) -> ()
  }
  return
}
// CHECK-LABEL: @scopes
// CHECK-NEXT: memref.alloca_scope
// CHECK: "test.between"
// CHECK: }
// CHECK-NEXT: memref.alloca
// CHECK-NEXT: "test.use"

// -----

// A slice that a constant would lead out of its memref keeps the operand.
func.func @out_of_bounds(%a: memref<8xf32>) -> memref<?xf32, strided<[1], offset: 4>> {
  %c9 = arith.constant 9 : index
  %0 = memref.subview %a[4] [%c9] [1] : memref<8xf32> to memref<?xf32, strided<[1], offset: 4>>
  return %0 : memref<?xf32, strided<[1], offset: 4>>
}
// CHECK-LABEL: @out_of_bounds
// CHECK: memref.subview %{{.*}}[4] [%{{.*}}] [1]

// -----

// Nothing to copy.
func.func @copies(%a: memref<?x4xf32>, %b: memref<0x4xf32>) {
  memref.copy %a, %b : memref<?x4xf32> to memref<0x4xf32>
  return
}
// CHECK-LABEL: @copies
// CHECK-NEXT: return
