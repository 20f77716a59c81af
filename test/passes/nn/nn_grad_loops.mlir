// RUN: lamina-opt %s --split-input-file --nn-grad="function=loss wrt=0,1 name=back" --canonicalize --cse | filecheck %s

// A recurrent layer. The loop saves what its way back reads of each of the nine turns: the state before it, and the
// result of tanh. So the way back computes no forward product anew: its two products are those of the derivatives.
// The part of %x for a turn is read from %x again, not saved.
// CHECK-LABEL: func.func @back
// CHECK: scf.for {{.*}} -> (tensor<2x4xf32>, tensor<9x2x4xf32>, tensor<9x2x4xf32>)
// CHECK: tensor.insert_slice {{.*}} : tensor<2x4xf32> into tensor<9x2x4xf32>
// CHECK: tensor.extract_slice %x
// CHECK: nn.matmul {{.*}} : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
// CHECK: nn.tanh
// CHECK: tensor.insert_slice {{.*}} : tensor<2x4xf32> into tensor<9x2x4xf32>
// CHECK: scf.for
// CHECK-COUNT-2: tensor.extract_slice {{.*}} : tensor<9x2x4xf32> to tensor<2x4xf32>
// CHECK-NOT: nn.tanh
// CHECK-COUNT-2: nn.matmul
// CHECK-NOT: nn.matmul
// CHECK: return
func.func @loss(%h: tensor<2x4xf32>, %w: tensor<4x4xf32>, %x: tensor<9x2x4xf32>) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %0 = scf.for %i = %c0 to %c9 step %c1 iter_args(%s = %h) -> (tensor<2x4xf32>) {
    %now = tensor.extract_slice %x[%i, 0, 0] [1, 2, 4] [1, 1, 1] : tensor<9x2x4xf32> to tensor<2x4xf32>
    %1 = nn.matmul %s, %w : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
    %2 = nn.add %1, %now : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %3 = nn.tanh %2 : (tensor<2x4xf32>) -> tensor<2x4xf32>
    scf.yield %3 : tensor<2x4xf32>
  }
  %4 = nn.reduce_sum %0 {axes = array<i64: 0, 1>} : (tensor<2x4xf32>) -> tensor<f32>
  return %4 : tensor<f32>
}

// -----

// A product with what is broadcast: the small tensor is saved and not what is made of it. What is the same in each
// turn, as the sine of %w, is not saved either.
// CHECK-LABEL: func.func @back
// CHECK: scf.for {{.*}} -> (tensor<64xf32>, tensor<5x64xf32>, tensor<5x1xf32>)
// CHECK: scf.for
// CHECK: nn.sin %w
// CHECK: return
func.func @loss(%x: tensor<64xf32>, %w: tensor<64xf32>) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %0 = scf.for %i = %c0 to %c5 step %c1 iter_args(%a = %x) -> (tensor<64xf32>) {
    %1 = nn.reduce_sum %a {axes = array<i64: 0>, keepdims = true} : (tensor<64xf32>) -> tensor<1xf32>
    %2 = nn.broadcast_to %1 {shape = array<i64: 64>} : (tensor<1xf32>) -> tensor<64xf32>
    %3 = nn.mul %a, %2 : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %4 = nn.sin %w : (tensor<64xf32>) -> tensor<64xf32>
    %5 = nn.mul %3, %4 : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    scf.yield %5 : tensor<64xf32>
  }
  %6 = nn.reduce_sum %0 {axes = array<i64: 0>} : (tensor<64xf32>) -> tensor<f32>
  return %6 : tensor<f32>
}
