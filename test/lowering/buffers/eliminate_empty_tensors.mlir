// RUN: lamina-opt %s --split-input-file --eliminate-empty-tensors | filecheck %s

// What is inserted is computed in the slice of the destination; the fill of the destination moves up.

func.func @pad(%x: tensor<2xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2xf32>
  %y = linalg.exp ins(%x : tensor<2xf32>) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  %p = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%p : tensor<4xf32>) -> tensor<4xf32>
  %r = tensor.insert_slice %y into %f[1] [2] [1] : tensor<2xf32> into tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK:      %p = tensor.empty() : tensor<4xf32>
// CHECK-NEXT: %f = linalg.fill ins(%zero : f32) outs(%p : tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[S:.*]] = tensor.extract_slice %f[1] [2] [1] : tensor<4xf32> to tensor<2xf32>
// CHECK-NEXT: %y = linalg.exp ins(%x : tensor<2xf32>) outs(%[[S]] : tensor<2xf32>) -> tensor<2xf32>
// CHECK-NEXT: %r = tensor.insert_slice %y into %f[1] [2] [1]

// -----

// A destination that is not known where the value is computed cannot be used.

func.func @later(%x: tensor<2xf32>, %f: f32) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<2xf32>
  %y = linalg.exp ins(%x : tensor<2xf32>) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  %p = tensor.splat %f : tensor<4xf32>
  %r = tensor.insert_slice %y into %p[1] [2] [1] : tensor<2xf32> into tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK:      %e = tensor.empty() : tensor<2xf32>
// CHECK-NEXT: linalg.exp ins(%x : tensor<2xf32>) outs(%e : tensor<2xf32>)
