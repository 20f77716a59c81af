func.func @main(%x: tensor<1x4x6x6xf32>, %w: tensor<2x4x1x1xf32>, %v: tensor<4x2x1x1xf32>) -> tensor<1x4x6x6xf32> {
  %0 = nn.reduce_mean %x {axes = array<i64: 2, 3>, keepdims = true} : (tensor<1x4x6x6xf32>) -> tensor<1x4x1x1xf32>
  %1 = nn.conv2d %0, %w : (tensor<1x4x1x1xf32>, tensor<2x4x1x1xf32>) -> tensor<1x2x1x1xf32>
  %2 = nn.relu %1 : (tensor<1x2x1x1xf32>) -> tensor<1x2x1x1xf32>
  %3 = nn.conv2d %2, %v : (tensor<1x2x1x1xf32>, tensor<4x2x1x1xf32>) -> tensor<1x4x1x1xf32>
  %4 = nn.hard_sigmoid %3 : (tensor<1x4x1x1xf32>) -> tensor<1x4x1x1xf32>
  %5 = nn.mul %x, %4 : (tensor<1x4x6x6xf32>, tensor<1x4x1x1xf32>) -> tensor<1x4x6x6xf32>
  return %5 : tensor<1x4x6x6xf32>
}
