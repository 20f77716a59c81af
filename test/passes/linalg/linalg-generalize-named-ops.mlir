// RUN: lamina-opt %s --mlir-print-local-scope --linalg-generalize-named-ops | filecheck %s

// CHECK-LABEL: @matmul
// CHECK-NEXT: linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]}
// CHECK: arith.mulf
// CHECK-NEXT: arith.addf
func.func @matmul(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %c: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x2xf32>) outs(%c : tensor<4x2xf32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// CHECK-LABEL: @convolution_on_buffers
// CHECK-NEXT: linalg.generic
// CHECK-SAME: d2 * 2 + d5
func.func @convolution_on_buffers(%x: memref<1x2x9x9xf32>, %w: memref<3x2x3x3xf32>, %o: memref<1x3x4x4xf32>) {
  linalg.conv_2d_nchw_fchw {strides = dense<2> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>} ins(%x, %w : memref<1x2x9x9xf32>, memref<3x2x3x3xf32>) outs(%o : memref<1x3x4x4xf32>)
  return
}
