// RUN: lamina-opt %s --mlir-print-local-scope --vectorize-dispatches | filecheck %s

#rows = affine_map<(d0, d1) -> (d0, d1)>
#columns = affine_map<(d0, d1) -> (d1)>

// A contraction and its epilogue become one nest; the accumulator starts from the fill and stays in registers.
// CHECK-LABEL: func.func @matmul_bias_relu
// CHECK: [[NEST:%.+]] = scf.for [[J:%.+]] = %c0 to %c32 step %c16 iter_args([[OUT:%.+]] = %out) -> (tensor<12x32xf32>)
// CHECK: scf.for [[I:%.+]] = %c0 to %c12 step %c6 iter_args
// CHECK: [[SUM:%.+]] = scf.for [[K:%.+]] = %c0 to %c8 step %c1 iter_args([[ACC:%.+]] = {{%.+}}) -> (vector<6x16xf32>)
// CHECK: [[A:%.+]] = vector.transfer_read %a[[[I]], [[K]]], {{%.+}} {in_bounds = [true, true]} : tensor<12x8xf32>, vector<6x1xf32>
// CHECK: [[B:%.+]] = vector.transfer_read %b[[[K]], [[J]]], {{%.+}} {in_bounds = [true, true]} : tensor<8x32xf32>, vector<1x16xf32>
// CHECK: vector.contract {{{.+}}} [[A]], [[B]], [[ACC]] : vector<6x1xf32>, vector<1x16xf32> into vector<6x16xf32>
// CHECK: vector.transfer_read %bias[[[J]]], {{%.+}} {in_bounds = [true, true], permutation_map = affine_map<(d0) -> (0, d0)>} : tensor<32xf32>, vector<6x16xf32>
// CHECK: arith.addf [[SUM]], {{%.+}} : vector<6x16xf32>
// CHECK: arith.maximumf
// CHECK: vector.transfer_write {{%.+}}, {{%.+}}[[[I]], [[J]]]
// CHECK: return [[NEST]]
// CHECK-NOT: linalg
func.func @matmul_bias_relu(%a: tensor<12x8xf32>, %b: tensor<8x32xf32>, %bias: tensor<32xf32>,
    %out: tensor<12x32xf32>) -> tensor<12x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<12x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<12x32xf32>) -> tensor<12x32xf32>
  %m = linalg.matmul {lamina.schedule = {tile = array<i64: 6, 16, 1>, order = array<i64: 1, 0, 2>, vector = 1 : i64}}
    ins(%a, %b : tensor<12x8xf32>, tensor<8x32xf32>) outs(%f : tensor<12x32xf32>) -> tensor<12x32xf32>
  %r = linalg.generic {indexing_maps = [#rows, #columns, #rows], iterator_types = ["parallel", "parallel"]}
    ins(%m, %bias : tensor<12x32xf32>, tensor<32xf32>) outs(%out : tensor<12x32xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    %t = arith.maximumf %s, %zero : f32
    linalg.yield %t : f32
  } -> tensor<12x32xf32>
  return %r : tensor<12x32xf32>
}

// The last tile starts early instead of being smaller; nothing is read out of bounds.
// CHECK-LABEL: func.func @edge
// CHECK: scf.for [[I:%.+]] = %c0 to %c11 step %c8
// CHECK-NEXT: [[AT:%.+]] = arith.minsi [[I]], %c3
// CHECK-NEXT: vector.transfer_read %x[[[AT]]], {{%.+}} {in_bounds = [true]} : tensor<11xf32>, vector<8xf32>
func.func @edge(%x: tensor<11xf32>, %out: tensor<11xf32>) -> tensor<11xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
    ins(%x : tensor<11xf32>) outs(%out : tensor<11xf32>)
    attrs = {lamina.schedule = {tile = array<i64: 8>, order = array<i64: 0>, vector = 0 : i64}} {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  } -> tensor<11xf32>
  return %r : tensor<11xf32>
}

