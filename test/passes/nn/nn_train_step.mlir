// RUN: lamina-opt %s --nn-train-step="parameters=0,1 optimizer=adam" --lower-to-loops 2>&1 | filecheck %s

// Parameters, moments and the counter are updated where they are: one call writes each, and nothing is copied.
// CHECK-NOT: warning
// CHECK-LABEL: func.func @train_step(
// CHECK-NOT: memref.copy
// CHECK-NOT: memref.alloc
// CHECK-COUNT-2: call @train_step_dispatch_{{[0-9]+}}_in_place({{.*}}, %w_{{mean|square}})
// CHECK-NOT: memref.copy
// CHECK: call @train_step_dispatch_{{[0-9]+}}_in_place({{.*}}, %w)
// CHECK-NOT: memref.copy
// CHECK-COUNT-2: call @train_step_dispatch_{{[0-9]+}}_in_place({{.*}}, %v_{{mean|square}})
// CHECK-NOT: memref.copy
// CHECK: call @train_step_dispatch_{{[0-9]+}}_in_place({{.*}}, %v)
// CHECK-NEXT: call @train_step_dispatch_{{[0-9]+}}_in_place(%step)
// CHECK-NEXT: return
func.func @main(%w: tensor<48x40xf32> {nn.name = "w"}, %v: tensor<40x24xf32> {nn.name = "v"}, %x: tensor<16x48xf32>,
                %t: tensor<16x24xf32>) -> tensor<f32> {
  %0 = nn.matmul %x, %w : (tensor<16x48xf32>, tensor<48x40xf32>) -> tensor<16x40xf32>
  %1 = nn.tanh %0 : (tensor<16x40xf32>) -> tensor<16x40xf32>
  %2 = nn.matmul %1, %v : (tensor<16x40xf32>, tensor<40x24xf32>) -> tensor<16x24xf32>
  %3 = nn.sub %2, %t : (tensor<16x24xf32>, tensor<16x24xf32>) -> tensor<16x24xf32>
  %4 = nn.mul %3, %3 : (tensor<16x24xf32>, tensor<16x24xf32>) -> tensor<16x24xf32>
  %5 = nn.reduce_mean %4 {axes = array<i64: 0, 1>} : (tensor<16x24xf32>) -> tensor<f32>
  return %5 : tensor<f32>
}
