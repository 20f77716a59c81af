// RUN: lamina-opt %s --canonicalize | filecheck %s

// The index of a loop that runs once is 0.
func.func @unit(%t: tensor<1x4xindex>) -> tensor<1x4xindex> {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%t : tensor<1x4xindex>) {
  ^bb0(%x: index):
    %1 = linalg.index 0 : index
    %2 = linalg.index 1 : index
    %3 = arith.addi %1, %2 : index
    linalg.yield %3 : index
  } -> tensor<1x4xindex>
  return %0 : tensor<1x4xindex>
}
// CHECK-LABEL: @unit
// CHECK: linalg.index 1
// CHECK-NOT: linalg.index
// CHECK-NOT: arith.addi
// CHECK: linalg.yield
