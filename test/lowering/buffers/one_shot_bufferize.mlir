// RUN: lamina-opt %s --split-input-file --one-shot-bufferize=bufferize-function-boundaries | filecheck %s

// A kernel writes into its destination, and its caller passes a buffer.

func.func private @kernel(%x: tensor<4xf32>, %out: tensor<4xf32> {bufferization.writable = true}) -> tensor<4xf32> attributes {lamina.dispatch} {
  %r = linalg.exp ins(%x : tensor<4xf32>) outs(%out : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32> {nn.name = "x"}) -> (tensor<4xf32> {nn.name = "y"}) {
  %e = tensor.empty() : tensor<4xf32>
  %r = call @kernel(%x, %e) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK:      func.func private @kernel(%x: memref<4xf32>, %out: memref<4xf32> {bufferization.writable = true}) attributes {lamina.dispatch} {
// CHECK-NEXT:   linalg.exp ins(%x : memref<4xf32>) outs(%out : memref<4xf32>)
// CHECK-NEXT:   return
// CHECK:      func.func @main(%x: memref<4xf32> {nn.name = "x"}) -> (memref<4xf32> {nn.name = "y"}) {
// CHECK-NEXT:   %e = memref.alloc() {alignment = 64 : i64} : memref<4xf32>
// CHECK-NEXT:   call @kernel(%x, %e) : (memref<4xf32>, memref<4xf32>) -> ()
// CHECK-NEXT:   return %e : memref<4xf32>

// -----

// A constant becomes a global, and is copied before it is updated.

func.func @constant(%v: f32, %i: index) -> tensor<2xf32> {
  %k = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %r = tensor.insert %v into %k[%i] : tensor<2xf32>
  return %r : tensor<2xf32>
}

// CHECK:      memref.global "private" constant @const_{{[0-9a-f]+}} : memref<2xf32> = dense<[1.000000e+00, 2.000000e+00]> {alignment = 64 : i64}
// CHECK:      %k = memref.get_global @const_{{[0-9a-f]+}} : memref<2xf32>
// CHECK-NEXT: %[[NEW:.*]] = memref.alloc() {alignment = 64 : i64} : memref<2xf32>
// CHECK-NEXT: memref.copy{{.*}}%k, %[[NEW]]
// CHECK-NEXT: memref.store %v, %[[NEW]][%i] : memref<2xf32>

// -----

// A tiled loop nest updates the destination it carries; the loops carry nothing afterwards.

func.func private @tiles(%x: tensor<8x8xf32>, %out: tensor<8x8xf32> {bufferization.writable = true}) -> tensor<8x8xf32> {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %pad = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %c8 step %c4 iter_args(%o = %out) -> (tensor<8x8xf32>) {
    %s = scf.for %j = %c0 to %c8 step %c4 iter_args(%p = %o) -> (tensor<8x8xf32>) {
      %v = vector.transfer_read %x[%i, %j], %pad {in_bounds = [true, true]} : tensor<8x8xf32>, vector<4x4xf32>
      %w = vector.transfer_write %v, %p[%i, %j] {in_bounds = [true, true]} : vector<4x4xf32>, tensor<8x8xf32>
      scf.yield %w : tensor<8x8xf32>
    }
    scf.yield %s : tensor<8x8xf32>
  }
  return %r : tensor<8x8xf32>
}

// CHECK:      func.func private @tiles(%x: memref<8x8xf32>, %out: memref<8x8xf32> {bufferization.writable = true}) {
// CHECK:      scf.for %i = %c0 to %c8 step %c4 {
// CHECK-NEXT:   scf.for %j = %c0 to %c8 step %c4 {
// CHECK-NEXT:     %v = vector.transfer_read %x[%i, %j], %pad {in_bounds = [true, true]} : memref<8x8xf32>, vector<4x4xf32>
// CHECK-NEXT:     vector.transfer_write %v, %out[%i, %j] {in_bounds = [true, true]} : vector<4x4xf32>, memref<8x8xf32>
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: return

// -----

// Padding: the slice of the destination is a view, and one strided copy is what the semantics ask for.

func.func private @pad(%x: tensor<2xf32>, %out: tensor<4xf32> {bufferization.writable = true}) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<4xf32>) -> tensor<4xf32>
  %r = tensor.insert_slice %x into %f[1] [2] [1] : tensor<2xf32> into tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK:      func.func private @pad
// CHECK:      linalg.fill ins(%zero : f32) outs(%out : memref<4xf32>)
// CHECK-NEXT: %[[V:.*]] = memref.subview %out[1] [2] [1] : memref<4xf32> to memref<2xf32, strided<[1], offset: 1>>
// CHECK-NEXT: memref.copy{{.*}}%x, %[[V]]
// CHECK-NEXT: return

// -----

// Branches that yield separate buffers hand on one of them.

func.func @branch(%p: i1, %v: f32) -> tensor<2xf32> {
  %r = scf.if %p -> (tensor<2xf32>) {
    %a = tensor.splat %v : tensor<2xf32>
    scf.yield %a : tensor<2xf32>
  } else {
    %b = tensor.from_elements %v, %v : tensor<2xf32>
    scf.yield %b : tensor<2xf32>
  }
  return %r : tensor<2xf32>
}

// CHECK:      %r = scf.if %p -> (memref<2xf32>) {
// CHECK:        scf.yield %a : memref<2xf32>
// CHECK-NEXT: } else {
// CHECK:        scf.yield %b : memref<2xf32>
// CHECK-NEXT: }
// CHECK-NEXT: return %r : memref<2xf32>
