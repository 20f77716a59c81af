// RUN: lamina-opt %s --allow-unregistered-dialect --split-input-file --canonicalize | filecheck %s

// Of a parallel loop, the dimensions that run once are not needed.
func.func @parallel_once(%m: memref<?x?xi32>, %n: index, %x: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.parallel (%i, %j) = (%c4, %c0) to (%n, %c1) step (%c1, %c4) {
    memref.store %x, %m[%i, %j] : memref<?x?xi32>
    scf.reduce
  }
  return
}
// CHECK-LABEL: @parallel_once
// CHECK: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK: scf.parallel (%[[I:.*]]) =
// CHECK-NEXT: memref.store %{{.*}}, %{{.*}}[%[[I]], %[[ZERO]]]

// -----

// A single iteration joins the initial value and what it gives.
func.func @parallel_reduce(%init: i32, %x: i32) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.parallel (%i) = (%c0) to (%c1) step (%c1) init (%init) -> i32 {
    scf.reduce(%x : i32) {
    ^bb0(%a: i32, %b: i32):
      %1 = arith.subi %a, %b : i32
      scf.reduce.return %1 : i32
    }
  }
  return %0 : i32
}
// CHECK-LABEL: @parallel_reduce
// CHECK-SAME: (%[[A:.*]]: i32, %[[X:.*]]: i32)
// CHECK-NEXT: %[[R:.*]] = arith.subi %[[A]], %[[X]]
// CHECK-NEXT: return %[[R]]

// -----

// A dimension without iterations leaves the initial values, whatever the others do.
func.func @parallel_never(%init: i32, %n: index) -> i32 {
  %c1 = arith.constant 1 : index
  %0 = scf.parallel (%i, %j) = (%c1, %n) to (%n, %n) step (%c1, %c1) init (%init) -> i32 {
    %x = "test.value"() : () -> i32
    scf.reduce(%x : i32) {
    ^bb0(%a: i32, %b: i32):
      %1 = arith.addi %a, %b : i32
      scf.reduce.return %1 : i32
    }
  }
  return %0 : i32
}
// CHECK-LABEL: @parallel_never
// CHECK-SAME: (%[[A:.*]]: i32
// CHECK-NEXT: return %[[A]]

// -----

// Loops in loops are one.
func.func @parallel_nest(%n: index, %k: index) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c2) {
    scf.parallel (%j) = (%c2) to (%k) step (%c2) {
      "test.use"(%i, %j) : (index, index) -> ()
      scf.reduce
    }
    scf.reduce
  }
  return
}
// CHECK-LABEL: @parallel_nest
// CHECK-SAME: (%[[N:.*]]: index, %[[K:.*]]: index)
// CHECK: scf.parallel (%[[I:.*]], %[[J:.*]]) = (%{{.*}}, %{{.*}}) to (%[[N]], %[[K]])
// CHECK-NEXT: "test.use"(%[[I]], %[[J]])
// CHECK-NOT: scf.parallel

// -----

// Not where the inner bounds depend on the outer index.
func.func @parallel_triangle(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    scf.parallel (%j) = (%c0) to (%i) step (%c1) {
      "test.use"(%i, %j) : (index, index) -> ()
      scf.reduce
    }
    scf.reduce
  }
  return
}
// CHECK-LABEL: @parallel_triangle
// CHECK: scf.parallel
// CHECK: scf.parallel

// -----

// Bounds that are constants become part of a forall.
func.func @forall_bounds(%t: tensor<6xf32>, %v: tensor<1xf32>) -> tensor<6xf32> {
  %c6 = arith.constant 6 : index
  %0 = scf.forall (%i) in (%c6) shared_outs(%o = %t) -> (tensor<6xf32>) {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %v into %o[%i] [1] [1] : tensor<1xf32> into tensor<6xf32>
    }
  }
  return %0 : tensor<6xf32>
}
// CHECK-LABEL: @forall_bounds
// CHECK-NEXT: scf.forall (%{{.*}}) in (6)

// -----

// One iteration inserts one slice after the other.
func.func @forall_once(%t: tensor<6xf32>, %v: tensor<2xf32>) -> tensor<6xf32> {
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %0 = scf.forall (%i) = (%c3) to (%c5) step (%c5) shared_outs(%o = %t) -> (tensor<6xf32>) {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %v into %o[%i] [2] [1] : tensor<2xf32> into tensor<6xf32>
    }
  }
  return %0 : tensor<6xf32>
}
// CHECK-LABEL: @forall_once
// CHECK-SAME: (%[[T:.*]]: tensor<6xf32>, %[[V:.*]]: tensor<2xf32>)
// CHECK-NEXT: %[[R:.*]] = tensor.insert_slice %[[V]] into %[[T]][3] [2] [1]
// CHECK-NEXT: return %[[R]]

// -----

