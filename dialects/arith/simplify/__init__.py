"""Folds and canonicalisation patterns of arith."""
