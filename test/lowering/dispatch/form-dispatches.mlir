// RUN: lamina-opt %s --convert-nn-to-linalg --cse --linalg-sink-reshapes --linalg-fuse-elementwise-ops --form-dispatches | filecheck %s

// CHECK-LABEL: func.func private @linear_dispatch_0(
// CHECK-SAME: %x: tensor<1x64xf32>, %w: tensor<64x32xf32>, %b: tensor<32xf32>, [[OUT:%.*]]: tensor<1x32xf32> {bufferization.writable = true}) -> tensor<1x32xf32> attributes {lamina.dispatch}
// CHECK: arith.constant 0.000000e+00 : f32
// CHECK: [[MATMUL:%.*]] = linalg.matmul
// CHECK-NEXT: linalg.generic
// CHECK-SAME: ins([[MATMUL]], %b
// CHECK-SAME: outs([[OUT]] :
// CHECK: arith.maximumf
// CHECK-LABEL: func.func @linear(
// CHECK: [[EMPTY:%.*]] = tensor.empty() : tensor<1x32xf32>
// CHECK-NEXT: call @linear_dispatch_0(%x, %w, %b, [[EMPTY]])
// CHECK-NEXT: return
func.func @linear(%x: tensor<1x64xf32>, %w: tensor<64x32xf32>, %b: tensor<32xf32>) -> tensor<1x32xf32> {
  %0 = nn.matmul %x, %w : (tensor<1x64xf32>, tensor<64x32xf32>) -> tensor<1x32xf32>
  %1 = nn.add %0, %b : (tensor<1x32xf32>, tensor<32xf32>) -> tensor<1x32xf32>
  %2 = nn.relu %1 : (tensor<1x32xf32>) -> tensor<1x32xf32>
  return %2 : tensor<1x32xf32>
}

