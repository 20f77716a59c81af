func.func @main(%x: tensor<2x4x8xf32>, %w: tensor<8x24xf32>, %b: tensor<24xf32>, %s: tensor<8xf32>) -> tensor<2x4x8xf32> {
  %n = nn.layer_norm %x, %s : (tensor<2x4x8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  %0 = nn.matmul %n, %w : (tensor<2x4x8xf32>, tensor<8x24xf32>) -> tensor<2x4x24xf32>
  %1 = nn.add %0, %b : (tensor<2x4x24xf32>, tensor<24xf32>) -> tensor<2x4x24xf32>
  %2 = nn.reshape %1 {shape = array<i64: 2, 4, 3, 2, 4>} : (tensor<2x4x24xf32>) -> tensor<2x4x3x2x4xf32>
  %3 = nn.transpose %2 {permutation = array<i64: 2, 0, 3, 1, 4>} : (tensor<2x4x3x2x4xf32>) -> tensor<3x2x2x4x4xf32>
  %4, %5, %6 = nn.split %3 {axis = 0 : i64, sizes = array<i64: 1, 1, 1>} : (tensor<3x2x2x4x4xf32>) -> (tensor<1x2x2x4x4xf32>, tensor<1x2x2x4x4xf32>, tensor<1x2x2x4x4xf32>)
  %q = nn.squeeze %4 {axes = array<i64: 0>} : (tensor<1x2x2x4x4xf32>) -> tensor<2x2x4x4xf32>
  %k = nn.squeeze %5 {axes = array<i64: 0>} : (tensor<1x2x2x4x4xf32>) -> tensor<2x2x4x4xf32>
  %v = nn.squeeze %6 {axes = array<i64: 0>} : (tensor<1x2x2x4x4xf32>) -> tensor<2x2x4x4xf32>
  %t = nn.transpose %k {permutation = array<i64: 0, 1, 3, 2>} : (tensor<2x2x4x4xf32>) -> tensor<2x2x4x4xf32>
  %a = nn.matmul %q, %t : (tensor<2x2x4x4xf32>, tensor<2x2x4x4xf32>) -> tensor<2x2x4x4xf32>
  %p = nn.softmax %a {axis = -1 : i64} : (tensor<2x2x4x4xf32>) -> tensor<2x2x4x4xf32>
  %o = nn.matmul %p, %v : (tensor<2x2x4x4xf32>, tensor<2x2x4x4xf32>) -> tensor<2x2x4x4xf32>
  %7 = nn.transpose %o {permutation = array<i64: 0, 2, 1, 3>} : (tensor<2x2x4x4xf32>) -> tensor<2x4x2x4xf32>
  %8 = nn.reshape %7 {shape = array<i64: 2, 4, 8>} : (tensor<2x4x2x4xf32>) -> tensor<2x4x8xf32>
  %9 = nn.add %8, %x : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  return %9 : tensor<2x4x8xf32>
}
