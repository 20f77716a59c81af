// An MLP on scikit-learn's digits. The loss calls the model; lamina.train_step differentiates both.
func.func @predict(%w1: tensor<64x64xf32> {nn.name = "w1", nn.init = "he_normal"}, %b1: tensor<64xf32> {nn.name = "b1"},
                   %w2: tensor<64x64xf32> {nn.name = "w2", nn.init = "he_normal"}, %b2: tensor<64xf32> {nn.name = "b2"},
                   %w3: tensor<64x10xf32> {nn.name = "w3"}, %b3: tensor<10xf32> {nn.name = "b3"},
                   %x: tensor<?x64xf32> {nn.name = "x"}) -> (tensor<?x10xf32> {nn.name = "logits"}) {
  %0 = nn.matmul %x, %w1 : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
  %1 = nn.add %0, %b1 : (tensor<?x64xf32>, tensor<64xf32>) -> tensor<?x64xf32>
  %2 = nn.relu %1 : (tensor<?x64xf32>) -> tensor<?x64xf32>
  %3 = nn.matmul %2, %w2 : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
  %4 = nn.add %3, %b2 : (tensor<?x64xf32>, tensor<64xf32>) -> tensor<?x64xf32>
  %5 = nn.relu %4 : (tensor<?x64xf32>) -> tensor<?x64xf32>
  %6 = nn.matmul %5, %w3 : (tensor<?x64xf32>, tensor<64x10xf32>) -> tensor<?x10xf32>
  %7 = nn.add %6, %b3 : (tensor<?x10xf32>, tensor<10xf32>) -> tensor<?x10xf32>
  return %7 : tensor<?x10xf32>
}

func.func @loss(%w1: tensor<64x64xf32> {nn.name = "w1"}, %b1: tensor<64xf32> {nn.name = "b1"},
                %w2: tensor<64x64xf32> {nn.name = "w2"}, %b2: tensor<64xf32> {nn.name = "b2"},
                %w3: tensor<64x10xf32> {nn.name = "w3"}, %b3: tensor<10xf32> {nn.name = "b3"},
                %x: tensor<?x64xf32> {nn.name = "x"}, %labels: tensor<?x1xi64> {nn.name = "labels"}) -> (tensor<f32> {nn.name = "loss"}) {
  %logits = call @predict(%w1, %b1, %w2, %b2, %w3, %b3, %x)
    : (tensor<64x64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64x10xf32>, tensor<10xf32>, tensor<?x64xf32>) -> tensor<?x10xf32>
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
