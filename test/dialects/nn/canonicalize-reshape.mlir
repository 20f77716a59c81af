// RUN: lamina-opt %s --canonicalize | filecheck %s

// CHECK-LABEL: @two_reshapes_are_one
// CHECK-NEXT: %0 = nn.reshape %x {shape = array<i64: 12>} : (tensor<2x6xf32>) -> tensor<12xf32>
// CHECK-NEXT: return %0
func.func @two_reshapes_are_one(%x: tensor<2x6xf32>) -> tensor<12xf32> {
  %0 = nn.reshape %x {shape = array<i64: 3, -1>} : (tensor<2x6xf32>) -> tensor<3x4xf32>
  %1 = nn.reshape %0 {shape = array<i64: -1>} : (tensor<3x4xf32>) -> tensor<12xf32>
  return %1 : tensor<12xf32>
}

// CHECK-LABEL: @reshape_back
// CHECK-NEXT: return %x
func.func @reshape_back(%x: tensor<2x6xf32>) -> tensor<2x6xf32> {
  %0 = nn.reshape %x {shape = array<i64: 12>} : (tensor<2x6xf32>) -> tensor<12xf32>
  %1 = nn.reshape %0 {shape = array<i64: 2, 6>} : (tensor<12xf32>) -> tensor<2x6xf32>
  return %1 : tensor<2x6xf32>
}

