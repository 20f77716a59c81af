// RUN: lamina-opt %s --mlir-print-local-scope --inline --allow-unregistered-dialect --split-input-file | filecheck %s
// RUN: lamina-opt %s --mlir-print-local-scope --inline --allow-unregistered-dialect --split-input-file --mlir-print-debuginfo | filecheck %s --check-prefix=LOC

// Callees are inlined first; private functions that are not used any more go.
// CHECK-LABEL: attributes {case.chain}
// CHECK-NEXT: func.func @main(%x: f32) -> f32
// CHECK-NEXT: arith.addf
// CHECK-NEXT: arith.mulf
// CHECK-NEXT: return
// LOC: arith.addf {{.*}} loc(callsite(callsite({{.*}} at {{.*}}) at
module attributes {case.chain} {
  func.func @main(%x: f32) -> f32 {
    %0 = func.call @outer(%x) : (f32) -> f32
    return %0 : f32
  }
  func.func private @outer(%x: f32) -> f32 {
    %0 = func.call @inner(%x) : (f32) -> f32
    %1 = arith.mulf %0, %0 : f32
    return %1 : f32
  }
  func.func private @inner(%x: f32) -> f32 {
    %0 = arith.addf %x, %x : f32
    return %0 : f32
  }
}

// -----

// CHECK-LABEL: attributes {case.recursion}
// CHECK: func.func private @self
// CHECK-NEXT: call @self
// CHECK: func.func @main
// CHECK-NEXT: call @self
module attributes {case.recursion} {
  func.func private @self(%x: i32) -> i32 {
    %0 = func.call @self(%x) : (i32) -> i32
    return %0 : i32
  }
  func.func @main(%x: i32) -> i32 {
    %0 = func.call @self(%x) : (i32) -> i32
    return %0 : i32
  }
}

// -----

// CHECK-LABEL: attributes {case.kept}
// CHECK: func.func @main
// CHECK-NEXT: call @declared
// CHECK-NEXT: call @unknown
// CHECK-NEXT: call @marked
module attributes {case.kept} {
  func.func private @declared(i32) -> ()
  func.func private @unknown(%x: i32) {
    "foo.op"(%x) : (i32) -> ()
    return
  }
  func.func private @marked(%x: i32) attributes {no_inline} {
    return
  }
  func.func @main(%x: i32) {
    func.call @declared(%x) : (i32) -> ()
    func.call @unknown(%x) : (i32) -> ()
    func.call @marked(%x) : (i32) -> ()
    return
  }
}

// -----

// A callee of several blocks fits into a function's body, not into a region of one block.
// CHECK-LABEL: attributes {case.blocks}
// CHECK: func.func @body
// CHECK-NEXT: "test.before"
// CHECK-NEXT: cf.cond_br
// CHECK: cf.br
// CHECK: ^bb3([[R:%.*]]: i32):
// CHECK-NEXT: return [[R]]
// CHECK: func.func @nested
// CHECK: scf.if
// CHECK-NEXT: call @choose
module attributes {case.blocks} {
  func.func private @choose(%c: i1, %x: i32, %m: memref<i32>) -> i32 {
    cf.cond_br %c, ^yes, ^no
  ^yes:
    memref.store %x, %m[] : memref<i32>
    return %x : i32
  ^no:
    %0 = memref.load %m[] : memref<i32>
    return %0 : i32
  }
  func.func @body(%c: i1, %x: i32, %m: memref<i32>) -> i32 {
    "test.before"() : () -> ()
    %0 = func.call @choose(%c, %x, %m) : (i1, i32, memref<i32>) -> i32
    return %0 : i32
  }
  func.func @nested(%c: i1, %x: i32, %m: memref<i32>) -> i32 {
    %0 = scf.if %c -> (i32) {
      %1 = func.call @choose(%c, %x, %m) : (i1, i32, memref<i32>) -> i32
      scf.yield %1 : i32
    } else {
      scf.yield %x : i32
    }
    return %0 : i32
  }
}
