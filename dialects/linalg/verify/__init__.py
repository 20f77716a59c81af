"""What upstream verifies of linalg's operations in C++."""

from lamina.dialects.linalg.verify import destination, maps, structured, winograd

__all__ = ["destination", "maps", "structured", "winograd"]
