// RUN: lamina-opt %s --fuse-parallel-loops | filecheck %s

// Each row of the second needs only the same row of the first: one loop, and one row of scratch.
// CHECK-LABEL: @same_rows
// CHECK: [[ROW:%.*]] = memref.alloc() {{.*}}: memref<1x4xf32>
// CHECK: scf.for %i =
// CHECK: vector.transfer_write {{%.*}}, [[ROW]][[[ZERO:%.*]], %c0]
// CHECK-NOT: scf.for
// CHECK: vector.transfer_read [[ROW]][[[ZERO]], %c0]
// CHECK: vector.transfer_write {{%.*}}, %y[%i, %c0]
func.func private @same_rows(%x: memref<8x4xf32>, %y: memref<8x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %t = memref.alloc() {alignment = 64 : i64} : memref<8x4xf32>
  scf.for %i = %c0 to %c8 step %c1 {
    %v = vector.transfer_read %x[%i, %c0], %zero {in_bounds = [true]} : memref<8x4xf32>, vector<4xf32>
    vector.transfer_write %v, %t[%i, %c0] {in_bounds = [true]} : vector<4xf32>, memref<8x4xf32>
  } {lamina.parallel}
  scf.for %j = %c0 to %c8 step %c1 {
    %v = vector.transfer_read %t[%j, %c0], %zero {in_bounds = [true]} : memref<8x4xf32>, vector<4xf32>
    vector.transfer_write %v, %y[%j, %c0] {in_bounds = [true]} : vector<4xf32>, memref<8x4xf32>
  } {lamina.parallel}
  return
}

// The second reads another row than the first wrote.
// CHECK-LABEL: @other_rows
// CHECK-COUNT-2: scf.for
func.func private @other_rows(%x: memref<8xf32>, %y: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %t = memref.alloc() : memref<8xf32>
  scf.for %i = %c0 to %c8 step %c1 {
    %v = memref.load %x[%i] : memref<8xf32>
    memref.store %v, %t[%i] : memref<8xf32>
  } {lamina.parallel}
  scf.for %j = %c0 to %c8 step %c1 {
    %r = arith.subi %c7, %j : index
    %v = memref.load %t[%r] : memref<8xf32>
    memref.store %v, %y[%j] : memref<8xf32>
  } {lamina.parallel}
  return
}

// The result may be in the memory of an argument of as many elements, which the first loop reads in another order.
// CHECK-LABEL: @arguments_may_share_memory
// CHECK-COUNT-2: scf.for
func.func private @arguments_may_share_memory(%x: memref<8xf32>, %y: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %t = memref.alloc() : memref<8xf32>
  scf.for %i = %c0 to %c8 step %c1 {
    %r = arith.subi %c7, %i : index
    %v = memref.load %x[%r] : memref<8xf32>
    memref.store %v, %t[%i] : memref<8xf32>
  } {lamina.parallel}
  scf.for %j = %c0 to %c8 step %c1 {
    %v = memref.load %t[%j] : memref<8xf32>
    memref.store %v, %y[%j] : memref<8xf32>
  } {lamina.parallel}
  return
}

// The vector runs along the dimension that the index selects: rows overlap.
// CHECK-LABEL: @vectors_across_rows
// CHECK-COUNT-2: scf.for
func.func private @vectors_across_rows(%x: memref<16xf32>, %y: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %t = memref.alloc() : memref<16xf32>
  scf.for %i = %c0 to %c8 step %c1 {
    %v = vector.transfer_read %x[%i], %zero {in_bounds = [true]} : memref<16xf32>, vector<4xf32>
    vector.transfer_write %v, %t[%i] {in_bounds = [true]} : vector<4xf32>, memref<16xf32>
  } {lamina.parallel}
  scf.for %j = %c0 to %c8 step %c1 {
    %v = vector.transfer_read %t[%j], %zero {in_bounds = [true]} : memref<16xf32>, vector<4xf32>
    vector.transfer_write %v, %y[%j] {in_bounds = [true]} : vector<4xf32>, memref<16xf32>
  } {lamina.parallel}
  return
}