// Softmax is one dispatch over rows.
// CHECK-LABEL: func.func private @softmax_dispatch_0(
// CHECK: arith.maxnumf
// CHECK: math.exp
// CHECK: arith.addf
// CHECK: arith.divf
// CHECK-LABEL: func.func @softmax(
// CHECK-COUNT-1: call
// CHECK: return
func.func @softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = nn.softmax %x {axis = 1 : i64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @layer_norm(
// CHECK-COUNT-1: call
// CHECK-NEXT: return
func.func @layer_norm(%x: tensor<4x8xf32>, %s: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  %0 = nn.layer_norm %x, %s, %b : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// The operand of a residual addition becomes an input of the last kernel before it.
// CHECK-LABEL: func.func private @residual_dispatch_1(
// CHECK: linalg.matmul
// CHECK: arith.addf
// CHECK-LABEL: func.func @residual(
// CHECK: [[FIRST:%.*]] = call @residual_dispatch_0(%x, %w,
// CHECK: call @residual_dispatch_1([[FIRST]], %w, %{{.*}})
// CHECK-NEXT: return
func.func @residual(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = nn.matmul %x, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = nn.matmul %0, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = nn.add %0, %1 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}

// Padding fills and inserts in one dispatch; the convolution reads the padded image.
// CHECK-LABEL: func.func private @padded_dispatch_0(
// CHECK: [[FILL:%.*]] = linalg.fill
// CHECK-NEXT: tensor.insert_slice %x into [[FILL]]
// CHECK-LABEL: func.func private @padded_dispatch_1(
// CHECK: linalg.
func.func @padded(%x: tensor<1x2x4x4xf32>, %w: tensor<3x2x3x3xf32>) -> tensor<1x3x4x4xf32> {
  %0 = nn.conv2d %x, %w {pads = array<i64: 1, 1, 1, 1>} : (tensor<1x2x4x4xf32>, tensor<3x2x3x3xf32>) -> tensor<1x3x4x4xf32>
  return %0 : tensor<1x3x4x4xf32>
}

// A slice is made within the kernel that reads it, which takes the whole tensor.
// CHECK-LABEL: func.func private @slice_dispatch_0(
// CHECK-SAME: %x: tensor<4x8xf32>, %{{.*}}: tensor<4x3xf32> {bufferization.writable = true})
// CHECK: tensor.extract_slice %x[0, 5] [4, 3] [1, 1]
// CHECK: math.exp
func.func @slice(%x: tensor<4x8xf32>) -> tensor<4x3xf32> {
  %0 = nn.slice %x {starts = array<i64: 0, 5>, ends = array<i64: 4, 8>, steps = array<i64: 1, 1>} : (tensor<4x8xf32>) -> tensor<4x3xf32>
  %1 = nn.exp %0 : (tensor<4x3xf32>) -> tensor<4x3xf32>
  return %1 : tensor<4x3xf32>
}

// CHECK-LABEL: func.func private @gather_dispatch_0(%{{.*}}: tensor<2xi64>, %data: tensor<9x4xf32>,
// CHECK: tensor.extract %data
func.func @gather(%data: tensor<9x4xf32>, %indices: tensor<2xi64>) -> tensor<2x4xf32> {
  %0 = nn.gather %data, %indices {axis = 0 : i64} : (tensor<9x4xf32>, tensor<2xi64>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// CHECK-LABEL: func.func @dynamic(
// CHECK: [[N:%.*]] = tensor.dim %x
// CHECK: [[EMPTY:%.*]] = tensor.empty([[N]]) : tensor<?x2xf32>
// CHECK-NEXT: call @dynamic_dispatch_0(%x, %w, {{.*}}[[EMPTY]])
func.func @dynamic(%x: tensor<?x4xf32>, %w: tensor<4x2xf32>) -> tensor<?x2xf32> {
  %0 = nn.matmul %x, %w : (tensor<?x4xf32>, tensor<4x2xf32>) -> tensor<?x2xf32>
  %1 = nn.relu %0 : (tensor<?x2xf32>) -> tensor<?x2xf32>
  return %1 : tensor<?x2xf32>
}

// Kernels write into the padded image and into the concatenation themselves.
// CHECK-LABEL: func.func private @insertions_dispatch_0(
// CHECK-SAME: [[OUT:%[a-z0-9]+]]: tensor<1x6x6x2xf32> {bufferization.writable = true}
// CHECK: [[TANH:%[0-9]+]] = linalg.generic
// CHECK: [[FILL:%[0-9]+]] = linalg.fill ins({{.*}}) outs([[OUT]]
// CHECK-NEXT: tensor.insert_slice [[TANH]] into [[FILL]][0, 1, 1, 0]
// CHECK-LABEL: func.func private @insertions_dispatch_1(
// CHECK: linalg.conv_2d_nhwc_hwcf
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[0, 0, 0, 0]
// CHECK-LABEL: func.func private @insertions_dispatch_2(
// CHECK: math.exp
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[0, 0, 0, 2]
// CHECK-LABEL: func.func @insertions(
// CHECK-NOT: tensor.insert_slice
// CHECK: return
func.func @insertions(%x: tensor<1x4x4x2xf32>, %w: tensor<3x3x2x2xf32>) -> tensor<1x4x4x4xf32> {
  %0 = nn.tanh %x : (tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf32>
  %1 = nn.conv2d %0, %w {pads = array<i64: 1, 1, 1, 1>, layout = "NHWC"} : (tensor<1x4x4x2xf32>, tensor<3x3x2x2xf32>) -> tensor<1x4x4x2xf32>
  %2 = nn.exp %x : (tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf32>
  %3 = nn.concat %1, %2 {axis = 3 : i64} : (tensor<1x4x4x2xf32>, tensor<1x4x4x2xf32>) -> tensor<1x4x4x4xf32>
  return %3 : tensor<1x4x4x4xf32>
}

// Reshapes of a slice go with it where they stay views; a merge of dimensions apart in memory does not.
// CHECK-LABEL: func.func private @reshaped_slices_dispatch_0(
// CHECK-SAME: %x: tensor<3x2x4xf32>,
// CHECK: tensor.extract_slice %x[1, 0, 0] [1, 2, 4] [1, 1, 1]
// CHECK-NEXT: tensor.collapse_shape
// CHECK: math.exp
// CHECK-LABEL: func.func private @reshaped_slices_dispatch_1(
// CHECK-SAME: : tensor<6xf32>
// CHECK: math.tanh
func.func @reshaped_slices(%x: tensor<3x2x4xf32>) -> (tensor<8xf32>, tensor<6xf32>) {
  %0 = nn.slice %x {starts = array<i64: 1, 0, 0>, ends = array<i64: 2, 2, 4>, steps = array<i64: 1, 1, 1>} : (tensor<3x2x4xf32>) -> tensor<1x2x4xf32>
  %1 = nn.reshape %0 {shape = array<i64: 8>} : (tensor<1x2x4xf32>) -> tensor<8xf32>
  %2 = nn.exp %1 : (tensor<8xf32>) -> tensor<8xf32>
  %3 = nn.slice %x {starts = array<i64: 1, 0, 0>, ends = array<i64: 2, 2, 3>, steps = array<i64: 1, 1, 1>} : (tensor<3x2x4xf32>) -> tensor<1x2x3xf32>
  %4 = nn.reshape %3 {shape = array<i64: 6>} : (tensor<1x2x3xf32>) -> tensor<6xf32>
  %5 = nn.tanh %4 : (tensor<6xf32>) -> tensor<6xf32>
  return %2, %5 : tensor<8xf32>, tensor<6xf32>
}

// A padding joins the kernel that reads it channel by channel; not one that reads all channels for each result.
// CHECK-LABEL: func.func private @channels_dispatch_0(
// CHECK: tensor.insert_slice %x into
// CHECK: arith.mulf
// CHECK-NOT: func.func private @channels_dispatch_1
// CHECK-LABEL: func.func private @sums_of_channels_dispatch_0(
// CHECK: tensor.insert_slice %x into
// CHECK-LABEL: func.func private @sums_of_channels_dispatch_1(
// CHECK: linalg.
func.func @channels(%x: tensor<1x4x6x6xf32>, %w: tensor<4x1x3x3xf32>) -> tensor<1x4x6x6xf32> {
  %0 = nn.conv2d %x, %w {pads = array<i64: 1, 1, 1, 1>, groups = 4 : i64} : (tensor<1x4x6x6xf32>, tensor<4x1x3x3xf32>) -> tensor<1x4x6x6xf32>
  return %0 : tensor<1x4x6x6xf32>
}
func.func @sums_of_channels(%x: tensor<1x4x6x6xf32>, %w: tensor<4x4x3x3xf32>) -> tensor<1x4x6x6xf32> {
  %0 = nn.conv2d %x, %w {pads = array<i64: 1, 1, 1, 1>} : (tensor<1x4x6x6xf32>, tensor<4x4x3x3xf32>) -> tensor<1x4x6x6xf32>
  return %0 : tensor<1x4x6x6xf32>
}
