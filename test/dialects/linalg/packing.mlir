// RUN: lamina-opt %s | filecheck %s
// RUN: lamina-opt %s | lamina-opt --mlir-print-op-generic | lamina-opt | filecheck %s

// CHECK-LABEL: @pack_and_unpack
// CHECK: [[PACKED:%.*]] = linalg.pack %a outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [16] into %o : tensor<8x32xf32> -> tensor<2x8x16xf32>
// CHECK: linalg.unpack [[PACKED]] outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [16] into %z : tensor<2x8x16xf32> -> tensor<8x32xf32>
func.func @pack_and_unpack(%a: tensor<8x32xf32>, %o: tensor<2x8x16xf32>, %z: tensor<8x32xf32>) -> tensor<8x32xf32> {
  %0 = linalg.pack %a outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [16] into %o : tensor<8x32xf32> -> tensor<2x8x16xf32>
  %1 = linalg.unpack %0 outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [16] into %z : tensor<2x8x16xf32> -> tensor<8x32xf32>
  return %1 : tensor<8x32xf32>
}

// CHECK-LABEL: @two_tiles
// CHECK: linalg.pack %a inner_dims_pos = [1, 0] inner_tiles = [4, 2] into %o : tensor<8x32xf32> -> tensor<4x8x4x2xf32>
func.func @two_tiles(%a: tensor<8x32xf32>, %o: tensor<4x8x4x2xf32>) -> tensor<4x8x4x2xf32> {
  %0 = linalg.pack %a inner_dims_pos = [1, 0] inner_tiles = [4, 2] into %o : tensor<8x32xf32> -> tensor<4x8x4x2xf32>
  return %0 : tensor<4x8x4x2xf32>
}
