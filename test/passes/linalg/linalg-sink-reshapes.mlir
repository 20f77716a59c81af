// RUN: lamina-opt %s --convert-nn-to-linalg --linalg-sink-reshapes --linalg-fuse-elementwise-ops | filecheck %s

// CHECK-LABEL: @batched_linear
// CHECK: [[MATMUL:%.*]] = linalg.matmul
// CHECK: [[BIAS:%.*]] = linalg.generic
// CHECK-SAME: ins({{%.*}}, [[MATMUL]], %b : tensor<6x4xf32>, tensor<6x4xf32>, tensor<4xf32>)
// CHECK: tensor.expand_shape [[BIAS]] {{.*}} output_shape [2, 3, 4]
// CHECK-NEXT: return
func.func @batched_linear(%x: tensor<2x3x8xf32>, %w: tensor<8x4xf32>, %b: tensor<4xf32>, %r: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %0 = nn.matmul %x, %w : (tensor<2x3x8xf32>, tensor<8x4xf32>) -> tensor<2x3x4xf32>
  %1 = nn.add %0, %b : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  %2 = nn.add %1, %r : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %2 : tensor<2x3x4xf32>
}

// CHECK-LABEL: @grouped_convolution
// CHECK: linalg.generic
// CHECK-SAME: "reduction", "reduction", "reduction"
// CHECK: [[RELU:%.*]] = linalg.generic
// CHECK: arith.maximumf
// CHECK: tensor.collapse_shape [[RELU]]
// CHECK-NEXT: return
func.func @grouped_convolution(%x: tensor<1x4x5x5xf32>, %w: tensor<6x2x3x3xf32>) -> tensor<1x6x3x3xf32> {
  %0 = nn.conv2d %x, %w {groups = 2 : i64} : (tensor<1x4x5x5xf32>, tensor<6x2x3x3xf32>) -> tensor<1x6x3x3xf32>
  %1 = nn.relu %0 : (tensor<1x6x3x3xf32>) -> tensor<1x6x3x3xf32>
  return %1 : tensor<1x6x3x3xf32>
}

// An operand that varies over a part of the collapsed dimensions cannot follow.
// CHECK-LABEL: @operand_over_part_of_the_batch
// CHECK: linalg.matmul
// CHECK-NEXT: tensor.expand_shape
func.func @operand_over_part_of_the_batch(%x: tensor<2x3x8xf32>, %w: tensor<8x4xf32>, %b: tensor<3x4xf32>) -> tensor<2x3x4xf32> {
  %0 = nn.matmul %x, %w : (tensor<2x3x8xf32>, tensor<8x4xf32>) -> tensor<2x3x4xf32>
  %1 = nn.add %0, %b : (tensor<2x3x4xf32>, tensor<3x4xf32>) -> tensor<2x3x4xf32>
  return %1 : tensor<2x3x4xf32>
}

// Two kernels' results of different shapes: one of the reshapes moves, and the pass ends.
// CHECK-LABEL: @two_kernels_of_different_shapes
// CHECK: [[WIDE:%.*]] = linalg.generic
// CHECK: [[MATMUL:%.*]] = linalg.matmul
// CHECK: [[VIEW:%.*]] = tensor.expand_shape [[MATMUL]]
// CHECK: [[SUM:%.*]] = linalg.generic {{.*}} ins([[WIDE]], [[VIEW]] : tensor<2x3x4xf32>, tensor<2x3x4xf32>)
// CHECK: tensor.collapse_shape [[SUM]]
// CHECK-NEXT: return
func.func @two_kernels_of_different_shapes(%r: tensor<2x5x3x4xf32>, %x: tensor<6x8xf32>, %w: tensor<8x4xf32>) -> tensor<6x4xf32> {
  %0 = nn.reduce_max %r {axes = array<i64: 1>} : (tensor<2x5x3x4xf32>) -> tensor<2x3x4xf32>
  %1 = nn.reshape %0 {shape = array<i64: 6, 4>} : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
  %2 = nn.matmul %x, %w : (tensor<6x8xf32>, tensor<8x4xf32>) -> tensor<6x4xf32>
  %3 = nn.add %1, %2 : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x4xf32>
  return %3 : tensor<6x4xf32>
}
