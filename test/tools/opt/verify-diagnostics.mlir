// RUN: lamina-opt %s --split-input-file --verify-diagnostics | filecheck %s

// Each part is compared with its own comments; the results of the others are printed.

// CHECK: @fine
func.func @fine() {
  return
}

// -----

func.func @here() {
  %0 = arith.addi %x, %x : i32 // expected-error {{use of undeclared SSA value name '%x'}}
  return
}

// -----

// expected-error @+2 {{use of undeclared}}
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
  // expected-error-re @below {{use of {{u[a-z]*}} SSA value name '%x'}}
  %0 = arith.addi %x, %x : i32
  return
}

// -----

// expected-note @below {{see existing symbol definition here}}
func.func private @twice()
// expected-error @below {{redefinition of symbol named 'twice'}}
func.func private @twice()
