"""Derivative rules of ``nn`` ops, one module per family; imported when the first rule is asked for.

What a rule of another package needs is imported from here.
"""

from lamina.dialects.nn.base import derivative, expansion, tangent
from lamina.dialects.nn.derivatives._rules import Adjoint, Tangent, elementwise, linear
from lamina.dialects.nn.derivatives._terms import Term

__all__ = ["Adjoint", "Tangent", "Term", "derivative", "elementwise", "expansion", "linear", "tangent"]
