"""Folds and canonicalisation patterns of bufferization."""
