// RUN: lamina-opt %s --fill-borders | filecheck %s

// Above and below whole rows are filled, then what is left beside the inner part.
// CHECK-LABEL: func.func @all_around
// CHECK: tensor.extract_slice %{{.*}}[0, 0, 0] [1, 9, 4] [1, 1, 1] : tensor<8x9x4xf32> to tensor<1x9x4xf32>
// CHECK: linalg.fill ins(%{{.*}} : f32) outs(%{{.*}} : tensor<1x9x4xf32>)
// CHECK: tensor.insert_slice
// CHECK: tensor.extract_slice %{{.*}}[7, 0, 0] [1, 9, 4] [1, 1, 1]
// CHECK: tensor.extract_slice %{{.*}}[1, 0, 0] [6, 1, 4] [1, 1, 1]
// CHECK: tensor.extract_slice %{{.*}}[1, 7, 0] [6, 2, 4] [1, 1, 1]
// CHECK: %[[IN:.*]] = linalg.fill ins(%{{.*}} : f32) outs(%{{.*}} : tensor<6x2x4xf32>)
// CHECK: %[[ALL:.*]] = tensor.insert_slice %[[IN]]
// CHECK: tensor.insert_slice %x into %[[ALL]][1, 1, 0] [6, 6, 4] [1, 1, 1]
func.func @all_around(%x: tensor<6x6x4xf32>, %out: tensor<8x9x4xf32>) -> tensor<8x9x4xf32> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<8x9x4xf32>) -> tensor<8x9x4xf32>
  %p = tensor.insert_slice %x into %f[1, 1, 0] [6, 6, 4] [1, 1, 1] : tensor<6x6x4xf32> into tensor<8x9x4xf32>
  return %p : tensor<8x9x4xf32>
}

// Left as they are: a small inner part, steps between rows, a fill with another user.
// CHECK-LABEL: func.func @left
// CHECK-COUNT-3: linalg.fill
// CHECK-NOT: linalg.fill
func.func @left(%x: tensor<2x2xf32>, %y: tensor<4x8xf32>, %z: tensor<7x8xf32>, %out: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %f0 = linalg.fill ins(%zero : f32) outs(%out : tensor<8x8xf32>) -> tensor<8x8xf32>
  %0 = tensor.insert_slice %x into %f0[1, 1] [2, 2] [1, 1] : tensor<2x2xf32> into tensor<8x8xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%out : tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = tensor.insert_slice %y into %f1[0, 0] [4, 8] [2, 1] : tensor<4x8xf32> into tensor<8x8xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%out : tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = tensor.insert_slice %z into %f2[1, 0] [7, 8] [1, 1] : tensor<7x8xf32> into tensor<8x8xf32>
  return %0, %1, %2, %f2 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}
