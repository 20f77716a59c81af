// RUN: lamina-opt %s --loop-invariant-code-motion --allow-unregistered-dialect | filecheck %s

// CHECK-LABEL: @out_of_both_loops
// CHECK: arith.mulf
// CHECK-NEXT: arith.addf
// CHECK-NEXT: scf.for
// CHECK-NEXT: scf.for
// CHECK-NEXT: memref.store
func.func @out_of_both_loops(%x: f32, %n: index, %s: index, %m: memref<8xf32>) {
  scf.for %i = %n to %n step %s {
    scf.for %j = %n to %n step %s {
      %0 = arith.mulf %x, %x : f32
      %1 = arith.addf %0, %x : f32
      memref.store %1, %m[%i] : memref<8xf32>
    }
  }
  return
}

// CHECK-LABEL: @division_by_what_may_be_zero
// CHECK: arith.divui %x, %three
// CHECK-NEXT: scf.for
// CHECK-NEXT: arith.divsi %x, %y
// CHECK-NEXT: arith.remsi %x, %y
// CHECK-NEXT: arith.divsi %x, %minus
func.func @division_by_what_may_be_zero(%x: i32, %y: i32, %n: index, %s: index) {
  %three = arith.constant 3 : i32
  %minus = arith.constant -1 : i32
  scf.for %i = %n to %n step %s {
    %0 = arith.divsi %x, %y : i32
    %1 = arith.divui %x, %three : i32
    %2 = arith.remsi %x, %y : i32
    %3 = arith.divsi %x, %minus : i32
    "test.use"(%0, %1, %2, %3) : (i32, i32, i32, i32) -> ()
  }
  return
}

// CHECK-LABEL: @effects_stay
// CHECK: scf.for
// CHECK-NEXT: memref.load
// CHECK-NEXT: "test.unknown"
// CHECK-NEXT: memref.alloc
func.func @effects_stay(%m: memref<8xf32>, %n: index, %s: index) {
  scf.for %i = %n to %n step %s {
    %0 = memref.load %m[%n] : memref<8xf32>
    "test.unknown"(%0) : (f32) -> ()
    %1 = memref.alloc() : memref<8xf32>
    "test.use"(%1) : (memref<8xf32>) -> ()
  }
  return
}

// CHECK-LABEL: @while_loop
// CHECK: arith.addi
// CHECK-NEXT: arith.muli
// CHECK-NEXT: scf.while
func.func @while_loop(%x: i32, %c: i1) -> i32 {
  %r = scf.while (%a = %x) : (i32) -> i32 {
    %0 = arith.addi %x, %x : i32
    scf.condition(%c) %0 : i32
  } do {
  ^bb0(%b: i32):
    %1 = arith.muli %x, %x : i32
    scf.yield %1 : i32
  }
  return %r : i32
}

// CHECK-LABEL: @parallel_loop
// CHECK: arith.addf
// CHECK-NEXT: scf.parallel
func.func @parallel_loop(%x: f32, %n: index, %s: index, %m: memref<8xf32>) {
  scf.parallel (%i) = (%n) to (%n) step (%s) {
    %0 = arith.addf %x, %x : f32
    memref.store %0, %m[%i] : memref<8xf32>
    scf.reduce
  }
  return
}

// CHECK-LABEL: @forall_loop
// CHECK: arith.addf
// CHECK-NEXT: scf.forall
func.func @forall_loop(%x: f32, %m: memref<8xf32>) {
  scf.forall (%i) in (8) {
    %0 = arith.addf %x, %x : f32
    memref.store %0, %m[%i] : memref<8xf32>
  }
  return
}

// CHECK-LABEL: @affine_loop
// CHECK: arith.addf
// CHECK-NEXT: affine.for
func.func @affine_loop(%x: f32) {
  affine.for %i = 0 to 8 {
    %0 = arith.addf %x, %x : f32
    "test.use"(%0) : (f32) -> ()
  }
  return
}

// A whole conditional moves if all inside may.
// CHECK-LABEL: @conditional
// CHECK: scf.if
// CHECK: scf.for
// CHECK-NEXT: scf.if
// CHECK-NEXT: arith.divsi
func.func @conditional(%c: i1, %x: i32, %y: i32, %n: index, %s: index) {
  scf.for %i = %n to %n step %s {
    %0 = scf.if %c -> (i32) {
      %2 = arith.addi %x, %y : i32
      scf.yield %2 : i32
    } else {
      scf.yield %y : i32
    }
    %1 = scf.if %c -> (i32) {
      %3 = arith.divsi %x, %y : i32
      scf.yield %3 : i32
    } else {
      scf.yield %y : i32
    }
    "test.use"(%0, %1) : (i32, i32) -> ()
  }
  return
}

// An element outside of its tensor must not be read when the loop does not run.
// CHECK-LABEL: @element
// CHECK: tensor.extract %t[%c1]
// CHECK-NEXT: scf.for
// CHECK-NEXT: tensor.extract %t[%k]
func.func @element(%t: tensor<4xf32>, %k: index, %n: index, %s: index) {
  %c1 = arith.constant 1 : index
  scf.for %i = %n to %n step %s {
    %0 = tensor.extract %t[%k] : tensor<4xf32>
    %1 = tensor.extract %t[%c1] : tensor<4xf32>
    "test.use"(%0, %1) : (f32, f32) -> ()
  }
  return
}