// Loops that are not marked, and loops with something between them that they may not pass, stay apart.
// CHECK-LABEL: @something_between
// CHECK-COUNT-2: scf.for
func.func private @something_between(%x: memref<8xf32>, %y: memref<8xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    memref.store %v, %x[%i] : memref<8xf32>
  } {lamina.parallel}
  memref.copy %x, %y : memref<8xf32> to memref<8xf32>
  scf.for %j = %c0 to %c8 step %c1 {
    memref.store %v, %x[%j] : memref<8xf32>
  } {lamina.parallel}
  return
}

// Each iteration pads the row that it reads: one row of scratch. The result may be the operand's memory.
// CHECK-LABEL: @padded_rows
// CHECK: [[ROW:%.*]] = memref.alloc() : memref<1x8xf32>
// CHECK-NOT: memref.copy
// CHECK: scf.for %i =
// CHECK: [[BORDER:%.*]] = memref.subview [[ROW]][0, 0] [1, 2] [1, 1]
// CHECK: linalg.fill {{.*}} outs([[BORDER]]
// CHECK: [[FROM:%.*]] = memref.subview %x[%i, 0] [1, 6] [1, 1]
// CHECK: [[TO:%.*]] = memref.subview [[ROW]][0, 2] [1, 6] [1, 1]
// CHECK: memref.copy [[FROM]], [[TO]]
// CHECK: vector.transfer_read [[ROW]][{{%.*}}, %c1]
func.func private @padded_rows(%x: memref<4x6xf32>, %y: memref<4x6xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %t = memref.alloc() : memref<4x8xf32>
  %border = memref.subview %t[0, 0] [4, 2] [1, 1] : memref<4x8xf32> to memref<4x2xf32, strided<[8, 1]>>
  linalg.fill ins(%zero : f32) outs(%border : memref<4x2xf32, strided<[8, 1]>>)
  %inside = memref.subview %t[0, 2] [4, 6] [1, 1] : memref<4x8xf32> to memref<4x6xf32, strided<[8, 1], offset: 2>>
  memref.copy %x, %inside : memref<4x6xf32> to memref<4x6xf32, strided<[8, 1], offset: 2>>
  scf.for %i = %c0 to %c4 step %c1 {
    %v = vector.transfer_read %t[%i, %c1], %zero {in_bounds = [true]} : memref<4x8xf32>, vector<6xf32>
    vector.transfer_write %v, %y[%i, %c0] {in_bounds = [true]} : vector<6xf32>, memref<4x6xf32>
  } {lamina.parallel}
  return
}

// What is written to the operand are other rows than those that are copied by then.
// CHECK-LABEL: @padded_rows_of_what_changes
// CHECK: memref.copy %x
// CHECK: scf.for
func.func private @padded_rows_of_what_changes(%x: memref<4x6xf32>, %y: memref<6x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %t = memref.alloc() : memref<4x8xf32>
  %border = memref.subview %t[0, 0] [4, 2] [1, 1] : memref<4x8xf32> to memref<4x2xf32, strided<[8, 1]>>
  linalg.fill ins(%zero : f32) outs(%border : memref<4x2xf32, strided<[8, 1]>>)
  %inside = memref.subview %t[0, 2] [4, 6] [1, 1] : memref<4x8xf32> to memref<4x6xf32, strided<[8, 1], offset: 2>>
  memref.copy %x, %inside : memref<4x6xf32> to memref<4x6xf32, strided<[8, 1], offset: 2>>
  scf.for %i = %c0 to %c4 step %c1 {
    %v = vector.transfer_read %t[%i, %c1], %zero {in_bounds = [true]} : memref<4x8xf32>, vector<4xf32>
    vector.transfer_write %v, %y[%i, %c0] {in_bounds = [true]} : vector<4xf32>, memref<6x4xf32>
  } {lamina.parallel}
  return
}
