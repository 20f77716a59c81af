// RUN: not lamina-opt %s --split-input-file --verify-diagnostics 2>&1 | filecheck %s
// RUN: not lamina-opt %s --split-input-file --verify-diagnostics=only-expected 2>&1 | filecheck %s --check-prefix=ONLY

// CHECK: [[# @LINE + 3]]:19: error: unexpected error: use of undeclared SSA value name '%x'
// ONLY-NOT: unexpected error
func.func @unexpected() {
  %0 = arith.addi %x, %x : i32
  return
}

// -----

func.func @never() {
  // CHECK: [[# @LINE + 2]]:13: error: expected error "nothing of the kind" was not produced
  // ONLY: [[# @LINE + 1]]:13: error: expected error "nothing of the kind" was not produced
  return // expected-error {{nothing of the kind}}
}

// -----

func.func @severity() {
  // CHECK: error: 'error' diagnostic emitted when expecting a 'warning'
  // CHECK: error: expected warning "use of undeclared" was not produced
  %0 = arith.addi %x, %x : i32 // expected-warning {{use of undeclared}}
  return
}
