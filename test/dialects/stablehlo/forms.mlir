// RUN: lamina-opt %s | lamina-opt | filecheck %s

// Each operation that has a pretty form of its own is printed in it, and read again.
// test_jax_text.py gives the same file to StableHLO's own parser.

// CHECK: stablehlo.rng %{{.*}}, %{{.*}}, %{{.*}}, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>)
// CHECK: stablehlo.rng_bit_generator %{{.*}}, algorithm = DEFAULT
// CHECK: stablehlo.cholesky %{{.*}}, lower = true : tensor<4x4xf32>
// CHECK: transpose_a = #stablehlo<transpose NO_TRANSPOSE>
// CHECK: stablehlo.fft %{{.*}}, type = RFFT, length = [4]
// CHECK: stablehlo.einsum %{{.*}}, %{{.*}}, config = "ab,bc->ac"
// CHECK: stablehlo.get_dimension_size %{{.*}}, dim = 1
// CHECK: stablehlo.optimization_barrier %{{.*}}, %{{.*}} : tensor<4x4xf32>, tensor<f32>
// CHECK: "stablehlo.if"
// CHECK: stablehlo.composite "a.b" %{{.*}} {composite_attributes = {k = 1 : i64}
// CHECK: stablehlo.get_tuple_element %{{.*}}[0]
// CHECK: stablehlo.compare LT, %{{.*}}, %{{.*}}, TOTALORDER
// CHECK: batching_dims = [0] x [0], contracting_dims = [1] x [1], algorithm = <lhs_precision_type = tf32
// CHECK: chlo.top_k(%{{.*}}, k = 2) : tensor<4x4xf32> -> (tensor<4x2xf32>, tensor<4x2xi32>)
// CHECK: stablehlo.reduce(%{{.*}} init: %{{.*}}), (%{{.*}} init: %{{.*}}) across dimensions = [1]
// CHECK-SAME: reducer(
// CHECK: stablehlo.custom_call @foo(
// CHECK: window = {stride = [2, 1], pad = {{\[\[}}1, 1], [0, 2]], reverse = [true, false]}
// CHECK: stablehlo.reduce_precision %{{.*}}, format = e5m10

func.func @f(%a: tensor<4x4xf32>, %s: tensor<f32>, %p: tensor<i1>, %v: tensor<2xi64>, %w: tensor<1xi64>,
    %state: tensor<2xui64>, %x: tensor<2x3x4x5xf32>, %c: tensor<5xf32>) {
  %0 = stablehlo.rng %s, %s, %v, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<4x4xf32>
  %1:2 = stablehlo.rng_bit_generator %state, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
  %2 = stablehlo.cholesky %a, lower = true : tensor<4x4xf32>
  %3 = "stablehlo.triangular_solve"(%a, %a) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %4 = stablehlo.fft %a, type = RFFT, length = [4] : (tensor<4x4xf32>) -> tensor<4x3xcomplex<f32>>
  %5 = stablehlo.einsum %a, %a, config = "ab,bc->ac" : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %6 = stablehlo.dot %a, %a : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %7 = stablehlo.get_dimension_size %a, dim = 1 : (tensor<4x4xf32>) -> tensor<i32>
  %8 = stablehlo.bitcast_convert %a : (tensor<4x4xf32>) -> tensor<4x4xi32>
  %9 = stablehlo.broadcast %s, sizes = [2, 3] : (tensor<f32>) -> tensor<2x3xf32>
  %10:2 = stablehlo.optimization_barrier %a, %s : tensor<4x4xf32>, tensor<f32>
  %11 = stablehlo.real_dynamic_slice %c, %w, %w, %w : (tensor<5xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
  %12 = stablehlo.dynamic_iota %v, dim = 0 : (tensor<2xi64>) -> tensor<?x?xf32>
  %13 = stablehlo.dynamic_broadcast_in_dim %s, %v, dims = [] : (tensor<f32>, tensor<2xi64>) -> tensor<?x?xf32>
  %15 = "stablehlo.if"(%p) ({
    stablehlo.return %a : tensor<4x4xf32>
  }, {
    stablehlo.return %a : tensor<4x4xf32>
  }) : (tensor<i1>) -> tensor<4x4xf32>
  %16 = "stablehlo.map"(%a, %a) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%e: tensor<f32>, %g: tensor<f32>):
    %40 = stablehlo.add %e, %g : tensor<f32>
    stablehlo.return %40 : tensor<f32>
  }) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %17 = "stablehlo.batch_norm_inference"(%x, %c, %c, %c, %c) <{epsilon = 1.0e-5 : f32, feature_index = 3 : i64}> : (tensor<2x3x4x5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> tensor<2x3x4x5xf32>
  %18 = stablehlo.composite "a.b" %s {composite_attributes = {k = 1 : i64}, decomposition = @g, version = 1 : i32} : (tensor<f32>) -> tensor<f32>
  %19 = stablehlo.tuple %s, %a : tuple<tensor<f32>, tensor<4x4xf32>>
  %20 = stablehlo.get_tuple_element %19[0] : (tuple<tensor<f32>, tensor<4x4xf32>>) -> tensor<f32>
  %21 = stablehlo.complex %a, %a : tensor<4x4xcomplex<f32>>
  %22 = stablehlo.real %21 : (tensor<4x4xcomplex<f32>>) -> tensor<4x4xf32>
  %23 = stablehlo.exponential %a {result_accuracy = #stablehlo.result_accuracy<ulps = 10, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<4x4xf32>
  %25 = stablehlo.compare LT, %a, %a, TOTALORDER : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xi1>
  %27 = stablehlo.dot_general %x, %x, batching_dims = [0] x [0], contracting_dims = [1] x [1], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x3x4x5xf32>, tensor<2x3x4x5xf32>) -> tensor<2x4x5x4x5xf32>
  %28 = stablehlo.dot_general %s, %s, contracting_dims = [] x [] : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %29:2 = chlo.top_k(%a, k = 2) : tensor<4x4xf32> -> (tensor<4x2xf32>, tensor<4x2xi32>)
  %30 = chlo.is_inf %a : tensor<4x4xf32> -> tensor<4x4xi1>
  %31 = chlo.next_after %a, %a : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %33 = stablehlo.select %p, %a, %a : tensor<i1>, tensor<4x4xf32>
  %34:2 = stablehlo.reduce(%a init: %s), (%a init: %s) across dimensions = [1] : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<f32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>)
   reducer(%e: tensor<f32>, %f: tensor<f32>) (%g: tensor<f32>, %h: tensor<f32>)  {
    %40 = stablehlo.add %e, %f : tensor<f32>
    stablehlo.return %40, %g : tensor<f32>, tensor<f32>
  }
  %35 = stablehlo.clamp %s, %a, %s : (tensor<f32>, tensor<4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
  %37 = stablehlo.custom_call @foo(%a) {has_side_effect = true} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %38 = stablehlo.convolution(%x, %x) dim_numbers = [b, 0, 1, f]x[o, 0, 1, i]->[b, 0, 1, f], window = {stride = [2, 1], pad = [[1, 1], [0, 2]], reverse = [true, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x3x4x5xf32>, tensor<2x3x4x5xf32>) -> tensor<2x2x3x2xf32>
  %39 = stablehlo.reduce_precision %a, format = e5m10 : tensor<4x4xf32>
  return
}
func.func private @g(tensor<f32>) -> tensor<f32>
