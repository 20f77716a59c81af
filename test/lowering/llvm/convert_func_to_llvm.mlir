// RUN: lamina-opt %s --convert-func-to-llvm | filecheck %s --check-prefix=DESCRIPTOR
// RUN: lamina-opt %s --convert-func-to-llvm=use-bare-ptr-memref-call-conv=true | filecheck %s --check-prefix=BARE

// DESCRIPTOR: llvm.func @kernel(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: !llvm.ptr, {{.*}}) attributes {lamina.dispatch, sym_visibility = "private"}
// BARE:       llvm.func @kernel(%{{.*}}: !llvm.ptr {llvm.noalias}, %{{.*}}: !llvm.ptr {llvm.noalias}) attributes {lamina.dispatch, sym_visibility = "private"}
func.func private @kernel(%a: memref<4xf32>, %b: memref<4xf32>) attributes {lamina.dispatch} {
  return
}

// Arguments that some call makes alias each other are not declared to be apart.
// BARE: llvm.func @twice(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr {llvm.noalias})
func.func private @twice(%a: memref<4xf32>, %b: memref<4xf32>, %c: memref<4xf32>) {
  return
}

// A memref that one pointer does not describe is passed as its members.
// BARE: llvm.func @dynamic(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: !llvm.ptr {llvm.noalias})
func.func private @dynamic(%a: memref<?xf32>, %b: memref<4xf32>) {
  return
}

// DESCRIPTOR: llvm.func internal @results(%{{.*}}: i64, %{{.*}}: f32) -> !llvm.struct<(i64, f32)>
// DESCRIPTOR:   %[[S:.*]] = llvm.insertvalue %{{.*}}, %{{.*}}[0]
// DESCRIPTOR:   %[[T:.*]] = llvm.insertvalue %{{.*}}, %[[S]][1]
// DESCRIPTOR:   llvm.return %[[T]] : !llvm.struct<(i64, f32)>
func.func @results(%i: index, %x: f32) -> (index, f32) attributes {llvm.linkage = #llvm.linkage<internal>} {
  return %i, %x : index, f32
}

// BARE:      llvm.func @main(%[[X:.*]]: !llvm.ptr {llvm.noalias, nn.name = "x"}, %[[Y:.*]]: !llvm.ptr {lamina.result = 0 : i64, llvm.noalias, nn.name = "y"}) {
// BARE-NEXT:   llvm.call @kernel(%[[X]], %[[Y]]) : (!llvm.ptr, !llvm.ptr) -> ()
// BARE-NEXT:   llvm.call @twice(%[[X]], %[[X]], %[[Y]]) : (!llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
// BARE-NEXT:   llvm.return
func.func @main(%x: memref<4xf32> {nn.name = "x"}, %y: memref<4xf32> {nn.name = "y", lamina.result = 0 : i64}) {
  call @kernel(%x, %y) : (memref<4xf32>, memref<4xf32>) -> ()
  call @twice(%x, %x, %y) : (memref<4xf32>, memref<4xf32>, memref<4xf32>) -> ()
  return
}
