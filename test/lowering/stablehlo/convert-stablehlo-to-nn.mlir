// RUN: lamina-opt %s --inline --convert-stablehlo-to-nn --split-input-file | filecheck %s

// A while that counts becomes a loop over an index; what it passes on is read from outside, and slices at the
// index need not be held within the tensor.

// CHECK-LABEL: func.func public @scan
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[SUM:.*]] = %{{.*}}) -> (tensor<3xf32>)
// CHECK-NOT: arith.minsi
// CHECK: tensor.extract_slice %{{.*}}[%{{.*}}, 0] [1, 3] [1, 1]
// CHECK: nn.add %[[SUM]]
// CHECK: scf.yield
func.func public @scan(%x: tensor<7x3xf32>, %start: tensor<3xf32>) -> tensor<3xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:3 = stablehlo.while(%xs = %x, %i = %zero, %sum = %start) : tensor<7x3xf32>, tensor<i32>, tensor<3xf32>
  cond {
    %seven = stablehlo.constant dense<7> : tensor<i32>
    %1 = stablehlo.compare LT, %i, %seven, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %none = stablehlo.constant dense<0> : tensor<i32>
    %row = stablehlo.dynamic_slice %xs, %i, %none, sizes = [1, 3]
      : (tensor<7x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x3xf32>
    %flat = stablehlo.reshape %row : (tensor<1x3xf32>) -> tensor<3xf32>
    %next = stablehlo.add %sum, %flat : tensor<3xf32>
    %2 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %xs, %2, %next : tensor<7x3xf32>, tensor<i32>, tensor<3xf32>
  }
  return %0#2 : tensor<3xf32>
}

// -----

// A window that reaches up to each element is a cumulative sum.

// CHECK-LABEL: func.func @cumulative
// CHECK: nn.cumsum %{{.*}} {axis = 1 : i64, reverse = false}
func.func @cumulative(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %zero) <{padding = dense<[[0, 0], [4, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 5>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %b, %a : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}
