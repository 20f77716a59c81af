// RUN: lamina-opt %s | lamina-opt | filecheck %s

// The text form: operands, regions, attributes, types; a missing operand; an operator outside the table.

// CHECK:       module attributes {onnx.opset = {ai.onnx = 13 : i64}} {
builtin.module attributes {onnx.opset = {ai.onnx = 13 : i64}} {
  func.func @main(%x: tensor<1x2xf32>, %c: tensor<i1>) -> tensor<1x2xf32> {
    // CHECK: %none = onnx.NoValue : () -> none
    %none = onnx.NoValue : () -> none
    // CHECK-NEXT: %high = onnx.Constant {value = dense<6.000000e+00> : tensor<f32>} : () -> tensor<f32>
    %high = onnx.Constant {value = dense<6.0> : tensor<f32>} : () -> tensor<f32>
    // CHECK-NEXT: %y = onnx.Clip %x, %none, %high : (tensor<1x2xf32>, none, tensor<f32>) -> tensor<1x2xf32>
    %y = onnx.Clip %x, %none, %high : (tensor<1x2xf32>, none, tensor<f32>) -> tensor<1x2xf32>
    // CHECK-NEXT: %z = onnx.If %c ({
    // CHECK-NEXT:   onnx.Yield %y : (tensor<1x2xf32>) -> ()
    // CHECK-NEXT: }, {
    // CHECK-NEXT:   onnx.Yield %x : (tensor<1x2xf32>) -> ()
    // CHECK-NEXT: }) : (tensor<i1>) -> tensor<1x2xf32>
    %z = onnx.If %c ({
      onnx.Yield %y : (tensor<1x2xf32>) -> ()
    }, {
      onnx.Yield %x : (tensor<1x2xf32>) -> ()
    }) : (tensor<i1>) -> tensor<1x2xf32>
    // CHECK-NEXT: %u = onnx.Flatten %z {axis = 1 : i64, plugin.note = "kept"} : (tensor<1x2xf32>) -> tensor<*x!onnx.any>
    %u = "onnx.Flatten"(%z) {axis = 1 : i64, plugin.note = "kept"} : (tensor<1x2xf32>) -> tensor<*x!onnx.any>
    // CHECK-NEXT: %s = onnx.Custom %u {domain = "com.example", op_type = "Split"} : (tensor<*x!onnx.any>) -> !onnx.sequence<tensor<*xf32>>
    %s = onnx.Custom %u {domain = "com.example", op_type = "Split"} : (tensor<*x!onnx.any>) -> !onnx.sequence<tensor<*xf32>>
    return %z : tensor<1x2xf32>
  }
}
