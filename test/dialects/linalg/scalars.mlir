// RUN: lamina-opt %s --linalg-generalize-named-ops | filecheck %s

// Scalars among the inputs of an elementwise operation are the same for every element.
func.func @scalars(%t: tensor<4xf32>, %f: f32) -> tensor<4xf32> {
  %0 = linalg.add ins(%t, %f : tensor<4xf32>, f32) outs(%t : tensor<4xf32>) -> tensor<4xf32>
  %1 = linalg.exp ins(%f : f32) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK:      #[[MAP:.*]] = affine_map<(d0) -> (d0)>
// CHECK-NEXT: #[[NONE:.*]] = affine_map<(d0) -> ()>
// CHECK:      linalg.generic {indexing_maps = [#[[MAP]], #[[NONE]], #[[MAP]]], iterator_types = ["parallel"]} ins(%t, %f : tensor<4xf32>, f32)
// CHECK:      linalg.generic {indexing_maps = [#[[NONE]], #[[MAP]]], iterator_types = ["parallel"]} ins(%f : f32)
