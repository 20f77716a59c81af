// RUN: lamina-opt %s --convert-nn-to-linalg | filecheck %s

// A part without elements is not inserted: its slice would start where the result ends.
// CHECK-LABEL: func.func @concat_of_nothing_behind_something
// CHECK: tensor.insert_slice %x into %{{.*}}[0, 0] [2, 3] [1, 1]
// CHECK-NOT: tensor.insert_slice
// CHECK-LABEL: func.func @concat_without_elements
func.func @concat_of_nothing_behind_something(%x: tensor<2x3xf32>, %y: tensor<2x0xf32>) -> tensor<2x3xf32> {
  %0 = nn.concat %x, %y {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2x0xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-NEXT: %[[E:.*]] = tensor.empty() : tensor<0x4xf32>
// CHECK-NEXT: return %[[E]]
func.func @concat_without_elements(%x: tensor<0x2xf32>) -> tensor<0x4xf32> {
  %0 = nn.concat %x, %x {axis = 1 : i64} : (tensor<0x2xf32>, tensor<0x2xf32>) -> tensor<0x4xf32>
  return %0 : tensor<0x4xf32>
}

// CHECK-LABEL: func.func @pad_of_nothing
// CHECK: %[[F:.*]] = linalg.fill
// CHECK-NEXT: return %[[F]]
func.func @pad_of_nothing(%x: tensor<0xf32>) -> tensor<3xf32> {
  %0 = nn.pad %x {low = array<i64: 3>, high = array<i64: 0>, mode = "constant", value = 1.0 : f64}
    : (tensor<0xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
