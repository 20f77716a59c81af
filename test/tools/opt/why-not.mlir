// RUN: lamina-opt %s --canonicalize --why-not=canonicalize@6 --check-patterns -o /dev/null 2>&1 | filecheck %s

// CHECK: // -----// Why not canonicalize: 'builtin.module' operation on line 6 //----- //
// CHECK-NEXT: why-not.mlir:6:8: 'arith.addi'
func.func @f(%x: i32, %y: i32) -> i32 {
  %0 = arith.addi %x, %y : i32
  return %0 : i32
}
