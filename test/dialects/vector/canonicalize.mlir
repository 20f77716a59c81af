// RUN: lamina-opt %s --split-input-file --canonicalize --mlir-print-local-scope | filecheck %s

// A mask that is true everywhere, as its size is a multiple of the unknown one.
func.func @scalable_mask() -> vector<3x[8]xi1> {
  %c5 = arith.constant 5 : index
  %c8 = arith.constant 8 : index
  %v = vector.vscale
  %n = arith.muli %v, %c8 : index
  %0 = vector.create_mask %c5, %n : vector<3x[8]xi1>
  return %0 : vector<3x[8]xi1>
}
// CHECK-LABEL: @scalable_mask
// CHECK-NEXT: arith.constant dense<true> : vector<3x[8]xi1>

// -----

// Parts of masks: false behind the last marked row, else the mask of the other dimensions.
func.func @rows_of_mask(%n: index) -> (vector<6xi1>, vector<6xi1>) {
  %c3 = arith.constant 3 : index
  %m = vector.create_mask %c3, %n : vector<5x6xi1>
  %0 = vector.extract %m[2] : vector<6xi1> from vector<5x6xi1>
  %1 = vector.extract %m[3] : vector<6xi1> from vector<5x6xi1>
  return %0, %1 : vector<6xi1>, vector<6xi1>
}
// CHECK-LABEL: @rows_of_mask
// CHECK-DAG: %[[FALSE:.*]] = arith.constant dense<false> : vector<6xi1>
// CHECK-DAG: %[[MASK:.*]] = vector.create_mask %{{.*}} : vector<6xi1>
// CHECK: return %[[MASK]], %[[FALSE]]

// -----

// A mask without its dimensions of size 1.
func.func @cast_mask(%n: index) -> vector<6xi1> {
  %c1 = arith.constant 1 : index
  %m = vector.create_mask %c1, %n, %c1 : vector<1x6x1xi1>
  %0 = vector.shape_cast %m : vector<1x6x1xi1> to vector<6xi1>
  return %0 : vector<6xi1>
}
// CHECK-LABEL: @cast_mask
// CHECK-NEXT: vector.create_mask %{{.*}} : vector<6xi1>
// CHECK-NEXT: return

// -----

// Elements of memory that stand side by side are accessed at once.
func.func @side_by_side(%m: memref<?xf32>, %i: index, %mask: vector<4xi1>, %x: vector<4xf32>) -> vector<4xf32> {
  %p = arith.constant dense<[0, 1, 2, 3]> : vector<4xi32>
  %0 = vector.gather %m[%i] [%p], %mask, %x : memref<?xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  vector.scatter %m[%i] [%p], %mask, %x : memref<?xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32>
  return %0 : vector<4xf32>
}
// CHECK-LABEL: @side_by_side
// CHECK-NEXT: vector.maskedload
// CHECK-NEXT: vector.maskedstore

// -----

