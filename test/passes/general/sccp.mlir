// RUN: lamina-opt %s --sccp --allow-unregistered-dialect --split-input-file | filecheck %s

// Only one branch is taken: what the other would bring does not count.
// CHECK-LABEL: @one_branch
// CHECK: [[C:%.+]] = arith.constant 7 : i32
// CHECK: cf.br
// CHECK: return [[C]] : i32
func.func @one_branch(%x: i32) -> i32 {
  %c3 = arith.constant 3 : i32
  %c4 = arith.constant 4 : i32
  %less = arith.cmpi slt, %c3, %c4 : i32
  cf.cond_br %less, ^yes, ^no
^yes:
  %sum = arith.addi %c3, %c4 : i32
  cf.br ^end(%sum : i32)
^no:
  cf.br ^end(%x : i32)
^end(%r: i32):
  return %r : i32
}

// -----

// A choice among cases.
// CHECK-LABEL: @switch
// CHECK: [[C:%.+]] = arith.constant 9 : i32
// CHECK: return [[C]] : i32
func.func @switch(%x: i32) -> i32 {
  %c5 = arith.constant 5 : i32
  %c9 = arith.constant 9 : i32
  cf.switch %c5 : i32, [default: ^end(%x : i32), 4: ^end(%x : i32), 5: ^end(%c9 : i32)]
^end(%r: i32):
  return %r : i32
}

// -----

// Two constants meet, and a constant meets something else: nothing is known.
// CHECK-LABEL: @meeting
// CHECK: ^[[B:.+]]([[A0:%.+]]: i32, [[A1:%.+]]: i32, [[A2:%.+]]: i32):
// CHECK: return [[A0]], [[A1]], %{{.*}} : i32, i32, i32
func.func @meeting(%c: i1, %x: i32) -> (i32, i32, i32) {
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  cf.cond_br %c, ^b(%c1, %c1, %c1 : i32, i32, i32), ^b(%c2, %x, %c1 : i32, i32, i32)
^b(%0: i32, %1: i32, %2: i32):
  return %0, %1, %2 : i32, i32, i32
}

// -----

// Behind a jump that nobody knows, anything may arrive.
// CHECK-LABEL: @unknown_jump
// CHECK: return [[A:%.+]] : i32
func.func @unknown_jump() -> i32 {
  %c1 = arith.constant 1 : i32
  "foo.jump"()[^a, ^b] : () -> ()
^a:
  cf.br ^b(%c1 : i32)
^b(%r: i32):
  return %r : i32
}

// -----

// A loop that carries a constant on; another that does not.
// CHECK-LABEL: @loops
// CHECK-DAG: [[ZERO:%.+]] = arith.constant 0 : i32
// CHECK: [[R:%.+]]:2 = scf.for
// CHECK: return [[ZERO]], [[R]]#1 : i32, i32
func.func @loops(%n: index) -> (i32, i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero, %b = %one) -> (i32, i32) {
    %p = arith.muli %a, %b : i32
    %q = arith.addi %b, %b : i32
    scf.yield %p, %q : i32, i32
  }
  return %r#0, %r#1 : i32, i32
}

// -----

// Loops that run once and never.
// CHECK-LABEL: @counted
// CHECK-DAG: [[TWO:%.+]] = arith.constant 2 : i32
// CHECK-DAG: [[ONE:%.+]] = arith.constant 1 : i32
// CHECK: return [[TWO]], [[ONE]], [[TWO]] : i32, i32, i32
func.func @counted() -> (i32, i32, i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %once = scf.for %i = %c0 to %c1 step %c1 iter_args(%a = %one) -> (i32) {
    %q = arith.addi %a, %a : i32
    scf.yield %q : i32
  }
  %never = scf.for %i = %c1 to %c0 step %c1 iter_args(%a = %one) -> (i32) {
    %q = arith.addi %a, %a : i32
    scf.yield %q : i32
  }
  %affine = affine.for %i = 0 to 1 iter_args(%a = %one) -> (i32) {
    %q = arith.addi %a, %a : i32
    affine.yield %q : i32
  }
  return %once, %never, %affine : i32, i32, i32
}

