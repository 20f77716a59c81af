// RUN: lamina-opt %s --convert-nn-to-linalg | filecheck %s

// CHECK-LABEL: func.func @signature(
// CHECK-SAME: %c: tensor<4xi8> {nn.dtype = "i1", nn.name = "c"}, %x: tensor<4xi8> {nn.dtype = "ui8"}) -> (tensor<4xi8> {nn.dtype = "ui8"})
// CHECK: arith.divui
func.func @signature(%c: tensor<4xi1> {nn.name = "c"}, %x: tensor<4xui8>) -> tensor<4xui8> {
  %0 = nn.div %x, %x : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
  %1 = nn.select %c, %0, %x : (tensor<4xi1>, tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
  return %1 : tensor<4xui8>
}

// Calls and regions are converted with the tensors in them.
// CHECK-LABEL: func.func private @not(%x: tensor<4xi8>
// CHECK-LABEL: func.func @control_flow(
// CHECK: [[BYTE:%.*]] = tensor.extract %c[] : tensor<i8>
// CHECK: [[BIT:%.*]] = arith.trunci [[BYTE]] : i8 to i1
// CHECK: scf.if [[BIT]] -> (tensor<4xi8>)
// CHECK: call @not({{.*}}) : (tensor<4xi8>) -> tensor<4xi8>
func.func private @not(%x: tensor<4xi1>) -> tensor<4xi1> {
  %0 = nn.logical_not %x : (tensor<4xi1>) -> tensor<4xi1>
  return %0 : tensor<4xi1>
}
func.func @control_flow(%c: tensor<i1>, %x: tensor<4xi1>) -> tensor<4xi1> {
  %bit = tensor.extract %c[] : tensor<i1>
  %0 = scf.if %bit -> (tensor<4xi1>) {
    %1 = func.call @not(%x) : (tensor<4xi1>) -> tensor<4xi1>
    scf.yield %1 : tensor<4xi1>
  } else {
    scf.yield %x : tensor<4xi1>
  }
  return %0 : tensor<4xi1>
}

// CHECK-LABEL: @half_precision
// CHECK: [[WIDE:%.*]] = arith.extf %{{.*}} : f16 to f32
// CHECK-NEXT: math.tanh [[WIDE]] : f32
// CHECK-NEXT: arith.truncf
func.func @half_precision(%x: tensor<4xf16>) -> tensor<4xf16> {
  %0 = nn.tanh %x : (tensor<4xf16>) -> tensor<4xf16>
  return %0 : tensor<4xf16>
}

// CHECK-LABEL: @constants
// CHECK: arith.constant dense<[1, 0]> : tensor<2xi8>
// CHECK: arith.constant dense<-1> : tensor<2xi8>
func.func @constants() -> (tensor<2xi1>, tensor<2xui8>) {
  %0 = nn.constant dense<[true, false]> : tensor<2xi1>
  %1 = nn.constant dense<255> : tensor<2xui8>
  return %0, %1 : tensor<2xi1>, tensor<2xui8>
}

// CHECK-LABEL: @dynamic_broadcast
// CHECK: [[N:%.*]] = tensor.dim %x
// CHECK: tensor.empty([[N]]) : tensor<?x4xf32>
func.func @dynamic_broadcast(%x: tensor<?x1xf32>, %y: tensor<1x4xf32>) -> tensor<?x4xf32> {
  %0 = nn.add %x, %y : (tensor<?x1xf32>, tensor<1x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// CHECK-LABEL: @reshape_is_a_view
// CHECK-NEXT: tensor.collapse_shape %x
// CHECK-NEXT: tensor.expand_shape
// CHECK-NEXT: return
func.func @reshape_is_a_view(%x: tensor<4x6xf32>) -> tensor<8x3xf32> {
  %0 = nn.reshape %x {shape = array<i64: 8, 3>} : (tensor<4x6xf32>) -> tensor<8x3xf32>
  return %0 : tensor<8x3xf32>
}
