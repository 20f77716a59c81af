// RUN: lamina-opt %s --split-input-file --canonicalize | filecheck %s

// A call of a function that is known.
func.func private @g(i32) -> i32

func.func @calls(%x: i32) -> i32 {
  %f = func.constant @g : (i32) -> i32
  %0 = func.call_indirect %f(%x) : (i32) -> i32
  return %0 : i32
}
// CHECK-LABEL: @calls
// CHECK-NEXT: call @g(%{{.*}}) : (i32) -> i32
// CHECK-NEXT: return

// -----

// Values that are cast back together; not those that change places.
func.func @casts(%a: i32, %b: i32) -> (i32, i32, i32, i32) {
  %0:2 = builtin.unrealized_conversion_cast %a, %b : i32, i32 to index, index
  %1:2 = builtin.unrealized_conversion_cast %0#0, %0#1 : index, index to i32, i32
  %2:2 = builtin.unrealized_conversion_cast %0#1, %0#0 : index, index to i32, i32
  return %1#0, %1#1, %2#0, %2#1 : i32, i32, i32, i32
}
// CHECK-LABEL: @casts
// CHECK-SAME: (%[[A:.*]]: i32, %[[B:.*]]: i32)
// CHECK: %[[R:.*]]:2 = builtin.unrealized_conversion_cast %{{.*}} : index, index to i32, i32
// CHECK-NEXT: return %[[A]], %[[B]], %[[R]]#0, %[[R]]#1