// -----

// Conditionals whose condition is found on the way.
// CHECK-LABEL: @conditionals
// CHECK: [[ONE:%.+]] = arith.constant 1 : i32
// CHECK: return [[ONE]], [[ONE]] : i32, i32
func.func @conditionals(%x: i32) -> (i32, i32) {
  %c2 = arith.constant 2 : index
  %one = arith.constant 1 : i32
  %t = arith.cmpi eq, %one, %one : i32
  %0 = scf.if %t -> i32 {
    scf.yield %one : i32
  } else {
    scf.yield %x : i32
  }
  %1 = scf.index_switch %c2 -> i32
  case 1 {
    scf.yield %x : i32
  }
  case 2 {
    scf.yield %one : i32
  }
  default {
    scf.yield %x : i32
  }
  return %0, %1 : i32, i32
}

// -----

// A loop whose condition fails at once gives what arrives there.
// CHECK-LABEL: @while
// CHECK: [[C:%.+]] = arith.constant 3 : i32
// CHECK: return [[C]] : i32
func.func @while(%f: i32) -> i32 {
  %c3 = arith.constant 3 : i32
  %r = scf.while (%a = %c3) : (i32) -> i32 {
    %more = arith.cmpi sgt, %a, %c3 : i32
    scf.condition(%more) %a : i32
  } do {
  ^bb0(%b: i32):
    %n = arith.addi %b, %f : i32
    scf.yield %n : i32
  }
  return %r : i32
}

// -----

// Into a private function and back; a public one may get anything.
// CHECK-LABEL: func.func private @double
// CHECK: [[EIGHT:%.+]] = arith.constant 8 : i32
// CHECK: return [[EIGHT]] : i32
func.func private @double(%x: i32) -> i32 {
  %r = arith.addi %x, %x : i32
  return %r : i32
}
// CHECK-LABEL: func.func @open
// CHECK: arith.addi
func.func @open(%x: i32) -> i32 {
  %r = arith.addi %x, %x : i32
  return %r : i32
}
// CHECK-LABEL: @caller
// CHECK: [[EIGHT:%.+]] = arith.constant 8 : i32
// CHECK: [[OPEN:%.+]] = call @open
// CHECK: return [[EIGHT]], [[OPEN]] : i32, i32
func.func @caller() -> (i32, i32) {
  %c4 = arith.constant 4 : i32
  %0 = call @double(%c4) : (i32) -> i32
  %1 = call @open(%c4) : (i32) -> i32
  return %0, %1 : i32, i32
}

// -----

// A function that is also referred to, and one that ends in a way nobody knows.
// CHECK-LABEL: private @referred
// CHECK: return %x : i32
func.func private @referred(%x: i32) -> i32 {
  return %x : i32
}
func.func private @strange(%x: i32) -> i32 {
  "foo.return"(%x) : (i32) -> ()
}
// CHECK-LABEL: @caller
// CHECK: [[A:%.+]] = call @referred
// CHECK: [[B:%.+]] = call @strange
// CHECK: return [[A]], [[B]] : i32, i32
func.func @caller() -> (i32, i32) {
  %c4 = arith.constant 4 : i32
  %0 = call @referred(%c4) : (i32) -> i32
  %1 = call @strange(%c4) : (i32) -> i32
  return %0, %1 : i32, i32
}
"foo.use"() {what = @referred} : () -> ()

// -----

// Recursion.
// CHECK-LABEL: private @again
// CHECK: [[ONE:%.+]] = arith.constant 1 : i32
// CHECK: return [[ONE]] : i32
func.func private @again(%c: i1, %x: i32) -> i32 {
  cf.cond_br %c, ^deeper, ^end(%x : i32)
^deeper:
  %square = arith.muli %x, %x : i32
  %r = call @again(%c, %square) : (i1, i32) -> i32
  cf.br ^end(%r : i32)
^end(%result: i32):
  return %result : i32
}
func.func @main(%c: i1) -> i32 {
  %one = arith.constant 1 : i32
  %r = call @again(%c, %one) : (i1, i32) -> i32
  return %r : i32
}