// A reduction along rows keeps partial sums in a vector; of the last step only what is new is added.
// CHECK-LABEL: func.func @row_sums
// CHECK: [[MASK:%.+]] = arith.constant dense<[false, false, false, false, false, true, true, true]> : vector<8xi1>
// CHECK: [[PARTIAL:%.+]] = scf.for {{%.+}} = %c0 to %c16 step %c8 iter_args
// CHECK: arith.addf {{%.+}}, {{%.+}} : vector<8xf32>
// CHECK: vector.transfer_read %x[{{%.+}}, %c11]
// CHECK: [[NEW:%.+]] = arith.addf
// CHECK: [[ALL:%.+]] = arith.select [[MASK]], [[NEW]], {{%.+}} : vector<8xi1>, vector<8xf32>
// CHECK: vector.multi_reduction <add>, [[ALL]], {{%.+}} [0] : vector<8xf32> to f32
func.func @row_sums(%x: tensor<4x19xf32>, %out: tensor<4xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<4xf32>) -> tensor<4xf32>
  %r = linalg.generic {indexing_maps = [#rows, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
    ins(%x : tensor<4x19xf32>) outs(%f : tensor<4xf32>)
    attrs = {lamina.schedule = {tile = array<i64: 1, 8>, order = array<i64: 0, 1>, vector = 1 : i64}} {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %o, %a : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// What is added to, is read; then edges have steps of their own, so that nothing is added twice.
// CHECK-LABEL: func.func @accumulate
// CHECK: vector.transfer_read %out[%c0]
// CHECK: vector.transfer_write {{.+}} : vector<8xf32>
// CHECK: vector.transfer_write {{.+}}[%c8] {{.+}} : vector<2xf32>
// CHECK: tensor.insert {{%.+}} into {{%.+}}[%c10]
func.func @accumulate(%x: tensor<11xf32>, %out: tensor<11xf32>) -> tensor<11xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
    ins(%x : tensor<11xf32>) outs(%out : tensor<11xf32>)
    attrs = {lamina.schedule = {tile = array<i64: 8>, order = array<i64: 0>, vector = 0 : i64}} {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %o : f32
    linalg.yield %s : f32
  } -> tensor<11xf32>
  return %r : tensor<11xf32>
}

// A packed factor is copied once for the loop that reuses it.
// CHECK-LABEL: func.func @packed
// CHECK: [[SCRATCH:%.+]] = tensor.empty() : tensor<8x16xf32>
// CHECK: scf.for [[J:%.+]] = {{.+}} iter_args({{%.+}} = %out, [[HELD:%.+]] = [[SCRATCH]])
// CHECK: [[PACKED:%.+]] = scf.for [[K:%.+]] = %c0 to %c8 step %c1 iter_args([[PART:%.+]] = [[HELD]])
// CHECK: vector.transfer_read %b[[[K]], [[J]]]
// CHECK: vector.transfer_write {{%.+}}, [[PART]][[[K]], %c0]
// CHECK: vector.transfer_read [[PACKED]][{{%.+}}, %c0]
func.func @packed(%a: tensor<12x8xf32>, %b: tensor<8x32xf32>, %out: tensor<12x32xf32>) -> tensor<12x32xf32> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<12x32xf32>) -> tensor<12x32xf32>
  %m = linalg.matmul {lamina.schedule = {tile = array<i64: 6, 16, 1>, order = array<i64: 1, 0, 2>, vector = 1 : i64, pack = 1 : i64}}
    ins(%a, %b : tensor<12x8xf32>, tensor<8x32xf32>) outs(%f : tensor<12x32xf32>) -> tensor<12x32xf32>
  return %m : tensor<12x32xf32>
}

// Without a schedule, and with a body that has no vector form, linalg stays.
// CHECK-LABEL: func.func @kept
// CHECK: linalg.generic
// CHECK: linalg.generic
func.func @kept(%x: tensor<8xf32>, %i: tensor<8xi64>, %out: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
    ins(%x : tensor<8xf32>) outs(%out : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<8xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
    ins(%i : tensor<8xi64>) outs(%out : tensor<8xf32>)
    attrs = {lamina.schedule = {tile = array<i64: 8>, order = array<i64: 0>, vector = 0 : i64}} {
  ^bb0(%a: i64, %o: f32):
    %at = arith.index_cast %a : i64 to index
    %v = tensor.extract %x[%at] : tensor<8xf32>
    linalg.yield %v : f32
  } -> tensor<8xf32>
  return %r, %g : tensor<8xf32>, tensor<8xf32>
}

// A long epilogue runs over the rows of a tile in a loop, on values that the destination holds meanwhile.
// CHECK-LABEL: func.func @long_epilogue
// CHECK: [[SUM:%.+]] = scf.for {{.+}} -> (vector<6x16xf32>)
// CHECK: [[RAW:%.+]] = vector.transfer_write [[SUM]], {{%.+}} : vector<6x16xf32>, tensor<12x32xf32>
// CHECK: scf.for [[ROW:%.+]] = %c0 to %c6 step %c1 iter_args([[STATE:%.+]] = [[RAW]])
// CHECK: vector.transfer_read [[STATE]]{{.+}} vector<16xf32>
// CHECK: math.tanh {{%.+}} : vector<16xf32>
func.func @long_epilogue(%a: tensor<12x8xf32>, %b: tensor<8x32xf32>, %out: tensor<12x32xf32>) -> tensor<12x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<12x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<12x32xf32>) -> tensor<12x32xf32>
  %m = linalg.matmul {lamina.schedule = {tile = array<i64: 6, 16, 1>, order = array<i64: 1, 0, 2>, vector = 1 : i64}}
    ins(%a, %b : tensor<12x8xf32>, tensor<8x32xf32>) outs(%f : tensor<12x32xf32>) -> tensor<12x32xf32>
  %r = linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]}
    ins(%m : tensor<12x32xf32>) outs(%out : tensor<12x32xf32>) {
  ^bb0(%x: f32, %o: f32):
    %t = math.tanh %x : f32
    linalg.yield %t : f32
  } -> tensor<12x32xf32>
  return %r : tensor<12x32xf32>
}

