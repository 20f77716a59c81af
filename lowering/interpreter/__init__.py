"""The reference interpreter: what a program means, in vectorised NumPy.

It runs ``nn`` and ``linalg`` on tensors and on buffers for whole models, and ``scf``, ``vector`` and
``memref`` programs of up to about a million scalar operations. Passes are checked against it.
"""

from lamina.lowering.interpreter.machine import Interpreter, interpret_function, interprets

__all__ = ["Interpreter", "interpret_function", "interprets"]
