// RUN: lamina-opt %s --mlir-print-local-scope --strip-debuginfo --mlir-print-debuginfo | filecheck %s

// CHECK-NOT: layer1
// CHECK-NOT: argument
// CHECK: arith.addi
// CHECK-SAME: loc(unknown)
// CHECK-NOT: layer1
func.func @f(%x: i32 loc("argument")) -> i32 {
  %0 = arith.addi %x, %x : i32 loc("layer1")
  return %0 : i32
}
