// RUN: lamina-opt %s --split-input-file --winograd-convolutions=winograd=f4 | filecheck %s
// RUN: lamina-opt %s --split-input-file --winograd-convolutions=winograd=off | filecheck %s --check-prefix=OFF
// RUN: lamina-opt %s --split-input-file --winograd-convolutions=winograd=f4 --cpu-default-schedule --vectorize-dispatches | filecheck %s --check-prefix=VECTOR

// A convolution into zeros becomes a transform of the input, a product for each of 36 points, and a transform
// of the result, which the epilogue takes.
// CHECK-LABEL: func.func private @conv
// CHECK-SAME: %{{.*}}: tensor<36x16x24xf32>
// CHECK: linalg.winograd_input_transform fmr(F_4_3) ins(%{{.*}} : tensor<1x10x14x16xf32>) outs(%{{.*}} : tensor<6x6x2x3x1x16xf32>)
// CHECK: linalg.batch_matmul ins(%{{.*}} : tensor<36x6x16xf32>, tensor<36x16x24xf32>)
// CHECK: linalg.winograd_output_transform fmr(F_4_3) ins(%{{.*}} : tensor<6x6x2x3x1x24xf32>) outs(%{{.*}} : tensor<1x8x12x24xf32>)
// CHECK: linalg.generic
// CHECK-NOT: conv_2d
// OFF-LABEL: func.func private @conv
// OFF: linalg.conv_2d_nhwc_hwcf
// OFF-NOT: winograd
// A tile is a square of 4 x 4 times a register of channels; the epilogue runs on it.
// VECTOR-LABEL: func.func private @conv
// VECTOR: vector.transfer_read %{{.*}} : tensor<1x10x14x16xf32>, vector<6x6x8xf32>
// VECTOR: vector.contract
// VECTOR: vector.transfer_read %{{.*}} : tensor<6x6x2x3x1x24xf32>, vector<6x6x8xf32>
// VECTOR: arith.maximumf %{{.*}} : vector<4x4x8xf32>
// VECTOR: vector.transfer_write %{{.*}} : vector<4x4x8xf32>, tensor<1x8x12x24xf32>
// VECTOR-NOT: winograd
func.func private @conv(%x: tensor<1x10x14x16xf32>, %w: tensor<3x3x16x24xf32>, %out: tensor<1x8x12x24xf32>) -> tensor<1x8x12x24xf32> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<1x8x12x24xf32>) -> tensor<1x8x12x24xf32>
  %r = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<1x10x14x16xf32>, tensor<3x3x16x24xf32>) outs(%f : tensor<1x8x12x24xf32>) -> tensor<1x8x12x24xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (a, b, c, d)>],
    iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%r : tensor<1x8x12x24xf32>) outs(%out : tensor<1x8x12x24xf32>) {
  ^bb0(%a: f32, %b: f32):
    %m = arith.maximumf %a, %zero : f32
    linalg.yield %m : f32
  } -> tensor<1x8x12x24xf32>
  return %y : tensor<1x8x12x24xf32>
}
// OFF-LABEL: func.func @main
// VECTOR-LABEL: func.func @main
// The filter of each call is transformed now.
// CHECK-LABEL: func.func @main
// CHECK-DAG: arith.constant dense<0.000000e+00> : tensor<36x16x24xf32>
// CHECK-NOT: tensor<3x3x16x24xf32>
func.func @main(%x: tensor<1x10x14x16xf32>, %out: tensor<1x8x12x24xf32>) -> tensor<1x8x12x24xf32> {
  %w = arith.constant dense<0.0> : tensor<3x3x16x24xf32>
  %0 = call @conv(%x, %w, %out) : (tensor<1x10x14x16xf32>, tensor<3x3x16x24xf32>, tensor<1x8x12x24xf32>) -> tensor<1x8x12x24xf32>
  return %0 : tensor<1x8x12x24xf32>
}

// -----

