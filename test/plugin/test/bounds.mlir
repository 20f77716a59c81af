// RUN: lamina-opt %s --canonicalize --split-input-file | filecheck %s
// RUN: lamina-opt %s --bounds-to-linalg --split-input-file | filecheck %s --check-prefix=LINALG

// Two clamps are one where the bounds overlap.
// CHECK-LABEL: func.func @overlap
// CHECK-NEXT: %0 = bounds.clamp %x from 0.000000e+00 : f32 to 1.000000e+00 : f32 : tensor<?xf32>
// CHECK-NEXT: return
// LINALG-LABEL: func.func @overlap
// LINALG: arith.maximumf
// LINALG-NEXT: arith.minimumf
// LINALG-NOT: arith.maximumf
func.func @overlap(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = bounds.clamp %x from -1.0 : f32 to 1.0 : f32 : tensor<?xf32>
  %1 = bounds.clamp %0 from 0.0 : f32 to 6.0 : f32 : tensor<?xf32>
  return %1 : tensor<?xf32>
}

// -----

// Bounds that have nothing in common stay: which one wins depends on the order.
// CHECK-LABEL: func.func @apart
// CHECK-COUNT-2: bounds.clamp
// LINALG-LABEL: func.func @apart
// LINALG-COUNT-2: arith.maximumf
func.func @apart(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = bounds.clamp %x from -1.0 : f32 to 1.0 : f32 : tensor<4xf32>
  %1 = bounds.clamp %0 from 2.0 : f32 to 3.0 : f32 : tensor<4xf32>
  return %1 : tensor<4xf32>
}
