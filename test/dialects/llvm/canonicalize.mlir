// RUN: lamina-opt %s --split-input-file --canonicalize | filecheck %s

// Parts of what was inserted, at the place and inside of it, and parts of constants and of nothing.
llvm.func @parts(%x: i32, %y: !llvm.struct<(i32, i64)>) -> i64 {
  %0 = llvm.mlir.undef : !llvm.struct<(struct<(i32, i64)>, i32)>
  %1 = llvm.insertvalue %y, %0[0] : !llvm.struct<(struct<(i32, i64)>, i32)>
  %2 = llvm.insertvalue %x, %1[1] : !llvm.struct<(struct<(i32, i64)>, i32)>
  %3 = llvm.extractvalue %2[0, 1] : !llvm.struct<(struct<(i32, i64)>, i32)>
  llvm.return %3 : i64
}
// CHECK-LABEL: @parts
// CHECK-SAME: (%{{.*}}: i32, %[[Y:.*]]: !llvm.struct<(i32, i64)>)
// CHECK-NEXT: %[[R:.*]] = llvm.extractvalue %[[Y]][1]
// CHECK-NEXT: llvm.return %[[R]]

// -----

llvm.func @constant_array() -> i32 {
  %0 = llvm.mlir.constant(dense<[5, 6, 7]> : tensor<3xi32>) : !llvm.array<3 x i32>
  %1 = llvm.extractvalue %0[2] : !llvm.array<3 x i32>
  llvm.return %1 : i32
}
// CHECK-LABEL: @constant_array
// CHECK-NEXT: llvm.mlir.constant(7 : i32) : i32
// CHECK-NEXT: llvm.return

// -----

llvm.func @part_of_zero() -> f32 {
  %0 = llvm.mlir.zero : !llvm.struct<(i32, array<2 x f32>)>
  %1 = llvm.extractvalue %0[1, 1] : !llvm.struct<(i32, array<2 x f32>)>
  llvm.return %1 : f32
}
// CHECK-LABEL: @part_of_zero
// CHECK-NEXT: llvm.mlir.zero : f32
// CHECK-NEXT: llvm.return

// -----

// -2 without a sign in 16 bits is 65534; 3 << 4 | 5 = 53.
llvm.func @integers() -> (i32) {
  %a = llvm.mlir.constant(-2 : i16) : i16
  %b = llvm.zext %a : i16 to i32
  %c = llvm.mlir.constant(3 : i32) : i32
  %d = llvm.mlir.constant(4 : i32) : i32
  %e = llvm.mlir.constant(5 : i32) : i32
  %f = llvm.shl %c, %d : i32
  %g = llvm.or %f, %e : i32
  %h = llvm.add %b, %g : i32
  llvm.return %h : i32
}
// CHECK-LABEL: @integers
// CHECK-DAG: llvm.mlir.constant(65534 : i32) : i32
// CHECK-DAG: llvm.mlir.constant(53 : i32) : i32
// CHECK-NOT: llvm.shl

// -----

// A shift by the width or more has no number.
llvm.func @shift_too_far() -> i32 {
  %a = llvm.mlir.constant(1 : i32) : i32
  %b = llvm.mlir.constant(32 : i32) : i32
  %c = llvm.shl %a, %b : i32
  llvm.return %c : i32
}
// CHECK-LABEL: @shift_too_far
// CHECK: llvm.shl

// -----

llvm.func @one_element(%a: vector<1xf32>, %b: vector<1xf32>) -> vector<1xf32> {
  %0 = llvm.shufflevector %a, %b [0] : vector<1xf32>
  llvm.return %0 : vector<1xf32>
}
// CHECK-LABEL: @one_element
// CHECK-SAME: (%[[A:.*]]: vector<1xf32>, %{{.*}}: vector<1xf32>)
// CHECK-NEXT: llvm.return %[[A]]