// A scatter of nothing leaves the tensor.
func.func @scatter_nothing(%t: tensor<8xf32>, %p: vector<4xindex>, %x: vector<4xf32>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %mask = arith.constant dense<false> : vector<4xi1>
  %0 = vector.scatter %t[%c0] [%p], %mask, %x : tensor<8xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32> -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// CHECK-LABEL: @scatter_nothing
// CHECK-SAME: (%[[T:.*]]: tensor<8xf32>, %{{.*}}: vector<4xindex>
// CHECK-NEXT: return %[[T]]

// -----

// Under a mask: nothing but a value, and the reduction of one element.
func.func @masked(%mask: vector<4xi1>, %x: vector<4xf32>, %y: vector<4xf32>, %one: vector<1xi1>, %e: vector<1xf32>) -> (vector<4xf32>, f32) {
  %0 = vector.mask %mask, %y { vector.yield %x : vector<4xf32> } : vector<4xi1> -> vector<4xf32>
  %1 = vector.mask %one { vector.reduction <mul>, %e : vector<1xf32> into f32 } : vector<1xi1> -> f32
  return %0, %1 : vector<4xf32>, f32
}
// CHECK-LABEL: @masked
// CHECK-NEXT: arith.select
// CHECK-NEXT: vector.extract %{{.*}}[0]
// CHECK-NEXT: return

// -----

// A vector that was written into a tensor, at the same place and past a write elsewhere.
func.func @read_written(%t: tensor<6x4xf32>, %x: vector<2x4xf32>, %y: vector<2x4xf32>) -> vector<2x4xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %p = arith.constant 0.0 : f32
  %0 = vector.transfer_write %x, %t[%c0, %c0] {in_bounds = [true, true]} : vector<2x4xf32>, tensor<6x4xf32>
  %1 = vector.transfer_write %y, %0[%c2, %c0] {in_bounds = [true, true]} : vector<2x4xf32>, tensor<6x4xf32>
  %2 = vector.transfer_read %1[%c0, %c0], %p {in_bounds = [true, true]} : tensor<6x4xf32>, vector<2x4xf32>
  return %2 : vector<2x4xf32>
}
// CHECK-LABEL: @read_written
// CHECK-SAME: (%{{.*}}: tensor<6x4xf32>, %[[X:.*]]: vector<2x4xf32>, %{{.*}}: vector<2x4xf32>)
// CHECK-NEXT: return %[[X]]

// -----

// Not past a write that touches the same elements.
func.func @overlap(%t: tensor<6x4xf32>, %x: vector<2x4xf32>, %y: vector<2x4xf32>) -> vector<2x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = arith.constant 0.0 : f32
  %0 = vector.transfer_write %x, %t[%c0, %c0] {in_bounds = [true, true]} : vector<2x4xf32>, tensor<6x4xf32>
  %1 = vector.transfer_write %y, %0[%c1, %c0] {in_bounds = [true, true]} : vector<2x4xf32>, tensor<6x4xf32>
  %2 = vector.transfer_read %1[%c0, %c0], %p {in_bounds = [true, true]} : tensor<6x4xf32>, vector<2x4xf32>
  return %2 : vector<2x4xf32>
}
// CHECK-LABEL: @overlap
// CHECK: vector.transfer_write
// CHECK: vector.transfer_write
// CHECK: vector.transfer_read

// -----

// A broadcast of what was written, in the order of the read.
func.func @read_broadcast(%t: tensor<4x6xf32>, %x: vector<4x6xf32>) -> vector<4x3x6xf32> {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %0 = vector.transfer_write %x, %t[%c0, %c0] {in_bounds = [true, true]} : vector<4x6xf32>, tensor<4x6xf32>
  %1 = vector.transfer_read %0[%c0, %c0], %p {in_bounds = [true, true, true], permutation_map = affine_map<(d0, d1) -> (d0, 0, d1)>} : tensor<4x6xf32>, vector<4x3x6xf32>
  return %1 : vector<4x3x6xf32>
}
// CHECK-LABEL: @read_broadcast
// CHECK-NEXT: vector.broadcast %{{.*}} : vector<4x6xf32> to vector<3x4x6xf32>
// CHECK-NEXT: vector.transpose %{{.*}}, [1, 0, 2]
// CHECK-NEXT: return

// -----

// What was read is written back, and all of a tensor into another one.
func.func @write_read(%t: tensor<6x4xf32>, %u: tensor<6x4xf32>, %i: index) -> (tensor<6x4xf32>, tensor<6x4xf32>) {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %0 = vector.transfer_read %t[%i, %c0], %p : tensor<6x4xf32>, vector<2x4xf32>
  %1 = vector.transfer_write %0, %t[%i, %c0] : vector<2x4xf32>, tensor<6x4xf32>
  %2 = vector.transfer_read %t[%c0, %c0], %p : tensor<6x4xf32>, vector<6x4xf32>
  %3 = vector.transfer_write %2, %u[%c0, %c0] : vector<6x4xf32>, tensor<6x4xf32>
  return %1, %3 : tensor<6x4xf32>, tensor<6x4xf32>
}
// CHECK-LABEL: @write_read
// CHECK-SAME: (%[[T:.*]]: tensor<6x4xf32>, %{{.*}}: tensor<6x4xf32>, %{{.*}}: index)
// CHECK-NEXT: return %[[T]], %[[T]]

