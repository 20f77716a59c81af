// RUN: lamina-opt %s | lamina-opt | filecheck %s

#trait = {
  indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]
}

// CHECK-LABEL: func.func @several_results
// CHECK: linalg.generic {indexing_maps = [{{.*}}], iterator_types = ["parallel"]} ins(%a : tensor<4xf32>)
// CHECK-SAME: outs(%b, %c : tensor<4xf32>, tensor<4xi64>) attrs = {{ *}}{note = 1 : i64}
// CHECK: } -> (tensor<4xf32>, tensor<4xi64>)
func.func @several_results(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xi64>)
    -> (tensor<4xf32>, tensor<4xi64>) {
  %0:2 = linalg.generic #trait ins(%a : tensor<4xf32>) outs(%b, %c : tensor<4xf32>, tensor<4xi64>)
      attrs = {note = 1 : i64} {
  ^bb0(%x: f32, %y: f32, %z: i64):
    linalg.yield %x, %z : f32, i64
  } -> (tensor<4xf32>, tensor<4xi64>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xi64>
}

// CHECK-LABEL: func.func @no_results_on_buffers
// CHECK: outs(%b, %c : memref<4xf32>, memref<4xi64>) {
func.func @no_results_on_buffers(%a: memref<4xf32>, %b: memref<4xf32>, %c: memref<4xi64>) {
  linalg.generic #trait ins(%a : memref<4xf32>) outs(%b, %c : memref<4xf32>, memref<4xi64>) {
  ^bb0(%x: f32, %y: f32, %z: i64):
    linalg.yield %x, %z : f32, i64
  }
  return
}
