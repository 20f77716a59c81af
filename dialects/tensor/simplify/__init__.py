"""Folds and canonicalisation patterns of tensor."""