// -----

// A write that is overwritten; bounds that are known are marked.
func.func @overwritten(%t: tensor<6x4xf32>, %x: vector<2x4xf32>, %y: vector<2x4xf32>) -> tensor<6x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = vector.transfer_write %x, %t[%c1, %c0] : vector<2x4xf32>, tensor<6x4xf32>
  %1 = vector.transfer_write %y, %0[%c1, %c0] : vector<2x4xf32>, tensor<6x4xf32>
  return %1 : tensor<6x4xf32>
}
// CHECK-LABEL: @overwritten
// CHECK-SAME: (%[[T:.*]]: tensor<6x4xf32>, %{{.*}}: vector<2x4xf32>, %[[Y:.*]]: vector<2x4xf32>)
// CHECK: vector.transfer_write %[[Y]], %[[T]][%{{.*}}, %{{.*}}] {in_bounds = [true, true]}
// CHECK-NOT: vector.transfer_write

// -----

// Elements of what was inserted, sliced and cast.
func.func @extracts(%a: vector<3x4xf32>, %b: vector<6x8xf32>, %c: vector<2x6xf32>, %i: index, %j: index) -> (f32, vector<8xf32>, vector<6xf32>, vector<12xf32>) {
  %0 = vector.insert_strided_slice %a, %b {offsets = [2, 3], strides = [1, 1]} : vector<3x4xf32> into vector<6x8xf32>
  %1 = vector.extract %0[4, 5] : f32 from vector<6x8xf32>
  %2 = vector.extract %0[1] : vector<8xf32> from vector<6x8xf32>
  %3 = vector.shape_cast %c : vector<2x6xf32> to vector<1x2x6xf32>
  %4 = vector.extract %3[%i, %j] : vector<6xf32> from vector<1x2x6xf32>
  %5 = vector.shape_cast %c : vector<2x6xf32> to vector<1x12xf32>
  %6 = vector.extract %5[0] : vector<12xf32> from vector<1x12xf32>
  return %1, %2, %4, %6 : f32, vector<8xf32>, vector<6xf32>, vector<12xf32>
}
// CHECK-LABEL: @extracts
// CHECK-SAME: (%[[A:.*]]: vector<3x4xf32>, %[[B:.*]]: vector<6x8xf32>, %[[C:.*]]: vector<2x6xf32>, %{{.*}}: index, %[[J:.*]]: index)
// CHECK-DAG: vector.extract %[[A]][2, 2]
// CHECK-DAG: vector.extract %[[B]][1]
// CHECK-DAG: vector.extract %[[C]][%[[J]]]
// CHECK-DAG: vector.shape_cast %[[C]] : vector<2x6xf32> to vector<12xf32>

// -----

// The index -1 is poison.
func.func @poison_index(%a: vector<3x4xf32>, %x: f32) -> (f32, vector<3x4xf32>) {
  %c = arith.constant -1 : index
  %0 = vector.extract %a[%c, 0] : f32 from vector<3x4xf32>
  %1 = vector.insert %x, %a[1, %c] : f32 into vector<3x4xf32>
  return %0, %1 : f32, vector<3x4xf32>
}
// CHECK-LABEL: @poison_index
// CHECK-DAG: ub.poison : f32
// CHECK-DAG: ub.poison : vector<3x4xf32>

// -----

// Slices of what was inserted, and beside it.
func.func @slices(%a: vector<4x4xf32>, %b: vector<8x8xf32>) -> (vector<2x3xf32>, vector<2x8xf32>) {
  %0 = vector.insert_strided_slice %a, %b {offsets = [1, 2], strides = [1, 1]} : vector<4x4xf32> into vector<8x8xf32>
  %1 = vector.extract_strided_slice %0 {offsets = [2, 3], sizes = [2, 3], strides = [1, 1]} : vector<8x8xf32> to vector<2x3xf32>
  %2 = vector.extract_strided_slice %0 {offsets = [6], sizes = [2], strides = [1]} : vector<8x8xf32> to vector<2x8xf32>
  return %1, %2 : vector<2x3xf32>, vector<2x8xf32>
}
// CHECK-LABEL: @slices
// CHECK-SAME: (%[[A:.*]]: vector<4x4xf32>, %[[B:.*]]: vector<8x8xf32>)
// CHECK-NEXT: vector.extract_strided_slice %[[A]] {offsets = [1, 1], sizes = [2, 3]
// CHECK-NEXT: vector.extract_strided_slice %[[B]] {offsets = [6], sizes = [2]

