// RUN: not lamina-opt %s --split-input-file --nn-grad="function=loss wrt=0,1 name=back" 2>&1 | filecheck %s

// CHECK: error: {{.*}}argument 1 ('labels') has type tensor<3xi32>, which has no derivative
func.func @loss(%x: tensor<f32>, %labels: tensor<3xi32> {nn.name = "labels"}) -> tensor<f32> {
  return %x : tensor<f32>
}

// -----

// CHECK: error: {{.*}}its first result must be one number
func.func @loss(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
  return %x : tensor<3xf32>
}

// -----

// CHECK: error: {{.*}}has no argument 1 to differentiate by
func.func @loss(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}

// -----

// All ops without a rule are listed at once.
func.func @loss(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
  // CHECK: error: {{.*}}'test.op' op has no derivative rule
  %0 = "test.op"(%x) : (tensor<f32>) -> tensor<f32>
  // CHECK: error: {{.*}}'test.op' op has no derivative rule
  %1 = "test.op"(%0, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}
