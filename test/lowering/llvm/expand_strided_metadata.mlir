// RUN: lamina-opt %s --expand-strided-metadata | filecheck %s

// CHECK-LABEL: func.func @static_subview
// CHECK-NEXT:    %[[V:.*]] = memref.reinterpret_cast %m to offset: [12], sizes: [2, 4], strides: [16, 1]
// CHECK-NEXT:    return %[[V]]
func.func @static_subview(%m: memref<8x8xf32>) -> memref<2x4xf32, strided<[16, 1], offset: 12>> {
  %0 = memref.subview %m[1, 4] [2, 4] [2, 1] : memref<8x8xf32> to memref<2x4xf32, strided<[16, 1], offset: 12>>
  return %0 : memref<2x4xf32, strided<[16, 1], offset: 12>>
}

// Where dimensions of size 1 stay and go, the strides tell which.
// CHECK-LABEL: func.func @rank_reduced
// CHECK:         memref.reinterpret_cast %m to offset: [0], sizes: [1, 4], strides: [8, 1]
func.func @rank_reduced(%m: memref<2x8x8xf32>) -> memref<1x4xf32, strided<[8, 1]>> {
  %0 = memref.subview %m[0, 0, 0] [1, 1, 4] [1, 1, 1] : memref<2x8x8xf32> to memref<1x4xf32, strided<[8, 1]>>
  return %0 : memref<1x4xf32, strided<[8, 1]>>
}

// What the type leaves open is asked at run time.
// CHECK-LABEL: func.func @dynamic_collapse
// CHECK:         %[[M:.*]]:6 = memref.extract_strided_metadata %m
// CHECK-NEXT:    %[[N:.*]] = arith.muli %[[M]]#2, %[[M]]#3 : index
// CHECK-NEXT:    memref.reinterpret_cast %m to offset: [0], sizes: [%[[N]]], strides: [1]
func.func @dynamic_collapse(%m: memref<?x?xf32>) -> memref<?xf32> {
  %0 = memref.collapse_shape %m [[0, 1]] : memref<?x?xf32> into memref<?xf32>
  return %0 : memref<?xf32>
}

// CHECK-LABEL: func.func @expand
// CHECK:         memref.reinterpret_cast %m to offset: [0], sizes: [2, 4, 8], strides: [32, 8, 1]
func.func @expand(%m: memref<64xf32>) -> memref<2x4x8xf32> {
  %0 = memref.expand_shape %m [[0, 1, 2]] output_shape [2, 4, 8] : memref<64xf32> into memref<2x4x8xf32>
  return %0 : memref<2x4x8xf32>
}
