func.func @main(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x4xf32>, %d: tensor<3x3x1x4xf32>, %b: tensor<4xf32>) -> tensor<1x4xf32> {
  %0 = nn.conv2d %x, %w, %b {pads = array<i64: 1, 1, 1, 1>, layout = "NHWC"} : (tensor<1x8x8x4xf32>, tensor<3x3x4x4xf32>, tensor<4xf32>) -> tensor<1x8x8x4xf32>
  %1 = nn.hard_swish %0 : (tensor<1x8x8x4xf32>) -> tensor<1x8x8x4xf32>
  %2 = nn.conv2d %1, %d, %b {pads = array<i64: 1, 1, 1, 1>, groups = 4 : i64, layout = "NHWC"} : (tensor<1x8x8x4xf32>, tensor<3x3x1x4xf32>, tensor<4xf32>) -> tensor<1x8x8x4xf32>
  %3 = nn.add %2, %x : (tensor<1x8x8x4xf32>, tensor<1x8x8x4xf32>) -> tensor<1x8x8x4xf32>
  %4 = nn.relu %3 : (tensor<1x8x8x4xf32>) -> tensor<1x8x8x4xf32>
  %5 = nn.max_pool2d %4 {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, layout = "NHWC"} : (tensor<1x8x8x4xf32>) -> tensor<1x4x4x4xf32>
  %6 = nn.concat %5, %5 {axis = 2 : i64} : (tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>) -> tensor<1x4x8x4xf32>
  %7 = nn.reduce_mean %6 {axes = array<i64: 1, 2>} : (tensor<1x4x8x4xf32>) -> tensor<1x4xf32>
  return %7 : tensor<1x4xf32>
}