// Outputs that nobody looks at, or into which nothing is put.
func.func @forall_outputs(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>, %n: index) -> (tensor<4xf32>, tensor<4xf32>) {
  %0:3 = scf.forall (%i) in (%n) shared_outs(%x = %a, %y = %b, %z = %c) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    %s = tensor.extract_slice %z[%i] [1] [1] : tensor<4xf32> to tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %x[%i] [1] [1] : tensor<1xf32> into tensor<4xf32>
      tensor.parallel_insert_slice %s into %y[%i] [1] [1] : tensor<1xf32> into tensor<4xf32>
    }
  }
  return %0#0, %0#2 : tensor<4xf32>, tensor<4xf32>
}
// CHECK-LABEL: @forall_outputs
// CHECK-SAME: (%[[A:.*]]: tensor<4xf32>, %{{.*}}: tensor<4xf32>, %[[C:.*]]: tensor<4xf32>
// CHECK-NEXT: %[[R:.*]] = scf.forall (%{{.*}}) in (%{{.*}}) shared_outs(%[[O:.*]] = %[[A]])
// CHECK-NEXT: tensor.extract_slice %[[C]]
// CHECK-COUNT-1: tensor.parallel_insert_slice %{{.*}} into %[[O]]
// CHECK: return %[[R]], %[[C]]

// -----

// An output is put together as it was before a cast.
func.func @forall_cast(%t: tensor<6xf32>, %v: tensor<1xf32>, %n: index) -> tensor<6xf32> {
  %d = tensor.cast %t : tensor<6xf32> to tensor<?xf32>
  %0 = scf.forall (%i) in (%n) shared_outs(%o = %d) -> (tensor<?xf32>) {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %v into %o[%i] [1] [1] : tensor<1xf32> into tensor<?xf32>
    }
  }
  %1 = tensor.cast %0 : tensor<?xf32> to tensor<6xf32>
  return %1 : tensor<6xf32>
}
// CHECK-LABEL: @forall_cast
// CHECK-NOT: tensor.cast

// -----

// What a while loop passes around unchanged, and what nobody looks at.
func.func @while_values(%a: i32, %b: i32, %c: i32) -> (i32, i32) {
  %0:3 = scf.while (%x = %a, %y = %b, %z = %c) : (i32, i32, i32) -> (i32, i32, i32) {
    %go = arith.cmpi slt, %x, %y : i32
    scf.condition(%go) %x, %y, %z : i32, i32, i32
  } do {
  ^bb0(%x: i32, %y: i32, %z: i32):
    %1 = arith.addi %x, %y : i32
    scf.yield %1, %y, %1 : i32, i32, i32
  }
  return %0#0, %0#1 : i32, i32
}
// CHECK-LABEL: @while_values
// CHECK-SAME: (%[[A:.*]]: i32, %[[B:.*]]: i32, %{{.*}}: i32)
// CHECK-NEXT: %[[R:.*]] = scf.while (%{{.*}} = %[[A]]) : (i32) -> i32
// CHECK-NEXT: arith.cmpi slt, %{{.*}}, %[[B]]
// CHECK: return %[[R]], %[[B]]

// -----

// The condition is true where the second region runs.
func.func @while_condition() -> i1 {
  %0 = scf.while : () -> i1 {
    %go = "test.go_on"() : () -> i1
    scf.condition(%go) %go : i1
  } do {
  ^bb0(%go: i1):
    "test.use"(%go) : (i1) -> ()
    scf.yield
  }
  return %0 : i1
}
// CHECK-LABEL: @while_condition
// CHECK: %[[TRUE:.*]] = arith.constant true
// CHECK: do {
// CHECK: "test.use"(%[[TRUE]])

// -----

// A sum that may wrap around does not tell how often a loop runs.
func.func @wraps(%low: i32) -> i32 {
  %c4 = arith.constant 4 : i32
  %high = arith.addi %low, %c4 : i32
  %0 = scf.for %i = %low to %high step %c4 iter_args(%x = %low) -> (i32) : i32 {
    %1 = "test.next"(%x) : (i32) -> i32
    scf.yield %1 : i32
  }
  return %0 : i32
}
// CHECK-LABEL: @wraps
// CHECK: scf.for

// -----

// One that cannot does.
func.func @does_not_wrap(%low: i32) -> i32 {
  %c4 = arith.constant 4 : i32
  %high = arith.addi %low, %c4 overflow<nsw> : i32
  %0 = scf.for %i = %low to %high step %c4 iter_args(%x = %low) -> (i32) : i32 {
    %1 = "test.next"(%x) : (i32) -> i32
    scf.yield %1 : i32
  }
  return %0 : i32
}
// CHECK-LABEL: @does_not_wrap
// CHECK-NOT: scf.for
// CHECK: "test.next"

// -----

// Conditionals of one condition, one behind the other.
func.func @one_condition(%c: i1) {
  scf.if %c {
    "test.a"() : () -> ()
  }
  scf.if %c {
    "test.b"(%c) : (i1) -> ()
  } else {
    "test.c"(%c) : (i1) -> ()
  }
  return
}
// CHECK-LABEL: @one_condition
// CHECK-DAG: %[[FALSE:.*]] = arith.constant false
// CHECK-DAG: %[[TRUE:.*]] = arith.constant true
// CHECK: scf.if
// CHECK-NEXT: "test.a"
// CHECK-NEXT: "test.b"(%[[TRUE]])
// CHECK: "test.c"(%[[FALSE]])
// CHECK-NOT: scf.if
