// RUN: lamina-opt %s --canonicalize | filecheck %s

// CHECK-LABEL: @pad_into_conv2d
// CHECK-NEXT: nn.conv2d %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 0, 2, 3>
// CHECK-SAME: (tensor<1x2x4x4xf32>, tensor<3x2x3x3xf32>) -> tensor<1x3x5x5xf32>
// CHECK-NEXT: return
func.func @pad_into_conv2d(%x: tensor<1x2x4x4xf32>, %w: tensor<3x2x3x3xf32>) -> tensor<1x3x5x5xf32> {
  %0 = nn.pad %x {low = array<i64: 0, 0, 1, 0>, high = array<i64: 0, 0, 1, 2>} : (tensor<1x2x4x4xf32>) -> tensor<1x2x6x6xf32>
  %1 = nn.conv2d %0, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 1, 1>} : (tensor<1x2x6x6xf32>, tensor<3x2x3x3xf32>) -> tensor<1x3x5x5xf32>
  return %1 : tensor<1x3x5x5xf32>
}

// CHECK-LABEL: @pad_into_conv2d_nhwc
// CHECK-NEXT: nn.conv2d %x, %w {{.*}}pads = array<i64: 1, 1, 1, 1>
func.func @pad_into_conv2d_nhwc(%x: tensor<1x4x4x2xf32>, %w: tensor<3x3x2x3xf32>) -> tensor<1x4x4x3xf32> {
  %0 = nn.pad %x {low = array<i64: 0, 1, 1, 0>, high = array<i64: 0, 1, 1, 0>, value = 0.0 : f64} : (tensor<1x4x4x2xf32>) -> tensor<1x6x6x2xf32>
  %1 = nn.conv2d %0, %w {layout = "NHWC"} : (tensor<1x6x6x2xf32>, tensor<3x3x2x3xf32>) -> tensor<1x4x4x3xf32>
  return %1 : tensor<1x4x4x3xf32>
}

// CHECK-LABEL: @other_padding_of_conv2d_stays
// CHECK-NEXT: nn.pad {{.*}}value = 1.0
// CHECK-NEXT: nn.pad {{.*}}mode = "edge"
// CHECK-NEXT: nn.pad {{.*}}low = array<i64: 0, 1, 0, 0>
// CHECK-NEXT: nn.conv2d
func.func @other_padding_of_conv2d_stays(%x: tensor<1x1x3x3xf32>, %w: tensor<3x1x3x3xf32>, %v: tensor<3x2x3x3xf32>)
    -> (tensor<1x3x2x1xf32>, tensor<1x3x2x1xf32>, tensor<1x3x1x1xf32>) {
  %0 = nn.pad %x {low = array<i64: 0, 0, 1, 0>, high = array<i64: 0, 0, 0, 0>, value = 1.0 : f64} : (tensor<1x1x3x3xf32>) -> tensor<1x1x4x3xf32>
  %1 = nn.pad %x {low = array<i64: 0, 0, 1, 0>, high = array<i64: 0, 0, 0, 0>, mode = "edge"} : (tensor<1x1x3x3xf32>) -> tensor<1x1x4x3xf32>
  %2 = nn.pad %x {low = array<i64: 0, 1, 0, 0>, high = array<i64: 0, 0, 0, 0>} : (tensor<1x1x3x3xf32>) -> tensor<1x2x3x3xf32>
  %3 = nn.conv2d %0, %w : (tensor<1x1x4x3xf32>, tensor<3x1x3x3xf32>) -> tensor<1x3x2x1xf32>
  %4 = nn.conv2d %1, %w : (tensor<1x1x4x3xf32>, tensor<3x1x3x3xf32>) -> tensor<1x3x2x1xf32>
  %5 = nn.conv2d %2, %v : (tensor<1x2x3x3xf32>, tensor<3x2x3x3xf32>) -> tensor<1x3x1x1xf32>
  return %3, %4, %5 : tensor<1x3x2x1xf32>, tensor<1x3x2x1xf32>, tensor<1x3x1x1xf32>
}

// CHECK-LABEL: @pad_into_pooling
// CHECK-NEXT: nn.max_pool2d %x {{.*}}pads = array<i64: 1, 1, 1, 1>
// CHECK-NEXT: nn.avg_pool2d %x {{.*}}pads = array<i64: 1, 1, 1, 1>{{.*}}count_include_pad = true
// CHECK-NEXT: return
func.func @pad_into_pooling(%x: tensor<1x2x4x4xf32>) -> (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) {
  %0 = nn.pad %x {low = array<i64: 0, 0, 1, 1>, high = array<i64: 0, 0, 1, 1>, value = 0xFFF0000000000000 : f64} : (tensor<1x2x4x4xf32>) -> tensor<1x2x6x6xf32>
  %1 = nn.pad %x {low = array<i64: 0, 0, 1, 1>, high = array<i64: 0, 0, 1, 1>} : (tensor<1x2x4x4xf32>) -> tensor<1x2x6x6xf32>
  %2 = nn.max_pool2d %0 {kernel = array<i64: 3, 3>} : (tensor<1x2x6x6xf32>) -> tensor<1x2x4x4xf32>
  %3 = nn.avg_pool2d %1 {kernel = array<i64: 3, 3>} : (tensor<1x2x6x6xf32>) -> tensor<1x2x4x4xf32>
  return %2, %3 : tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>
}

