// RUN: lamina-opt %s --split-input-file --verify-diagnostics

func.func @transpose(%c: vector<6x16xf32>) {
  // expected-error @+1 {{expected a permutation of the vector's dimensions}}
  %0 = "vector.transpose"(%c) {permutation = array<i64: 1, 1>} : (vector<6x16xf32>) -> vector<16x6xf32>
  return
}

// -----

func.func @shape_cast(%c: vector<6x16xf32>) {
  // expected-error @+1 {{expected the same number of elements in source and result}}
  %0 = vector.shape_cast %c : vector<6x16xf32> to vector<95xf32>
  return
}

// -----

func.func @multi_reduction(%c: vector<6x16xf32>, %x: vector<6xf32>) {
  // expected-error @+1 {{expected accumulator and result of shape (16,)}}
  %0 = vector.multi_reduction <add>, %c, %x [0] : vector<6x16xf32> to vector<6xf32>
  return
}

// -----

func.func @contract(%a: vector<6xf32>, %b: vector<6xf32>) {
  // expected-error @+1 {{expected at least one contracting dimension pair}}
  %0 = vector.contract {indexing_maps = [affine_map<(m) -> (m)>, affine_map<(m) -> (m)>, affine_map<(m) -> (m)>],
    iterator_types = ["parallel"], kind = #vector.kind<add>} %a, %b, %a : vector<6xf32>, vector<6xf32> into vector<6xf32>
  return
}

// -----

func.func @slice(%c: vector<6x16xf32>) {
  // expected-error @+1 {{expected the slice to lie inside the source}}
  %0 = vector.extract_strided_slice %c {offsets = [5, 4], sizes = [2, 8], strides = [1, 1]} : vector<6x16xf32> to vector<2x8xf32>
  return
}

// -----

func.func @elements(%s: f32) {
  // expected-error @+1 {{expected one operand for each element of the result}}
  %0 = vector.from_elements %s, %s : vector<3xf32>
  return
}
