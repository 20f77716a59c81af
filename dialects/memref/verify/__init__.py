"""What upstream verifies of memref ops in C++."""

from lamina.dialects.memref.verify import access, allocation, shapes, transfers, views

__all__ = ["access", "allocation", "shapes", "transfers", "views"]
