// RUN: lamina-opt %s --remove-dead-values --allow-unregistered-dialect --split-input-file | filecheck %s
// RUN: lamina-opt %s --remove-dead-values="canonicalize=0" --allow-unregistered-dialect --split-input-file | filecheck %s --check-prefix=POISON

// Arguments and results of a private function, with the attributes of those that stay.
// CHECK-LABEL: func.func private @callee
// CHECK-SAME: (%{{.*}}: i32 {test.b}) -> (i32 {test.y})
// CHECK-NOT: arith.subi
// CHECK: return %{{.*}} : i32
func.func private @callee(%a: i32 {test.a}, %b: i32 {test.b}) -> (i32 {test.x}, i32 {test.y}) {
  %0 = arith.subi %a, %a : i32
  %1 = arith.addi %b, %b : i32
  return %0, %1 : i32, i32
}
// CHECK-LABEL: func.func @caller(%x: i32, %y: i32) -> i32
// CHECK-NEXT: [[R:%.+]] = call @callee(%y) : (i32) -> i32
// CHECK-NEXT: return [[R]]
func.func @caller(%x: i32, %y: i32) -> i32 {
  %r:2 = call @callee(%x, %y) : (i32, i32) -> (i32, i32)
  return %r#1 : i32
}

// -----

// A function that is referred to otherwise keeps its signature, as a public one does.
// CHECK-LABEL: func.func private @referred(%x: i32) -> i32
func.func private @referred(%x: i32) -> i32 {
  %c = arith.constant 0 : i32
  return %c : i32
}
// CHECK-LABEL: func.func @public(%x: i32) -> i32
// CHECK-NEXT: call @referred(%x)
func.func @public(%x: i32) -> i32 {
  %0 = call @referred(%x) : (i32) -> i32
  return %x : i32
}
"foo.use"() {what = @referred} : () -> ()

// -----

// Recursion passes a value on and on in vain.
// CHECK-LABEL: private @again(%{{.*}}: i1)
// CHECK: call @again(%{{.*}}) : (i1) -> ()
func.func private @again(%c: i1, %x: i32) -> i32 {
  "test.effect"() : () -> ()
  %r = scf.if %c -> i32 {
    %0 = func.call @again(%c, %x) : (i1, i32) -> i32
    scf.yield %0 : i32
  } else {
    scf.yield %x : i32
  }
  return %r : i32
}
func.func @main(%c: i1, %x: i32) {
  %0 = call @again(%c, %x) : (i1, i32) -> i32
  return
}

// -----

// Around a cycle of blocks.
// CHECK-LABEL: @cycle
// CHECK: cf.br ^[[A:[a-z0-9_]+]]{{$}}
// CHECK: ^[[A]]:
// CHECK-NEXT: cf.cond_br %c, ^[[A]], ^[[B:[a-z0-9_]+]]
// CHECK: ^[[B]]:
// CHECK-NEXT: return
func.func @cycle(%c: i1) {
  %0 = arith.constant 0 : i32
  cf.br ^a(%0 : i32)
^a(%1: i32):
  %2 = arith.addi %1, %1 : i32
  cf.cond_br %c, ^a(%2 : i32), ^b(%1 : i32)
^b(%3: i32):
  return
}

// -----

// What a loop carries in vain; the loop itself stays for its effects.
// CHECK-LABEL: @for
// CHECK: [[R:%.+]] = scf.for {{.*}} iter_args([[A:%.+]] = %x) -> (i32) {
// CHECK-NEXT: [[N:%.+]] = arith.addi [[A]], [[A]]
// CHECK-NEXT: scf.yield [[N]] : i32
// POISON-LABEL: @for
// POISON: [[P:%.+]] = ub.poison : i32
// POISON: scf.for {{.*}} iter_args(%{{.*}} = %x, %{{.*}} = [[P]]) -> (i32, i32) {
// POISON: [[Q:%.+]] = ub.poison : i32
// POISON: scf.yield %{{.*}}, [[Q]] : i32, i32
func.func @for(%x: i32, %m: index, %n: index) -> i32 {
  %r:2 = scf.for %i = %m to %n step %n iter_args(%a = %x, %b = %x) -> (i32, i32) {
    %0 = arith.addi %a, %a : i32
    %1 = arith.muli %b, %a : i32
    scf.yield %0, %1 : i32, i32
  }
  return %r#0 : i32
}

// -----

// Both sides of a while loop shrink on their own.
// CHECK-LABEL: @while
// CHECK: scf.while ([[A:%.+]] = %x) : (i32) -> i32 {
// CHECK: scf.condition(%{{.*}}) [[A]] : i32
// CHECK: ^bb0([[B:%.+]]: i32):
// CHECK: scf.yield %{{.*}} : i32
func.func @while(%x: i32, %y: i32) {
  %r:2 = scf.while (%a = %x, %b = %y) : (i32, i32) -> (i32, i32) {
    %more = "test.more"(%a) : (i32) -> i1
    scf.condition(%more) %b, %a : i32, i32
  } do {
  ^bb0(%c: i32, %d: i32):
    %n = arith.addi %d, %d : i32
    scf.yield %n, %c : i32, i32
  }
  return
}

// -----

// Conditionals lose results; those without effects go.
// CHECK-LABEL: @if
// CHECK-NOT: memref.load
// CHECK: scf.if %c {
// CHECK-NEXT: memref.store
// CHECK-NEXT: }
func.func @if(%c: i1, %m: memref<i32>, %x: i32) {
  %0 = scf.if %c -> i32 {
    scf.yield %x : i32
  } else {
    scf.yield %x : i32
  }
  %1 = scf.if %c -> i32 {
    memref.store %x, %m[] : memref<i32>
    scf.yield %x : i32
  } else {
    scf.yield %0 : i32
  }
  return
}

// -----

// An affine loop with bounds that are operands.
// CHECK-LABEL: @affine
// CHECK: affine.for %{{.*}} = 0 to %n {
// CHECK-NEXT: "test.use"
func.func @affine(%n: index, %x: i32) {
  %r = affine.for %i = 0 to %n iter_args(%a = %x) -> (i32) {
    "test.use"(%i) : (index) -> ()
    affine.yield %a : i32
  }
  return
}

// -----

// Bodies of ops that nobody knows, or that pass values in their own way, keep what they yield.
// CHECK-LABEL: @other
// CHECK: arith.addf
// CHECK-NEXT: linalg.yield
// CHECK: arith.addi
// CHECK-NEXT: "foo.yield"
func.func @other(%a: tensor<?xf32>, %x: i32) -> tensor<?xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
    outs(%a : tensor<?xf32>) {
  ^bb0(%o: f32):
    %1 = arith.addf %o, %o : f32
    linalg.yield %1 : f32
  } -> tensor<?xf32>
  "foo.op"() ({
    %2 = arith.addi %x, %x : i32
    "foo.yield"(%2) : (i32) -> ()
  }) : () -> ()
  return %0 : tensor<?xf32>
}

// -----

// What is never reached is dead whatever it does.
// CHECK-LABEL: @unreached
// CHECK-NOT: test.effect
// CHECK: return
func.func @unreached(%x: i32) -> i32 {
  %false = arith.constant false
  cf.cond_br %false, ^a, ^b
^a:
  "test.effect"() : () -> ()
  %0 = arith.addi %x, %x : i32
  return %0 : i32
^b:
  return %x : i32
}
