// RUN: lamina-opt %s | lamina-opt | filecheck %s

// Hexadecimal elements of a float literal are its bits: infinities and NaN survive a round trip.
// CHECK-LABEL: func.func @infinities
func.func @infinities() {
  // CHECK: dense<0xFF800000> : tensor<4xf32>
  %0 = arith.constant dense<0xFF800000> : tensor<4xf32>
  // CHECK: dense<[0x7FC00000, 1.000000e+00, 0x7F800000]> : tensor<3xf32>
  %1 = arith.constant dense<[0x7FC00000, 1.0, 0x7F800000]> : tensor<3xf32>
  // CHECK: dense<0x7F80> : tensor<2xbf16>
  %2 = arith.constant dense<0x7F80> : tensor<2xbf16>
  // CHECK: dense<[16, -1]> : tensor<2xi32>
  %3 = arith.constant dense<[0x10, -1]> : tensor<2xi32>
  return
}
