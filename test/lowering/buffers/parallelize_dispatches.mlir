// RUN: lamina-opt %s --parallelize-dispatches="least-cycles=100" | filecheck %s

// The last iteration writes what the one before it wrote: both are in one chunk (5 iterations, chunks of 3).
// The scratch that only the loop uses becomes one buffer for each chunk.
// CHECK-LABEL: func.func private @overlapping
// CHECK: [[SHELF:%.*]] = memref.alloc() {alignment = 64 : i64} : memref<128xi8>
// CHECK-NEXT: call @overlapping_parallel_0({{.*}}, [[SHELF]])
// CHECK-NEXT: return
// CHECK: func.func private @overlapping_parallel_0({{.*}}) attributes {lamina.parallel = 2 : i64}
// CHECK: scf.for [[CHUNK:%.*]] = %c0 to %c2 step %c1 {
// CHECK-NEXT: call @overlapping_parallel_0_chunk([[CHUNK]]
// CHECK: func.func private @overlapping_parallel_0_chunk({{.*}}) attributes {lamina.chunk}
// CHECK: [[OFFSET:%.*]] = arith.muli {{%.*}}, %c64 : index
// CHECK: memref.view {{%.*}}[[[OFFSET]]][] : memref<128xi8> to memref<8xf32>
// CHECK: arith.muli {{%.*}}, %c24 : index
// CHECK: arith.minsi {{%.*}}, %c36 : index
func.func private @overlapping(%x: memref<36xf32>, %y: memref<36xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c28 = arith.constant 28 : index
  %c36 = arith.constant 36 : index
  %zero = arith.constant 0.0 : f32
  %scratch = memref.alloc() : memref<8xf32>
  scf.for %i = %c0 to %c36 step %c8 {
    %at = arith.minsi %i, %c28 : index
    %v = vector.transfer_read %x[%at], %zero {in_bounds = [true]} : memref<36xf32>, vector<8xf32>
    %e = math.exp %v : vector<8xf32>
    vector.transfer_write %e, %scratch[%c0] {in_bounds = [true]} : vector<8xf32>, memref<8xf32>
    %w = vector.transfer_read %scratch[%c0], %zero {in_bounds = [true]} : memref<8xf32>, vector<8xf32>
    vector.transfer_write %w, %y[%at] {in_bounds = [true]} : vector<8xf32>, memref<36xf32>
  } {lamina.parallel}
  return
}

// A loop that is not marked, one with too little work, and one in a public function stay.
// CHECK-LABEL: func.func private @unmarked
// CHECK-NOT: call
func.func private @unmarked(%x: memref<1024xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1024 = arith.constant 1024 : index
  scf.for %i = %c0 to %c1024 step %c1 {
    memref.store %v, %x[%i] : memref<1024xf32>
  }
  return
}
// CHECK-LABEL: func.func private @short
// CHECK-NOT: call
func.func private @short(%x: memref<16xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  scf.for %i = %c0 to %c16 step %c1 {
    memref.store %v, %x[%i] : memref<16xf32>
  } {lamina.parallel}
  return
}

// What has no vector form is split along its outermost independent loop.
// CHECK-LABEL: func.func private @generic
// CHECK: call @generic_parallel_0(
func.func private @generic(%x: memref<64x64xf32>, %y: memref<64xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>],
    iterator_types = ["parallel", "reduction"]} ins(%x : memref<64x64xf32>) outs(%y : memref<64xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  }
  return
}

// What one loop leaves for the next has a place of its own for each iteration: both loops are split. A buffer that each
// iteration of a loop writes anew, and that something else uses as well, forbids it.
// CHECK-LABEL: func.func private @in_stages
// CHECK: [[BETWEEN:%.*]] = memref.alloc() : memref<64x8xf32>
// CHECK: call @in_stages_parallel_0({{.*}}[[BETWEEN]]{{.*}})
// CHECK-NEXT: call @in_stages_parallel_1({{.*}}[[BETWEEN]]{{.*}})
// CHECK-NEXT: scf.for
// CHECK-NOT: call
// CHECK: return
func.func private @in_stages(%x: memref<64x8xf32>, %y: memref<64x8xf32>, %z: memref<64x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %between = memref.alloc() : memref<64x8xf32>
  %row = memref.alloc() : memref<8xf32>
  scf.for %i = %c0 to %c64 step %c1 {
    %v = vector.transfer_read %x[%i, %c0], %zero {in_bounds = [true]} : memref<64x8xf32>, vector<8xf32>
    %e = math.exp %v : vector<8xf32>
    vector.transfer_write %e, %between[%i, %c0] {in_bounds = [true]} : vector<8xf32>, memref<64x8xf32>
  } {lamina.parallel}
  scf.for %i = %c0 to %c64 step %c1 {
    %v = vector.transfer_read %between[%i, %c0], %zero {in_bounds = [true]} : memref<64x8xf32>, vector<8xf32>
    %e = math.exp %v : vector<8xf32>
    vector.transfer_write %e, %y[%i, %c0] {in_bounds = [true]} : vector<8xf32>, memref<64x8xf32>
  } {lamina.parallel}
  scf.for %i = %c0 to %c64 step %c1 {
    %v = vector.transfer_read %x[%i, %c0], %zero {in_bounds = [true]} : memref<64x8xf32>, vector<8xf32>
    vector.transfer_write %v, %row[%c0] {in_bounds = [true]} : vector<8xf32>, memref<8xf32>
    %w = vector.transfer_read %row[%c0], %zero {in_bounds = [true]} : memref<8xf32>, vector<8xf32>
    %e = math.exp %w : vector<8xf32>
    vector.transfer_write %e, %z[%i, %c0] {in_bounds = [true]} : vector<8xf32>, memref<64x8xf32>
  } {lamina.parallel}
  %last = memref.load %row[%c0] : memref<8xf32>
  memref.store %last, %z[%c0, %c0] : memref<64x8xf32>
  return
}
