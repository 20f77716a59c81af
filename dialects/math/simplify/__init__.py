"""Folds and canonicalisation patterns of math."""
