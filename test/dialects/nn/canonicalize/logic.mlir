// RUN: lamina-opt %s --canonicalize | filecheck %s

// CHECK-LABEL: func.func @truth
func.func @truth(%x: tensor<4xi1>) -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) {
  %t = nn.constant dense<true> : tensor<4xi1>
  %f = nn.constant dense<false> : tensor<4xi1>
  // CHECK: %[[N:.*]] = nn.logical_not %x
  // CHECK: return %x, %[[F:.*]], %[[T:.*]], %[[N]], %x
  %0 = nn.logical_and %t, %x : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  %1 = nn.logical_and %x, %f : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  %2 = nn.logical_or %x, %t : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  %3 = nn.logical_xor %x, %t : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  %4 = nn.logical_or %x, %x : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  return %0, %1, %2, %3, %4 : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>
}

// CHECK-LABEL: func.func @bits
func.func @bits(%u: tensor<4xui8>, %i: tensor<4xi8>) -> (tensor<4xui8>, tensor<4xi8>, tensor<4xi8>, tensor<4xi8>) {
  %all = nn.constant dense<255> : tensor<4xui8>
  %ones = nn.constant dense<-1> : tensor<4xi8>
  %some = nn.constant dense<127> : tensor<4xi8>
  // CHECK: %[[S:.*]] = nn.constant dense<127>
  // CHECK: %[[N:.*]] = nn.bitwise_not %i
  // CHECK: %[[A:.*]] = nn.bitwise_and %i, %[[S]]
  // CHECK: return %u, %[[N]], %[[A]], %[[Z:.*]] :
  %0 = nn.bitwise_and %u, %all : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
  %1 = nn.bitwise_xor %i, %ones : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  %2 = nn.bitwise_and %i, %some : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  %3 = nn.bitwise_xor %i, %i : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  return %0, %1, %2, %3 : tensor<4xui8>, tensor<4xi8>, tensor<4xi8>, tensor<4xi8>
}

// CHECK-LABEL: func.func @shifts
// An arithmetic shift by the width or more gives the sign, not 0.
func.func @shifts(%u: tensor<4xui8>, %i: tensor<4xi8>) -> (tensor<4xui8>, tensor<4xui8>, tensor<4xi8>, tensor<4xi8>) {
  %zero = nn.constant dense<0> : tensor<4xui8>
  %eight = nn.constant dense<8> : tensor<4xui8>
  %minus = nn.constant dense<-1> : tensor<4xi8>
  // CHECK: %[[M:.*]] = nn.constant dense<-1> : tensor<4xi8>
  // CHECK: %[[U:.*]] = nn.constant dense<0> : tensor<4xui8>
  // CHECK: %[[S:.*]] = nn.shift_right %i, %[[M]]
  // CHECK: %[[I:.*]] = nn.constant dense<0> : tensor<4xi8>
  // CHECK: return %u, %[[U]], %[[S]], %[[I]]
  %0 = nn.shift_left %u, %zero : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
  %1 = nn.shift_right %u, %eight : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
  %2 = nn.shift_right %i, %minus : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  %3 = nn.shift_left %i, %minus : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  return %0, %1, %2, %3 : tensor<4xui8>, tensor<4xui8>, tensor<4xi8>, tensor<4xi8>
}
