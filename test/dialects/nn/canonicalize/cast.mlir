// RUN: lamina-opt %s --canonicalize | filecheck %s

// CHECK-LABEL: func.func @exact
func.func @exact(%h: tensor<4xf16>, %i: tensor<4xi8>, %w: tensor<4xi32>) -> (tensor<4xf16>, tensor<4xf16>, tensor<4xbf16>, tensor<4xf32>, tensor<4xi8>) {
  // CHECK-NEXT: %[[A:.*]] = nn.cast %h : (tensor<4xf16>) -> tensor<4xbf16>
  // CHECK-NEXT: %[[B:.*]] = nn.cast %i : (tensor<4xi8>) -> tensor<4xf32>
  // CHECK-NEXT: %[[C:.*]] = nn.cast %w : (tensor<4xi32>) -> tensor<4xi8>
  // CHECK-NEXT: return %h, %h, %[[A]], %[[B]], %[[C]]
  %0 = nn.cast %h : (tensor<4xf16>) -> tensor<4xf16>
  %1 = nn.cast %h : (tensor<4xf16>) -> tensor<4xf32>
  %2 = nn.cast %1 : (tensor<4xf32>) -> tensor<4xf16>
  %3 = nn.cast %1 : (tensor<4xf32>) -> tensor<4xbf16>
  %4 = nn.cast %i : (tensor<4xi8>) -> tensor<4xi32>
  %5 = nn.cast %4 : (tensor<4xi32>) -> tensor<4xf32>
  %6 = nn.cast %w : (tensor<4xi32>) -> tensor<4xi16>
  %7 = nn.cast %6 : (tensor<4xi16>) -> tensor<4xi8>
  return %0, %2, %3, %5, %7 : tensor<4xf16>, tensor<4xf16>, tensor<4xbf16>, tensor<4xf32>, tensor<4xi8>
}

// CHECK-LABEL: func.func @inexact
// f32 -> f16 rounds; f32 -> f16 once is not f64 -> f32 -> f16; i8 -> f32 -> ui8 saturates; i32 -> i8 -> i32 wraps.
func.func @inexact(%x: tensor<4xf32>, %d: tensor<4xf64>, %i: tensor<4xi8>, %w: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xf16>, tensor<4xui8>, tensor<4xi32>) {
  // CHECK-COUNT-8: nn.cast
  // CHECK-NEXT: return
  %0 = nn.cast %x : (tensor<4xf32>) -> tensor<4xf16>
  %1 = nn.cast %0 : (tensor<4xf16>) -> tensor<4xf32>
  %2 = nn.cast %d : (tensor<4xf64>) -> tensor<4xf32>
  %3 = nn.cast %2 : (tensor<4xf32>) -> tensor<4xf16>
  %4 = nn.cast %i : (tensor<4xi8>) -> tensor<4xf32>
  %5 = nn.cast %4 : (tensor<4xf32>) -> tensor<4xui8>
  %6 = nn.cast %w : (tensor<4xi32>) -> tensor<4xi8>
  %7 = nn.cast %6 : (tensor<4xi8>) -> tensor<4xi32>
  return %1, %3, %5, %7 : tensor<4xf32>, tensor<4xf16>, tensor<4xui8>, tensor<4xi32>
}
