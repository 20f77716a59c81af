// RUN: lamina-opt %s --split-input-file --nn-grad="function=loss wrt=0,1 name=back" --canonicalize --cse | filecheck %s

// A value that is used twice gets both cotangents; nothing is computed for the argument that does not ask.
// CHECK-LABEL: func.func @back
// CHECK-SAME: -> (tensor<3xf32> {nn.name = "x_grad"}, tensor<1xf32>)
// CHECK-NEXT: %[[Y:.*]] = nn.constant dense<3.000000e+00> : tensor<1xf32>
// CHECK-NEXT: %[[ONCE:.*]] = nn.add %z, %x
// CHECK-NEXT: %[[TWICE:.*]] = nn.add %[[ONCE]], %x
// CHECK-NEXT: return %[[TWICE]], %[[Y]]
func.func @loss(%x: tensor<3xf32> {nn.name = "x"}, %y: tensor<1xf32>, %z: tensor<3xf32>) -> tensor<f32> {
  %0 = nn.mul %x, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %1 = nn.mul %x, %z : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %2 = nn.add %0, %1 : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %3 = nn.add %2, %y : (tensor<3xf32>, tensor<1xf32>) -> tensor<3xf32>
  %4 = nn.reduce_sum %3 {axes = array<i64: 0>} : (tensor<3xf32>) -> tensor<f32>
  return %4 : tensor<f32>
}

// -----

// What nn.stop_gradient gives counts as a constant, though it is computed from x: the gradient is z and not 2 x z.
// CHECK-LABEL: func.func @back
// CHECK: %[[STOPPED:.*]] = nn.stop_gradient %x
// CHECK: return %[[STOPPED]], %{{.*}} : tensor<f32>, tensor<f32>
func.func @loss(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
  %0 = nn.stop_gradient %x : (tensor<f32>) -> tensor<f32>
  %1 = nn.mul %0, %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}

// -----

// An argument that the loss does not depend on has the gradient zero, and calls are inlined.
// CHECK-LABEL: func.func @back
// CHECK: %[[ZERO:.*]] = nn.constant dense<0.000000e+00> : tensor<2xf32>
// CHECK: return %{{.*}}, %[[ZERO]]
func.func private @square(%x: tensor<f32>) -> tensor<f32> {
  %0 = nn.mul %x, %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func @loss(%x: tensor<f32>, %y: tensor<2xf32>) -> tensor<f32> {
  %0 = func.call @square(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
