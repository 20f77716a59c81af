// RUN: lamina-opt %s --mlir-print-local-scope --linalg-collapse-loops | filecheck %s

#all = affine_map<(n, h, w, f) -> (n, h, w, f)>
#last = affine_map<(n, h, w, f) -> (f)>

// A 1x1 convolution runs over pixels, with its epilogue; the window's loops of one iteration are dropped.
// CHECK-LABEL: func.func @pointwise
// CHECK-DAG: [[X:%.+]] = tensor.collapse_shape %x {{.+}} : tensor<1x7x5x8xf32> into tensor<35x8xf32>
// CHECK: [[F:%.+]] = linalg.fill ins({{.+}}) outs({{%.+}} : tensor<35x4xf32>)
// CHECK: [[M:%.+]] = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (0, 0, d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins([[X]], %w : tensor<35x8xf32>, tensor<1x1x8x4xf32>) outs([[F]] : tensor<35x4xf32>)
// CHECK: linalg.generic {{.+}} iterator_types = ["parallel", "parallel"]} ins([[M]], %b : tensor<35x4xf32>, tensor<4xf32>)
// CHECK: tensor.expand_shape {{.+}} : tensor<35x4xf32> into tensor<1x7x5x4xf32>
func.func @pointwise(%x: tensor<1x7x5x8xf32>, %w: tensor<1x1x8x4xf32>, %b: tensor<4xf32>,
    %out: tensor<1x7x5x4xf32>) -> tensor<1x7x5x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x7x5x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x7x5x4xf32>) -> tensor<1x7x5x4xf32>
  %m = linalg.conv_2d_nhwc_hwcf {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
    ins(%x, %w : tensor<1x7x5x8xf32>, tensor<1x1x8x4xf32>) outs(%f : tensor<1x7x5x4xf32>) -> tensor<1x7x5x4xf32>
  %r = linalg.generic {indexing_maps = [#all, #last, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%m, %b : tensor<1x7x5x4xf32>, tensor<4xf32>) outs(%out : tensor<1x7x5x4xf32>) {
  ^bb0(%y: f32, %z: f32, %o: f32):
    %s = arith.addf %y, %z : f32
    linalg.yield %s : f32
  } -> tensor<1x7x5x4xf32>
  return %r : tensor<1x7x5x4xf32>
}

// Neighbouring reductions become one, too.
// CHECK-LABEL: func.func @mean_of_images
// CHECK: tensor.collapse_shape %x {{.+}} : tensor<2x4x6x8xf32> into tensor<2x24x8xf32>
// CHECK: iterator_types = ["parallel", "reduction", "parallel"]
func.func @mean_of_images(%x: tensor<2x4x6x8xf32>, %out: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<2x8xf32>) -> tensor<2x8xf32>
  %r = linalg.generic {indexing_maps = [#all, affine_map<(n, h, w, c) -> (n, c)>],
    iterator_types = ["parallel", "reduction", "reduction", "parallel"]}
    ins(%x : tensor<2x4x6x8xf32>) outs(%f : tensor<2x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %o, %a : f32
    linalg.yield %s : f32
  } -> tensor<2x8xf32>
  return %r : tensor<2x8xf32>
}

// Strides, windows and positions keep loops apart.
// CHECK-LABEL: func.func @apart
// CHECK-NOT: collapse_shape
func.func @apart(%x: tensor<8x8xf32>, %out: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<8x8xi64>) {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i * 2, j * 2)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x8xf32>) outs(%out : tensor<4x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<4x4xf32>
  %e = tensor.empty() : tensor<8x8xi64>
  %p = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    outs(%e : tensor<8x8xi64>) {
  ^bb0(%o: i64):
    %i = linalg.index 1 : index
    %v = arith.index_cast %i : index to i64
    linalg.yield %v : i64
  } -> tensor<8x8xi64>
  return %r, %p : tensor<4x4xf32>, tensor<8x8xi64>
}

// -----

// A result that goes into a padded tensor: collapsed, it would have to be copied there.
// CHECK-LABEL: func.func @padded
// CHECK-NOT: collapse_shape
// CHECK: linalg.exp ins(%x : tensor<2x3x4x5xf32>)
// CHECK-NOT: expand_shape
func.func @padded(%x: tensor<2x3x4x5xf32>, %out: tensor<2x3x6x5xf32>) -> tensor<2x3x6x5xf32> {
  %empty = tensor.empty() : tensor<2x3x4x5xf32>
  %y = linalg.exp ins(%x : tensor<2x3x4x5xf32>) outs(%empty : tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
  %z = tensor.insert_slice %y into %out[0, 0, 1, 0] [2, 3, 4, 5] [1, 1, 1, 1]
    : tensor<2x3x4x5xf32> into tensor<2x3x6x5xf32>
  return %z : tensor<2x3x6x5xf32>
}
