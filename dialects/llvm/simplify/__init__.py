"""Folds and canonicalisation patterns of llvm."""
