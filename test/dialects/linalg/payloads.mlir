// RUN: lamina-opt %s --split-input-file --verify-diagnostics --allow-unregistered-dialect | filecheck %s

// An operation of an unknown dialect may make up a body; one without a dialect needs the long form.
// CHECK-LABEL: @unregistered
// CHECK:       linalg.map { foo.bar {a = 1 : i64} } ins(%m, %m : memref<8xf32>, memref<8xf32>) outs(%m : memref<8xf32>)
// CHECK:       linalg.map ins(%m : memref<8xf32>) outs(%m : memref<8xf32>)
// CHECK:         = "outs"(%{{.*}}) : (f32) -> f32
func.func @unregistered(%m: memref<8xf32>) {
  linalg.map { foo.bar {a = 1} } ins(%m, %m : memref<8xf32>, memref<8xf32>) outs(%m : memref<8xf32>)
  linalg.map { outs } ins(%m : memref<8xf32>) outs(%m : memref<8xf32>)
  return
}

// -----

func.func @unknown(%m: memref<8xf32>) {
  // expected-error@+1 {{unregistered operation 'arith.nope' found in dialect ('arith') that does not allow unknown operations}}
  linalg.map { arith.nope } ins(%m : memref<8xf32>) outs(%m : memref<8xf32>)
  return
}

// -----

// expected-error@+1 {{expected op with 2 inputs and 1 output}}
"linalg.pooling_nwc_max_unsigned"() ({
}) : () -> ()

// -----

// expected-error@+1 {{an attribute of an unregistered operation cannot be named 'op_name__'}}
"foo.bar"() {op_name__ = "x"} : () -> ()
