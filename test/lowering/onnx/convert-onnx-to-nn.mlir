// RUN: lamina-opt %s --split-input-file --convert-onnx-to-nn | filecheck %s

// Shape computations on a dynamic batch: one unknown extent becomes -1.

// CHECK-LABEL: @reshape_by_computed_shape
// CHECK:       nn.reshape %x {shape = array<i64: -1, 12>} : (tensor<?x3x4xf32>) -> tensor<?x12xf32>
builtin.module attributes {onnx.opset = {ai.onnx = 13 : i64}} {
  func.func @reshape_by_computed_shape(%x: tensor<?x3x4xf32>) -> tensor<?x12xf32> {
    %s = onnx.Shape %x : (tensor<?x3x4xf32>) -> tensor<3xi64>
    %zero = onnx.Constant {value = dense<0> : tensor<1xi64>} : () -> tensor<1xi64>
    %n = onnx.Gather %s, %zero {axis = 0 : i64} : (tensor<3xi64>, tensor<1xi64>) -> tensor<1xi64>
    %rest = onnx.Constant {value = dense<12> : tensor<1xi64>} : () -> tensor<1xi64>
    %shape = onnx.Concat %n, %rest {axis = 0 : i64} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
    %y = onnx.Reshape %x, %shape : (tensor<?x3x4xf32>, tensor<2xi64>) -> tensor<?x12xf32>
    return %y : tensor<?x12xf32>
  }
}

// -----

// Two unknown extents stay a value; what is known of the result is in its type.

// CHECK-LABEL: @reshape_with_two_unknown_extents
// CHECK:       nn.dynamic_reshape %x, {{.*}} : (tensor<?x?x8xf32>, tensor<4xi64>) -> tensor<?x?x2x4xf32>
builtin.module attributes {onnx.opset = {ai.onnx = 13 : i64}} {
  func.func @reshape_with_two_unknown_extents(%x: tensor<?x?x8xf32>) -> tensor<?x?x2x4xf32> {
    %shape = onnx.Constant {value = dense<[0, 0, 2, 4]> : tensor<4xi64>} : () -> tensor<4xi64>
    %y = onnx.Reshape %x, %shape : (tensor<?x?x8xf32>, tensor<4xi64>) -> tensor<?x?x2x4xf32>
    return %y : tensor<?x?x2x4xf32>
  }
}

// -----

// Before operator set 13 a softmax spans all dimensions from its axis on.

// CHECK-LABEL: @softmax_flattens
// CHECK:       nn.reshape %x {shape = array<i64: 2, 12>}
// CHECK-NEXT:  nn.softmax {{.*}} {axis = 1 : i64}
// CHECK-NEXT:  nn.reshape {{.*}} {shape = array<i64: 2, 3, 4>}
builtin.module attributes {onnx.opset = {ai.onnx = 12 : i64}} {
  func.func @softmax_flattens(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
    %y = onnx.Softmax %x : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
    return %y : tensor<2x3x4xf32>
  }
}

// -----

// CHECK-LABEL: @softmax_of_one_axis
// CHECK:       nn.softmax %x {axis = -1 : i64}
// CHECK-NEXT:  return
builtin.module attributes {onnx.opset = {ai.onnx = 13 : i64}} {
  func.func @softmax_of_one_axis(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
    %y = onnx.Softmax %x : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
    return %y : tensor<2x3x4xf32>
  }
}

// -----

// SAME padding of a window of two elements does not depend on the extent.

// CHECK-LABEL: @same_padding_of_dynamic_extent
// CHECK:       nn.max_pool2d %x {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 1, 1>
builtin.module attributes {onnx.opset = {ai.onnx = 12 : i64}} {
  func.func @same_padding_of_dynamic_extent(%x: tensor<1x3x?x?xf32>) -> tensor<1x3x?x?xf32> {
    %y = onnx.MaxPool %x {auto_pad = "SAME_UPPER", kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>}
      : (tensor<1x3x?x?xf32>) -> tensor<1x3x?x?xf32>
    return %y : tensor<1x3x?x?xf32>
  }
}

// -----

// A constant condition leaves one branch; names of the signature stay.

// CHECK-LABEL: @constant_condition
// CHECK-SAME:  {nn.name = "in:0"}) -> (tensor<2xf32> {nn.name = "out:0"})
// CHECK-NEXT:  nn.constant dense<true>
// CHECK-NEXT:  nn.abs %x
// CHECK-NEXT:  return
builtin.module attributes {onnx.opset = {ai.onnx = 13 : i64}} {
  func.func @constant_condition(%x: tensor<2xf32> {nn.name = "in:0"}) -> (tensor<2xf32> {nn.name = "out:0"}) {
    %c = onnx.Constant {value = dense<true> : tensor<i1>} : () -> tensor<i1>
    %y = onnx.If %c ({
      %n = onnx.Neg %x : (tensor<2xf32>) -> tensor<2xf32>
      onnx.Yield %n : (tensor<2xf32>) -> ()
    }, {
      %a = onnx.Abs %x : (tensor<2xf32>) -> tensor<2xf32>
      onnx.Yield %a : (tensor<2xf32>) -> ()
    }) : (tensor<i1>) -> tensor<2xf32>
    return %y : tensor<2xf32>
  }
}

// -----

// CHECK-LABEL: @computed_condition
// CHECK:       scf.if {{.*}} -> (tensor<2xf32>) {
// CHECK-NEXT:    nn.neg %x
// CHECK-NEXT:    scf.yield
// CHECK-NEXT:  } else {
// CHECK-NEXT:    nn.abs %x
builtin.module attributes {onnx.opset = {ai.onnx = 13 : i64}} {
  func.func @computed_condition(%x: tensor<2xf32>, %c: tensor<i1>) -> tensor<2xf32> {
    %y = onnx.If %c ({
      %a = onnx.Abs %x : (tensor<2xf32>) -> tensor<2xf32>
      onnx.Yield %a : (tensor<2xf32>) -> ()
    }, {
      %n = onnx.Neg %x : (tensor<2xf32>) -> tensor<2xf32>
      onnx.Yield %n : (tensor<2xf32>) -> ()
    }) : (tensor<i1>) -> tensor<2xf32>
    return %y : tensor<2xf32>
  }
}

// -----

// Functions that are of no ONNX model are left alone, whatever they take.

// CHECK-LABEL: @numbers
// CHECK:       arith.addi %a, %b : i32
func.func @numbers(%a: i32, %b: i32, %m: memref<?xf32>) -> i32 {
  %0 = arith.addi %a, %b : i32
  return %0 : i32
}
