// RUN: not lamina-opt %s --symbol-dce --allow-unregistered-dialect 2>&1 | filecheck %s

// CHECK: symbol-dce-invalid.mlir:5:1: error: 'foo.scope' op may be a symbol table that is not known
// CHECK: hint: register its dialect
"foo.scope"() ({
}) : () -> ()
