// RUN: lamina-opt %s --canonicalize | filecheck %s

// CHECK-LABEL: @slice_of_everything
// CHECK-NEXT: return %x, %y
func.func @slice_of_everything(%x: tensor<4x3xf32>, %y: tensor<?xf32>) -> (tensor<4x3xf32>, tensor<?xf32>) {
  %0 = nn.slice %x {starts = array<i64: 0, -3>, ends = array<i64: 99, 3>, steps = array<i64: 1, 1>}
    : (tensor<4x3xf32>) -> tensor<4x3xf32>
  %1 = nn.slice %y {starts = array<i64: 0>, ends = array<i64: 9223372036854775807>, steps = array<i64: 1>}
    : (tensor<?xf32>) -> tensor<?xf32>
  return %0, %1 : tensor<4x3xf32>, tensor<?xf32>
}

// CHECK-LABEL: @reversal_stays
// CHECK-NEXT: nn.slice %x {starts = array<i64: 3>, ends = array<i64: -9223372036854775808>, steps = array<i64: -1>}
// CHECK-NEXT: nn.slice %y {starts = array<i64: 0>, ends = array<i64: 99>, steps = array<i64: 1>}
func.func @reversal_stays(%x: tensor<4xf32>, %y: tensor<?xf32>) -> (tensor<4xf32>, tensor<?xf32>) {
  %0 = nn.slice %x {starts = array<i64: -1>, ends = array<i64: -99>, steps = array<i64: -1>}
    : (tensor<4xf32>) -> tensor<4xf32>
  %1 = nn.slice %y {starts = array<i64: 0>, ends = array<i64: 99>, steps = array<i64: 1>}
    : (tensor<?xf32>) -> tensor<?xf32>
  return %0, %1 : tensor<4xf32>, tensor<?xf32>
}

