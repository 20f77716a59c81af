"""What upstream declares of the ops of this dialect, as `dialects/core/facts.py` reads it."""

FACTS = """\
bitcast PS - source
cast PS - source
collapse_shape PS - src
concat PS - inputs*
dim Pc - source index
empty PS - dynamicSizes*
expand_shape PS - src output_shape*
extract PS - tensor indices*
extract_slice PS - source offsets* sizes* strides*
from_elements PS - elements*
gather PS - source indices
generate N - dynamicExtents*
insert PS - scalar dest indices*
insert_slice PS - source dest offsets* sizes* strides*
pad PS - source low* high*
parallel_insert_slice - - source dest offsets* sizes* strides*
rank PS - tensor
reshape PS - source shape
scatter PS - source dest indices
splat PS - input dynamicSizes*
yield PRST - value
"""
