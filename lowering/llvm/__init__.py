"""From structured loops, buffers, vectors and arithmetic down to the llvm dialect.

One pass per file, named as upstream's. :data:`LLVM_PASSES` is their order.
"""
