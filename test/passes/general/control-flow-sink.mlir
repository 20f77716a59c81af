// RUN: lamina-opt %s --control-flow-sink --allow-unregistered-dialect --split-input-file | filecheck %s

// A chain moves into the branch that needs it, in its order; what both need stays.
// CHECK-LABEL: @chain
// CHECK-NEXT: [[BOTH:%.+]] = arith.subi
// CHECK-NEXT: scf.if
// CHECK-NEXT: [[A:%.+]] = arith.addi
// CHECK-NEXT: [[B:%.+]] = arith.muli [[A]], [[BOTH]]
// CHECK-NEXT: scf.yield [[B]]
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield [[BOTH]]
func.func @chain(%c: i1, %x: i32, %y: i32) -> i32 {
  %a = arith.addi %x, %y : i32
  %both = arith.subi %x, %y : i32
  %b = arith.muli %a, %both : i32
  %r = scf.if %c -> i32 {
    scf.yield %b : i32
  } else {
    scf.yield %both : i32
  }
  return %r : i32
}

// -----

// Through two conditionals at once.
// CHECK-LABEL: @nested
// CHECK-NEXT: scf.if
// CHECK-NEXT: scf.if
// CHECK-NEXT: [[A:%.+]] = arith.addi
// CHECK-NEXT: "test.use"([[A]])
func.func @nested(%c: i1, %d: i1, %x: i32) {
  %a = arith.addi %x, %x : i32
  scf.if %c {
    scf.if %d {
      "test.use"(%a) : (i32) -> ()
    }
  }
  return
}

// -----

// Cases of a switch.
// CHECK-LABEL: @switch
// CHECK-NEXT: scf.index_switch
// CHECK: case 1 {
// CHECK-NEXT: arith.addi
// CHECK: default {
// CHECK-NEXT: arith.subi
func.func @switch(%n: index, %x: i32) -> i32 {
  %a = arith.addi %x, %x : i32
  %b = arith.subi %x, %x : i32
  %r = scf.index_switch %n -> i32
  case 1 {
    scf.yield %a : i32
  }
  default {
    scf.yield %b : i32
  }
  return %r : i32
}

// -----

// What reads memory, what nobody knows, and what is used elsewhere too stays; loops run often.
// CHECK-LABEL: @stays
// CHECK: memref.load
// CHECK-NEXT: "test.make"
// CHECK-NEXT: arith.addi
// CHECK-NEXT: arith.muli
// CHECK-NEXT: scf.if
func.func @stays(%c: i1, %m: memref<i32>, %x: i32, %n: index) -> i32 {
  %a = memref.load %m[] : memref<i32>
  %b = "test.make"() : () -> i32
  %d = arith.addi %x, %x : i32
  %e = arith.muli %x, %x : i32
  scf.if %c {
    "test.use"(%a, %b, %d) : (i32, i32, i32) -> ()
  }
  scf.for %i = %n to %n step %n {
    "test.use"(%e) : (i32) -> ()
  }
  return %d : i32
}
