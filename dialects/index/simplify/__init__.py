"""Folds and canonicalisation patterns of index."""
