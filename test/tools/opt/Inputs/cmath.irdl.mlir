irdl.dialect @cmath {
  irdl.type @complex {
    %0 = irdl.is f32
    %1 = irdl.is f64
    %2 = irdl.any_of(%0, %1)
    irdl.parameters(element: %2)
  }
  irdl.operation @norm {
    %0 = irdl.any
    %1 = irdl.parametric @cmath::@complex<%0>
    irdl.operands(value: %1)
    irdl.results(norm: %0)
  }
  irdl.operation @sum {
    %0 = irdl.is f32
    irdl.operands(first: %0, rest: variadic %0)
    irdl.results(sum: %0)
  }
}
