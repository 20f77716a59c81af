// RUN: lamina-opt %s --mlir-print-local-scope --convert-scf-to-cf | filecheck %s

// CHECK-LABEL: func.func @nested_loops
// CHECK:         cf.br ^[[OUTER:bb[0-9]+]](%lo, %z : index, f32)
// CHECK-NEXT:  ^[[OUTER]](%i: index, %a: f32):
// CHECK-NEXT:    %{{.*}} = arith.cmpi slt, %i, %hi : index
// CHECK-NEXT:    cf.cond_br %{{.*}}, ^[[BODY:bb[0-9]+]], ^[[END:bb[0-9]+]]
// CHECK-NEXT:  ^[[BODY]]:
// CHECK-NEXT:    cf.br ^[[INNER:bb[0-9]+]](%lo, %a : index, f32)
// CHECK-NEXT:  ^[[INNER]](%j: index, %b: f32):
// CHECK-NEXT:    %{{.*}} = arith.cmpi slt, %j, %hi : index
// CHECK-NEXT:    cf.cond_br %{{.*}}, ^[[ADD:bb[0-9]+]], ^[[NEXT:bb[0-9]+]]
// CHECK-NEXT:  ^[[ADD]]:
// CHECK-NEXT:    %c = arith.addf %b, %z : f32
// CHECK-NEXT:    %[[J:.*]] = arith.addi %j, %step : index
// CHECK-NEXT:    cf.br ^[[INNER]](%[[J]], %c : index, f32)
// CHECK-NEXT:  ^[[NEXT]]:
// CHECK-NEXT:    %[[I:.*]] = arith.addi %i, %step : index
// CHECK-NEXT:    cf.br ^[[OUTER]](%[[I]], %b : index, f32)
// CHECK-NEXT:  ^[[END]]:
// CHECK-NEXT:    return %a : f32
func.func @nested_loops(%lo: index, %hi: index, %step: index, %z: f32) -> f32 {
  %r = scf.for %i = %lo to %hi step %step iter_args(%a = %z) -> (f32) {
    %s = scf.for %j = %lo to %hi step %step iter_args(%b = %a) -> (f32) {
      %c = arith.addf %b, %z : f32
      scf.yield %c : f32
    }
    scf.yield %s : f32
  }
  return %r : f32
}

// CHECK-LABEL: func.func @if_without_else
// CHECK:         cf.cond_br %c, ^[[THEN:bb[0-9]+]], ^[[END:bb[0-9]+]]
// CHECK-NEXT:  ^[[THEN]]:
// CHECK-NEXT:    memref.store
// CHECK-NEXT:    cf.br ^[[END]]
// CHECK-NEXT:  ^[[END]]:
// CHECK-NEXT:    return
func.func @if_without_else(%c: i1, %m: memref<f32>, %v: f32) {
  scf.if %c {
    memref.store %v, %m[] : memref<f32>
  }
  return
}

// CHECK-LABEL: func.func @if_with_results
// CHECK:         cf.cond_br %c, ^[[THEN:bb[0-9]+]], ^[[ELSE:bb[0-9]+]]
// CHECK-NEXT:  ^[[THEN]]:
// CHECK-NEXT:    cf.br ^[[END:bb[0-9]+]](%a : f32)
// CHECK-NEXT:  ^[[ELSE]]:
// CHECK-NEXT:    cf.br ^[[END]](%b : f32)
// CHECK-NEXT:  ^[[END]](%{{.*}}: f32):
func.func @if_with_results(%c: i1, %a: f32, %b: f32) -> f32 {
  %r = scf.if %c -> (f32) {
    scf.yield %a : f32
  } else {
    scf.yield %b : f32
  }
  return %r : f32
}

// CHECK-LABEL: func.func @while
// CHECK:         cf.br ^[[BEFORE:bb[0-9]+]](%z : f32)
// CHECK-NEXT:  ^[[BEFORE]](%v: f32):
// CHECK-NEXT:    %more = arith.cmpf olt, %v, %n : f32
// CHECK-NEXT:    cf.cond_br %more, ^[[AFTER:bb[0-9]+]](%v : f32), ^[[END:bb[0-9]+]](%v : f32)
// CHECK-NEXT:  ^[[AFTER]](%w: f32):
// CHECK-NEXT:    %x = arith.addf %w, %w : f32
// CHECK-NEXT:    cf.br ^[[BEFORE]](%x : f32)
// CHECK-NEXT:  ^[[END]](%{{.*}}: f32):
func.func @while(%z: f32, %n: f32) -> f32 {
  %r = scf.while (%v = %z) : (f32) -> f32 {
    %more = arith.cmpf olt, %v, %n : f32
    scf.condition(%more) %v : f32
  } do {
  ^bb0(%w: f32):
    %x = arith.addf %w, %w : f32
    scf.yield %x : f32
  }
  return %r : f32
}

// A parallel loop runs in order; its reduction is carried along.
// CHECK-LABEL: func.func @parallel
// CHECK:         cf.br ^[[HEAD:bb[0-9]+]](%lo, %z : index, f32)
// CHECK-NEXT:  ^[[HEAD]](%i: index, %[[A:.*]]: f32):
// CHECK:         %x = memref.load %m[%i]
// CHECK-NEXT:    %s = arith.addf %[[A]], %x : f32
// CHECK-NEXT:    %[[I:.*]] = arith.addi %i, %step : index
// CHECK-NEXT:    cf.br ^[[HEAD]](%[[I]], %s : index, f32)
func.func @parallel(%lo: index, %hi: index, %step: index, %z: f32, %m: memref<8xf32>) -> f32 {
  %r = scf.parallel (%i) = (%lo) to (%hi) step (%step) init (%z) -> f32 {
    %x = memref.load %m[%i] : memref<8xf32>
    scf.reduce(%x : f32) {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      scf.reduce.return %s : f32
    }
  }
  return %r : f32
}

// A hint for the loop moves to the branch back.
// CHECK-LABEL: func.func @hint
// CHECK:         cf.br ^{{.*}} {llvm.loop_annotation = #llvm.loop_annotation<disableNonforced = true>}
func.func @hint(%lo: index, %hi: index, %step: index) {
  scf.for %i = %lo to %hi step %step {
  } {llvm.loop_annotation = #llvm.loop_annotation<disableNonforced = true>}
  return
}
