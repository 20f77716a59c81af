// RUN: lamina-opt %s --canonicalize | filecheck %s

// CHECK-LABEL: func.func @with_itself
// A NaN is not equal to itself.
func.func @with_itself(%i: tensor<4xi8>, %x: tensor<4xf32>) -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) {
  // CHECK: %[[T:.*]] = nn.constant dense<true>
  // CHECK: %[[F:.*]] = nn.constant dense<false>
  // CHECK: %[[E:.*]] = nn.equal %x, %x
  // CHECK: return %[[T]], %[[F]], %[[E]]
  %0 = nn.less_equal %i, %i : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi1>
  %1 = nn.not_equal %i, %i : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi1>
  %2 = nn.equal %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  return %0, %1, %2 : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>
}

// CHECK-LABEL: func.func @negated
func.func @negated(%i: tensor<4xi8>, %x: tensor<4xf32>) -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) {
  %z = nn.constant dense<3.0> : tensor<4xf32>
  // CHECK: nn.greater_equal %i, %i2
  // CHECK: nn.not_equal %x
  // CHECK: nn.less %x
  // CHECK: nn.logical_not
  %i2 = nn.abs %i : (tensor<4xi8>) -> tensor<4xi8>
  %0 = nn.less %i, %i2 : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi1>
  %1 = nn.logical_not %0 : (tensor<4xi1>) -> tensor<4xi1>
  %2 = nn.equal %x, %z : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %3 = nn.logical_not %2 : (tensor<4xi1>) -> tensor<4xi1>
  %4 = nn.less %x, %z : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %5 = nn.logical_not %4 : (tensor<4xi1>) -> tensor<4xi1>
  return %1, %3, %5 : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>
}

// CHECK-LABEL: func.func @with_truth
func.func @with_truth(%b: tensor<4xi1>) -> (tensor<4xi1>, tensor<4xi1>) {
  %t = nn.constant dense<true> : tensor<4xi1>
  // CHECK-NEXT: %[[N:.*]] = nn.logical_not %b
  // CHECK-NEXT: return %b, %[[N]]
  %0 = nn.equal %t, %b : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  %1 = nn.not_equal %b, %t : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  return %0, %1 : tensor<4xi1>, tensor<4xi1>
}

// CHECK-LABEL: func.func @known_choice
func.func @known_choice(%c: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %t = nn.constant dense<true> : tensor<1xi1>
  %p = nn.constant dense<[true, false, true, false]> : tensor<4xi1>
  // CHECK: %[[S:.*]] = nn.select
  // CHECK: return %x, %y, %[[S]]
  %0 = nn.select %t, %x, %y : (tensor<1xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = nn.select %c, %y, %y : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = nn.select %p, %x, %y : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @choice_that_broadcasts
func.func @choice_that_broadcasts(%c: tensor<3x4xi1>, %x: tensor<4xf32>) -> tensor<3x4xf32> {
  // CHECK: nn.select %c, %x, %x
  %0 = nn.select %c, %x, %x : (tensor<3x4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// CHECK-LABEL: func.func @choices_merge
func.func @choices_merge(%c: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf32>, %z: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xi1>) {
  %t = nn.constant dense<true> : tensor<4xi1>
  %f = nn.constant dense<false> : tensor<4xi1>
  %n = nn.logical_not %c : (tensor<4xi1>) -> tensor<4xi1>
  // CHECK-DAG: %[[A:.*]] = nn.select %c, %y, %x
  // CHECK-DAG: %[[B:.*]] = nn.select %c, %x, %z
  // CHECK: return %[[A]], %[[B]], %c
  %0 = nn.select %n, %x, %y : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = nn.select %c, %x, %y : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = nn.select %c, %1, %z : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = nn.select %c, %t, %f : (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  return %0, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xi1>
}
