// RUN: lamina-opt %s | lamina-opt --mlir-print-local-scope | filecheck %s
// RUN: lamina-opt %s --mlir-print-op-generic | lamina-opt --mlir-print-local-scope | filecheck %s

// CHECK-LABEL: func.func @products
// CHECK: vector.contract {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %a, %b, %c : vector<6x1xf32>, vector<1x16xf32> into vector<6x16xf32>
// CHECK: vector.outerproduct %x, %y, %c {kind = #vector.kind<add>} : vector<6xf32>, vector<16xf32>
// CHECK: vector.outerproduct %x, %s : vector<6xf32>, f32
// CHECK: vector.multi_reduction <add>, %c, %x [1] : vector<6x16xf32> to vector<6xf32>
// CHECK: vector.multi_reduction <maximumf>, %c, %s [0, 1] : vector<6x16xf32> to f32
func.func @products(%a: vector<6x1xf32>, %b: vector<1x16xf32>, %c: vector<6x16xf32>, %x: vector<6xf32>,
    %y: vector<16xf32>, %s: f32) {
  %0 = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
    affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"],
    kind = #vector.kind<add>} %a, %b, %c : vector<6x1xf32>, vector<1x16xf32> into vector<6x16xf32>
  %1 = vector.outerproduct %x, %y, %c : vector<6xf32>, vector<16xf32>
  %2 = vector.outerproduct %x, %s : vector<6xf32>, f32
  %3 = vector.multi_reduction <add>, %c, %x [1] : vector<6x16xf32> to vector<6xf32>
  %4 = vector.multi_reduction <maximumf>, %c, %s [0, 1] : vector<6x16xf32> to f32
  return
}

// CHECK-LABEL: func.func @shapes
// CHECK: vector.transpose %c, [1, 0] : vector<6x16xf32> to vector<16x6xf32>
// CHECK: vector.shape_cast %c : vector<6x16xf32> to vector<96xf32>
// CHECK: [[PART:%.+]] = vector.extract_strided_slice %c {offsets = [0, 4], sizes = [2, 8], strides = [1, 1]} : vector<6x16xf32> to vector<2x8xf32>
// CHECK: vector.insert_strided_slice [[PART]], %c {offsets = [0, 4], strides = [1, 1]} : vector<2x8xf32> into vector<6x16xf32>
// CHECK: [[PAIR:%.+]] = vector.from_elements %s, %s : vector<2x1xf32>
// CHECK: vector.to_elements [[PAIR]] : vector<2x1xf32>
// CHECK: vector.step : vector<16xindex>
func.func @shapes(%c: vector<6x16xf32>, %s: f32) {
  %0 = vector.transpose %c, [1, 0] : vector<6x16xf32> to vector<16x6xf32>
  %1 = vector.shape_cast %c : vector<6x16xf32> to vector<96xf32>
  %2 = vector.extract_strided_slice %c {offsets = [0, 4], sizes = [2, 8], strides = [1, 1]} : vector<6x16xf32> to vector<2x8xf32>
  %3 = vector.insert_strided_slice %2, %c {offsets = [0, 4], strides = [1, 1]} : vector<2x8xf32> into vector<6x16xf32>
  %4 = vector.from_elements %s, %s : vector<2x1xf32>
  %5:2 = vector.to_elements %4 : vector<2x1xf32>
  %6 = vector.step : vector<16xindex>
  return
}
