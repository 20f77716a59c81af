// RUN: lamina-opt %s --canonicalize | filecheck %s

// CHECK-LABEL: func.func @relu_of_non_negative
// A square root is -0.0 at -0.0, which relu changes; the integer |-128| is -128.
func.func @relu_of_non_negative(%x: tensor<4xf32>, %i: tensor<4xi8>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xi8>) {
  // CHECK: %[[E:.*]] = nn.sigmoid %x
  // CHECK: %[[S:.*]] = nn.sqrt %x
  // CHECK: %[[R:.*]] = nn.relu %[[S]]
  // CHECK: %[[A:.*]] = nn.abs %i
  // CHECK: %[[I:.*]] = nn.relu %[[A]]
  // CHECK: return %[[E]], %[[R]], %[[I]]
  %0 = nn.sigmoid %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = nn.relu %0 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = nn.sqrt %x : (tensor<4xf32>) -> tensor<4xf32>
  %3 = nn.relu %2 : (tensor<4xf32>) -> tensor<4xf32>
  %4 = nn.abs %i : (tensor<4xi8>) -> tensor<4xi8>
  %5 = nn.relu %4 : (tensor<4xi8>) -> tensor<4xi8>
  return %1, %3, %5 : tensor<4xf32>, tensor<4xf32>, tensor<4xi8>
}

// CHECK-LABEL: func.func @leaks
func.func @leaks(%x: tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) {
  %one = nn.constant dense<0.25> : tensor<4xf32>
  %many = nn.constant dense<[0.25, 0.5, 0.75, 1.0]> : tensor<4xf32>
  // CHECK-DAG: %[[L:.*]] = nn.leaky_relu %x {alpha = 2.500000e-01 : f64}
  // CHECK-DAG: %[[P:.*]] = nn.prelu %x
  // CHECK-DAG: %[[Z:.*]] = nn.leaky_relu %x {alpha = 0.000000e+00 : f64}
  // CHECK: return %[[L]], %[[P]], %x, %[[Z]]
  %0 = nn.prelu %x, %one : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %1 = nn.prelu %x, %many : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %2 = nn.leaky_relu %x {alpha = 1.0} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %3 = nn.leaky_relu %x {alpha = 0.0} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return %0, %1, %2, %3 : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>
}

// CHECK-LABEL: func.func @idle_bounds
func.func @idle_bounds(%x: tensor<4xf32>, %i: tensor<4xi8>) -> (tensor<4xf32>, tensor<4xi8>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[C:.*]] = nn.clip %i {min = 3 : i64}
  // CHECK: %[[R:.*]] = nn.relu %x
  // CHECK: %[[N:.*]] = nn.clip %x {min = -0.000000e+00 : f64}
  // CHECK: return %x, %[[C]], %[[R]], %[[N]]
  %0 = nn.clip %x {max = 0x7FF0000000000000 : f64} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = nn.clip %i {min = 3 : i64, max = 127 : i64} : (tensor<4xi8>) -> tensor<4xi8>
  %2 = nn.clip %x {min = 0.0} : (tensor<4xf32>) -> tensor<4xf32>
  %3 = nn.clip %x {min = -0.0} : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xi8>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @clips_merge
func.func @clips_merge(%x: tensor<4xf32>, %i: tensor<4xi8>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi8>) {
  %six = nn.constant dense<6.0> : tensor<4xf32>
  %low = nn.constant dense<-5> : tensor<4xi8>
  // CHECK-DAG: %[[A:.*]] = nn.clip %x {min = 0.000000e+00 : f64, max = 6.000000e+00 : f64}
  // CHECK-DAG: %[[B:.*]] = nn.clip %x {min = 2.000000e+00 : f64, max = 3.000000e+00 : f64}
  // CHECK-DAG: %[[C:.*]] = nn.clip %x {min = 0.000000e+00 : f64, max = 0.000000e+00 : f64}
  // CHECK-DAG: %[[D:.*]] = nn.clip %i {min = -5 : i64, max = 4 : i64}
  // CHECK: return %[[A]], %[[B]], %[[C]], %[[D]]
  %0 = nn.relu %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = nn.minimum %0, %six : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = nn.clip %x {min = 1.0, max = 3.0} : (tensor<4xf32>) -> tensor<4xf32>
  %3 = nn.clip %2 {min = 2.0, max = 8.0} : (tensor<4xf32>) -> tensor<4xf32>
  %4 = nn.clip %x {max = -1.0} : (tensor<4xf32>) -> tensor<4xf32>
  %5 = nn.relu %4 : (tensor<4xf32>) -> tensor<4xf32>
  %6 = nn.maximum %i, %low : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  %7 = nn.clip %6 {max = 4 : i64} : (tensor<4xi8>) -> tensor<4xi8>
  return %1, %3, %5, %7 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi8>
}

// CHECK-LABEL: func.func @clips_of_crossed_bounds_stay
func.func @clips_of_crossed_bounds_stay(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-COUNT-2: nn.clip
  %0 = nn.clip %x {min = 3.0, max = 1.0} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = nn.clip %0 {min = 2.0} : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
