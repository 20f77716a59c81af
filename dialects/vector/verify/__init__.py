"""What upstream verifies of vector ops in C++."""

from lamina.dialects.vector.verify import contraction, masks, memory, reductions, shapes, slices, transfers

__all__ = ["contraction", "masks", "memory", "reductions", "shapes", "slices", "transfers"]
