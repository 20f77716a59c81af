"""Tiling and vectorisation of linalg on tensors, and the lowering of n-d vectors to rows."""
