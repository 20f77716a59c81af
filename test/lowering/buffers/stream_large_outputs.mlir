// RUN: lamina-opt %s --stream-large-outputs=least-bytes=4096 | filecheck %s

// A loop that copies lane by lane begins at a line of the output's row, with the elements before and after
// the lines under a mask; a fence ends the kernel.
// CHECK-LABEL: func.func private @copy
// CHECK: scf.for %[[ROW:[^ ]*]] =
// CHECK: %[[AT:[^ ]*]] = memref.extract_aligned_pointer_as_index %{{.*}} : memref<32x64xf32> -> index
// CHECK: %[[BEFORE:[^ ]*]] = arith.minsi
// CHECK: vector.create_mask %[[BEFORE]] : vector<16xi1>
// CHECK: vector.maskedload %{{.*}}[%[[ROW]], %c0]
// CHECK: vector.maskedstore %{{.*}}[%[[ROW]], %c0]
// CHECK: scf.for %[[I:[^ ]*]] = %[[BEFORE]] to %[[END:[^ ]*]] step %c16
// CHECK: vector.load %{{.*}}[%[[ROW]], %[[I]]] : memref<32x64xf32>, vector<16xf32>
// CHECK: vector.store %{{.*}}[%[[ROW]], %[[I]]] {alignment = 64 : i64, nontemporal = true}
// CHECK: vector.maskedstore %{{.*}}[%[[ROW]], %[[END]]]
// CHECK: llvm.fence seq_cst
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

// Wide vectors are followed by single lines, and the last iteration need not start early any more.
// CHECK-LABEL: func.func private @wide
// CHECK: vector.maskedstore
// CHECK: scf.for %{{.*}} step %c64
// CHECK: math.exp %{{.*}} : vector<64xf32>
// CHECK: vector.store %{{.*}} {alignment = 64 : i64, nontemporal = true} : memref<1030xf32>, vector<64xf32>
// CHECK: scf.for %{{.*}} step %c16
// CHECK: math.exp %{{.*}} : vector<16xf32>
// CHECK: vector.store %{{.*}} {alignment = 64 : i64, nontemporal = true} : memref<1030xf32>, vector<16xf32>
// CHECK: vector.maskedstore
func.func private @wide(%x: memref<1030xf32>, %y: memref<1030xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c966 = arith.constant 966 : index
  %c1030 = arith.constant 1030 : index
  scf.for %i = %c0 to %c1030 step %c64 {
    %j = arith.minsi %i, %c966 : index
    %v = vector.load %x[%j] : memref<1030xf32>, vector<64xf32>
    %e = math.exp %v : vector<64xf32>
    vector.store %e, %y[%j] : memref<1030xf32>, vector<64xf32>
  }
  return
}

// A tile that is more than lanes moves to a line as a whole; a loop before it does the first and the last one.
// CHECK-LABEL: func.func private @pairs
// CHECK: %[[IS_BEFORE:[^ ]*]] = arith.cmpi ne
// CHECK: scf.for
// CHECK: vector.store
// CHECK-NOT: nontemporal
// CHECK: scf.for %{{.*}} step %c16
// CHECK: vector.shuffle
// CHECK: vector.store %{{.*}} {alignment = 64 : i64, nontemporal = true} : memref<64x64xf32>, vector<16xf32>
func.func private @pairs(%x: memref<64x64xf32>, %y: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c63 = arith.constant 63 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c64 step %c16 {
    scf.for %j = %c0 to %c63 step %c1 {
      %k = arith.addi %i, %c1 : index
      %v = vector.load %x[%j, %i] : memref<64x64xf32>, vector<16xf32>
      %w = vector.load %x[%j, %i] : memref<64x64xf32>, vector<16xf32>
      %s = vector.shuffle %v, %w [0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23] : vector<16xf32>, vector<16xf32>
      vector.store %s, %y[%j, %i] : memref<64x64xf32>, vector<16xf32>
    }
  }
  return
}

// A small kernel, an output that is read again, a position that decides more than a place, rows of tiles that
// begin at odd places, and vectors of half a line that do not follow each other keep ordinary stores.
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
func.func private @halves(%y: memref<64x64xf32>, %v: vector<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  scf.for %j = %c0 to %c64 step %c8 {
    scf.for %i = %c0 to %c64 step %c1 {
      vector.store %v, %y[%i, %j] : memref<64x64xf32>, vector<8xf32>
    }
  }
  return
}
func.func private @numbered(%y: memref<4096xf32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c4096 = arith.constant 4096 : index
  scf.for %j = %c0 to %c4096 step %c16 {
    %n = arith.index_cast %j : index to i32
    %f = arith.sitofp %n : i32 to f32
    %v = vector.broadcast %f : f32 to vector<16xf32>
    vector.store %v, %y[%j] : memref<4096xf32>, vector<16xf32>
  }
  return
}
