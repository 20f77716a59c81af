"""What upstream declares of the ops of this dialect, as `dialects/core/facts.py` reads it."""

FACTS = """\
alloc_tensor - - dynamic_sizes* copy? size_hint?
clone - a=0,r0,w=0 input
dealloc - - memrefs* conditions* retained*
dealloc_tensor - - tensor
materialize_in_destination M - source dest
to_buffer PS - tensor
to_tensor - r0 buffer
"""
