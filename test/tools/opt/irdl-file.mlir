// RUN: lamina-opt %s --irdl-file=%S/Inputs/cmath.irdl.mlir --split-input-file --verify-diagnostics | filecheck %s

// CHECK: "cmath.norm"(%x) : (!cmath.complex<f32>) -> f32
func.func @norm(%x: !cmath.complex<f32>) -> f32 {
  %0 = "cmath.norm"(%x) : (!cmath.complex<f32>) -> f32
  return %0 : f32
}

// -----

// CHECK: "cmath.sum"(%x, %x, %x)
func.func @sum(%x: f32) {
  %0 = "cmath.sum"(%x, %x, %x) : (f32, f32, f32) -> f32
  return
}

// -----

// expected-error @below {{'i32' does not satisfy the constraint}}
func.func private @element(!cmath.complex<i32>)

// -----

func.func @mixed(%x: !cmath.complex<f32>) {
  // expected-error @below {{'cmath.norm' op}}
  %0 = "cmath.norm"(%x) : (!cmath.complex<f32>) -> f64
  return
}
