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

// The border of a padded tensor is filled before what is computed inside: the tensor is then known in time.
// CHECK-LABEL: func.func @border_first
// CHECK: %[[FILLED:.*]] = tensor.insert_slice %{{.*}} into %out
// CHECK: %[[PART:.*]] = tensor.extract_slice %[[FILLED]][1, 0] [4, 8] [1, 1]
// CHECK: linalg.exp ins(%x : tensor<4x8xf32>) outs(%[[PART]] : tensor<4x8xf32>)
func.func @border_first(%x: tensor<4x8xf32>, %out: tensor<5x8xf32> {bufferization.writable = true}) -> tensor<5x8xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x8xf32>
  %y = linalg.exp ins(%x : tensor<4x8xf32>) outs(%empty : tensor<4x8xf32>) -> tensor<4x8xf32>
  %row = tensor.extract_slice %out[0, 0] [1, 8] [1, 1] : tensor<5x8xf32> to tensor<1x8xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%row : tensor<1x8xf32>) -> tensor<1x8xf32>
  %bordered = tensor.insert_slice %fill into %out[0, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<5x8xf32>
  %z = tensor.insert_slice %y into %bordered[1, 0] [4, 8] [1, 1] : tensor<4x8xf32> into tensor<5x8xf32>
  return %z : tensor<5x8xf32>
}
