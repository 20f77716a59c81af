// RUN: lamina-opt %s --stream-large-outputs=least-bytes=4096 | filecheck %s

// Rows whose pieces follow each other are streamed where the output is aligned; a fence ends the variant.
// CHECK-LABEL: func.func private @copy
// CHECK: %[[AT:.*]] = memref.extract_aligned_pointer_as_index %{{.*}} : memref<32x64xf32> -> index
// CHECK: arith.andi
// CHECK: %[[ALIGNED:.*]] = arith.cmpi eq
// CHECK: scf.if %[[ALIGNED]] {
// CHECK: vector.load %{{.*}} : memref<32x64xf32>, vector<16xf32>
// CHECK: vector.store %{{.*}} {alignment = 16 : i64, nontemporal = true} : memref<32x64xf32>, vector<16xf32>
// CHECK: llvm.fence seq_cst
// CHECK: } else {
// CHECK-NOT: nontemporal
// CHECK: vector.store
func.func private @copy(%x: memref<32x64xf32>, %y: memref<32x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c32 step %c1 {
    scf.for %j = %c0 to %c64 step %c16 {
      %v = vector.load %x[%i, %j] : memref<32x64xf32>, vector<16xf32>
      vector.store %v, %y[%i, %j] : memref<32x64xf32>, vector<16xf32>
    }
  }
  return
}

// A small kernel, rows that begin at odd places, an output that is read again, columns of lines, and a last
// tile that starts early keep ordinary stores.
// CHECK-LABEL: func.func private @small
// CHECK-NOT: nontemporal
func.func private @small(%y: memref<64xf32>, %v: vector<16xf32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  scf.for %j = %c0 to %c64 step %c16 {
    vector.store %v, %y[%j] : memref<64xf32>, vector<16xf32>
  }
  return
}
func.func private @odd_rows(%y: memref<64x65xf32>, %v: vector<16xf32>, %i: index) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  scf.for %j = %c0 to %c64 step %c16 {
    vector.store %v, %y[%i, %j] : memref<64x65xf32>, vector<16xf32>
  }
  return
}
func.func private @read_again(%y: memref<4096xf32>, %v: vector<16xf32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c4096 = arith.constant 4096 : index
  scf.for %j = %c0 to %c4096 step %c16 {
    %w = vector.load %y[%j] : memref<4096xf32>, vector<16xf32>
    vector.store %w, %y[%j] : memref<4096xf32>, vector<16xf32>
  }
  return
}
func.func private @columns(%y: memref<64x64xf32>, %v: vector<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c64 step %c1 {
    vector.store %v, %y[%i, %c0] : memref<64x64xf32>, vector<16xf32>
  }
  return
}
func.func private @early(%y: memref<1030xf32>, %v: vector<16xf32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c1014 = arith.constant 1014 : index
  %c1030 = arith.constant 1030 : index
  scf.for %i = %c0 to %c1030 step %c16 {
    %j = arith.minsi %i, %c1014 : index
    vector.store %v, %y[%j] : memref<1030xf32>, vector<16xf32>
  }
  return
}
