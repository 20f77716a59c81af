"""What upstream declares of the ops of this dialect, as `dialects/core/facts.py` reads it."""

FACTS = """\
bitcast PS - source
broadcast PS - source
compressstore - w0 base indices* mask valueToStore
constant_mask PS -
contract PS - lhs rhs acc
create_mask PS - operands*
deinterleave PS - source
expandload - r0 base indices* mask pass_thru
extract PS - source dynamic_position*
extract_strided_slice PS - source
fma EPS - lhs rhs acc
from_elements PS - elements*
gather - r0 base offsets* indices mask pass_thru
insert PS - valueToStore dest dynamic_position*
insert_strided_slice PS - valueToStore dest
interleave PS - lhs rhs
load - r0 base indices*
mask N - mask passthru?
maskedload - r0 base indices* mask pass_thru
maskedstore - w0 base indices* mask valueToStore
multi_reduction PS - source acc
outerproduct PS - lhs rhs acc?
print - w- source?
reduction PS - vector acc?
scalable.extract PS - source
scalable.insert PS - valueToStore dest
scan PS - source initial_value
scatter - w0 base offsets* indices mask valueToStore
shape_cast PS - source
shuffle PS - v1 v2
step PS -
store - w1 valueToStore base indices*
to_elements PS - source
transfer_read Mc - base indices* padding mask?
transfer_write Mc - valueToStore base indices* mask?
transpose PS - vector
type_cast PS - memref
vscale PS -
yield PRST - operands*
"""
