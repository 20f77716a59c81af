// RUN: lamina-opt %s --canonicalize | filecheck %s

// CHECK-LABEL: @shape_of_known_shape
// CHECK-NEXT: nn.constant dense<[2, 3]> : tensor<2xi64>
// CHECK-NEXT: nn.shape_of %y
func.func @shape_of_known_shape(%x: tensor<2x3xf32>, %y: tensor<?x3xf32>) -> (tensor<2xi64>, tensor<2xi64>) {
  %0 = nn.shape_of %x : (tensor<2x3xf32>) -> tensor<2xi64>
  %1 = nn.shape_of %y : (tensor<?x3xf32>) -> tensor<2xi64>
  return %0, %1 : tensor<2xi64>, tensor<2xi64>
}

// CHECK-LABEL: @part_of_shape
// CHECK-NEXT: %0 = nn.shape_of %y
// CHECK-NEXT: %1 = nn.slice %0
// CHECK-NEXT: %2 = nn.constant dense<3> : tensor<1xi64>
// CHECK-NEXT: return %1, %2
func.func @part_of_shape(%y: tensor<?x3xf32>) -> (tensor<1xi64>, tensor<1xi64>) {
  %0 = nn.shape_of %y : (tensor<?x3xf32>) -> tensor<2xi64>
  %1 = nn.slice %0 {starts = array<i64: 0>, ends = array<i64: 1>, steps = array<i64: 1>} : (tensor<2xi64>) -> tensor<1xi64>
  %2 = nn.slice %0 {starts = array<i64: 1>, ends = array<i64: 2>, steps = array<i64: 1>} : (tensor<2xi64>) -> tensor<1xi64>
  return %1, %2 : tensor<1xi64>, tensor<1xi64>
}

// CHECK-LABEL: @reshape_to_constant
// CHECK-NEXT: nn.reshape %x {shape = array<i64: 2, 3, 2>} : (tensor<2x6xf32>) -> tensor<2x3x2xf32>
func.func @reshape_to_constant(%x: tensor<2x6xf32>) -> tensor<2x3x2xf32> {
  %s = nn.constant dense<[0, 3, -1]> : tensor<3xi64>
  %0 = nn.dynamic_reshape %x, %s : (tensor<2x6xf32>, tensor<3xi64>) -> tensor<2x3x2xf32>
  return %0 : tensor<2x3x2xf32>
}

// The batch is copied, so the -1 is 3 * 4.
// CHECK-LABEL: @flatten_with_unknown_batch
// CHECK-NEXT: nn.reshape %x {shape = array<i64: -1, 12>} : (tensor<?x3x4xf32>) -> tensor<?x12xf32>
// CHECK-NEXT: return
func.func @flatten_with_unknown_batch(%x: tensor<?x3x4xf32>) -> tensor<?x12xf32> {
  %zero = nn.constant dense<0> : tensor<i64>
  %rest = nn.constant dense<-1> : tensor<1xi64>
  %0 = nn.shape_of %x : (tensor<?x3x4xf32>) -> tensor<3xi64>
  %1 = nn.gather %0, %zero {axis = 0 : i64} : (tensor<3xi64>, tensor<i64>) -> tensor<i64>
  %2 = nn.unsqueeze %1 {axes = array<i64: 0>} : (tensor<i64>) -> tensor<1xi64>
  %3 = nn.concat %2, %rest {axis = 0 : i64} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %4 = nn.dynamic_reshape %x, %3 : (tensor<?x3x4xf32>, tensor<2xi64>) -> tensor<?x12xf32>
  return %4 : tensor<?x12xf32>
}

// The other tensor's batch may be another number.
// CHECK-LABEL: @reshape_by_other_extent_stays
// CHECK: nn.dynamic_reshape
func.func @reshape_by_other_extent_stays(%x: tensor<?x3x4xf32>, %y: tensor<?xf32>) -> tensor<?x?xf32> {
  %rest = nn.constant dense<-1> : tensor<1xi64>
  %0 = nn.shape_of %y : (tensor<?xf32>) -> tensor<1xi64>
  %1 = nn.concat %0, %rest {axis = 0 : i64} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %2 = nn.dynamic_reshape %x, %1 : (tensor<?x3x4xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %2 : tensor<?x?xf32>
}

// CHECK-LABEL: @broadcast_to_constant
// CHECK-NEXT: nn.broadcast_to %x {shape = array<i64: 2, -1, 4>} : (tensor<3x1xf32>) -> tensor<2x3x4xf32>
func.func @broadcast_to_constant(%x: tensor<3x1xf32>) -> tensor<2x3x4xf32> {
  %s = nn.constant dense<[2, 1, 4]> : tensor<3xi64>
  %0 = nn.dynamic_broadcast_to %x, %s : (tensor<3x1xf32>, tensor<3xi64>) -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

// CHECK-LABEL: @broadcast_to_unknown_stays
// CHECK-NEXT: nn.dynamic_broadcast_to
func.func @broadcast_to_unknown_stays(%x: tensor<3x1xf32>, %s: tensor<2xi64>) -> tensor<3x?xf32> {
  %0 = nn.dynamic_broadcast_to %x, %s : (tensor<3x1xf32>, tensor<2xi64>) -> tensor<3x?xf32>
  return %0 : tensor<3x?xf32>
}
