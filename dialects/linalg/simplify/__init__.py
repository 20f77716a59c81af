"""Folds and canonicalisation patterns of linalg."""
