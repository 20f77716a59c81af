// RUN: lamina-opt %s --split-input-file --canonicalize | filecheck %s

// What was packed and is unpacked again, with tiles that are not known.
func.func @unpack_packed(%t: tensor<60x8xf32>, %n: index, %d: tensor<?x8x?xf32>, %u: tensor<60x8xf32>) -> tensor<60x8xf32> {
  %0 = linalg.pack %t inner_dims_pos = [0] inner_tiles = [%n] into %d : tensor<60x8xf32> -> tensor<?x8x?xf32>
  %1 = linalg.unpack %0 inner_dims_pos = [0] inner_tiles = [%n] into %u : tensor<?x8x?xf32> -> tensor<60x8xf32>
  return %1 : tensor<60x8xf32>
}
// CHECK-LABEL: @unpack_packed
// CHECK-SAME: (%[[T:.*]]: tensor<60x8xf32>, %{{.*}}: index
// CHECK-NEXT: return %[[T]]

// -----

// Not where the tiles lie otherwise.
func.func @other_layout(%t: tensor<8x8xf32>, %d: tensor<2x8x4xf32>, %u: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = linalg.pack %t inner_dims_pos = [0] inner_tiles = [4] into %d : tensor<8x8xf32> -> tensor<2x8x4xf32>
  %1 = linalg.unpack %0 outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [4] into %u : tensor<2x8x4xf32> -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
// CHECK-LABEL: @other_layout
// CHECK: linalg.pack
// CHECK: linalg.unpack

// -----

// Padding of tiles that divide their dimensions is not needed; that of others is.
func.func @padding(%t: tensor<12x7xf32>, %x: f32, %d: tensor<3x7x4xf32>, %e: tensor<12x2x4xf32>) -> (tensor<3x7x4xf32>, tensor<12x2x4xf32>) {
  %0 = linalg.pack %t padding_value(%x : f32) inner_dims_pos = [0] inner_tiles = [4] into %d : tensor<12x7xf32> -> tensor<3x7x4xf32>
  %1 = linalg.pack %t padding_value(%x : f32) inner_dims_pos = [1] inner_tiles = [4] into %e : tensor<12x7xf32> -> tensor<12x2x4xf32>
  return %0, %1 : tensor<3x7x4xf32>, tensor<12x2x4xf32>
}
// CHECK-LABEL: @padding
// CHECK-NEXT: linalg.pack %{{.*}} inner_dims_pos = [0]
// CHECK-NEXT: linalg.pack %{{.*}} padding_value

// -----

// A tile that the type before a cast tells.
func.func @cast_tile(%t: tensor<9x?xf32>, %x: f32, %d: tensor<3x?x4xf32>) -> tensor<3x?x4xf32> {
  %c4 = arith.constant 4 : index
  %0 = tensor.cast %d : tensor<3x?x4xf32> to tensor<3x?x?xf32>
  %1 = linalg.pack %t padding_value(%x : f32) inner_dims_pos = [0] inner_tiles = [%c4] into %0 : tensor<9x?xf32> -> tensor<3x?x?xf32>
  %2 = tensor.cast %1 : tensor<3x?x?xf32> to tensor<3x?x4xf32>
  return %2 : tensor<3x?x4xf32>
}
// CHECK-LABEL: @cast_tile
// CHECK-NEXT: linalg.pack %{{.*}} inner_tiles = [4]
// CHECK-NEXT: return

// -----

// Filled tensors that are packed, transposed, or one behind the other; what is overwritten is not filled.
func.func @fills(%t: tensor<8x4xf32>, %x: f32, %d: tensor<2x4x4xf32>, %e: tensor<4x8xf32>, %s: tensor<8x4xf32>) -> (tensor<2x4x4xf32>, tensor<4x8xf32>, tensor<16x4xf32>, tensor<8x4xf32>) {
  %0 = linalg.fill ins(%x : f32) outs(%t : tensor<8x4xf32>) -> tensor<8x4xf32>
  %1 = linalg.pack %0 inner_dims_pos = [0] inner_tiles = [4] into %d : tensor<8x4xf32> -> tensor<2x4x4xf32>
  %2 = linalg.transpose ins(%0 : tensor<8x4xf32>) outs(%e : tensor<4x8xf32>) permutation = [1, 0]
  %3 = tensor.concat dim(0) %0, %0 : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<16x4xf32>
  %4 = linalg.copy ins(%s : tensor<8x4xf32>) outs(%0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %1, %2, %3, %4 : tensor<2x4x4xf32>, tensor<4x8xf32>, tensor<16x4xf32>, tensor<8x4xf32>
}
// CHECK-LABEL: @fills
// CHECK-SAME: (%[[T:.*]]: tensor<8x4xf32>, %{{.*}}: f32, %[[D:.*]]: tensor<2x4x4xf32>, %[[E:.*]]: tensor<4x8xf32>, %{{.*}}: tensor<8x4xf32>)
// CHECK-DAG: linalg.fill ins(%{{.*}}) outs(%[[D]]
// CHECK-DAG: linalg.fill ins(%{{.*}}) outs(%[[E]]
// CHECK-DAG: tensor.concat dim(0) %[[T]], %[[T]]
// CHECK-DAG: linalg.copy ins(%{{.*}}) outs(%[[T]]
// CHECK-NOT: linalg.transpose

// -----

// A transposed broadcast is a broadcast, if the order of what was there stays.
func.func @broadcast(%t: tensor<3x4xf32>, %d: tensor<3x4x5xf32>, %e: tensor<5x3x4xf32>) -> tensor<5x3x4xf32> {
  %0 = linalg.broadcast ins(%t : tensor<3x4xf32>) outs(%d : tensor<3x4x5xf32>) dimensions = [2]
  %1 = linalg.transpose ins(%0 : tensor<3x4x5xf32>) outs(%e : tensor<5x3x4xf32>) permutation = [2, 0, 1]
  return %1 : tensor<5x3x4xf32>
}
// CHECK-LABEL: @broadcast
// CHECK-NEXT: linalg.broadcast ins(%{{.*}}) outs(%{{.*}}) dimensions = [0]
// CHECK-NEXT: return
