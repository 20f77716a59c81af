// RUN: lamina-opt %s --split-input-file --verify-diagnostics | filecheck %s

// Each part is compared with its own comments; the results of the others are printed.

// CHECK: @fine
func.func @fine() {
  return
}

// -----

func.func @here() {
  %0 = arith.addi %x, %x : i32 // expected-error {{%x is not defined}}
  return
}

// -----

// expected-error @+2 {{not defined}}
func.func @counted_below() {
  %0 = arith.addi %x, %x : i32
  return
}

// -----

func.func @above() {
  %0 = arith.addi %x, %x : i32
  // expected-error @above {{%x}}
  return
}

// -----

func.func @regular_expression() {
  // expected-error-re @below {{%{{[a-z]}} is {{n..}} defined}}
  %0 = arith.addi %x, %x : i32
  return
}

// -----

// expected-note @below {{it is first defined here}}
func.func private @twice()
// expected-error @below {{@twice is defined a second time}}
func.func private @twice()
