"""Folds and canonicalisation patterns of affine."""
