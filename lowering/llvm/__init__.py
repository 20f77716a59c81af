"""From structured loops, buffers, vectors and arithmetic down to the llvm dialect.

One pass per file, named as upstream's. :data:`LLVM_PASSES` is their order.
"""

LLVM_PASSES = (
    "convert-memref-copy-to-loops",  # while there are structured loops to make
    "convert-scf-to-cf",
    "expand-strided-metadata",  # makes arithmetic, so it stands before arith is converted
    "convert-math-to-llvm",  # what has an intrinsic must not become a call
    "convert-math-to-libm",  # takes vectors apart, so it stands before vector is converted
    "convert-vector-to-llvm",
    "convert-ub-to-llvm",
    "convert-index-to-llvm",
    "convert-arith-to-llvm",
    "convert-cf-to-llvm",
    "finalize-memref-to-llvm",  # accesses that vector left as addresses of unconverted memrefs resolve here
    "convert-func-to-llvm{use-bare-ptr-memref-call-conv=true}",
    "reconcile-unrealized-casts",
)
"""Takes functions of scf, cf, memref, vector (rank 1), arith, math, index, ub to the llvm dialect."""
