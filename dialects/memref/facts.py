"""What upstream declares of the ops of this dialect, as `dialects/core/facts.py` reads it."""

FACTS = """\
alloc - a=0 dynamicSizes* symbolOperands*
alloca - a=0 dynamicSizes* symbolOperands*
alloca_scope AN -
alloca_scope.return PRST - results*
assume_alignment PS - memref
atomic_rmw - r1,w1 value memref indices*
atomic_yield PRST - result
cast PS - source
collapse_shape PS - src
copy - r0,w1 source target
dealloc - f0 memref
dim Pc - source index
distinct_objects PS - operands*
dma_start - - operands*
dma_wait - - tagMemRef tagIndices* numElements
expand_shape PS - src output_shape*
extract_aligned_pointer_as_index PS - source
extract_strided_metadata PS - source
generic_atomic_rmw - r0,w0 memref indices*
get_global PS -
global Y -
load - r0 memref indices*
memory_space_cast PS - source
prefetch - w0 memref indices*
rank PS - memref
realloc - a=0,f0 source dynamicResultSize?
reinterpret_cast PS - source offsets* sizes* strides*
reshape S r1 source shape
store - w1 value memref indices*
subview PS - source offsets* sizes* strides*
transpose PS - in
view PS - source byte_shift sizes*
"""
