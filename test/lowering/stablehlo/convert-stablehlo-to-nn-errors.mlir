// RUN: not lamina-opt %s --convert-stablehlo-to-nn 2>&1 | filecheck %s

// All that cannot be converted is told at once: how often, where first, and why.

// CHECK: error: the model uses operators that cannot be converted: stablehlo.cholesky, stablehlo.custom_call @lapack_spotrf_ffi, stablehlo.reduce
// CHECK-DAG: note: stablehlo.cholesky: 2 operations, first '{{.*}}:11:8': there is no conversion for this operation
// CHECK-DAG: note: stablehlo.custom_call @lapack_spotrf_ffi: 1 operation, first '{{.*}}:13:8'
// CHECK-DAG: note: stablehlo.reduce: 1 operation, first '{{.*}}': it reduces elements of type f32 by power
func.func @main(%x: tensor<3x3xf32>, %s: tensor<f32>)
    -> (tensor<3x3xf32>, tensor<3x3xf32>, tensor<3x3xf32>, tensor<3xf32>) {
  %0 = stablehlo.cholesky %x, lower = true : tensor<3x3xf32>
  %1 = stablehlo.cholesky %x, lower = false : tensor<3x3xf32>
  %2 = stablehlo.custom_call @lapack_spotrf_ffi(%x) : (tensor<3x3xf32>) -> tensor<3x3xf32>
  %3 = stablehlo.reduce(%x init: %s) applies stablehlo.power across dimensions = [1] : (tensor<3x3xf32>, tensor<f32>) -> tensor<3xf32>
  return %0, %1, %2, %3 : tensor<3x3xf32>, tensor<3x3xf32>, tensor<3x3xf32>, tensor<3xf32>
}
