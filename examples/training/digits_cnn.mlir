// A convolutional network on scikit-learn's digits, channels-last, with dropout while it is trained.
func.func private @features(%k1: tensor<3x3x1x24xf32>, %c1: tensor<24xf32>, %k2: tensor<3x3x24x32xf32>, %c2: tensor<32xf32>,
                            %k3: tensor<3x3x32x48xf32>, %c3: tensor<48xf32>, %x: tensor<?x8x8x1xf32>) -> tensor<?x192xf32> {
  %0 = nn.conv2d %x, %k1, %c1 {layout = "NHWC", pads = array<i64: 1, 1, 1, 1>}
    : (tensor<?x8x8x1xf32>, tensor<3x3x1x24xf32>, tensor<24xf32>) -> tensor<?x8x8x24xf32>
  %1 = nn.relu %0 : (tensor<?x8x8x24xf32>) -> tensor<?x8x8x24xf32>
  %2 = nn.conv2d %1, %k2, %c2 {layout = "NHWC", pads = array<i64: 1, 1, 1, 1>}
    : (tensor<?x8x8x24xf32>, tensor<3x3x24x32xf32>, tensor<32xf32>) -> tensor<?x8x8x32xf32>
  %3 = nn.relu %2 : (tensor<?x8x8x32xf32>) -> tensor<?x8x8x32xf32>
  %4 = nn.max_pool2d %3 {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, layout = "NHWC"}
    : (tensor<?x8x8x32xf32>) -> tensor<?x4x4x32xf32>
  %5 = nn.conv2d %4, %k3, %c3 {layout = "NHWC", pads = array<i64: 1, 1, 1, 1>}
    : (tensor<?x4x4x32xf32>, tensor<3x3x32x48xf32>, tensor<48xf32>) -> tensor<?x4x4x48xf32>
  %6 = nn.relu %5 : (tensor<?x4x4x48xf32>) -> tensor<?x4x4x48xf32>
  %7 = nn.max_pool2d %6 {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, layout = "NHWC"}
    : (tensor<?x4x4x48xf32>) -> tensor<?x2x2x48xf32>
  %8 = nn.reshape %7 {shape = array<i64: -1, 192>} : (tensor<?x2x2x48xf32>) -> tensor<?x192xf32>
  return %8 : tensor<?x192xf32>
}

func.func @predict(%k1: tensor<3x3x1x24xf32> {nn.name = "k1", nn.init = "he_normal"}, %c1: tensor<24xf32> {nn.name = "c1"},
                   %k2: tensor<3x3x24x32xf32> {nn.name = "k2", nn.init = "he_normal"}, %c2: tensor<32xf32> {nn.name = "c2"},
                   %k3: tensor<3x3x32x48xf32> {nn.name = "k3", nn.init = "he_normal"}, %c3: tensor<48xf32> {nn.name = "c3"},
                   %w: tensor<192x10xf32> {nn.name = "w"}, %b: tensor<10xf32> {nn.name = "b"},
                   %x: tensor<?x8x8x1xf32> {nn.name = "x"}) -> (tensor<?x10xf32> {nn.name = "logits"}) {
  %0 = call @features(%k1, %c1, %k2, %c2, %k3, %c3, %x)
    : (tensor<3x3x1x24xf32>, tensor<24xf32>, tensor<3x3x24x32xf32>, tensor<32xf32>, tensor<3x3x32x48xf32>, tensor<48xf32>, tensor<?x8x8x1xf32>) -> tensor<?x192xf32>
  %1 = nn.matmul %0, %w : (tensor<?x192xf32>, tensor<192x10xf32>) -> tensor<?x10xf32>
  %2 = nn.add %1, %b : (tensor<?x10xf32>, tensor<10xf32>) -> tensor<?x10xf32>
  return %2 : tensor<?x10xf32>
}

func.func @loss(%k1: tensor<3x3x1x24xf32> {nn.name = "k1"}, %c1: tensor<24xf32> {nn.name = "c1"},
                %k2: tensor<3x3x24x32xf32> {nn.name = "k2"}, %c2: tensor<32xf32> {nn.name = "c2"},
                %k3: tensor<3x3x32x48xf32> {nn.name = "k3"}, %c3: tensor<48xf32> {nn.name = "c3"},
                %w: tensor<192x10xf32> {nn.name = "w"}, %b: tensor<10xf32> {nn.name = "b"},
                %x: tensor<?x8x8x1xf32> {nn.name = "x"}, %labels: tensor<?x1xi64> {nn.name = "labels"},
                %key: tensor<2xui32> {nn.name = "key"}) -> (tensor<f32> {nn.name = "loss"}) {
  %f = call @features(%k1, %c1, %k2, %c2, %k3, %c3, %x)
    : (tensor<3x3x1x24xf32>, tensor<24xf32>, tensor<3x3x24x32xf32>, tensor<32xf32>, tensor<3x3x32x48xf32>, tensor<48xf32>, tensor<?x8x8x1xf32>) -> tensor<?x192xf32>
  %kept = nn.dropout %f, %key {rate = 0.3} : (tensor<?x192xf32>, tensor<2xui32>) -> tensor<?x192xf32>
  %0 = nn.matmul %kept, %w : (tensor<?x192xf32>, tensor<192x10xf32>) -> tensor<?x10xf32>
  %logits = nn.add %0, %b : (tensor<?x10xf32>, tensor<10xf32>) -> tensor<?x10xf32>
  %p = nn.log_softmax %logits {axis = 1 : i64} : (tensor<?x10xf32>) -> tensor<?x10xf32>
  %classes = nn.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]> : tensor<10xi64>
  %zero = nn.constant dense<0.0> : tensor<f32>
  %is = nn.equal %labels, %classes : (tensor<?x1xi64>, tensor<10xi64>) -> tensor<?x10xi1>
  %chosen = nn.select %is, %p, %zero : (tensor<?x10xi1>, tensor<?x10xf32>, tensor<f32>) -> tensor<?x10xf32>
  %each = nn.reduce_sum %chosen {axes = array<i64: 1>} : (tensor<?x10xf32>) -> tensor<?xf32>
  %mean = nn.reduce_mean %each {axes = array<i64: 0>} : (tensor<?xf32>) -> tensor<f32>
  %loss = nn.neg %mean : (tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}
