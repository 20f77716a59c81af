"""What upstream verifies of linalg's operations in C++."""

from lamina.dialects.linalg.verify import destination, maps, packing, structured, winograd

__all__ = ["destination", "maps", "packing", "structured", "winograd"]
