// RUN: lamina-opt %s --nn-set-shapes="shapes=x=2x4x5" | filecheck %s

// CHECK-LABEL: func.func private @act(%x: tensor<20x2xf32>) -> tensor<20x2xf32>
// CHECK-LABEL: func.func private @act_0(%x: tensor<2x20xf32>) -> tensor<2x20xf32>
func.func private @act(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = nn.relu %x : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @main(
// CHECK-SAME: %x: tensor<2x4x5xf32> {nn.name = "x"}
func.func @main(%x: tensor<?x4x?xf32> {nn.name = "x"}, %c: i1, %n: index) -> (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>) {
  // A reshape by a value that is computed from the shape becomes a static one.
  // CHECK-NEXT: %[[R:.*]] = nn.reshape %x {shape = array<i64: 2, -1>} : (tensor<2x4x5xf32>) -> tensor<2x20xf32>
  %s = nn.shape_of %x : (tensor<?x4x?xf32>) -> tensor<3xi64>
  %i = nn.constant dense<0> : tensor<1xi64>
  %d = nn.gather %s, %i {axis = 0 : i64} : (tensor<3xi64>, tensor<1xi64>) -> tensor<1xi64>
  %m = nn.constant dense<-1> : tensor<1xi64>
  %sh = nn.concat %d, %m {axis = 0 : i64} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %r = nn.dynamic_reshape %x, %sh : (tensor<?x4x?xf32>, tensor<2xi64>) -> tensor<?x?xf32>

  // The function that is called with two shapes is cloned.
  // CHECK-NEXT: %[[A:.*]] = call @act_0(%[[R]])
  // CHECK-NEXT: %[[T:.*]] = nn.transpose %[[A]]
  // CHECK-NEXT: %[[B:.*]] = call @act(%[[T]])
  %0 = func.call @act(%r) : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %t = nn.transpose %0 {permutation = array<i64: 1, 0>} : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = func.call @act(%t) : (tensor<?x?xf32>) -> tensor<?x?xf32>

  // CHECK-NEXT: scf.if %c -> (tensor<2x20xf32>)
  %2 = scf.if %c -> (tensor<?x?xf32>) {
    scf.yield %0 : tensor<?x?xf32>
  } else {
    %e = nn.neg %0 : (tensor<?x?xf32>) -> tensor<?x?xf32>
    scf.yield %e : tensor<?x?xf32>
  }
  // Branches of different shapes forget them.
  // CHECK: scf.if %c -> (tensor<?x?xf32>)
  // CHECK-NEXT: tensor.cast %[[A]] : tensor<2x20xf32> to tensor<?x?xf32>
  %3 = scf.if %c -> (tensor<?x?xf32>) {
    scf.yield %0 : tensor<?x?xf32>
  } else {
    scf.yield %t : tensor<?x?xf32>
  }
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // A loop keeps the extents that its body does not change.
  // CHECK: scf.for {{.*}} -> (tensor<2x20xf32>)
  %4 = scf.for %k = %c0 to %n step %c1 iter_args(%a = %0) -> (tensor<?x?xf32>) {
    %f = nn.tanh %a : (tensor<?x?xf32>) -> tensor<?x?xf32>
    scf.yield %f : tensor<?x?xf32>
  }
  // CHECK: tensor.cast %[[A]] : tensor<2x20xf32> to tensor<?x20xf32>
  // CHECK: scf.for {{.*}} -> (tensor<?x20xf32>)
  %5 = scf.for %k = %c0 to %n step %c1 iter_args(%a = %0) -> (tensor<?x?xf32>) {
    %f = nn.concat %a, %a {axis = 0 : i64} : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
    scf.yield %f : tensor<?x?xf32>
  }
  return %1, %2, %3, %4, %5 : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>
}
