func.func @f(%a: f32) -> f32 {
  %0 = "arith.addi"(%a, %a) : (f32, f32) -> f32
  return %0 : f32
}
// -----
func.func @f(%a: f32, %b: f64) {
  %0 = "arith.addf"(%a, %b) : (f32, f64) -> f32
  return
}
// -----
func.func @f(%a: f32) {
  %0 = "arith.addf"(%a) : (f32) -> f32
  return
}
// -----
func.func @f(%a: f32) {
  %0, %1 = "arith.addf"(%a, %a) : (f32, f32) -> (f32, f32)
  return
}
// -----
func.func @f(%a: i32) {
  %0 = "arith.cmpi"(%a, %a) <{predicate = 1 : i64}> : (i32, i32) -> i32
  return
}
// -----
func.func @f(%a: i32, %b: i64) {
  %0 = "arith.cmpi"(%a, %b) <{predicate = 1 : i64}> : (i32, i64) -> i1
  return
}
// -----
func.func @f() {
  %0 = "arith.constant"() <{value = 1 : i32}> : () -> i64
  return
}
// -----
func.func @f(%a: vector<4xf32>) {
  %0 = "arith.addf"(%a, %a) : (vector<4xf32>, vector<4xf32>) -> vector<8xf32>
  return
}
// -----
func.func @f(%a: tensor<4xf32>, %b: vector<4xf32>) {
  %0 = "arith.addf"(%a, %b) : (tensor<4xf32>, vector<4xf32>) -> tensor<4xf32>
  return
}
// -----
func.func @f(%a: vector<4xi1>, %b: vector<8xi32>) {
  %0 = "arith.select"(%a, %b, %b) : (vector<4xi1>, vector<8xi32>, vector<8xi32>) -> vector<8xi32>
  return
}
// -----
func.func @f(%m: memref<4xf32>) {
  %0 = "memref.load"(%m) : (memref<4xf32>) -> f32
  return
}
// -----
func.func @f(%m: memref<4xf32>, %i: index) {
  %0 = "memref.load"(%m, %i) : (memref<4xf32>, index) -> f64
  return
}
// -----
func.func @f(%m: memref<4xf32>, %i: i32) {
  %0 = "memref.load"(%m, %i) : (memref<4xf32>, i32) -> f32
  return
}
// -----
func.func @f(%m: tensor<4xf32>, %i: index) {
  %0 = "memref.load"(%m, %i) : (tensor<4xf32>, index) -> f32
  return
}
// -----
func.func @f(%m: memref<4xf32>, %n: memref<8xf32>) {
  "memref.copy"(%m, %n) : (memref<4xf32>, memref<8xf32>) -> ()
  return
}
// -----
func.func @f(%n: index) {
  %0 = "memref.alloc"(%n) <{operandSegmentSizes = array<i32: 1, 0>}> : (index) -> memref<4xf32>
  return
}
// -----
func.func @f(%n: index) {
  %0 = "memref.alloc"(%n) <{operandSegmentSizes = array<i32: 1, 1>}> : (index) -> memref<4xf32>
  return
}
// -----
func.func @f(%n: index) {
  %0 = "memref.alloc"(%n) <{operandSegmentSizes = array<i32: 0, 1>}> : (index) -> memref<?xf32>
  return
}
// -----
func.func @f(%n: index) {
  %0 = "memref.alloc"(%n) <{alignment = 3 : i64, operandSegmentSizes = array<i32: 1, 0>}> : (index) -> memref<?xf32>
  return
}
// -----
func.func @f() {
  %0 = "memref.get_global"() : () -> memref<4xf32>
  return
}
// -----
func.func @f() {
  %0 = "memref.get_global"() <{name = @g}> : () -> memref<4xf32>
  return
}
// -----
func.func @f(%a: index, %b: f32) {
  "scf.for"(%a, %a, %b) ({
  ^bb0(%i: index):
    "scf.yield"() : () -> ()
  }) : (index, index, f32) -> ()
  return
}
// -----
func.func @f(%a: index, %b: i32) {
  "scf.for"(%a, %a, %b) ({
  ^bb0(%i: index):
    "scf.yield"() : () -> ()
  }) : (index, index, i32) -> ()
  return
}
// -----
func.func @f(%a: index) {
  "scf.for"(%a, %a, %a) ({
  ^bb0(%i: index):
    "func.return"() : () -> ()
  }) : (index, index, index) -> ()
  return
}
// -----
func.func @f(%a: index) {
  "scf.for"(%a, %a, %a) ({
  }) : (index, index, index) -> ()
  return
}
// -----
func.func @f(%a: index) {
  "scf.for"(%a, %a, %a) ({
  ^bb0(%i: index):
    "cf.br"() [^bb1] : () -> ()
  ^bb1:
    "scf.yield"() : () -> ()
  }) : (index, index, index) -> ()
  return
}
// -----
func.func @f(%c: i1) {
  "scf.if"(%c) ({
  ^bb0(%i: index):
    "scf.yield"() : () -> ()
  }, {
  }) : (i1) -> ()
  return
}
// -----
func.func @f(%c: i1) {
  "scf.yield"() : () -> ()
}
// -----
func.func @f(%c: i1) {
  "scf.if"(%c) ({
    "scf.yield"() : () -> ()
  }) : (i1) -> ()
  return
}
// -----
func.func @f(%a: i32) {
  cf.br ^bb1(%a : i32)
^bb1(%b: i64):
  return
}
// -----
func.func @f(%a: i32) {
  cf.br ^bb1(%a : i32)
^bb1:
  return
}
// -----
func.func @f(%a: i32) {
  cf.br ^bb1
^bb1:
  %0 = arith.addi %1, %a : i32
  return
^bb2:
  %1 = arith.addi %a, %a : i32
  cf.br ^bb1
}
// -----
func.func @f(%a: i32) {
  %0 = arith.addi %1, %a : i32
  %1 = arith.addi %a, %a : i32
  return
}
// -----
func.func @f(%c: i1) {
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  %0 = arith.constant 1 : i32
  cf.br ^bb2
^bb2:
  %1 = arith.addi %0, %0 : i32
  return
}
// -----
func.func @f(%a: i32) {
  func.func @g() {
    return
  }
  return
}
// -----
func.func @f() {
  return
}
func.func @f() {
  return
}
// -----
func.func @f() {
  %0 = arith.constant 1 : i32
}
// -----
func.func @f() {
  return
  return
}
// -----
func.func @f() {
^bb0:
  cf.br ^bb0
}
// -----
func.func @f() {
  %0 = arith.constant 1 : i32
^bb1:
  return
}
// -----
"func.func"() <{function_type = (i32) -> (), sym_name = "f"}> ({
^bb0:
  "func.return"() : () -> ()
}) : () -> ()
// -----
"func.func"() <{function_type = (i32) -> (), sym_name = "f"}> ({
^bb0(%a: i64):
  "func.return"() : () -> ()
}) : () -> ()
// -----
"func.func"() <{function_type = (i32) -> (), sym_name = "f", arg_attrs = []}> ({
^bb0(%a: i32):
  "func.return"() : () -> ()
}) : () -> ()
// -----
"func.func"() <{function_type = () -> ()}> ({
  "func.return"() : () -> ()
}) : () -> ()
// -----
"func.func"() <{function_type = () -> (), sym_name = "f", sym_visibility = "hidden"}> ({
  "func.return"() : () -> ()
}) : () -> ()
// -----
func.func @f(%a: vector<4xf32>) {
  %0 = "vector.reduction"(%a) <{kind = #vector.kind<add>}> : (vector<4xf32>) -> f64
  return
}
// -----
func.func @f(%a: vector<4xf32>, %b: f64) {
  %0 = "vector.reduction"(%a, %b) <{kind = #vector.kind<add>}> : (vector<4xf32>, f64) -> f32
  return
}
// -----
func.func @f(%a: vector<3xf32>) {
  %0, %1 = "vector.deinterleave"(%a) : (vector<3xf32>) -> (vector<1xf32>, vector<1xf32>)
  return
}
// -----
func.func @f(%a: complex<f32>) {
  %0 = "complex.re"(%a) : (complex<f32>) -> f64
  return
}
// -----
llvm.func @f(%a: i32, %b: f32) {
  %0 = "llvm.add"(%a, %b) : (i32, f32) -> i32
  llvm.return
}
// -----
llvm.func @f(%a: f32) {
  %0 = "llvm.load"(%a) : (f32) -> i32
  llvm.return
}
// -----
llvm.func @f(%a: !llvm.ptr) {
  %0 = "llvm.load"(%a) : (!llvm.ptr) -> !llvm.void
  llvm.return
}