// With two unknown extents, equal types do not mean equal shapes.
// CHECK-LABEL: @reshape_of_unknown_extents_stays
// CHECK-NEXT: nn.dynamic_reshape
// CHECK-NEXT: nn.reshape
// CHECK-NEXT: nn.dynamic_reshape
func.func @reshape_of_unknown_extents_stays(%x: tensor<?x?xf32>, %s: tensor<2xi64>) -> tensor<?x?xf32> {
  %0 = nn.dynamic_reshape %x, %s : (tensor<?x?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %1 = nn.reshape %0 {shape = array<i64: -1>} : (tensor<?x?xf32>) -> tensor<?xf32>
  %2 = nn.dynamic_reshape %1, %s : (tensor<?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %2 : tensor<?x?xf32>
}

// CHECK-LABEL: @squeeze_and_unsqueeze_are_reshapes
// CHECK-NEXT: %0 = nn.reshape %x {shape = array<i64: 3>} : (tensor<1x3x1xf32>) -> tensor<3xf32>
// CHECK-NEXT: %1 = nn.reshape %y {shape = array<i64: -1, 1, 2>} : (tensor<?x2xf32>) -> tensor<?x1x2xf32>
func.func @squeeze_and_unsqueeze_are_reshapes(
    %x: tensor<1x3x1xf32>, %y: tensor<?x2xf32>) -> (tensor<3xf32>, tensor<?x1x2xf32>) {
  %0 = nn.squeeze %x {axes = array<i64: 0, 2>} : (tensor<1x3x1xf32>) -> tensor<3xf32>
  %1 = nn.unsqueeze %y {axes = array<i64: 1>} : (tensor<?x2xf32>) -> tensor<?x1x2xf32>
  return %0, %1 : tensor<3xf32>, tensor<?x1x2xf32>
}

// CHECK-LABEL: @squeeze_with_two_unknown_extents_stays
// CHECK-NEXT: nn.squeeze
func.func @squeeze_with_two_unknown_extents_stays(%x: tensor<?x1x?xf32>) -> tensor<?x?xf32> {
  %0 = nn.squeeze %x {axes = array<i64: 1>} : (tensor<?x1x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// CHECK-LABEL: @transposes_cancel
// CHECK-NEXT: return %x
func.func @transposes_cancel(%x: tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32> {
  %0 = nn.transpose %x {permutation = array<i64: 0, 2, 3, 1>} : (tensor<2x3x4x5xf32>) -> tensor<2x4x5x3xf32>
  %1 = nn.transpose %0 {permutation = array<i64: 0, 3, 1, 2>} : (tensor<2x4x5x3xf32>) -> tensor<2x3x4x5xf32>
  return %1 : tensor<2x3x4x5xf32>
}

// CHECK-LABEL: @transposes_compose
// CHECK-NEXT: nn.transpose %x {permutation = array<i64: 1, 2, 0>} : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
// CHECK-NEXT: return
func.func @transposes_compose(%x: tensor<2x3x4xf32>) -> tensor<3x4x2xf32> {
  %0 = nn.transpose %x {permutation = array<i64: 2, 1, 0>} : (tensor<2x3x4xf32>) -> tensor<4x3x2xf32>
  %1 = nn.transpose %0 {permutation = array<i64: 1, 0, 2>} : (tensor<4x3x2xf32>) -> tensor<3x4x2xf32>
  return %1 : tensor<3x4x2xf32>
}

// CHECK-LABEL: @transpose_of_unit_dimensions_is_a_reshape
// CHECK-NEXT: nn.reshape %x {shape = array<i64: 1, 4, 1, 3>} : (tensor<1x1x4x3xf32>) -> tensor<1x4x1x3xf32>
func.func @transpose_of_unit_dimensions_is_a_reshape(%x: tensor<1x1x4x3xf32>) -> tensor<1x4x1x3xf32> {
  %0 = nn.transpose %x {permutation = array<i64: 0, 2, 1, 3>} : (tensor<1x1x4x3xf32>) -> tensor<1x4x1x3xf32>
  return %0 : tensor<1x4x1x3xf32>
}

// An unknown extent may be other than 1.
// CHECK-LABEL: @transpose_of_unknown_extents_stays
// CHECK-NEXT: nn.transpose
func.func @transpose_of_unknown_extents_stays(%x: tensor<?x4xf32>) -> tensor<4x?xf32> {
  %0 = nn.transpose %x {permutation = array<i64: 1, 0>} : (tensor<?x4xf32>) -> tensor<4x?xf32>
  return %0 : tensor<4x?xf32>
}

// CHECK-LABEL: @transposed_constant
// CHECK-NEXT: %w = nn.constant dense<{{\[\[}}1.000000e+00, 3.000000e+00], [2.000000e+00, 4.000000e+00]]>
// CHECK-NEXT: nn.matmul %x, %w
func.func @transposed_constant(%x: tensor<1x2xf32>) -> tensor<1x2xf32> {
  %c = nn.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %w = nn.transpose %c {permutation = array<i64: 1, 0>} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %0 = nn.matmul %x, %w : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32>
  return %0 : tensor<1x2xf32>
}

// CHECK-LABEL: @broadcast_into_elementwise
// CHECK-NEXT: %0 = nn.add %x, %b : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
// CHECK-NEXT: return %0
func.func @broadcast_into_elementwise(%x: tensor<4x3xf32>, %b: tensor<3xf32>) -> tensor<4x3xf32> {
  %0 = nn.broadcast_to %b {shape = array<i64: 4, 3>} : (tensor<3xf32>) -> tensor<4x3xf32>
  %1 = nn.add %x, %0 : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  return %1 : tensor<4x3xf32>
}

// CHECK-LABEL: @broadcast_that_makes_the_shape_stays
// CHECK-NEXT: nn.broadcast_to
// CHECK-NEXT: nn.add
func.func @broadcast_that_makes_the_shape_stays(%x: tensor<1x3xf32>, %b: tensor<3xf32>) -> tensor<4x3xf32> {
  %0 = nn.broadcast_to %b {shape = array<i64: 4, 3>} : (tensor<3xf32>) -> tensor<4x3xf32>
  %1 = nn.add %x, %0 : (tensor<1x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  return %1 : tensor<4x3xf32>
}

// CHECK-LABEL: @broadcasts
// CHECK-NEXT: %0 = nn.broadcast_to %x {shape = array<i64: 2, 4, 3>} : (tensor<1x3xf32>) -> tensor<2x4x3xf32>
// CHECK-NEXT: return %x, %0
func.func @broadcasts(%x: tensor<1x3xf32>) -> (tensor<1x3xf32>, tensor<2x4x3xf32>) {
  %0 = nn.broadcast_to %x {shape = array<i64: 1, 3>} : (tensor<1x3xf32>) -> tensor<1x3xf32>
  %1 = nn.broadcast_to %x {shape = array<i64: 4, 3>} : (tensor<1x3xf32>) -> tensor<4x3xf32>
  %2 = nn.broadcast_to %1 {shape = array<i64: 2, 4, 3>} : (tensor<4x3xf32>) -> tensor<2x4x3xf32>
  return %0, %2 : tensor<1x3xf32>, tensor<2x4x3xf32>
}

// CHECK-LABEL: @tiles
// CHECK-NEXT: %0 = nn.broadcast_to %x {shape = array<i64: 4, -1>} : (tensor<1x3xf32>) -> tensor<4x3xf32>
// CHECK-NEXT: %1 = nn.tile %x {repeats = array<i64: 1, 2>} : (tensor<1x3xf32>) -> tensor<1x6xf32>
// CHECK-NEXT: return %x, %0, %1
func.func @tiles(%x: tensor<1x3xf32>) -> (tensor<1x3xf32>, tensor<4x3xf32>, tensor<1x6xf32>) {
  %0 = nn.tile %x {repeats = array<i64: 1, 1>} : (tensor<1x3xf32>) -> tensor<1x3xf32>
  %1 = nn.tile %x {repeats = array<i64: 4, 1>} : (tensor<1x3xf32>) -> tensor<4x3xf32>
  %2 = nn.tile %x {repeats = array<i64: 1, 2>} : (tensor<1x3xf32>) -> tensor<1x6xf32>
  return %0, %1, %2 : tensor<1x3xf32>, tensor<4x3xf32>, tensor<1x6xf32>
}
