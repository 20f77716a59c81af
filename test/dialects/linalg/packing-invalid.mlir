// RUN: lamina-opt %s --split-input-file --verify-diagnostics

func.func @remainder(%a: tensor<8x30xf32>, %o: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
  // expected-error@+1 {{Only full tiles are supported when padding_value is not set}}
  %0 = linalg.pack %a outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [16] into %o : tensor<8x30xf32> -> tensor<2x8x16xf32>
  return %0 : tensor<2x8x16xf32>
}

// -----

func.func @other_shape(%a: tensor<8x32xf32>, %o: tensor<8x2x16xf32>) -> tensor<8x2x16xf32> {
  // expected-error@+1 {{for the packed domain value}}
  %0 = linalg.pack %a outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [16] into %o : tensor<8x32xf32> -> tensor<8x2x16xf32>
  return %0 : tensor<8x2x16xf32>
}
