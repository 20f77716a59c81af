// RUN: not lamina-opt %s --split-input-file --nn-grad="function=loss wrt=0,1 name=back" 2>&1 | filecheck %s

// CHECK: error: {{.*}}argument 1 ('labels') has type tensor<3xi32>, which has no derivative
func.func @loss(%x: tensor<f32>, %labels: tensor<3xi32> {nn.name = "labels"}) -> tensor<f32> {
  return %x : tensor<f32>
}

// -----

// CHECK: error: {{.*}}its first result must be one number
func.func @loss(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
  return %x : tensor<3xf32>
}

// -----

// CHECK: error: {{.*}}has no argument 1 to differentiate by
func.func @loss(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}

// -----

// All ops without a rule are listed at once.
func.func @loss(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
  // CHECK: error: {{.*}}'test.op' op has no derivative rule
  %0 = "test.op"(%x) : (tensor<f32>) -> tensor<f32>
  // CHECK: error: {{.*}}'test.op' op has no derivative rule
  %1 = "test.op"(%0, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}

// -----

// A number taken out of a tensor is on the way, too: it is not taken for a constant.
func.func @loss(%x: tensor<3xf32>, %y: tensor<f32>) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  // CHECK: error: {{.*}}'tensor.extract' op has no derivative rule
  %0 = tensor.extract %x[%c0] : tensor<3xf32>
  // CHECK: error: {{.*}}'tensor.from_elements' op has no derivative rule
  %1 = tensor.from_elements %0 : tensor<f32>
  %2 = nn.mul %1, %y : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %2 : tensor<f32>
}

// -----

func.func @loss(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
  // CHECK: error: {{.*}}'scf.while' op has no derivative rule
  // CHECK: hint: make it a loop that counts, scf.for
  %0 = scf.while (%a = %x) : (tensor<f32>) -> tensor<f32> {
    %less = nn.less %a, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %flag = tensor.extract %less[] : tensor<i1>
    scf.condition(%flag) %a : tensor<f32>
  } do {
  ^bb0(%b: tensor<f32>):
    %1 = nn.add %b, %b : (tensor<f32>, tensor<f32>) -> tensor<f32>
    scf.yield %1 : tensor<f32>
  }
  return %0 : tensor<f32>
}

// -----

func.func @loss(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  // CHECK: error: {{.*}}'scf.for' op has the step 0, so it never ends
  %0 = scf.for %i = %c0 to %c0 step %c0 iter_args(%a = %x) -> (tensor<f32>) {
    %1 = nn.mul %a, %y : (tensor<f32>, tensor<f32>) -> tensor<f32>
    scf.yield %1 : tensor<f32>
  }
  return %0 : tensor<f32>
}

// -----

// CHECK: error: {{.*}}'func.call' op calls a function that cannot be inlined
// CHECK: hint: is it recursive, or only declared?
func.func @loss(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
  %0 = call @loss(%x, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// CHECK: error: 'func.func' op is only declared: it has no body
func.func private @loss(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32>

// -----

// CHECK: error: 'func.func' op has branches between blocks, which are not differentiated
func.func @loss(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
  cf.br ^next
^next:
  return %x : tensor<f32>
}

// -----

// CHECK: error: {{.*}}its first result must be one number, and is missing
func.func @loss(%x: tensor<f32>, %y: tensor<f32>) {
  return
}

// -----

// CHECK: error: there is no function 'loss'
// CHECK: hint: did you mean 'lost'?
func.func @lost(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}

// -----

// CHECK: error: there is a function 'back' already
func.func private @back()
func.func @loss(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
