// RUN: lamina-opt %s --mlir-print-elementsattrs-with-hex-if-larger=3 | filecheck %s --check-prefix=HEX
// RUN: lamina-opt %s --mlir-print-elementsattrs-with-hex-if-larger=4 | filecheck %s --check-prefix=LIST
// RUN: lamina-opt %s --mlir-print-elementsattrs-with-hex-if-larger=-1 | filecheck %s --check-prefix=LIST

// HEX: dense<"0x010000000200000003000000FCFFFFFF"> : tensor<4xi32>
// LIST: dense<[1, 2, 3, -4]> : tensor<4xi32>
func.func @f() -> tensor<4xi32> {
  %0 = arith.constant dense<[1, 2, 3, -4]> : tensor<4xi32>
  return %0 : tensor<4xi32>
}
