"""Folds and canonicalisation patterns of vector."""
