// RUN: lamina-opt %s --split-input-file --canonicalize --mlir-print-local-scope | filecheck %s

// Sizes that are constants become part of the op; the index of a dimension of size 1 is zero.
func.func @split_sizes(%x: index) -> (index, index, index) {
  %c7 = arith.constant 7 : index
  %0:3 = affine.delinearize_index %x into (%c7, 1, 6) : index, index, index
  return %0#0, %0#1, %0#2 : index, index, index
}
// CHECK-LABEL: @split_sizes
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[I:.*]]:2 = affine.delinearize_index %{{.*}} into (7, 6)
// CHECK-NEXT: return %[[I]]#0, %[[ZERO]], %[[I]]#1

// -----

// Constants: 100 = 3 * 30 + 2 * 5 + 0, and 1 * 20 + 3 * 4 + 1 = 33.
func.func @constants() -> (index, index, index, index) {
  %c100 = arith.constant 100 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %0:3 = affine.delinearize_index %c100 into (6, 5) : index, index, index
  %1 = affine.linearize_index [%c1, %c3, %c1] by (5, 4) : index
  return %0#0, %0#1, %0#2, %1 : index, index, index, index
}
// CHECK-LABEL: @constants
// CHECK-DAG: %[[A:.*]] = arith.constant 3 : index
// CHECK-DAG: %[[B:.*]] = arith.constant 2 : index
// CHECK-DAG: %[[C:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[D:.*]] = arith.constant 33 : index
// CHECK: return %[[A]], %[[B]], %[[C]], %[[D]]

// -----

// A leading zero, and the zero index of a dimension of size 1, add nothing.
func.func @join_zeros(%x: index, %y: index) -> (index, index) {
  %c0 = arith.constant 0 : index
  %0 = affine.linearize_index [%c0, %x, %y] by (9, 7, 5) : index
  %1 = affine.linearize_index [%x, %c0, %y] by (3, 1, 5) : index
  return %0, %1 : index, index
}
// CHECK-LABEL: @join_zeros
// CHECK-SAME: (%[[X:.*]]: index, %[[Y:.*]]: index)
// CHECK-NEXT: affine.linearize_index [%[[X]], %[[Y]]] by (7, 5)
// CHECK-NEXT: affine.linearize_index [%[[X]], %[[Y]]] by (3, 5)

// -----

// What was joined and is split again: all of it, and its last sizes only.
func.func @split_joined(%x: index, %y: index, %z: index, %n: index) -> (index, index, index, index, index) {
  %0 = affine.linearize_index disjoint [%x, %y, %z] by (%n, 7, 5) : index
  %1:3 = affine.delinearize_index %0 into (%n, 7, 5) : index, index, index
  %2:2 = affine.delinearize_index %0 into (5) : index, index
  return %1#0, %1#1, %1#2, %2#0, %2#1 : index, index, index, index, index
}
// CHECK-LABEL: @split_joined
// CHECK-SAME: (%[[X:.*]]: index, %[[Y:.*]]: index, %[[Z:.*]]: index, %{{.*}}: index)
// CHECK-NEXT: %[[R:.*]] = affine.linearize_index disjoint [%[[X]], %[[Y]]]
// CHECK-NEXT: return %[[X]], %[[Y]], %[[Z]], %[[R]], %[[Z]]

// -----

// Indices that may be larger than their dimensions are not those that come out.
func.func @overlapping(%x: index, %y: index) -> (index, index) {
  %0 = affine.linearize_index [%x, %y] by (7, 5) : index
  %1:2 = affine.delinearize_index %0 into (7, 5) : index, index
  return %1#0, %1#1 : index, index
}
// CHECK-LABEL: @overlapping
// CHECK: affine.delinearize_index

// -----

// The last of the joined indices is split where the last sizes together are its size.
func.func @split_last(%x: index, %y: index) -> (index, index, index) {
  %0 = affine.linearize_index disjoint [%x, %y] by (3, 12) : index
  %1:3 = affine.delinearize_index %0 into (3, 4, 3) : index, index, index
  return %1#0, %1#1, %1#2 : index, index, index
}
// CHECK-LABEL: @split_last
// CHECK-SAME: (%[[X:.*]]: index, %[[Y:.*]]: index)
// CHECK-NEXT: %[[R:.*]]:2 = affine.delinearize_index %[[Y]] into (4, 3)
// CHECK-NEXT: return %[[X]], %[[R]]#0, %[[R]]#1

// -----

// What was split and is joined again, alone and among others.
func.func @join_split(%x: index, %y: index, %n: index) -> (index, index) {
  %0:2 = affine.delinearize_index %x into (%n, 4) : index, index
  %1 = affine.linearize_index [%0#0, %0#1] by (%n, 4) : index
  %2:2 = affine.delinearize_index %x into (6, 4) : index, index
  %3 = affine.linearize_index [%y, %2#0, %2#1] by (3, 6, 4) : index
  return %1, %3 : index, index
}
// CHECK-LABEL: @join_split
// CHECK-SAME: (%[[X:.*]]: index, %[[Y:.*]]: index, %{{.*}}: index)
// CHECK-NEXT: %[[R:.*]] = affine.linearize_index [%[[Y]], %[[X]]] by (3, 24)
// CHECK-NEXT: return %[[X]], %[[R]]

// -----

// A map that puts the parts together, also inside of other parts.
func.func @apply_parts(%x: index) -> (index, index) {
  %0:3 = affine.delinearize_index %x into (6, 5) : index, index, index
  %1 = affine.apply affine_map<()[s0, s1, s2] -> (s0 * 30 + s1 * 5 + s2 + 1)>()[%0#0, %0#1, %0#2]
  %2:2 = affine.delinearize_index %x into (8) : index, index
  %3 = affine.apply affine_map<()[s0, s1] -> ((s0 * 8 + s1) floordiv 3 + s0 * 16 + s1 * 2)>()[%2#0, %2#1]
  return %1, %3 : index, index
}
// CHECK-LABEL: @apply_parts
// CHECK-NEXT: affine.apply affine_map<()[s0] -> (s0 + 1)>()[%{{.*}}]
// CHECK-NEXT: affine.apply affine_map<()[s0] -> (s0 floordiv 3 + s0 * 2)>()[%{{.*}}]

// -----

// A value less its remainder is a multiple, of a divisor that is not known too.
func.func @multiple(%x: index, %n: index) -> index {
  %0 = affine.apply affine_map<()[s0, s1] -> ((s0 - s0 mod s1) mod s1)>()[%x, %n]
  return %0 : index
}
// CHECK-LABEL: @multiple
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-NEXT: return %[[ZERO]]