// 1, 3, 5, 7, 9 and of these every second from the second on.
// CHECK-LABEL: @slices_compose
// CHECK-NEXT: nn.slice %x {starts = array<i64: 3>, ends = array<i64: 8>, steps = array<i64: 4>} : (tensor<10xf32>) -> tensor<2xf32>
// CHECK-NEXT: return
func.func @slices_compose(%x: tensor<10xf32>) -> tensor<2xf32> {
  %0 = nn.slice %x {starts = array<i64: 1>, ends = array<i64: 10>, steps = array<i64: 2>}
    : (tensor<10xf32>) -> tensor<5xf32>
  %1 = nn.slice %0 {starts = array<i64: 1>, ends = array<i64: 9>, steps = array<i64: 2>}
    : (tensor<5xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// CHECK-LABEL: @slices_backwards_stay
// CHECK-NEXT: nn.slice
// CHECK-NEXT: nn.slice
func.func @slices_backwards_stay(%x: tensor<10xf32>) -> tensor<4xf32> {
  %0 = nn.slice %x {starts = array<i64: 9>, ends = array<i64: 4>, steps = array<i64: -1>}
    : (tensor<10xf32>) -> tensor<5xf32>
  %1 = nn.slice %0 {starts = array<i64: 1>, ends = array<i64: 5>, steps = array<i64: 1>}
    : (tensor<5xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: @split_is_slices
// CHECK-NEXT: nn.slice %x {starts = array<i64: 0, 1>, ends = array<i64: 2, 4>, steps = array<i64: 1, 1>}
// CHECK-NEXT: return
func.func @split_is_slices(%x: tensor<2x4xf32>) -> tensor<2x3xf32> {
  %0, %1 = nn.split %x {axis = -1 : i64, sizes = array<i64: 1, 3>} : (tensor<2x4xf32>) -> (tensor<2x1xf32>, tensor<2x3xf32>)
  return %1 : tensor<2x3xf32>
}

// CHECK-LABEL: @concat_of_one_or_nothing
// CHECK-NEXT: %0 = nn.concat %x, %x {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x6xf32>
// CHECK-NEXT: return %x, %0
func.func @concat_of_one_or_nothing(%x: tensor<2x3xf32>, %e: tensor<2x0xf32>) -> (tensor<2x3xf32>, tensor<2x6xf32>) {
  %0 = nn.concat %x, %e {axis = -1 : i64} : (tensor<2x3xf32>, tensor<2x0xf32>) -> tensor<2x3xf32>
  %1 = nn.concat %x, %e, %x {axis = -1 : i64} : (tensor<2x3xf32>, tensor<2x0xf32>, tensor<2x3xf32>) -> tensor<2x6xf32>
  return %0, %1 : tensor<2x3xf32>, tensor<2x6xf32>
}

// CHECK-LABEL: @concats_join
// CHECK-NEXT: %0 = nn.concat %x, %x, %x {axis = 0 : i64}
// CHECK-NEXT: return %0
func.func @concats_join(%x: tensor<2x3xf32>) -> tensor<6x3xf32> {
  %0 = nn.concat %x, %x {axis = 0 : i64} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  %1 = nn.concat %0, %x {axis = 0 : i64} : (tensor<4x3xf32>, tensor<2x3xf32>) -> tensor<6x3xf32>
  return %1 : tensor<6x3xf32>
}

// CHECK-LABEL: @concats_along_other_axes_stay
// CHECK-NEXT: nn.concat
// CHECK-NEXT: nn.concat
func.func @concats_along_other_axes_stay(%x: tensor<2x3xf32>, %y: tensor<2x6xf32>) -> tensor<4x6xf32> {
  %0 = nn.concat %x, %x {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x6xf32>
  %1 = nn.concat %0, %y {axis = 0 : i64} : (tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}

// CHECK-LABEL: @slice_of_concat
// CHECK-NEXT: nn.slice %y {starts = array<i64: 1, 0>, ends = array<i64: 3, 2>, steps = array<i64: 1, 1>} : (tensor<5x3xf32>) -> tensor<2x2xf32>
// CHECK-NEXT: return
func.func @slice_of_concat(%x: tensor<2x3xf32>, %y: tensor<5x3xf32>) -> tensor<2x2xf32> {
  %0 = nn.concat %x, %y {axis = 0 : i64} : (tensor<2x3xf32>, tensor<5x3xf32>) -> tensor<7x3xf32>
  %1 = nn.slice %0 {starts = array<i64: 3, 0>, ends = array<i64: 5, 2>, steps = array<i64: 1, 1>}
    : (tensor<7x3xf32>) -> tensor<2x2xf32>
  return %1 : tensor<2x2xf32>
}

// CHECK-LABEL: @slice_across_concat_stays
// CHECK-NEXT: nn.concat
// CHECK-NEXT: nn.slice
func.func @slice_across_concat_stays(%x: tensor<2x3xf32>, %y: tensor<5x3xf32>) -> tensor<2x3xf32> {
  %0 = nn.concat %x, %y {axis = 0 : i64} : (tensor<2x3xf32>, tensor<5x3xf32>) -> tensor<7x3xf32>
  %1 = nn.slice %0 {starts = array<i64: 1, 0>, ends = array<i64: 3, 3>, steps = array<i64: 1, 1>}
    : (tensor<7x3xf32>) -> tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}

// CHECK-LABEL: @gather_at_a_constant
// CHECK-NEXT: %0 = nn.slice %x {starts = array<i64: 0, 2>, ends = array<i64: 4, 3>, steps = array<i64: 1, 1>} : (tensor<4x3xf32>) -> tensor<4x1xf32>
// CHECK-NEXT: %1 = nn.reshape %0 {shape = array<i64: 4>} : (tensor<4x1xf32>) -> tensor<4xf32>
// CHECK-NEXT: %2 = nn.slice %x {starts = array<i64: 0, 0>, ends = array<i64: 3, 3>, steps = array<i64: 2, 1>} : (tensor<4x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT: return %1, %2
func.func @gather_at_a_constant(%x: tensor<4x3xf32>) -> (tensor<4xf32>, tensor<2x3xf32>) {
  %last = nn.constant dense<-1> : tensor<i64>
  %some = nn.constant dense<[0, 2]> : tensor<2xi64>
  %0 = nn.gather %x, %last {axis = -1 : i64} : (tensor<4x3xf32>, tensor<i64>) -> tensor<4xf32>
  %1 = nn.gather %x, %some {axis = 0 : i64} : (tensor<4x3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  return %0, %1 : tensor<4xf32>, tensor<2x3xf32>
}

// CHECK-LABEL: @gather_out_of_order_stays
// CHECK-NEXT: nn.constant
// CHECK-NEXT: nn.gather
// CHECK-NEXT: nn.gather
func.func @gather_out_of_order_stays(%x: tensor<4xf32>, %i: tensor<i64>) -> (tensor<3xf32>, tensor<f32>) {
  %some = nn.constant dense<[0, 2, 1]> : tensor<3xi64>
  %0 = nn.gather %x, %some {axis = 0 : i64} : (tensor<4xf32>, tensor<3xi64>) -> tensor<3xf32>
  %1 = nn.gather %x, %i {axis = 0 : i64} : (tensor<4xf32>, tensor<i64>) -> tensor<f32>
  return %0, %1 : tensor<3xf32>, tensor<f32>
}