// The module's attribute stands above the option.
// CHECK-LABEL: func.func private @attribute
// CHECK: winograd_output_transform fmr(F_2_3)
module attributes {lamina.winograd = "f2"} {
  func.func private @attribute(%x: tensor<1x6x6x8xf32>, %w: tensor<3x3x8x8xf32>, %out: tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32> {
    %zero = arith.constant 0.0 : f32
    %f = linalg.fill ins(%zero : f32) outs(%out : tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32>
    %r = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<1x6x6x8xf32>, tensor<3x3x8x8xf32>) outs(%f : tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32>
    return %r : tensor<1x4x4x8xf32>
  }
  func.func @main(%x: tensor<1x6x6x8xf32>, %out: tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32> {
    %w = arith.constant dense<0.0> : tensor<3x3x8x8xf32>
    %0 = func.call @attribute(%x, %w, %out) : (tensor<1x6x6x8xf32>, tensor<3x3x8x8xf32>, tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32>
    return %0 : tensor<1x4x4x8xf32>
  }
}

// -----

// Left as they are: four channels, a stride of 2, an accumulation, a filter that varies.
// CHECK-LABEL: func.func private @left
// CHECK-COUNT-4: linalg.conv_2d_nhwc_hwcf
// CHECK-NOT: winograd
func.func private @left(%x: tensor<1x7x7x4xf32>, %y: tensor<1x9x9x8xf32>, %w0: tensor<3x3x4x8xf32>, %w1: tensor<3x3x8x8xf32>, %w2: tensor<3x3x8x8xf32>, %w3: tensor<3x3x8x8xf32>,
    %o0: tensor<1x5x5x8xf32>, %o1: tensor<1x4x4x8xf32>, %z: tensor<1x6x6x8xf32>) -> (tensor<1x5x5x8xf32>, tensor<1x4x4x8xf32>, tensor<1x4x4x8xf32>, tensor<1x4x4x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %f0 = linalg.fill ins(%zero : f32) outs(%o0 : tensor<1x5x5x8xf32>) -> tensor<1x5x5x8xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%o1 : tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32>
  %0 = linalg.conv_2d_nhwc_hwcf ins(%x, %w0 : tensor<1x7x7x4xf32>, tensor<3x3x4x8xf32>) outs(%f0 : tensor<1x5x5x8xf32>) -> tensor<1x5x5x8xf32>
  %1 = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>} ins(%y, %w1 : tensor<1x9x9x8xf32>, tensor<3x3x8x8xf32>) outs(%f1 : tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32>
  %2 = linalg.conv_2d_nhwc_hwcf ins(%z, %w2 : tensor<1x6x6x8xf32>, tensor<3x3x8x8xf32>) outs(%o1 : tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32>
  %3 = linalg.conv_2d_nhwc_hwcf ins(%z, %w3 : tensor<1x6x6x8xf32>, tensor<3x3x8x8xf32>) outs(%f1 : tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32>
  return %0, %1, %2, %3 : tensor<1x5x5x8xf32>, tensor<1x4x4x8xf32>, tensor<1x4x4x8xf32>, tensor<1x4x4x8xf32>
}
func.func @main(%x: tensor<1x7x7x4xf32>, %y: tensor<1x9x9x8xf32>, %z: tensor<1x6x6x8xf32>, %v: tensor<3x3x8x8xf32>, %o0: tensor<1x5x5x8xf32>, %o1: tensor<1x4x4x8xf32>) -> tensor<1x5x5x8xf32> {
  %w = arith.constant dense<0.0> : tensor<3x3x8x8xf32>
  %w0 = arith.constant dense<0.0> : tensor<3x3x4x8xf32>
  %0:4 = call @left(%x, %y, %w0, %w, %w, %v, %o0, %o1, %z) : (tensor<1x7x7x4xf32>, tensor<1x9x9x8xf32>, tensor<3x3x4x8xf32>, tensor<3x3x8x8xf32>, tensor<3x3x8x8xf32>, tensor<3x3x8x8xf32>, tensor<1x5x5x8xf32>, tensor<1x4x4x8xf32>, tensor<1x6x6x8xf32>) -> (tensor<1x5x5x8xf32>, tensor<1x4x4x8xf32>, tensor<1x4x4x8xf32>, tensor<1x4x4x8xf32>)
  return %0#0 : tensor<1x5x5x8xf32>
}

// -----

// Zeros complete the tiles that an image of 7 x 9 ends in, and a slice leaves out what they make. The code has
// tiles of its own for that: they read and write a part.
// CHECK-LABEL: func.func private @ragged
// CHECK: %[[wide:.*]] = tensor.insert_slice %{{.*}}[0, 0, 0, 0] [1, 9, 11, 8] [1, 1, 1, 1] : tensor<1x9x11x8xf32> into tensor<1x10x14x8xf32>
// CHECK: linalg.winograd_input_transform fmr(F_4_3) ins(%[[wide]] : tensor<1x10x14x8xf32>) outs(%{{.*}} : tensor<6x6x2x3x1x8xf32>)
// CHECK: %[[made:.*]] = linalg.winograd_output_transform fmr(F_4_3) ins(%{{.*}} : tensor<6x6x2x3x1x8xf32>) outs(%{{.*}} : tensor<1x8x12x8xf32>)
// CHECK: %[[inside:.*]] = tensor.extract_slice %[[made]][0, 0, 0, 0] [1, 7, 9, 8] [1, 1, 1, 1]
// CHECK: linalg.copy ins(%[[inside]] : tensor<1x7x9x8xf32>)
// OFF-LABEL: func.func private @ragged
// VECTOR-LABEL: func.func private @ragged
// VECTOR-NOT: linalg
// VECTOR: vector.transfer_read %{{.*}} : tensor<1x9x11x8xf32>, vector<6x6x8xf32>
// VECTOR: vector.transfer_read %{{.*}} : tensor<1x9x11x8xf32>, vector<6x3x8xf32>
// VECTOR: vector.transfer_read %{{.*}} : tensor<1x9x11x8xf32>, vector<5x6x8xf32>
// VECTOR: vector.transfer_read %{{.*}} : tensor<1x9x11x8xf32>, vector<5x3x8xf32>
// VECTOR: vector.transfer_write %{{.*}} : vector<4x4x8xf32>, tensor<1x7x9x8xf32>
// VECTOR: vector.transfer_write %{{.*}} : vector<4x8xf32>, tensor<1x7x9x8xf32>
// VECTOR: vector.transfer_write %{{.*}} : vector<3x4x8xf32>, tensor<1x7x9x8xf32>
// VECTOR: vector.transfer_write %{{.*}} : vector<3x8xf32>, tensor<1x7x9x8xf32>
func.func private @ragged(%x: tensor<1x9x11x8xf32>, %w: tensor<3x3x8x8xf32>, %out: tensor<1x7x9x8xf32>) -> tensor<1x7x9x8xf32> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<1x7x9x8xf32>) -> tensor<1x7x9x8xf32>
  %r = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<1x9x11x8xf32>, tensor<3x3x8x8xf32>) outs(%f : tensor<1x7x9x8xf32>) -> tensor<1x7x9x8xf32>
  return %r : tensor<1x7x9x8xf32>
}
func.func @main(%x: tensor<1x9x11x8xf32>, %out: tensor<1x7x9x8xf32>) -> tensor<1x7x9x8xf32> {
  %w = arith.constant dense<1.0> : tensor<3x3x8x8xf32>
  %0 = call @ragged(%x, %w, %out) : (tensor<1x9x11x8xf32>, tensor<3x3x8x8xf32>, tensor<1x7x9x8xf32>) -> tensor<1x7x9x8xf32>
  return %0 : tensor<1x7x9x8xf32>
}
