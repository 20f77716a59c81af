// RUN: lamina-opt %s --canonicalize | filecheck %s

// CHECK-LABEL: func.func @float_zero
// -0.0 is neutral in a sum, +0.0 in a difference; the others change the sign of a zero.
func.func @float_zero(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %p = nn.constant dense<0.0> : tensor<4xf32>
  %n = nn.constant dense<-0.0> : tensor<4xf32>
  // CHECK-DAG: %[[P:.*]] = nn.constant dense<0.000000e+00>
  // CHECK-DAG: %[[N:.*]] = nn.constant dense<-0.000000e+00>
  // CHECK: %[[A:.*]] = nn.add %x, %[[P]]
  // CHECK: %[[S:.*]] = nn.sub %x, %[[N]]
  // CHECK: return %x, %[[A]], %x, %[[S]]
  %0 = nn.add %n, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = nn.add %x, %p : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = nn.sub %x, %p : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = nn.sub %x, %n : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @integer_zero
func.func @integer_zero(%x: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) {
  %z = nn.constant dense<0> : tensor<4xi32>
  // CHECK: %[[N:.*]] = nn.neg %x
  // CHECK-COUNT-3: nn.constant dense<0>
  // CHECK-NEXT: return %x, %[[N]]
  %0 = nn.add %z, %x : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %1 = nn.sub %z, %x : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %2 = nn.mul %x, %z : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %3 = nn.div %z, %x : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %4 = nn.sub %x, %x : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return %0, %1, %2, %3, %4 : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>
}

// CHECK-LABEL: func.func @float_may_be_nan
func.func @float_may_be_nan(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %z = nn.constant dense<0.0> : tensor<4xf32>
  // CHECK: nn.mul
  // CHECK: nn.sub
  %0 = nn.mul %x, %z : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = nn.sub %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @broadcast_stays
// x + 0 is not x where the zero makes it larger.
func.func @broadcast_stays(%x: tensor<4xi32>, %y: tensor<?xi32>) -> (tensor<2x4xi32>, tensor<?xi32>) {
  %z = nn.constant dense<0> : tensor<2x4xi32>
  %s = nn.constant dense<0> : tensor<1xi32>
  // CHECK: %[[A:.*]] = nn.add %x
  // CHECK: return %[[A]], %y
  %0 = nn.add %x, %z : (tensor<4xi32>, tensor<2x4xi32>) -> tensor<2x4xi32>
  %1 = nn.add %y, %s : (tensor<?xi32>, tensor<1xi32>) -> tensor<?xi32>
  return %0, %1 : tensor<2x4xi32>, tensor<?xi32>
}

// CHECK-LABEL: func.func @negated_operands
func.func @negated_operands(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %n = nn.neg %y : (tensor<4xf32>) -> tensor<4xf32>
  %m = nn.neg %x : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: %[[A:.*]] = nn.sub %x, %y
  // CHECK-NEXT: %[[B:.*]] = nn.sub %x, %y
  // CHECK-NEXT: %[[C:.*]] = nn.add %x, %y
  // CHECK-NEXT: %[[D:.*]] = nn.div %x, %y
  %0 = nn.add %x, %n : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = nn.add %n, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = nn.sub %x, %n : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = nn.div %m, %n : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @negated_integer_quotient_stays
func.func @negated_integer_quotient_stays(%x: tensor<4xi8>, %y: tensor<4xi8>) -> tensor<4xi8> {
  %n = nn.neg %y : (tensor<4xi8>) -> tensor<4xi8>
  %m = nn.neg %x : (tensor<4xi8>) -> tensor<4xi8>
  // CHECK: nn.div %m, %n
  %0 = nn.div %m, %n : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}

// CHECK-LABEL: func.func @units
func.func @units(%x: tensor<4xf32>, %i: tensor<4xi8>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi8>, tensor<4xi8>) {
  %one = nn.constant dense<1.0> : tensor<4xf32>
  %minus = nn.constant dense<-1.0> : tensor<4xf32>
  %ione = nn.constant dense<1> : tensor<4xi8>
  // CHECK: %[[N:.*]] = nn.neg %x
  // CHECK: %[[R:.*]] = nn.reciprocal %x
  // CHECK: %[[Z:.*]] = nn.constant dense<0> : tensor<4xi8>
  // CHECK: return %x, %[[N]], %[[R]], %i, %[[Z]]
  %0 = nn.mul %one, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = nn.div %x, %minus : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = nn.div %one, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = nn.div %i, %ione : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  %4 = nn.rem %i, %ione : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  return %0, %1, %2, %3, %4 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi8>, tensor<4xi8>
}

// CHECK-LABEL: func.func @power_of_two
// 1/3 is not exact; the inverse of 2^127 is no normal number.
func.func @power_of_two(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %four = nn.constant dense<4.0> : tensor<4xf32>
  %three = nn.constant dense<3.0> : tensor<4xf32>
  %huge = nn.constant dense<0x7F000000> : tensor<4xf32>
  // CHECK: %[[Q:.*]] = nn.constant dense<2.500000e-01>
  // CHECK: nn.mul %x, %[[Q]]
  // CHECK: nn.div
  // CHECK: nn.div
  %0 = nn.div %x, %four : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = nn.div %x, %three : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = nn.div %x, %huge : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @integer_chains
func.func @integer_chains(%x: tensor<4xi8>) -> (tensor<4xi8>, tensor<4xi8>) {
  %a = nn.constant dense<100> : tensor<4xi8>
  %b = nn.constant dense<50> : tensor<4xi8>
  // CHECK-DAG: %[[S:.*]] = nn.constant dense<50> : tensor<4xi8>
  // CHECK-DAG: %[[P:.*]] = nn.constant dense<-120> : tensor<4xi8>
  // CHECK-DAG: nn.add %x, %[[S]]
  // CHECK-DAG: nn.mul %x, %[[P]]
  %0 = nn.add %x, %a : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  %1 = nn.sub %0, %b : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  %2 = nn.mul %x, %a : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  %3 = nn.mul %2, %b : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  return %1, %3 : tensor<4xi8>, tensor<4xi8>
}

// CHECK-LABEL: func.func @float_chains_stay
func.func @float_chains_stay(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %a = nn.constant dense<1.5> : tensor<4xf32>
  // CHECK-COUNT-2: nn.add
  // CHECK-COUNT-2: nn.mul
  %0 = nn.add %x, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = nn.add %0, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = nn.mul %x, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = nn.mul %2, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1, %3 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @powers
func.func @powers(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %zero = nn.constant dense<0.0> : tensor<4xf32>
  %one = nn.constant dense<1.0> : tensor<4xf32>
  %two = nn.constant dense<2.0> : tensor<4xf32>
  %half = nn.constant dense<0.5> : tensor<4xf32>
  %minus = nn.constant dense<-1.0> : tensor<4xf32>
  // CHECK: %[[H:.*]] = nn.constant dense<5.000000e-01>
  // CHECK: %[[ONE:.*]] = nn.constant dense<1.000000e+00>
  // CHECK: %[[S:.*]] = nn.mul %x, %x
  // CHECK: %[[P:.*]] = nn.pow %x, %[[H]]
  // CHECK: %[[R:.*]] = nn.reciprocal %x
  // CHECK: return %[[ONE]], %x, %[[S]], %[[P]], %[[R]]
  %0 = nn.pow %x, %zero : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = nn.pow %x, %one : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = nn.pow %x, %two : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = nn.pow %x, %half : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %4 = nn.pow %x, %minus : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %1, %2, %3, %4 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @extremes
func.func @extremes(%x: tensor<4xf32>, %i: tensor<4xi8>, %u: tensor<4xui8>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi8>, tensor<4xui8>) {
  %zero = nn.constant dense<0.0> : tensor<4xf32>
  %low = nn.constant dense<0xFF800000> : tensor<4xf32>
  %ihigh = nn.constant dense<127> : tensor<4xi8>
  %uzero = nn.constant dense<0> : tensor<4xui8>
  // CHECK: %[[R:.*]] = nn.relu %x
  // CHECK: %[[H:.*]] = nn.constant dense<127>
  // CHECK: return %[[R]], %x, %x, %[[H]], %u
  %0 = nn.maximum %zero, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = nn.maximum %x, %low : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = nn.minimum %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = nn.maximum %i, %ihigh : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  %4 = nn.maximum %u, %uzero : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
  return %0, %1, %2, %3, %4 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi8>, tensor<4xui8>
}

// CHECK-LABEL: func.func @extremes_that_nan_forbids
func.func @extremes_that_nan_forbids(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %high = nn.constant dense<0x7F800000> : tensor<4xf32>
  %zero = nn.constant dense<-0.0> : tensor<4xf32>
  // CHECK-COUNT-2: nn.maximum
  %0 = nn.maximum %x, %high : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = nn.maximum %x, %zero : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
