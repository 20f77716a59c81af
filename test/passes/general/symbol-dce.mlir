// RUN: lamina-opt %s --symbol-dce --allow-unregistered-dialect --split-input-file | filecheck %s

// CHECK-LABEL: module attributes {case.chain}
// CHECK-NOT: @dead
// CHECK: func.func private @callee
// CHECK-NOT: @dead
// CHECK: func.func @main
module attributes {case.chain} {
  func.func private @dead_callee()
  func.func private @dead() {
    func.call @dead_callee() : () -> ()
    return
  }
  func.func private @callee()
  func.func nested @dead_nested()
  func.func @main() {
    func.call @callee() : () -> ()
    return
  }
}

// -----

// A reference in any attribute of any operation counts.
// CHECK-LABEL: module attributes {case.attribute}
// CHECK: func.func private @listed
module attributes {case.attribute} {
  func.func private @listed()
  "live.user"() {uses = [{deep = @listed}]} : () -> ()
}

// -----

// CHECK-LABEL: module attributes {case.global}
// CHECK-NOT: @unread
// CHECK: @read
module attributes {case.global} {
  memref.global "private" constant @unread : memref<2xf32> = dense<1.0>
  memref.global "private" constant @read : memref<2xf32> = dense<1.0>
  func.func @main() -> memref<2xf32> {
    %0 = memref.get_global @read : memref<2xf32>
    return %0 : memref<2xf32>
  }
}

// -----

// Two functions that only call each other are dead.
// CHECK-LABEL: module attributes {case.cycle}
// CHECK-NEXT: }
module attributes {case.cycle} {
  func.func private @a() {
    func.call @b() : () -> ()
    return
  }
  func.func private @b() {
    func.call @a() : () -> ()
    return
  }
}

// -----

// CHECK-LABEL: module attributes {case.inner}
// CHECK-NOT: @dead
// CHECK: func.func nested @live
module attributes {case.inner} {
  module @table {
    func.func nested @dead()
    func.func nested @live()
  }
  "live.user"() {uses = [@table::@live]} : () -> ()
}
