"""The forms of the vector dialect that upstream writes in C++."""

from lamina.dialects.vector.syntax import masks, products, transfers  # pyright: ignore[reportUnusedImport]

__all__ = ["masks", "products", "transfers"]
