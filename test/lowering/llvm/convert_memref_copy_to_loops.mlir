// RUN: lamina-opt %s --convert-memref-copy-to-loops | filecheck %s

// CHECK-LABEL: func.func @gaps
// CHECK: scf.for %[[I:.*]] =
// CHECK: scf.for %[[J:.*]] =
// CHECK: %[[X:.*]] = memref.load %a[%[[I]], %[[J]]]
// CHECK: memref.store %[[X]], %b[%[[I]], %[[J]]]
// CHECK-NOT: memref.copy
// CHECK-LABEL: func.func @extents_of_one_have_no_gaps
func.func @gaps(%a: memref<2x4xf32>, %b: memref<2x4xf32, strided<[8, 2]>>) {
  memref.copy %a, %b : memref<2x4xf32> to memref<2x4xf32, strided<[8, 2]>>
  return
}

// CHECK-NEXT: memref.copy %a, %b : memref<1x3x4xf32> to memref<1x3x4xf32, strided<[99, 4, 1], offset: 5>>
func.func @extents_of_one_have_no_gaps(
    %a: memref<1x3x4xf32>, %b: memref<1x3x4xf32, strided<[99, 4, 1], offset: 5>>) {
  memref.copy %a, %b : memref<1x3x4xf32> to memref<1x3x4xf32, strided<[99, 4, 1], offset: 5>>
  return
}
