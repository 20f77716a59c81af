// RUN: lamina-opt %s --mlir-print-local-scope --convert-nn-to-linalg --linalg-fuse-elementwise-ops | filecheck %s

// CHECK-LABEL: @chain
// CHECK: linalg.generic
// CHECK-SAME: ins(%x, %y : tensor<4x8xf32>, tensor<8xf32>)
// CHECK: arith.addf
// CHECK-NEXT: math.tanh
// CHECK-NEXT: arith.mulf
// CHECK-NOT: linalg.generic
func.func @chain(%x: tensor<4x8xf32>, %y: tensor<8xf32>) -> tensor<4x8xf32> {
  %0 = nn.add %x, %y : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %1 = nn.tanh %0 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = nn.mul %1, %0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// CHECK-LABEL: @splat_becomes_scalar
// CHECK: linalg.generic
// CHECK-SAME: ins(%x : tensor<4xf32>)
// CHECK: arith.constant 5.000000e-01 : f32
// CHECK-NEXT: arith.mulf
func.func @splat_becomes_scalar(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = nn.constant dense<0.5> : tensor<4xf32>
  %0 = nn.mul %x, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @into_reduction
// CHECK: iterator_types = ["parallel", "reduction"]
// CHECK-SAME: ins(%x : tensor<4x8xf32>)
// CHECK: math.exp
// CHECK-NEXT: arith.addf
func.func @into_reduction(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %0 = nn.exp %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = nn.reduce_sum %0 {axes = array<i64: 1>} : (tensor<4x8xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: @not_into_matmul
// CHECK: math.exp
// CHECK: linalg.matmul
func.func @not_into_matmul(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>) -> tensor<4x2xf32> {
  %0 = nn.exp %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = nn.matmul %0, %w : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  return %1 : tensor<4x2xf32>
}

// A value with two users that do not end in one operation is computed once.
// CHECK-LABEL: @two_users
// CHECK-COUNT-1: math.exp
// CHECK: return
func.func @two_users(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = nn.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = nn.neg %0 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = nn.abs %0 : (tensor<4xf32>) -> tensor<4xf32>
  return %1, %2 : tensor<4xf32>, tensor<4xf32>
}

// Nothing that costs is computed again for each row.
// CHECK-LABEL: @not_over_broadcast
// CHECK: math.exp
// CHECK: linalg.yield
// CHECK: arith.addf
func.func @not_over_broadcast(%x: tensor<8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = nn.exp %x : (tensor<8xf32>) -> tensor<8xf32>
  %1 = nn.add %y, %0 : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// CHECK-LABEL: @broadcast_for_two_users
// CHECK-COUNT-2: ins(%y, %x : tensor<4x8xf32>, tensor<4x1xf32>)
func.func @broadcast_for_two_users(%x: tensor<4x1xf32>, %y: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = nn.broadcast_to %x {shape = array<i64: 4, 8>} : (tensor<4x1xf32>) -> tensor<4x8xf32>
  %1 = nn.add %0, %y : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = nn.mul %0, %y : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %1, %2 : tensor<4x8xf32>, tensor<4x8xf32>
}

// CHECK-LABEL: @transposed_read
// CHECK: indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>]
// CHECK-SAME: ins(%x : tensor<4x8xf32>)
// CHECK: math.exp
func.func @transposed_read(%x: tensor<4x8xf32>) -> tensor<8x4xf32> {
  %0 = nn.transpose %x {permutation = array<i64: 1, 0>} : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %1 = nn.exp %0 : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}

// The extents of 1 that a reduction keeps are read through.
// CHECK-LABEL: @kept_dimensions
// CHECK-NOT: tensor.expand_shape
// CHECK: affine_map<(d0, d1) -> (d0)>
// CHECK: arith.subf
func.func @kept_dimensions(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = nn.reduce_max %x {axes = array<i64: 1>, keepdims = true} : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %1 = nn.sub %x, %0 : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// Truth values stay i1 within a body.
// CHECK-LABEL: @condition
// CHECK: [[LESS:%.*]] = arith.cmpf olt
// CHECK-NEXT: arith.select [[LESS]]
// CHECK-NOT: arith.trunci
func.func @condition(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = nn.less %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %1 = nn.select %0, %x, %y : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
