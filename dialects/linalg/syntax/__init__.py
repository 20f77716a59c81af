"""The forms of linalg that upstream writes in C++."""

from lamina.dialects.linalg.syntax import destination, generic, named

__all__ = ["destination", "generic", "named"]
