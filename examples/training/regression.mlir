// A curve through noisy points: one hidden layer, mean squared error.
func.func @predict(%w1: tensor<1x32xf32> {nn.name = "w1"}, %b1: tensor<32xf32> {nn.name = "b1"},
                   %w2: tensor<32x1xf32> {nn.name = "w2"}, %b2: tensor<1xf32> {nn.name = "b2"},
                   %x: tensor<?x1xf32> {nn.name = "x"}) -> (tensor<?x1xf32> {nn.name = "y"}) {
  %0 = nn.matmul %x, %w1 : (tensor<?x1xf32>, tensor<1x32xf32>) -> tensor<?x32xf32>
  %1 = nn.add %0, %b1 : (tensor<?x32xf32>, tensor<32xf32>) -> tensor<?x32xf32>
  %2 = nn.tanh %1 : (tensor<?x32xf32>) -> tensor<?x32xf32>
  %3 = nn.matmul %2, %w2 : (tensor<?x32xf32>, tensor<32x1xf32>) -> tensor<?x1xf32>
  %4 = nn.add %3, %b2 : (tensor<?x1xf32>, tensor<1xf32>) -> tensor<?x1xf32>
  return %4 : tensor<?x1xf32>
}

func.func @loss(%w1: tensor<1x32xf32> {nn.name = "w1"}, %b1: tensor<32xf32> {nn.name = "b1"},
                %w2: tensor<32x1xf32> {nn.name = "w2"}, %b2: tensor<1xf32> {nn.name = "b2"},
                %x: tensor<?x1xf32> {nn.name = "x"}, %t: tensor<?x1xf32> {nn.name = "t"}) -> (tensor<f32> {nn.name = "loss"}) {
  %y = call @predict(%w1, %b1, %w2, %b2, %x)
    : (tensor<1x32xf32>, tensor<32xf32>, tensor<32x1xf32>, tensor<1xf32>, tensor<?x1xf32>) -> tensor<?x1xf32>
  %d = nn.sub %y, %t : (tensor<?x1xf32>, tensor<?x1xf32>) -> tensor<?x1xf32>
  %s = nn.mul %d, %d : (tensor<?x1xf32>, tensor<?x1xf32>) -> tensor<?x1xf32>
  %loss = nn.reduce_mean %s {axes = array<i64: 0, 1>} : (tensor<?x1xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
