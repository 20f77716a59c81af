"""Folds and canonicalisation patterns of cf."""
