"""Folds and canonicalisation patterns of scf."""
