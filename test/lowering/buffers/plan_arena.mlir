// RUN: lamina-opt %s --one-shot-bufferize=bufferize-function-boundaries --buffer-results-to-out-params --plan-arena | filecheck %s

// Three kernels in a row: the result is written by the last, the two values between share nothing, and the
// scratch buffer of a kernel is an argument that the caller's arena provides.

func.func private @exp(%x: tensor<16xf32>, %out: tensor<16xf32> {bufferization.writable = true}) -> tensor<16xf32> {
  %r = linalg.exp ins(%x : tensor<16xf32>) outs(%out : tensor<16xf32>) -> tensor<16xf32>
  return %r : tensor<16xf32>
}
func.func private @twice(%x: tensor<16xf32>, %out: tensor<16xf32> {bufferization.writable = true}) -> tensor<16xf32> {
  %e = tensor.empty() : tensor<16xf32>
  %s = linalg.exp ins(%x : tensor<16xf32>) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %r = linalg.exp ins(%s : tensor<16xf32>) outs(%out : tensor<16xf32>) -> tensor<16xf32>
  return %r : tensor<16xf32>
}
func.func @main(%x: tensor<16xf32> {nn.name = "x"}) -> (tensor<16xf32> {nn.name = "y"}) {
  %e = tensor.empty() : tensor<16xf32>
  %0 = call @exp(%x, %e) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %1 = call @twice(%0, %e) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %2 = call @exp(%1, %e) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  return %2 : tensor<16xf32>
}

// CHECK:      func.func private @twice(%x: memref<16xf32>, %out: memref<16xf32> {bufferization.writable = true}, %e: memref<16xf32> {lamina.scratch}) {
// CHECK:      func.func @main(%x: memref<16xf32> {nn.name = "x"}, %{{.*}}: memref<16xf32> {lamina.result = 0 : i64, nn.name = "y"}, %arena: memref<192xi8> {lamina.arena}) {
// CHECK-DAG:    %c0 = arith.constant 0 : index
// CHECK-DAG:    %c64 = arith.constant 64 : index
// CHECK-DAG:    %c128 = arith.constant 128 : index
// CHECK:        memref.view %arena[%{{c0|c64|c128}}][] : memref<192xi8> to memref<16xf32>
// CHECK-NOT:    memref.alloc
// CHECK:        call @exp(%x,
// CHECK:        call @twice(
// CHECK:        call @exp(
// CHECK-NEXT:   return
