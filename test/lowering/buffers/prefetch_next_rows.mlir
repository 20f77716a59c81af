// RUN: lamina-opt %s --prefetch-next-rows | filecheck %s
// RUN: lamina-opt %s --prefetch-next-rows=l2-bytes=8192 | filecheck %s --check-prefix=NARROW

// The pass over a row that computes most asks for the next one, two lines a step. Of the last row, for itself.
// CHECK-LABEL: @rows
// CHECK: scf.for [[I:%.*]] =
// CHECK: [[AHEAD:%.*]] = arith.addi [[I]]
// CHECK: [[LAST:%.*]] = arith.constant 511 : index
// CHECK: [[NEXT:%.*]] = arith.minsi [[AHEAD]], [[LAST]]
// CHECK: scf.for
// CHECK-NOT: memref.prefetch
// CHECK: scf.for [[J:%.*]] =
// CHECK: memref.prefetch %x[[[NEXT]], [[J]]], read, locality<2>, data : memref<512x1024xf32>
// CHECK: arith.addi [[J]]
// CHECK: memref.prefetch %x[[[NEXT]],
// CHECK-NOT: memref.prefetch
// Four rows do not fit into a cache of 8 KiB.
// NARROW-LABEL: @rows
// NARROW-NOT: memref.prefetch
func.func private @rows(%x: memref<512x1024xf32>, %y: memref<512x1024xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c512 = arith.constant 512 : index
  %c1024 = arith.constant 1024 : index
  %zero = arith.constant 0.0 : f32
  %none = arith.constant dense<0.0> : vector<32xf32>
  scf.for %i = %c0 to %c512 step %c1 {
    %sum = scf.for %j = %c0 to %c1024 step %c32 iter_args(%held = %none) -> (vector<32xf32>) {
      %v = vector.transfer_read %x[%i, %j], %zero {in_bounds = [true]} : memref<512x1024xf32>, vector<32xf32>
      %more = arith.addf %held, %v : vector<32xf32>
      scf.yield %more : vector<32xf32>
    }
    scf.for %j = %c0 to %c1024 step %c32 {
      %v = vector.transfer_read %x[%i, %j], %zero {in_bounds = [true]} : memref<512x1024xf32>, vector<32xf32>
      %d = arith.subf %v, %sum : vector<32xf32>
      %e = math.exp %d : vector<32xf32>
      vector.transfer_write %e, %y[%i, %j] {in_bounds = [true]} : vector<32xf32>, memref<512x1024xf32>
    } {lamina.parallel}
  } {lamina.parallel}
  return
}

// One pass over a row: the processor reads ahead by itself.
// CHECK-LABEL: @one_pass
// CHECK-NOT: memref.prefetch
func.func private @one_pass(%x: memref<512x1024xf32>, %y: memref<512xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c512 = arith.constant 512 : index
  %c1024 = arith.constant 1024 : index
  %none = arith.constant 0.0 : f32
  scf.for %i = %c0 to %c512 step %c1 {
    %sum = scf.for %j = %c0 to %c1024 step %c1 iter_args(%held = %none) -> (f32) {
      %v = memref.load %x[%i, %j] : memref<512x1024xf32>
      %more = arith.addf %held, %v : f32
      scf.yield %more : f32
    }
    memref.store %sum, %y[%i] : memref<512xf32>
  } {lamina.parallel}
  return
}
