// RUN: lamina-opt %s --split-input-file --convert-linalg-to-loops | filecheck %s

func.func @matmul(%a: memref<2x3xf32>, %b: memref<3x?xf32>, %c: memref<2x?xf32>) {
  linalg.matmul ins(%a, %b : memref<2x3xf32>, memref<3x?xf32>) outs(%c : memref<2x?xf32>)
  return
}

// CHECK:      %[[N:.*]] = memref.dim %b, %{{.*}} : memref<3x?xf32>
// CHECK:      scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK-NEXT:   scf.for %[[J:.*]] = %{{.*}} to %[[N]] step %{{.*}} {
// CHECK-NEXT:     scf.for %[[K:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK-NEXT:       memref.load %a[%[[I]], %[[K]]] : memref<2x3xf32>
// CHECK-NEXT:       memref.load %b[%[[K]], %[[J]]] : memref<3x?xf32>
// CHECK-NEXT:       memref.load %c[%[[I]], %[[J]]] : memref<2x?xf32>
// CHECK-NEXT:       arith.mulf
// CHECK-NEXT:       arith.addf
// CHECK-NEXT:       memref.store %{{.*}}, %c[%[[I]], %[[J]]] : memref<2x?xf32>

// -----

// Index expressions are computed in the outermost loop that knows their operands.

func.func @window(%x: memref<9x4xf32>, %y: memref<4x4x2xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0 * 2 + d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x : memref<9x4xf32>) outs(%y : memref<4x4x2xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  return
}

// CHECK:      scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK-NEXT:   %[[T:.*]] = arith.muli %[[I]], %{{.*}} : index
// CHECK-NEXT:   scf.for %[[J:.*]] =
// CHECK-NEXT:     scf.for %[[K:.*]] =
// CHECK-NEXT:       %[[R:.*]] = arith.addi %[[T]], %[[K]] : index
// CHECK-NEXT:       memref.load %x[%[[R]], %[[J]]] : memref<9x4xf32>
