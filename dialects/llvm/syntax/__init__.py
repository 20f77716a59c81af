"""The forms of the llvm dialect that upstream writes in C++."""

from lamina.dialects.llvm.syntax import calls, functions, globals, parts, values

__all__ = ["calls", "functions", "globals", "parts", "values"]
