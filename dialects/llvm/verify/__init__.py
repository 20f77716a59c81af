"""What upstream verifies of the llvm dialect in C++."""

from lamina.dialects.llvm.verify import calls, casts, constants, functions, globals, memory, values

__all__ = ["calls", "casts", "constants", "functions", "globals", "memory", "values"]
