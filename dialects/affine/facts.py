"""What upstream declares of the ops of this dialect, as `dialects/core/facts.py` reads it."""

FACTS = """\
apply PS - mapOperands*
delinearize_index PS - linear_index dynamic_basis*
for ANc - lowerBoundOperands* upperBoundOperands* inits*
if Ns - arg0*
linearize_index PS - multi_index* dynamic_basis*
load - r0 memref indices*
max PS - operands*
min PS - operands*
parallel ANs - mapOperands*
prefetch - - memref indices*
store - w1 value memref indices*
vector_load - r0 memref indices*
vector_store - w1 value memref indices*
yield PRST - operands*
"""
