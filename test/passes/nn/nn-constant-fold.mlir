// RUN: lamina-opt %s --nn-constant-fold="max-elements=8" | filecheck %s

// CHECK-LABEL: func.func @chain
func.func @chain() -> tensor<2xi64> {
  // CHECK-NEXT: %[[C:.*]] = nn.constant dense<[-6, 10]> : tensor<2xi64>
  // CHECK-NEXT: return %[[C]]
  %a = nn.constant dense<[1, 9]> : tensor<2xi64>
  %b = nn.constant dense<2> : tensor<2xi64>
  %0 = nn.sub %a, %b : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
  %1 = nn.add %0, %b : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
  %2 = nn.mul %0, %1 : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
  %3 = nn.constant dense<[-5, 53]> : tensor<2xi64>
  %4 = nn.sub %2, %3 : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
  %5 = nn.constant dense<[10, 0]> : tensor<2xi64>
  %6 = nn.sub %4, %5 : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
  return %6 : tensor<2xi64>
}

// CHECK-LABEL: func.func @splat_of_any_size
func.func @splat_of_any_size() -> tensor<100000x100000xf32> {
  // CHECK-NEXT: nn.constant dense<2.500000e+00> : tensor<100000x100000xf32>
  // CHECK-NEXT: return
  %a = nn.constant dense<2.0> : tensor<100000x100000xf32>
  %b = nn.constant dense<0.5> : tensor<1xf32>
  %0 = nn.add %a, %b : (tensor<100000x100000xf32>, tensor<1xf32>) -> tensor<100000x100000xf32>
  return %0 : tensor<100000x100000xf32>
}

// CHECK-LABEL: func.func @growth_is_limited
// 16 elements from 4 are too many, 12 from 12 are not.
func.func @growth_is_limited() -> (tensor<4x4xf32>, tensor<12xf32>) {
  // CHECK: nn.broadcast_to
  // CHECK: %[[C:.*]] = nn.constant dense<[-1.000000e+00, -2.000000e+00
  %a = nn.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %b = nn.constant dense<[1.0, 2.0, 3.0, 4.0, 1.0, 2.0, 3.0, 4.0, 1.0, 2.0, 3.0, 4.0]> : tensor<12xf32>
  %0 = nn.broadcast_to %a {shape = array<i64: 4, 4>} : (tensor<4xf32>) -> tensor<4x4xf32>
  %1 = nn.neg %b : (tensor<12xf32>) -> tensor<12xf32>
  return %0, %1 : tensor<4x4xf32>, tensor<12xf32>
}

// CHECK-LABEL: func.func @unknown_operand
func.func @unknown_operand(%x: tensor<2xf32>) -> tensor<2xf32> {
  // CHECK: nn.add
  %a = nn.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %0 = nn.add %x, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// CHECK-LABEL: func.func @inside_regions
func.func @inside_regions(%c: i1, %x: tensor<f32>) -> tensor<f32> {
  %a = nn.constant dense<4.0> : tensor<f32>
  %0 = scf.if %c -> (tensor<f32>) {
    // CHECK: %[[C:.*]] = nn.constant dense<2.000000e+00> : tensor<f32>
    // CHECK-NEXT: scf.yield %[[C]]
    %1 = nn.sqrt %a : (tensor<f32>) -> tensor<f32>
    scf.yield %1 : tensor<f32>
  } else {
    scf.yield %x : tensor<f32>
  }
  return %0 : tensor<f32>
}
