// RUN: lamina-opt %s --split-input-file --canonicalize | filecheck %s

// One value everywhere, in the final shape.
func.func @splat(%x: f32) -> (tensor<2x3x4xf32>, tensor<12xf32>) {
  %0 = tensor.splat %x : tensor<6x4xf32>
  %1 = tensor.expand_shape %0 [[0, 1], [2]] output_shape [2, 3, 4] : tensor<6x4xf32> into tensor<2x3x4xf32>
  %2 = tensor.splat %x : tensor<3x4xf32>
  %3 = tensor.collapse_shape %2 [[0, 1]] : tensor<3x4xf32> into tensor<12xf32>
  return %1, %3 : tensor<2x3x4xf32>, tensor<12xf32>
}
// CHECK-LABEL: @splat
// CHECK-NEXT: tensor.splat %{{.*}} : tensor<2x3x4xf32>
// CHECK-NEXT: tensor.splat %{{.*}} : tensor<12xf32>
// CHECK-NEXT: return

// -----

// A slice of lower rank that is cast to known sizes has these.
func.func @slice(%t: tensor<40x8xf32>, %i: index, %n: index) -> tensor<5xf32> {
  %0 = tensor.extract_slice %t[%i, 3] [%n, 1] [1, 1] : tensor<40x8xf32> to tensor<?xf32>
  %1 = tensor.cast %0 : tensor<?xf32> to tensor<5xf32>
  return %1 : tensor<5xf32>
}
// CHECK-LABEL: @slice
// CHECK-NEXT: tensor.extract_slice %{{.*}}[%{{.*}}, 3] [5, 1] [1, 1] : tensor<40x8xf32> to tensor<5xf32>
// CHECK-NEXT: return

// -----

// A cast of a tensor of any rank to what is known in the end.
func.func @unranked(%t: tensor<*xf32>) -> tensor<4x5xf32> {
  %0 = tensor.cast %t : tensor<*xf32> to tensor<?x5xf32>
  %1 = tensor.cast %0 : tensor<?x5xf32> to tensor<4x5xf32>
  return %1 : tensor<4x5xf32>
}
// CHECK-LABEL: @unranked
// CHECK-NEXT: tensor.cast %{{.*}} : tensor<*xf32> to tensor<4x5xf32>
// CHECK-NEXT: return

// -----

// A source that would leave the tensor where it goes stays cast.
func.func @out_of_bounds(%s: tensor<5xf32>, %t: tensor<10xf32>, %n: index) -> tensor<10xf32> {
  %0 = tensor.cast %s : tensor<5xf32> to tensor<?xf32>
  %1 = tensor.insert_slice %0 into %t[6] [%n] [1] : tensor<?xf32> into tensor<10xf32>
  return %1 : tensor<10xf32>
}
// CHECK-LABEL: @out_of_bounds
// CHECK-NEXT: tensor.cast
// CHECK-NEXT: tensor.insert_slice
