// RUN: lamina-opt %s --convert-vector-to-llvm | filecheck %s

// Accesses are aligned as the elements are, or as they say.
// CHECK-LABEL: func.func @alignment
// CHECK:         llvm.store %{{.*}}, %{{.*}} {alignment = 4 : i64} : vector<8xf32>, !llvm.ptr
// CHECK:         llvm.store %{{.*}}, %{{.*}} {alignment = 32 : i64, nontemporal} : vector<8xf32>, !llvm.ptr
func.func @alignment(%m: memref<64xf32>, %i: index, %v: vector<8xf32>) {
  vector.store %v, %m[%i] : memref<64xf32>, vector<8xf32>
  vector.store %v, %m[%i] {nontemporal = true, alignment = 32 : i64} : memref<64xf32>, vector<8xf32>
  return
}

// The lanes inside the memref are those below its size less the index.
// CHECK-LABEL: func.func @transfer
// CHECK:         %[[N:.*]] = llvm.sub %{{.*}}, %[[I:.*]] : i64
// CHECK:         %[[L:.*]] = llvm.intr.smin(%[[N]], %{{.*}}) : (i64, i64) -> i64
// CHECK:         %[[T:.*]] = llvm.trunc %[[L]] : i64 to i32
// CHECK:         %[[M:.*]] = llvm.icmp "sgt" %{{.*}}, %{{.*}} : vector<4xi32>
// CHECK:         llvm.getelementptr %{{.*}}[%{{.*}}, %[[I]]]
// CHECK:         llvm.intr.masked.load %{{.*}}, %[[M]], %{{.*}} {alignment = 4 : i32}
func.func @transfer(%m: memref<4x6xf32>, %i: index, %p: f32) -> vector<4xf32> {
  %v = vector.transfer_read %m[%i, %i], %p : memref<4x6xf32>, vector<4xf32>
  return %v : vector<4xf32>
}

// CHECK-LABEL: func.func @column
// CHECK:         %[[O:.*]] = llvm.mlir.constant(dense<[0, 6, 12, 18]> : vector<4xi64>) : vector<4xi64>
// CHECK:         %[[P:.*]] = llvm.getelementptr %{{.*}}[%[[O]]] : (!llvm.ptr, vector<4xi64>) -> vector<4x!llvm.ptr>, f32
// CHECK:         llvm.intr.masked.gather %[[P]]
func.func @column(%m: memref<4x6xf32>, %i: index, %p: f32) -> vector<4xf32> {
  %v = vector.transfer_read %m[%i, %i], %p {in_bounds = [true], permutation_map = affine_map<(d0, d1) -> (d0)>} : memref<4x6xf32>, vector<4xf32>
  return %v : vector<4xf32>
}

// Only the reductions that say so may be reordered.
// CHECK-LABEL: func.func @sums
// CHECK:         "llvm.intr.vector.reduce.fadd"(%a, %v) <{fastmathFlags = #llvm.fastmath<none>}>
// CHECK:         "llvm.intr.vector.reduce.fadd"(%a, %v) <{fastmathFlags = #llvm.fastmath<reassoc>}>
func.func @sums(%v: vector<4xf32>, %a: f32) -> (f32, f32) {
  %0 = vector.reduction <add>, %v, %a : vector<4xf32> into f32
  %1 = vector.reduction <add>, %v, %a fastmath<reassoc> : vector<4xf32> into f32
  return %0, %1 : f32, f32
}
