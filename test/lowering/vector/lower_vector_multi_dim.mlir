// RUN: lamina-opt %s --lower-vector-multi-dim | filecheck %s

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>

// A contraction in a loop: rows are carried, a column is read as scalars, products are fused.
// CHECK-LABEL: func.func @contraction
// CHECK: scf.for [[K:%.+]] = {{.+}} iter_args([[X:%.+]] = {{%.+}}, [[Y:%.+]] = {{%.+}}) -> (vector<8xf32>, vector<8xf32>)
// CHECK-DAG: [[A0:%.+]] = memref.load %a[%c0, [[K]]]
// CHECK-DAG: [[A1:%.+]] = memref.load %a[%c1, [[K]]]
// CHECK-DAG: [[B:%.+]] = vector.load %b[[[K]], %c0] : memref<4x8xf32>, vector<8xf32>
// CHECK: [[V0:%.+]] = vector.broadcast [[A0]] : f32 to vector<8xf32>
// CHECK: [[N0:%.+]] = vector.fma [[V0]], [[B]], [[X]]
// CHECK: [[V1:%.+]] = vector.broadcast [[A1]] : f32 to vector<8xf32>
// CHECK: [[N1:%.+]] = vector.fma [[V1]], [[B]], [[Y]]
// CHECK: scf.yield [[N0]], [[N1]] : vector<8xf32>, vector<8xf32>
// CHECK: vector.store {{%.+}}, %c[%c0, %c0]
// CHECK: vector.store {{%.+}}, %c[%c1, %c0]
// CHECK-NOT: vector<2x
func.func @contraction(%a: memref<2x4xf32>, %b: memref<4x8xf32>, %c: memref<2x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %p = arith.constant 0.0 : f32
  %z = arith.constant dense<0.0> : vector<2x8xf32>
  %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%acc = %z) -> (vector<2x8xf32>) {
    %x = vector.transfer_read %a[%c0, %k], %p {in_bounds = [true, true]} : memref<2x4xf32>, vector<2x1xf32>
    %y = vector.transfer_read %b[%k, %c0], %p {in_bounds = [true, true]} : memref<4x8xf32>, vector<1x8xf32>
    %n = vector.contract {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"],
      kind = #vector.kind<add>} %x, %y, %acc : vector<2x1xf32>, vector<1x8xf32> into vector<2x8xf32>
    scf.yield %n : vector<2x8xf32>
  }
  vector.transfer_write %r, %c[%c0, %c0] {in_bounds = [true, true]} : vector<2x8xf32>, memref<2x8xf32>
  return
}

// A row that is repeated is read once.
// CHECK-LABEL: func.func @repeated_row
// CHECK: [[ROW:%.+]] = vector.load %b[%c0]
// CHECK-NOT: vector.load
// CHECK: [[SUM:%.+]] = arith.addf [[ROW]], [[ROW]]
// CHECK-NEXT: vector.store [[SUM]], %c[%c0, %c0]
// CHECK-NEXT: vector.store [[SUM]], %c[%c1, %c0]
func.func @repeated_row(%b: memref<8xf32>, %c: memref<2x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = arith.constant 0.0 : f32
  %v = vector.transfer_read %b[%c0], %p {in_bounds = [true, true], permutation_map = affine_map<(d0) -> (0, d0)>} : memref<8xf32>, vector<2x8xf32>
  %s = arith.addf %v, %v : vector<2x8xf32>
  vector.transfer_write %s, %c[%c0, %c0] {in_bounds = [true, true]} : vector<2x8xf32>, memref<2x8xf32>
  return
}

// Rows are first combined with each other, then across.
// CHECK-LABEL: func.func @reductions
// CHECK: [[ROW:%.+]] = arith.addf {{%.+}}, {{%.+}} : vector<4xf32>
// CHECK: [[ALL:%.+]] = vector.reduction <add>, [[ROW]], %s fastmath<reassoc> : vector<4xf32> into f32
// CHECK: [[MAX:%.+]] = arith.maximumf {{%.+}}, {{%.+}} : vector<4xf32>
// CHECK: arith.maximumf %r, [[MAX]]
func.func @reductions(%v: vector<2x4xf32>, %s: f32, %r: vector<4xf32>) -> (f32, vector<4xf32>) {
  %0 = vector.multi_reduction <add>, %v, %s [0, 1] : vector<2x4xf32> to f32
  %1 = vector.multi_reduction <maximumf>, %v, %r [0] : vector<2x4xf32> to vector<4xf32>
  return %0, %1 : f32, vector<4xf32>
}

// A square transpose is log2(n) rounds of interleaving.
// CHECK-LABEL: func.func @transpose
// CHECK-COUNT-8: vector.shuffle
// CHECK-NOT: vector.extract %
// CHECK: vector.store
func.func @transpose(%a: memref<4x4xf32>, %b: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %v = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : memref<4x4xf32>, vector<4x4xf32>
  %t = vector.transpose %v, [1, 0] : vector<4x4xf32> to vector<4x4xf32>
  vector.transfer_write %t, %b[%c0, %c0] {in_bounds = [true, true]} : vector<4x4xf32>, memref<4x4xf32>
  return
}

// A conditional hands on rows.
// CHECK-LABEL: func.func @conditional
// CHECK: scf.if %cond -> (vector<8xf32>, vector<8xf32>)
// CHECK: scf.yield {{%.+}}, {{%.+}} : vector<8xf32>, vector<8xf32>
func.func @conditional(%cond: i1, %x: memref<2x8xf32>) {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %v = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<2x8xf32>, vector<2x8xf32>
  %r = scf.if %cond -> (vector<2x8xf32>) {
    %d = arith.addf %v, %v : vector<2x8xf32>
    scf.yield %d : vector<2x8xf32>
  } else {
    scf.yield %v : vector<2x8xf32>
  }
  vector.transfer_write %r, %x[%c0, %c0] {in_bounds = [true, true]} : vector<2x8xf32>, memref<2x8xf32>
  return
}

// What has no form on rows keeps its vector, made of rows or taken apart.
// CHECK-LABEL: func.func @boundary
// CHECK: vector.extract %v[0] : vector<8xf32> from vector<2x8xf32>
// CHECK: [[W:%.+]] = vector.insert {{%.+}}, {{%.+}} [1] : vector<8xf32> into vector<2x8xf32>
// CHECK: return [[W]] : vector<2x8xf32>
func.func @boundary(%v: vector<2x8xf32>) -> vector<2x8xf32> {
  %s = arith.addf %v, %v : vector<2x8xf32>
  return %s : vector<2x8xf32>
}

// The elements of a view with a stride are no row: they are read and written one by one.

// CHECK-LABEL: func.func @strided
// CHECK-COUNT-4: memref.load %{{.*}} : memref<4xf32, strided<[2]>>
// CHECK-NOT: vector.load
// CHECK-COUNT-4: memref.store
// CHECK-NOT: vector.store
func.func @strided(%x: memref<9xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %even = memref.subview %x[0] [4] [2] : memref<9xf32> to memref<4xf32, strided<[2]>>
  %odd = memref.subview %x[1] [4] [2] : memref<9xf32> to memref<4xf32, strided<[2], offset: 1>>
  %v = vector.transfer_read %even[%c0], %zero {in_bounds = [true]} : memref<4xf32, strided<[2]>>, vector<4xf32>
  vector.transfer_write %v, %odd[%c0] {in_bounds = [true]} : vector<4xf32>, memref<4xf32, strided<[2], offset: 1>>
  return
}
