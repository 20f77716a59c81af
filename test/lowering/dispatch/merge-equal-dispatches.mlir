// RUN: lamina-opt %s --convert-nn-to-linalg --linalg-fuse-elementwise-ops --form-dispatches --merge-equal-dispatches | filecheck %s

// Two layers of one shape share a kernel, a third of another shape does not.
// CHECK-COUNT-2: func.func private
// CHECK-LABEL: func.func @main(
// CHECK: [[A:%.*]] = call @main_dispatch_0(%x, %v,
// CHECK: [[B:%.*]] = call @main_dispatch_0([[A]], %w,
// CHECK: call @main_dispatch_2([[B]], %u,
func.func @main(%x: tensor<4x4xf32>, %v: tensor<4x4xf32>, %w: tensor<4x4xf32>, %u: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %0 = nn.matmul %x, %v : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = nn.relu %0 : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = nn.matmul %1, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %3 = nn.relu %2 : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %4 = nn.matmul %3, %u : (tensor<4x4xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  %5 = nn.relu %4 : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return %5 : tensor<4x2xf32>
}