// A zero may be the maximum; padding that is not counted does not mix with zeros that are.
// CHECK-LABEL: @other_padding_of_pooling_stays
// CHECK-NEXT: nn.pad
// CHECK-NEXT: nn.max_pool2d
// CHECK-NEXT: nn.avg_pool2d
func.func @other_padding_of_pooling_stays(%x: tensor<1x2x4x4xf32>) -> (tensor<1x2x4x4xf32>, tensor<1x2x6x6xf32>) {
  %1 = nn.pad %x {low = array<i64: 0, 0, 1, 1>, high = array<i64: 0, 0, 1, 1>} : (tensor<1x2x4x4xf32>) -> tensor<1x2x6x6xf32>
  %2 = nn.max_pool2d %1 {kernel = array<i64: 3, 3>} : (tensor<1x2x6x6xf32>) -> tensor<1x2x4x4xf32>
  %3 = nn.avg_pool2d %1 {kernel = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>} : (tensor<1x2x6x6xf32>) -> tensor<1x2x6x6xf32>
  return %2, %3 : tensor<1x2x4x4xf32>, tensor<1x2x6x6xf32>
}

// The last window starts in what would become padding, where ceil_mode has none.
// CHECK-LABEL: @padding_that_holds_a_window_stays
// CHECK-NEXT: nn.pad
// CHECK-NEXT: nn.avg_pool2d
func.func @padding_that_holds_a_window_stays(%x: tensor<1x1x4x4xf32>) -> tensor<1x1x3x2xf32> {
  %0 = nn.pad %x {low = array<i64: 0, 0, 0, 0>, high = array<i64: 0, 0, 1, 0>} : (tensor<1x1x4x4xf32>) -> tensor<1x1x5x4xf32>
  %1 = nn.avg_pool2d %0 {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, ceil_mode = true} : (tensor<1x1x5x4xf32>) -> tensor<1x1x3x2xf32>
  return %1 : tensor<1x1x3x2xf32>
}

// CHECK-LABEL: @pads
// CHECK-NEXT: %0 = nn.pad %x {low = array<i64: 1>, high = array<i64: 2>, mode = "constant", value = 1.000000e+00 : f64} : (tensor<4xf32>) -> tensor<7xf32>
// CHECK-NEXT: %1 = nn.pad %x {low = array<i64: 1>, high = array<i64: 0>
// CHECK-NEXT: %2 = nn.pad %1 {low = array<i64: 1>, high = array<i64: 0>
// CHECK-NEXT: return %x, %0, %2
func.func @pads(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<7xf32>, tensor<6xf32>) {
  %0 = nn.pad %x {low = array<i64: 0>, high = array<i64: 0>} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = nn.pad %x {low = array<i64: 1>, high = array<i64: 0>, value = 1.0 : f64} : (tensor<4xf32>) -> tensor<5xf32>
  %2 = nn.pad %1 {low = array<i64: 0>, high = array<i64: 2>, value = 1.0 : f64} : (tensor<5xf32>) -> tensor<7xf32>
  %3 = nn.pad %x {low = array<i64: 1>, high = array<i64: 0>, value = 0.0 : f64} : (tensor<4xf32>) -> tensor<5xf32>
  %4 = nn.pad %3 {low = array<i64: 1>, high = array<i64: 0>, value = -0.0 : f64} : (tensor<5xf32>) -> tensor<6xf32>
  return %0, %2, %4 : tensor<4xf32>, tensor<7xf32>, tensor<6xf32>
}

// CHECK-LABEL: @reductions_of_single_elements
// CHECK-NEXT: %0 = nn.reshape %x {shape = array<i64: 2>} : (tensor<2x1xf32>) -> tensor<2xf32>
// CHECK-NEXT: %1 = nn.constant dense<0> : tensor<2xi64>
// CHECK-NEXT: return %0, %x, %1
func.func @reductions_of_single_elements(%x: tensor<2x1xf32>) -> (tensor<2xf32>, tensor<2x1xf32>, tensor<2xi64>) {
  %0 = nn.reduce_max %x {axes = array<i64: -1>} : (tensor<2x1xf32>) -> tensor<2xf32>
  %1 = nn.reduce_mean %x {axes = array<i64: 1>, keepdims = true} : (tensor<2x1xf32>) -> tensor<2x1xf32>
  %2 = nn.argmax %x {axis = 1 : i64} : (tensor<2x1xf32>) -> tensor<2xi64>
  return %0, %1, %2 : tensor<2xf32>, tensor<2x1xf32>, tensor<2xi64>
}

// CHECK-LABEL: @reductions_stay
// CHECK-NEXT: nn.reduce_sum %x {axes = array<i64: 0, 1>
// CHECK-NEXT: nn.argmin %x {axis = 1 : i64
func.func @reductions_stay(%x: tensor<1x2xf32>) -> (tensor<f32>, tensor<1xi64>) {
  %0 = nn.reduce_sum %x {axes = array<i64: -1, 0>} : (tensor<1x2xf32>) -> tensor<f32>
  %1 = nn.argmin %x {axis = -1 : i64} : (tensor<1x2xf32>) -> tensor<1xi64>
  return %0, %1 : tensor<f32>, tensor<1xi64>
}
