"""Folds and canonicalisation patterns of memref."""