// -----

// A reduction as a block: the destination is filled first, and each iteration adds to what the tile holds there.
// CHECK-LABEL: func.func @blocked
// CHECK: %[[FILLED:.*]] = linalg.fill
// CHECK: scf.for %[[K:.*]] = %c0 to %c3 step %c1 iter_args(%[[ALL:.*]] = %[[FILLED]]) -> (tensor<4x8xf32>)
// CHECK: scf.for %{{.*}} iter_args(%[[OUT:.*]] = %[[ALL]]) -> (tensor<4x8xf32>)
// CHECK: %[[HELD:.*]] = vector.transfer_read %[[OUT]]
// CHECK: scf.for %{{.*}} iter_args(%{{.*}} = %[[HELD]]) -> (vector<2x8xf32>)
// CHECK: vector.transfer_write %{{.*}}, %[[OUT]]
func.func @blocked(%a: tensor<3x5x4xf32>, %b: tensor<3x5x8xf32>, %out: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<4x8xf32>) -> tensor<4x8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k, l) -> (k, l, m)>, affine_map<(m, n, k, l) -> (k, l, n)>,
      affine_map<(m, n, k, l) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%a, %b : tensor<3x5x4xf32>, tensor<3x5x8xf32>) outs(%f : tensor<4x8xf32>)
      attrs = {lamina.schedule = {tile = array<i64: 2, 8, 1, 1>, order = array<i64: 2, 0, 1, 3>, vector = 1 : i64,
        block_sizes = array<i64: 1>, blocks = array<i64: 2>}} {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// -----

// Columns and the reduction in blocks, one factor packed for each: its tiles lie one behind the other.
// CHECK-LABEL: func.func @packed_block
// CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<2x4x16xf32>
// CHECK: scf.for %[[N:.*]] = %c0 to %c64 step %c32 iter_args({{.*}}, %{{.*}} = %[[EMPTY]])
// CHECK: scf.for %[[K:.*]] = %c0 to %c8 step %c4
// CHECK: %[[PACKED:.*]] = scf.for
// CHECK: vector.transfer_write %{{.*}} : vector<16xf32>, tensor<2x4x16xf32>
// CHECK: scf.for %{{.*}} = %c0 to %c12 step %c6
// CHECK: scf.for %[[J:.*]] = %c0 to %c32 step %c16
// CHECK: %[[PANEL:.*]] = tensor.extract_slice %[[PACKED]][%{{.*}}, 0, 0] [1, 4, 16] [1, 1, 1]
// CHECK: %[[HELD:.*]] = vector.transfer_read
// CHECK: scf.for %{{.*}} = %c0 to %c4 step %c1 iter_args(%{{.*}} = %[[HELD]]) -> (vector<6x16xf32>)
// CHECK: vector.transfer_read %[[PANEL]]
func.func @packed_block(%a: tensor<12x8xf32>, %b: tensor<8x64xf32>, %out: tensor<12x64xf32>) -> tensor<12x64xf32> {
  %m = linalg.matmul {lamina.schedule = {tile = array<i64: 6, 16, 1>, order = array<i64: 0, 1, 2>, vector = 1 : i64,
      pack = 1 : i64, blocks = array<i64: 1, 2>, block_sizes = array<i64: 32, 4>}}
    ins(%a, %b : tensor<12x8xf32>, tensor<8x64xf32>) outs(%out : tensor<12x64xf32>) -> tensor<12x64xf32>
  return %m : tensor<12x64xf32>
}

// -----

// The greatest number of a row, from a number on: what is held is never NaN, so one comparison leaves NaN out.
// CHECK-LABEL: func.func @greatest_number
// CHECK: %[[START:.*]] = arith.constant dense<0xFF800000> : vector<8xf32>
// CHECK: scf.for %{{.*}} iter_args(%[[HELD:.*]] = %[[START]]) -> (vector<8xf32>)
// CHECK: %[[TERM:.*]] = vector.transfer_read
// CHECK: %[[BETTER:.*]] = arith.cmpf ogt, %[[TERM]], %[[HELD]] : vector<8xf32>
// CHECK: arith.select %[[BETTER]], %[[TERM]], %[[HELD]] : vector<8xi1>, vector<8xf32>
func.func @greatest_number(%x: tensor<4x64xf32>, %out: tensor<4xf32>) -> tensor<4xf32> {
  %low = arith.constant 0xFF800000 : f32
  %f = linalg.fill ins(%low : f32) outs(%out : tensor<4xf32>) -> tensor<4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m)>],
      iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x64xf32>) outs(%f : tensor<4xf32>)
      attrs = {lamina.schedule = {tile = array<i64: 1, 8>, order = array<i64: 0, 1>, vector = 1 : i64}} {
  ^bb0(%a: f32, %b: f32):
    %m = arith.maxnumf %a, %b : f32
    linalg.yield %m : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}
