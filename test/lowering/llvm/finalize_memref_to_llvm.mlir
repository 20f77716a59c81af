// RUN: lamina-opt %s --finalize-memref-to-llvm | filecheck %s

// CHECK: llvm.mlir.global external constant @w() {alignment = 64 : i64, lamina.value = dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>} : !llvm.array<2 x f32>
memref.global "private" constant @w : memref<2xf32> = dense<[1.0, 2.0]> {alignment = 64 : i64}

// CHECK-LABEL: func.func @constant
// CHECK:         %[[P:.*]] = llvm.mlir.addressof @w : !llvm.ptr
// CHECK:         %[[Q:.*]] = llvm.getelementptr inbounds|nuw %[[P]][1] : (!llvm.ptr) -> !llvm.ptr, f32
// CHECK-NEXT:    llvm.load %[[Q]] : !llvm.ptr -> f32
func.func @constant() -> f32 {
  %c1 = arith.constant 1 : index
  %m = memref.get_global @w : memref<2xf32>
  %x = memref.load %m[%c1] : memref<2xf32>
  return %x : f32
}

// CHECK-LABEL: func.func @streaming_store
// CHECK:         llvm.getelementptr inbounds|nuw %{{.*}}[%{{.*}}, 0] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<8 x f32>
// CHECK-NEXT:    llvm.store %v, %{{.*}} {nontemporal} : f32, !llvm.ptr
func.func @streaming_store(%m: memref<4x8xf32>, %i: index, %v: f32) {
  %c0 = arith.constant 0 : index
  memref.store %v, %m[%i, %c0] {nontemporal = true} : memref<4x8xf32>
  return
}

// A strided memref: offset, then index times stride.
// CHECK-LABEL: func.func @strided
// CHECK-DAG:     %[[S:.*]] = llvm.extractvalue %{{.*}}[4, 0]
// CHECK-DAG:     %[[O:.*]] = llvm.extractvalue %{{.*}}[2]
// CHECK:         %[[B:.*]] = llvm.getelementptr %{{.*}}[%[[O]]] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK:         %[[T:.*]] = llvm.mul %[[I:.*]], %[[S]] overflow<nsw, nuw> : i64
// CHECK:         %[[L:.*]] = llvm.add %[[T]], %{{.*}} overflow<nsw, nuw> : i64
// CHECK:         llvm.getelementptr inbounds|nuw %[[B]][%[[L]]] : (!llvm.ptr, i64) -> !llvm.ptr, f32
func.func @strided(%m: memref<?x8xf32, strided<[?, 1], offset: ?>>, %i: index) -> f32 {
  %x = memref.load %m[%i, %i] : memref<?x8xf32, strided<[?, 1], offset: ?>>
  return %x : f32
}

// CHECK-LABEL: func.func @view
// CHECK:         %[[P:.*]] = llvm.getelementptr inbounds|nuw %{{.*}}[64] : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK:         llvm.load %[[P]] : !llvm.ptr -> f32
func.func @view(%arena: memref<128xi8>) -> f32 {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %m = memref.view %arena[%c64][] : memref<128xi8> to memref<4xf32>
  %x = memref.load %m[%c0] : memref<4xf32>
  return %x : f32
}

// Contiguous copies are one block copy, of whatever size.
// CHECK-LABEL: func.func @copy
// CHECK:         llvm.mul %{{.*}}, %{{.*}} overflow<nsw, nuw> : i64
// CHECK:         "llvm.intr.memcpy"(%{{.*}}, %{{.*}}, %{{.*}}) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr, i64) -> ()
func.func @copy(%a: memref<?x4xf32>, %b: memref<?x4xf32>) {
  memref.copy %a, %b : memref<?x4xf32> to memref<?x4xf32>
  return
}

// CHECK-LABEL: func.func @allocation
// CHECK:         %[[M:.*]] = llvm.call @malloc(%{{.*}}) : (i64) -> !llvm.ptr
// CHECK:         llvm.getelementptr %[[M]][%{{.*}}] : (!llvm.ptr, i64) -> !llvm.ptr, i8
// CHECK:         llvm.call @free(%[[M]]) : (!llvm.ptr) -> ()
func.func @allocation(%n: index) {
  %m = memref.alloc(%n) {alignment = 64 : i64} : memref<?xf32>
  memref.dealloc %m : memref<?xf32>
  return
}

// CHECK-LABEL: func.func @prefetch
// CHECK:         %[[P:.*]] = llvm.getelementptr inbounds|nuw %{{.*}}[%{{.*}}, 0] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<8 x f32>
// CHECK-NEXT:    "llvm.intr.prefetch"(%[[P]]) <{cache = 1 : i32, hint = 2 : i32, rw = 0 : i32}> : (!llvm.ptr) -> ()
func.func @prefetch(%m: memref<4x8xf32>, %i: index) {
  %c0 = arith.constant 0 : index
  memref.prefetch %m[%i, %c0], read, locality<2>, data : memref<4x8xf32>
  return
}
