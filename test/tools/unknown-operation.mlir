// RUN: not lamina-opt --allow-unregistered-dialect --split-input-file %s 2>&1 | filecheck %s

// CHECK: error: dialect 'arith' has no operation 'arith.addii'
// CHECK: hint: did you mean 'arith.addi'?
func.func @misspelt(%x: i32) {
  %0 = arith.addii %x, %x : i32
  return
}

// -----

// CHECK: error: unknown operation 'foo.bar'
// CHECK: hint: write it in the generic form
func.func @of_no_dialect(%x: i32) {
  %0 = foo.bar %x : i32
  return
}