// -----

// Elements that stand side by side in a vector, and elements of a broadcast.
func.func @elements(%a: vector<2x3xf32>, %b: vector<2xf32>) -> (vector<3xf32>, vector<4xf32>) {
  %0 = vector.extract %a[1, 0] : f32 from vector<2x3xf32>
  %1 = vector.extract %a[1, 1] : f32 from vector<2x3xf32>
  %2 = vector.extract %a[1, 2] : f32 from vector<2x3xf32>
  %3 = vector.from_elements %0, %1, %2 : vector<3xf32>
  %4 = vector.broadcast %b : vector<2xf32> to vector<2x2xf32>
  %5:4 = vector.to_elements %4 : vector<2x2xf32>
  %6 = vector.from_elements %5#3, %5#0, %5#1, %5#0 : vector<4xf32>
  return %3, %6 : vector<3xf32>, vector<4xf32>
}
// CHECK-LABEL: @elements
// CHECK-SAME: (%[[A:.*]]: vector<2x3xf32>, %[[B:.*]]: vector<2xf32>)
// CHECK-NEXT: vector.extract %[[A]][1] : vector<3xf32>
// CHECK-NEXT: %[[E:.*]]:2 = vector.to_elements %[[B]]
// CHECK-NEXT: vector.from_elements %[[E]]#1, %[[E]]#0, %[[E]]#1, %[[E]]#0

// -----

// The bits of a constant in other widths.
func.func @bits() -> (vector<2xi32>, vector<2xf32>) {
  %0 = arith.constant dense<[1, 2, 3, 4]> : vector<4xi16>
  %1 = vector.bitcast %0 : vector<4xi16> to vector<2xi32>
  %2 = arith.constant dense<[1065353216, -1073741824]> : vector<2xi32>
  %3 = vector.bitcast %2 : vector<2xi32> to vector<2xf32>
  return %1, %3 : vector<2xi32>, vector<2xf32>
}
// CHECK-LABEL: @bits
// CHECK-DAG: arith.constant dense<[131073, 262147]> : vector<2xi32>
// CHECK-DAG: arith.constant dense<[1.000000e+00, -2.000000e+00]> : vector<2xf32>

// -----

// Casts that only add dimensions in front of a broadcast, or take one position of a slice.
func.func @casts(%a: vector<3xf32>, %b: vector<5x3xf32>) -> (vector<4x3xf32>, vector<3xf32>) {
  %0 = vector.shape_cast %a : vector<3xf32> to vector<1x3xf32>
  %1 = vector.broadcast %0 : vector<1x3xf32> to vector<4x3xf32>
  %2 = vector.extract_strided_slice %b {offsets = [2], sizes = [1], strides = [1]} : vector<5x3xf32> to vector<1x3xf32>
  %3 = vector.shape_cast %2 : vector<1x3xf32> to vector<3xf32>
  return %1, %3 : vector<4x3xf32>, vector<3xf32>
}
// CHECK-LABEL: @casts
// CHECK-NEXT: vector.broadcast %{{.*}} : vector<3xf32> to vector<4x3xf32>
// CHECK-NEXT: vector.extract %{{.*}}[2]
// CHECK-NEXT: return

// -----

// Along no dimension, a reduction still takes in its initial value.
func.func @reduce_nothing(%a: vector<3xi32>, %b: vector<3xi32>) -> vector<3xi32> {
  %0 = vector.multi_reduction <mul>, %a, %b [] : vector<3xi32> to vector<3xi32>
  return %0 : vector<3xi32>
}
// CHECK-LABEL: @reduce_nothing
// CHECK-NEXT: arith.muli
