// RUN: lamina-opt %s --topological-sort --allow-unregistered-dialect --split-input-file | filecheck %s

// CHECK-LABEL: attributes {case.chain}
// CHECK: arith.constant
// CHECK-NEXT: arith.addi
// CHECK-NEXT: arith.muli
module attributes {case.chain} {
  %2 = arith.muli %1, %0 : i32
  %1 = arith.addi %0, %0 : i32
  %0 = arith.constant 1 : i32
}

// -----

// What needs no move stays in its order.
// CHECK-LABEL: attributes {case.stable}
// CHECK: "test.a"
// CHECK-NEXT: "test.b"
// CHECK-NEXT: "test.d"
// CHECK-NEXT: "test.c"
module attributes {case.stable} {
  "test.a"() : () -> ()
  "test.b"() : () -> ()
  "test.c"(%0) : (i32) -> ()
  %0 = "test.d"() : () -> i32
}

// -----

// Where nothing is ready, the first operation goes first.
// CHECK-LABEL: attributes {case.cycle}
// CHECK: "test.user"
// CHECK-NEXT: "test.first"
// CHECK-NEXT: "test.second"
module attributes {case.cycle} {
  "test.user"(%1) : (i32) -> ()
  %0 = "test.first"(%1) : (i32) -> i32
  %1 = "test.second"(%0) : (i32) -> i32
}
