// RUN: lamina-opt %s --canonicalize | filecheck %s

// CHECK-LABEL: func.func @twice
func.func @twice(%x: tensor<4xf32>, %b: tensor<4xi1>, %i: tensor<4xi8>) -> (tensor<4xf32>, tensor<4xi1>, tensor<4xi8>, tensor<4xf32>) {
  %0 = nn.neg %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = nn.neg %0 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = nn.logical_not %b : (tensor<4xi1>) -> tensor<4xi1>
  %3 = nn.logical_not %2 : (tensor<4xi1>) -> tensor<4xi1>
  %4 = nn.bitwise_not %i : (tensor<4xi8>) -> tensor<4xi8>
  %5 = nn.bitwise_not %4 : (tensor<4xi8>) -> tensor<4xi8>
  // CHECK-NEXT: %[[R:.*]] = nn.relu %x
  // CHECK-NEXT: return %x, %b, %i, %[[R]]
  %6 = nn.relu %x : (tensor<4xf32>) -> tensor<4xf32>
  %7 = nn.relu %6 : (tensor<4xf32>) -> tensor<4xf32>
  return %1, %3, %5, %7 : tensor<4xf32>, tensor<4xi1>, tensor<4xi8>, tensor<4xf32>
}

// CHECK-LABEL: func.func @reciprocal_twice_rounds_twice
func.func @reciprocal_twice_rounds_twice(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-COUNT-2: nn.reciprocal
  %0 = nn.reciprocal %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = nn.reciprocal %0 : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: func.func @negated_difference
// -(x - x) is -0.0 and x - x is 0.0.
func.func @negated_difference(%x: tensor<4xf32>, %y: tensor<4xf32>, %i: tensor<4xi8>, %j: tensor<4xi8>) -> (tensor<4xf32>, tensor<4xi8>) {
  // CHECK: nn.sub %x, %y
  // CHECK: nn.neg
  // CHECK: nn.sub %j, %i
  %0 = nn.sub %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = nn.neg %0 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = nn.sub %i, %j : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  %3 = nn.neg %2 : (tensor<4xi8>) -> tensor<4xi8>
  return %1, %3 : tensor<4xf32>, tensor<4xi8>
}

// CHECK-LABEL: func.func @rounding
func.func @rounding(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK-NEXT: %[[F:.*]] = nn.floor %x
  // CHECK-NEXT: %[[E:.*]] = nn.exp %[[F]]
  // CHECK-NEXT: %[[R:.*]] = nn.round %[[E]]
  // CHECK-NEXT: return %[[F]], %[[R]]
  %0 = nn.floor %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = nn.round %0 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = nn.exp %1 : (tensor<4xf32>) -> tensor<4xf32>
  %3 = nn.round %2 : (tensor<4xf32>) -> tensor<4xf32>
  return %1, %3 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @absolute
func.func @absolute(%x: tensor<4xf32>, %u: tensor<4xui8>) -> (tensor<4xf32>, tensor<4xui8>, tensor<4xui8>) {
  // CHECK: %[[A:.*]] = nn.abs %x
  // CHECK: %[[N:.*]] = nn.neg %u
  // CHECK: return %[[A]], %u, %[[N]]
  %0 = nn.neg %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = nn.abs %0 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = nn.abs %1 : (tensor<4xf32>) -> tensor<4xf32>
  %3 = nn.relu %u : (tensor<4xui8>) -> tensor<4xui8>
  %4 = nn.neg %u : (tensor<4xui8>) -> tensor<4xui8>
  %5 = nn.abs %4 : (tensor<4xui8>) -> tensor<4xui8>
  return %2, %3, %5 : tensor<4xf32>, tensor<4xui8>, tensor<4xui8>
}
