// RUN: lamina-opt %s --nn-propagate-layout | filecheck %s

// One transpose where the image comes in; the residual sum, the bias, and the pooling follow.
// CHECK-LABEL: @residual_network
// CHECK-NEXT: %[[X:.*]] = nn.transpose %x {permutation = array<i64: 0, 2, 3, 1>} : (tensor<1x3x8x8xf32>) -> tensor<1x8x8x3xf32>
// CHECK-NEXT: %{{.*}} = nn.constant dense<1.000000e+00> : tensor<3x3x3x4xf32>
// CHECK-NEXT: nn.conv2d %[[X]], {{.*}}layout = "NHWC"{{.*}} -> tensor<1x8x8x4xf32>
// CHECK-NEXT: %{{.*}} = nn.constant dense<[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00]> : tensor<4xf32>
// CHECK-NEXT: nn.add {{.*}} : (tensor<1x8x8x4xf32>, tensor<4xf32>) -> tensor<1x8x8x4xf32>
// CHECK-NEXT: nn.relu
// CHECK-NEXT: nn.constant dense<2.000000e+00> : tensor<3x3x1x4xf32>
// CHECK-NEXT: nn.conv2d {{.*}}groups = 4 : i64, layout = "NHWC"
// CHECK-NEXT: nn.add {{.*}} : (tensor<1x8x8x4xf32>, tensor<1x8x8x4xf32>) -> tensor<1x8x8x4xf32>
// CHECK-NEXT: nn.max_pool2d {{.*}}layout = "NHWC"{{.*}} -> tensor<1x4x4x4xf32>
// CHECK-NEXT: nn.reduce_mean {{.*}}axes = array<i64: 1, 2>{{.*}} -> tensor<1x4xf32>
// CHECK-NEXT: return
func.func @residual_network(%x: tensor<1x3x8x8xf32>) -> tensor<1x4xf32> {
  %w = nn.constant dense<1.0> : tensor<4x3x3x3xf32>
  %b = nn.constant dense<[[[[1.0]], [[2.0]], [[3.0]], [[4.0]]]]> : tensor<1x4x1x1xf32>
  %d = nn.constant dense<2.0> : tensor<4x1x3x3xf32>
  %0 = nn.conv2d %x, %w {pads = array<i64: 1, 1, 1, 1>} : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x8x8xf32>
  %1 = nn.add %0, %b : (tensor<1x4x8x8xf32>, tensor<1x4x1x1xf32>) -> tensor<1x4x8x8xf32>
  %2 = nn.relu %1 : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  %3 = nn.conv2d %2, %d {pads = array<i64: 1, 1, 1, 1>, groups = 4 : i64} : (tensor<1x4x8x8xf32>, tensor<4x1x3x3xf32>) -> tensor<1x4x8x8xf32>
  %4 = nn.add %3, %2 : (tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  %5 = nn.max_pool2d %4 {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<1x4x8x8xf32>) -> tensor<1x4x4x4xf32>
  %6 = nn.reduce_mean %5 {axes = array<i64: 2, 3>} : (tensor<1x4x4x4xf32>) -> tensor<1x4xf32>
  return %6 : tensor<1x4xf32>
}

// A model that was channels-last before it was exported keeps no transpose.
// CHECK-LABEL: @transposes_around_a_convolution
// CHECK-NOT: nn.transpose
// CHECK: nn.conv2d %x, {{.*}}layout = "NHWC"
// CHECK-NOT: nn.transpose
// CHECK: return
func.func @transposes_around_a_convolution(%x: tensor<2x8x8x3xf32>) -> tensor<2x8x8x4xf32> {
  %w = nn.constant dense<1.0> : tensor<4x3x1x1xf32>
  %0 = nn.transpose %x {permutation = array<i64: 0, 3, 1, 2>} : (tensor<2x8x8x3xf32>) -> tensor<2x3x8x8xf32>
  %1 = nn.conv2d %0, %w : (tensor<2x3x8x8xf32>, tensor<4x3x1x1xf32>) -> tensor<2x4x8x8xf32>
  %2 = nn.transpose %1 {permutation = array<i64: 0, 2, 3, 1>} : (tensor<2x4x8x8xf32>) -> tensor<2x8x8x4xf32>
  return %2 : tensor<2x8x8x4xf32>
}

// Lists that name dimensions are permuted, and so are axes.
// CHECK-LABEL: @concat_pad_slice
// CHECK: nn.conv2d
// CHECK: nn.concat {{.*}}axis = 3 : i64{{.*}} -> tensor<1x4x4x6xf32>
// CHECK-NEXT: nn.pad {{.*}}low = array<i64: 0, 1, 2, 0>, high = array<i64: 0, 3, 4, 0>
// CHECK-NEXT: nn.slice {{.*}}starts = array<i64: 0, 2, 3, 1>, ends = array<i64: 1, 8, 9, 5>, steps = array<i64: 1, 1, 2, 1>
// CHECK-NEXT: nn.softmax {{.*}}axis = 3 : i64
// CHECK-NEXT: nn.transpose {{.*}}permutation = array<i64: 0, 3, 1, 2>
// CHECK-NEXT: return
func.func @concat_pad_slice(%x: tensor<1x3x4x4xf32>) -> tensor<1x4x6x3xf32> {
  %w = nn.constant dense<1.0> : tensor<3x3x1x1xf32>
  %0 = nn.conv2d %x, %w : (tensor<1x3x4x4xf32>, tensor<3x3x1x1xf32>) -> tensor<1x3x4x4xf32>
  %1 = nn.concat %0, %x {axis = 1 : i64} : (tensor<1x3x4x4xf32>, tensor<1x3x4x4xf32>) -> tensor<1x6x4x4xf32>
  %2 = nn.pad %1 {low = array<i64: 0, 0, 1, 2>, high = array<i64: 0, 0, 3, 4>} : (tensor<1x6x4x4xf32>) -> tensor<1x6x8x10xf32>
  %3 = nn.slice %2 {starts = array<i64: 0, 1, 2, 3>, ends = array<i64: 1, 5, 8, 9>, steps = array<i64: 1, 1, 1, 2>} : (tensor<1x6x8x10xf32>) -> tensor<1x4x6x3xf32>
  %4 = nn.softmax %3 {axis = 1 : i64} : (tensor<1x4x6x3xf32>) -> tensor<1x4x6x3xf32>
  return %4 : tensor<1x4x6x3xf32>
}

// The shuffle of channel groups happens within the channels.
// CHECK-LABEL: @channel_shuffle
// CHECK: nn.reshape {{.*}} -> tensor<1x4x4x2x3xf32>
// CHECK-NEXT: nn.transpose {{.*}}permutation = array<i64: 0, 1, 2, 4, 3>
// CHECK-NEXT: nn.reshape {{.*}} -> tensor<1x4x4x6xf32>
// CHECK-NEXT: nn.constant
// CHECK-NEXT: nn.conv2d
func.func @channel_shuffle(%x: tensor<1x6x4x4xf32>) -> tensor<1x1x4xf32> {
  %w = nn.constant dense<1.0> : tensor<6x6x1x1xf32>
  %v = nn.constant dense<1.0> : tensor<1x6x1x1xf32>
  %0 = nn.conv2d %x, %w : (tensor<1x6x4x4xf32>, tensor<6x6x1x1xf32>) -> tensor<1x6x4x4xf32>
  %1 = nn.reshape %0 {shape = array<i64: 1, 2, 3, 4, 4>} : (tensor<1x6x4x4xf32>) -> tensor<1x2x3x4x4xf32>
  %2 = nn.transpose %1 {permutation = array<i64: 0, 2, 1, 3, 4>} : (tensor<1x2x3x4x4xf32>) -> tensor<1x3x2x4x4xf32>
  %3 = nn.reshape %2 {shape = array<i64: 1, 6, 4, 4>} : (tensor<1x3x2x4x4xf32>) -> tensor<1x6x4x4xf32>
  %4 = nn.conv2d %3, %v : (tensor<1x6x4x4xf32>, tensor<1x6x1x1xf32>) -> tensor<1x1x4x4xf32>
  %5 = nn.reduce_max %4 {axes = array<i64: 3>} : (tensor<1x1x4x4xf32>) -> tensor<1x1x4xf32>
  return %5 : tensor<1x1x4xf32>
}

// Patches of a vision transformer: what follows wants channels last anyway.
// CHECK-LABEL: @patches
// CHECK: %[[P:.*]] = nn.conv2d {{.*}} -> tensor<1x2x2x8xf32>
// CHECK-NEXT: %[[T:.*]] = nn.reshape %[[P]] {{.*}} -> tensor<1x4x8xf32>
// CHECK-NEXT: return %[[T]]
func.func @patches(%x: tensor<1x3x8x8xf32>) -> tensor<1x4x8xf32> {
  %w = nn.constant dense<1.0> : tensor<8x3x4x4xf32>
  %0 = nn.conv2d %x, %w {strides = array<i64: 4, 4>} : (tensor<1x3x8x8xf32>, tensor<8x3x4x4xf32>) -> tensor<1x8x2x2xf32>
  %1 = nn.reshape %0 {shape = array<i64: 1, 8, 4>} : (tensor<1x8x2x2xf32>) -> tensor<1x8x4xf32>
  %2 = nn.transpose %1 {permutation = array<i64: 0, 2, 1>} : (tensor<1x8x4xf32>) -> tensor<1x4x8xf32>
  return %2 : tensor<1x4x8xf32>
}

// Nearest upsampling is reshapes and broadcasts.
// CHECK-LABEL: @upsampling
// CHECK: nn.conv2d
// CHECK-NEXT: nn.reshape {{.*}} -> tensor<1x4x1x4x2xf32>
// CHECK-NEXT: nn.broadcast_to {{.*}} {shape = array<i64: -1, -1, 3, -1, -1>} : (tensor<1x4x1x4x2xf32>) -> tensor<1x4x3x4x2xf32>
// CHECK-NEXT: nn.reshape {{.*}} -> tensor<1x12x4x2xf32>
// CHECK-NEXT: nn.reduce_max
func.func @upsampling(%x: tensor<1x2x4x4xf32>) -> tensor<1x2xf32> {
  %w = nn.constant dense<1.0> : tensor<2x2x1x1xf32>
  %0 = nn.conv2d %x, %w : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %1 = nn.reshape %0 {shape = array<i64: 1, 2, 4, 1, 4>} : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x1x4xf32>
  %2 = nn.broadcast_to %1 {shape = array<i64: -1, -1, -1, 3, -1>} : (tensor<1x2x4x1x4xf32>) -> tensor<1x2x4x3x4xf32>
  %3 = nn.reshape %2 {shape = array<i64: 1, 2, 12, 4>} : (tensor<1x2x4x3x4xf32>) -> tensor<1x2x12x4xf32>
  %4 = nn.reduce_max %3 {axes = array<i64: 2, 3>} : (tensor<1x2x12x4xf32>) -> tensor<1x2xf32>
  return %4 : tensor<1x2xf32>
}

// A reshape that mixes channels and space needs the logical order.
// CHECK-LABEL: @flatten
// CHECK: nn.conv2d
// CHECK-NEXT: nn.transpose {{.*}}permutation = array<i64: 0, 3, 1, 2>
// CHECK-NEXT: nn.reshape {{.*}} -> tensor<1x32xf32>
func.func @flatten(%x: tensor<1x2x4x4xf32>) -> tensor<1x32xf32> {
  %w = nn.constant dense<1.0> : tensor<2x2x1x1xf32>
  %0 = nn.conv2d %x, %w : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %1 = nn.reshape %0 {shape = array<i64: 1, 32>} : (tensor<1x2x4x4xf32>) -> tensor<1x32xf32>
  return %1 : tensor<1x32xf32>
}

// Transposing the large operand would cost more than transposing the small one back.
// CHECK-LABEL: @small_operand_is_transposed_back
// CHECK: nn.conv2d
// CHECK: nn.add {{.*}} -> tensor<8x2x4x4xf32>
func.func @small_operand_is_transposed_back(%x: tensor<1x2x4x4xf32>, %y: tensor<8x2x4x4xf32>) -> tensor<8x2x4x4xf32> {
  %w = nn.constant dense<1.0> : tensor<2x2x1x1xf32>
  %0 = nn.conv2d %x, %w : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %1 = nn.add %y, %0 : (tensor<8x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<8x2x4x4xf32>
  return %1 : tensor<8x2x4x4xf32>
}

// CHECK-LABEL: @pooling_alone_stays
// CHECK-NEXT: nn.max_pool2d %x {{.*}}layout = "NCHW"
// CHECK-NEXT: return
func.func @pooling_alone_stays(%x: tensor<1x2x4x4xf32>) -> tensor<1x2x3x3xf32> {
  %0 = nn.max_pool2d %x {kernel = array<i64: 2, 2>} : (tensor<1x2x4x4xf32>) -> tensor<1x2x3x3xf32>
  return %0 : tensor<1x2x3x3xf32>
}

// CHECK-LABEL: @channels_last_stays
// CHECK-NEXT: nn.conv2d %x, %w
// CHECK-NEXT: return
func.func @channels_last_stays(%x: tensor<1x4x4x2xf32>, %w: tensor<1x1x2x3xf32>) -> tensor<1x4x4x3xf32> {
  %0 = nn.conv2d %x, %w {layout = "NHWC"} : (tensor<1x4x4x2xf32>, tensor<1x1x2x3xf32>) -> tensor<1x4x4x3xf32>
  return %0 : tensor<1x4x4x3xf32>
}

// A depthwise convolution alone vectorises over columns: nothing is transposed.
// CHECK-LABEL: @depthwise_alone
// CHECK-NOT: nn.transpose
// CHECK-NOT: NHWC
// CHECK: return
func.func @depthwise_alone(%x: tensor<1x4x6x6xf32>) -> tensor<1x4x4x4xf32> {
  %w = nn.constant dense<0.5> : tensor<4x1x3x3xf32>
  %0 = nn.conv2d %x, %w {groups = 4 : i64} : (tensor<1x4x6x6xf32>, tensor<4x1x3x3xf32>) -> tensor<1x4x4x4xf32>
  return %0 : tensor<1x4x4x4xf32>
}

// So does a convolution of many single pixels: it is a product of matrices. Of few, it is not.
// CHECK-LABEL: @pointwise_alone
// CHECK-NOT: nn.transpose
// CHECK-NOT: NHWC
// CHECK: return
func.func @pointwise_alone(%x: tensor<1x4x32x16xf32>) -> tensor<1x8x32x16xf32> {
  %w = nn.constant dense<0.5> : tensor<8x4x1x1xf32>
  %0 = nn.conv2d %x, %w : (tensor<1x4x32x16xf32>, tensor<8x4x1x1xf32>) -> tensor<1x8x32x16xf32>
  return %0 : tensor<1x8x32x16xf32>
}
// CHECK-LABEL: @few_pixels
// CHECK: nn.conv2d {{.*}}NHWC
func.func @few_pixels(%x: tensor<1x4x7x7xf32>) -> tensor<1x8x7x7xf32> {
  %w = nn.constant dense<0.5> : tensor<8x4x1x1xf32>
  %0 = nn.conv2d %x, %w : (tensor<1x4x7x7xf32>, tensor<8x4x1x1xf32>) -> tensor<1x8x7x7xf32>
  return %0 : tensor<1x8x7x7xf32>
}
