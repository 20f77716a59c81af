// RUN: lamina-opt %s --linalg-generalize-named-ops | filecheck %s

// CHECK: affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1 + d4, d2 + d5, d3)>

// CHECK-LABEL: @without_sign
// CHECK:         arith.extui %{{.*}} : i8 to i32
// CHECK-NEXT:    arith.extui %{{.*}} : i16 to i32
// CHECK:         arith.uitofp %{{.*}} : i8 to f32
// CHECK:         arith.fptoui %{{.*}} : f32 to i32
func.func @without_sign(%a: memref<4x4xi8>, %b: memref<4x4xi16>, %c: memref<4x4xi32>, %d: memref<4x4xf32>) {
  linalg.matmul {cast = #linalg.type_fn<cast_unsigned>} ins(%a, %b : memref<4x4xi8>, memref<4x4xi16>) outs(%c : memref<4x4xi32>)
  linalg.copy {cast = #linalg.type_fn<cast_unsigned>} ins(%a : memref<4x4xi8>) outs(%d : memref<4x4xf32>)
  linalg.copy {cast = #linalg.type_fn<cast_unsigned>} ins(%d : memref<4x4xf32>) outs(%c : memref<4x4xi32>)
  return
}

// CHECK-LABEL: @with_sign
// CHECK:         arith.extsi %{{.*}} : i8 to i32
// CHECK-NEXT:    arith.extsi %{{.*}} : i16 to i32
// CHECK:         arith.sitofp %{{.*}} : i8 to f32
// CHECK:         arith.fptosi %{{.*}} : f32 to i32
// CHECK-NEXT:    arith.fptosi %{{.*}} : f32 to i32
func.func @with_sign(%a: memref<4x4xi8>, %b: memref<4x4xi16>, %c: memref<4x4xi32>, %d: memref<4x4xf32>) {
  linalg.matmul ins(%a, %b : memref<4x4xi8>, memref<4x4xi16>) outs(%c : memref<4x4xi32>)
  linalg.copy ins(%a : memref<4x4xi8>) outs(%d : memref<4x4xf32>)
  linalg.matmul ins(%d, %d : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xi32>)
  return
}

// CHECK-LABEL: @strides_of_one
// CHECK:         linalg.generic
func.func @strides_of_one(%a: memref<1x4x4x1xf32>, %b: memref<2x2xf32>, %c: memref<1x3x3x1xf32>) {
  linalg.pooling_nhwc_sum ins(%a, %b : memref<1x4x4x1xf32>, memref<2x2xf32>) outs(%c : memref<1x3x3x1xf32>)
  return
}
