// RUN: lamina-opt %s --nn-fold-batch-norm | filecheck %s

// CHECK-LABEL: func.func @into_product
// The product is used twice, so its weights stay.
func.func @into_product(%x: tensor<?x2xf32>) -> (tensor<?x3xf32>, tensor<?x3xf32>) {
  // CHECK: %[[M:.*]] = nn.matmul %x, %w
  // CHECK-DAG: %[[A:.*]] = nn.constant dense<2.000000e+00> : tensor<3xf32>
  // CHECK-DAG: %[[B:.*]] = nn.constant dense<-1.000000e+00> : tensor<3xf32>
  // CHECK: %[[P:.*]] = nn.mul %[[M]], %[[A]]
  // CHECK: %[[S:.*]] = nn.add %[[P]], %[[B]]
  // CHECK: return %[[M]], %[[S]]
  %w = nn.constant dense<1.0> : tensor<2x3xf32>
  %two = nn.constant dense<2.0> : tensor<3xf32>
  %one = nn.constant dense<1.0> : tensor<3xf32>
  %0 = nn.matmul %x, %w : (tensor<?x2xf32>, tensor<2x3xf32>) -> tensor<?x3xf32>
  %1 = nn.batch_norm %0, %two, %one, %one, %one {epsilon = 0.0, axis = 1 : i64} : (tensor<?x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<?x3xf32>
  return %0, %1 : tensor<?x3xf32>, tensor<?x3xf32>
}

// CHECK-LABEL: func.func @biased_product
func.func @biased_product(%x: tensor<?x2xf32>) -> tensor<?x3xf32> {
  // CHECK-DAG: %[[W:.*]] = nn.constant dense<2.000000e+00> : tensor<2x3xf32>
  // CHECK-DAG: %[[B:.*]] = nn.constant dense<[1.000000e+00, 3.000000e+00, 5.000000e+00]> : tensor<3xf32>
  // CHECK: %[[M:.*]] = nn.matmul %x, %[[W]]
  // CHECK-NEXT: %[[S:.*]] = nn.add %[[M]], %[[B]]
  // CHECK-NEXT: return %[[S]]
  %w = nn.constant dense<1.0> : tensor<2x3xf32>
  %two = nn.constant dense<2.0> : tensor<3xf32>
  %one = nn.constant dense<1.0> : tensor<3xf32>
  %b = nn.constant dense<[[1.0, 2.0, 3.0]]> : tensor<1x3xf32>
  %0 = nn.matmul %x, %w : (tensor<?x2xf32>, tensor<2x3xf32>) -> tensor<?x3xf32>
  %1 = nn.add %0, %b : (tensor<?x3xf32>, tensor<1x3xf32>) -> tensor<?x3xf32>
  %2 = nn.batch_norm %1, %two, %one, %one, %one {epsilon = 0.0, axis = -1 : i64} : (tensor<?x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<?x3xf32>
  return %2 : tensor<?x3xf32>
}

// CHECK-LABEL: func.func @unknown_parameters
func.func @unknown_parameters(%x: tensor<2x3xf32>, %s: tensor<3xf32>) -> tensor<2x3xf32> {
  // CHECK: nn.batch_norm
  %one = nn.constant dense<1.0> : tensor<3xf32>
  %0 = nn.batch_norm %x, %s, %one, %one, %one {epsilon = 0.0, axis = 1 : i64} : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @infinite_factor
func.func @infinite_factor(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // CHECK: nn.batch_norm
  %one = nn.constant dense<1.0> : tensor<3xf32>
  %zero = nn.constant dense<0.0> : tensor<3xf32>
  %0 = nn.batch_norm %x, %one, %one, %one, %zero {epsilon = 0.0, axis = 1 : i64} : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
