// RUN: lamina-opt %s --nn-grad="function=loss wrt=1 name=inner" --nn-grad="function=loss wrt=2 name=last" --canonicalize --cse | filecheck %s

// Two dense layers, one product each. The gradient by the last layer's weights costs one product more, that by the
// first layer's weights two. None is computed for the batch, and the second layer's own result, which only the loss
// itself reads, goes.
// CHECK-LABEL: func.func @last
// CHECK-COUNT-2: nn.matmul
// CHECK-NOT: nn.matmul
// CHECK-LABEL: func.func @inner
// CHECK-COUNT-3: nn.matmul
// CHECK-NOT: nn.matmul
// CHECK: return
func.func @loss(%x: tensor<4x6xf32>, %w1: tensor<6x8xf32>, %w2: tensor<8x5xf32>, %t: tensor<4x5xf32>) -> tensor<f32> {
  %0 = nn.matmul %x, %w1 : (tensor<4x6xf32>, tensor<6x8xf32>) -> tensor<4x8xf32>
  %1 = nn.tanh %0 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = nn.matmul %1, %w2 : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<4x5xf32>
  %3 = nn.mul %2, %t : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
  %4 = nn.reduce_sum %3 {axes = array<i64: 0, 1>} : (tensor<4x5xf32>) -> tensor<f32>
  return %4 : tensor<f32>
}
