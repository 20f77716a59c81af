// RUN: lamina-opt %s --math-polynomial-approximation | filecheck %s

// CHECK-LABEL: func.func @exp
// CHECK-NOT: math.exp
// CHECK: math.fma {{%.+}}, {{%.+}}, {{%.+}} : vector<8xf32>
// CHECK: arith.shli {{%.+}}, {{%.+}} : vector<8xi32>
// CHECK: return
func.func @exp(%x: vector<8xf32>) -> vector<8xf32> {
  %0 = math.exp %x : vector<8xf32>
  return %0 : vector<8xf32>
}

// Half precision is computed in f32; n-d vectors stay whole.
// CHECK-LABEL: func.func @half
// CHECK: arith.extf %x : vector<2x8xf16> to vector<2x8xf32>
// CHECK: arith.truncf {{%.+}} : vector<2x8xf32> to vector<2x8xf16>
func.func @half(%x: vector<2x8xf16>) -> vector<2x8xf16> {
  %0 = math.tanh %x : vector<2x8xf16>
  return %0 : vector<2x8xf16>
}

// Other functions and tensors stay.
// CHECK-LABEL: func.func @others
// CHECK: math.sqrt
// CHECK: math.exp %t : tensor<4xf32>
func.func @others(%x: f32, %t: tensor<4xf32>) -> (f32, tensor<4xf32>) {
  %0 = math.sqrt %x : f32
  %1 = math.exp %t : tensor<4xf32>
  return %0, %1 : f32, tensor<4xf32>
}
