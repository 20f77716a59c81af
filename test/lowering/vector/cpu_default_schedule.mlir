// RUN: lamina-opt %s --pass-pipeline='builtin.module(func.func(cpu-default-schedule))' | filecheck %s
// RUN: lamina-opt %s --pass-pipeline='builtin.module(func.func(cpu-default-schedule{vector-bits=512 vector-registers=32}))' | filecheck %s --check-prefix=WIDE

// A product of matrices fills the registers: 6 rows of 16 columns; its columns are packed where they are far apart.
// CHECK-LABEL: func.func @matmul
// CHECK: lamina.schedule = {order = array<i64: 1, 0, 2>, pack = 1 : i64, tile = array<i64: 6, 16, 1>, vector = 1 : i64}
// WIDE-LABEL: func.func @matmul
// WIDE: vector = 1 : i64
func.func @matmul(%a: tensor<512x512xf32>, %b: tensor<512x512xf32>, %out: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<512x512xf32>) -> tensor<512x512xf32>
  %m = linalg.matmul ins(%a, %b : tensor<512x512xf32>, tensor<512x512xf32>) outs(%f : tensor<512x512xf32>) -> tensor<512x512xf32>
  return %m : tensor<512x512xf32>
}

// With the second factor stored by columns, vectors run along the sum.
// CHECK-LABEL: func.func @transposed
// CHECK: vector = 2 : i64
func.func @transposed(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>, %out: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<64x64xf32>) -> tensor<64x64xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>],
    iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>) outs(%f : tensor<64x64xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<64x64xf32>
  return %m : tensor<64x64xf32>
}

// A schedule that is there stays; a single element and a gather get none.
// CHECK-LABEL: func.func @left
// CHECK: lamina.schedule = {order = array<i64: 0>, tile = array<i64: 4>, vector = 0 : i64}
// CHECK-NOT: lamina.schedule
func.func @left(%x: tensor<8xf32>, %i: tensor<8xi64>, %out: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
    ins(%x : tensor<8xf32>) outs(%out : tensor<8xf32>)
    attrs = {lamina.schedule = {order = array<i64: 0>, tile = array<i64: 4>, vector = 0 : i64}} {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<8xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
    ins(%i : tensor<8xi64>) outs(%out : tensor<8xf32>) {
  ^bb0(%a: i64, %o: f32):
    %at = arith.index_cast %a : i64 to index
    %v = tensor.extract %x[%at] : tensor<8xf32>
    linalg.yield %v : f32
  } -> tensor<8xf32>
  return %r, %g : tensor<8xf32>, tensor<8xf32>
}

// -----

// The filter's gradient of a convolution sums over 128 images. They are a block, outside of the tiles: all tiles read
// one image from the cache. The tiles divide the filter, since nothing may be added twice.
// CHECK-LABEL: func.func @filter_gradient
// CHECK: block_sizes = array<i64: 16, 1>, blocks = array<i64: 3, 4>, order = array<i64: 3, 0, 1, 2, 4, 5, 6>, tile = array<i64: 1, 1, 4, 16, 1, 1, 1>
#image = affine_map<(p, q, c, o, n, h, w) -> (n, h + p, w + q, c)>
#cotangent = affine_map<(p, q, c, o, n, h, w) -> (n, h, w, o)>
#filter = affine_map<(p, q, c, o, n, h, w) -> (p, q, c, o)>
func.func @filter_gradient(%x: tensor<128x16x16x32xf32>, %g: tensor<128x14x14x64xf32>, %out: tensor<3x3x32x64xf32>)
    -> tensor<3x3x32x64xf32> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<3x3x32x64xf32>) -> tensor<3x3x32x64xf32>
  %r = linalg.generic {indexing_maps = [#image, #cotangent, #filter],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %g : tensor<128x16x16x32xf32>, tensor<128x14x14x64xf32>) outs(%f : tensor<3x3x32x64xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<3x3x32x64xf32>
  return %r : tensor<3x3x32x64xf32>
}

// -----

// Few rows times a matrix that comes from memory: eight of its rows are read side by side, as they lie there. The
// epilogue needs complete sums, and is a root of its own.
// CHECK-LABEL: func.func @few_rows
// CHECK: linalg.matmul
// CHECK-SAME: block_sizes = array<i64: 2048, 8>, blocks = array<i64: 1, 2>, order = array<i64: 0, 1, 2>, tile = array<i64: 3, 16, 1>
// CHECK: linalg.exp {lamina.schedule
func.func @few_rows(%a: tensor<3x4096xf32>, %b: tensor<4096x4096xf32>, %out: tensor<3x4096xf32>) -> tensor<3x4096xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<3x4096xf32>
  %f = linalg.fill ins(%zero : f32) outs(%empty : tensor<3x4096xf32>) -> tensor<3x4096xf32>
  %m = linalg.matmul ins(%a, %b : tensor<3x4096xf32>, tensor<4096x4096xf32>)
    outs(%f : tensor<3x4096xf32>) -> tensor<3x4096xf32>
  %e = linalg.exp ins(%m : tensor<3x4096xf32>) outs(%out : tensor<3x4096xf32>) -> tensor<3x4096xf32>
  return %e : tensor<3x4096xf32>
}

// -----

// So they are for more rows, in parts of as many as registers hold. Not so a constant: it can be packed ahead.
// CHECK-LABEL: func.func private @more_rows
// CHECK: linalg.matmul
// CHECK-SAME: block_sizes = array<i64: 2048, 8>, blocks = array<i64: 1, 2>, order = array<i64: 0, 1, 2>, tile = array<i64: 5, 16, 1>
func.func private @more_rows(%a: tensor<20x4096xf32>, %b: tensor<4096x4096xf32>, %out: tensor<20x4096xf32>) -> tensor<20x4096xf32> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<20x4096xf32>) -> tensor<20x4096xf32>
  %m = linalg.matmul ins(%a, %b : tensor<20x4096xf32>, tensor<4096x4096xf32>)
    outs(%f : tensor<20x4096xf32>) -> tensor<20x4096xf32>
  return %m : tensor<20x4096xf32>
}
// CHECK-LABEL: func.func private @constant_matrix
// CHECK: linalg.matmul
// CHECK-NOT: blocks
// CHECK-SAME: ins
func.func private @constant_matrix(%a: tensor<20x4096xf32>, %b: tensor<4096x4096xf32>, %out: tensor<20x4096xf32>) -> tensor<20x4096xf32> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<20x4096xf32>) -> tensor<20x4096xf32>
  %m = linalg.matmul ins(%a, %b : tensor<20x4096xf32>, tensor<4096x4096xf32>)
    outs(%f : tensor<20x4096xf32>) -> tensor<20x4096xf32>
  return %m : tensor<20x4096xf32>
}
func.func @calls(%a: tensor<20x4096xf32>, %b: tensor<4096x4096xf32>) -> (tensor<20x4096xf32>, tensor<20x4096xf32>) {
  %w = arith.constant dense<2.0> : tensor<4096x4096xf32>
  %out = tensor.empty() : tensor<20x4096xf32>
  %y = func.call @more_rows(%a, %b, %out) : (tensor<20x4096xf32>, tensor<4096x4096xf32>, tensor<20x4096xf32>) -> tensor<20x4096xf32>
  %z = func.call @constant_matrix(%a, %w, %out) : (tensor<20x4096xf32>, tensor<4096x4096xf32>, tensor<20x4096xf32>) -> tensor<20x4096xf32>
  return %y, %z : tensor<20x4096xf32>, tensor<20x4096xf32>
}
