// RUN: lamina-opt %s --annotate-entry | filecheck %s

// The buffers of an entry get their types as tensors; other arguments stay as they are.
// CHECK-LABEL: func.func @entry
// CHECK-SAME: memref<1x4xf32> {lamina.type = tensor<1x4xf32>, nn.name = "x"}
// CHECK-SAME: i64
// CHECK-SAME: memref<?xi8> {lamina.type = tensor<?xi8>}
func.func @entry(%x: memref<1x4xf32> {nn.name = "x"}, %n: i64, %y: memref<?xi8>) {
  return
}

// A type that is there stays.
// CHECK-LABEL: func.func @annotated
// CHECK-SAME: memref<4xf32> {lamina.type = tensor<2x2xf32>}
func.func @annotated(%x: memref<4xf32> {lamina.type = tensor<2x2xf32>}) {
  return
}

// Private functions are no entries.
// CHECK-LABEL: func.func private @dispatch
// CHECK-NOT: lamina.type
func.func private @dispatch(%x: memref<4xf32>) {
  return
}
