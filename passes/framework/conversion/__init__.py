"""Dialect conversion: what has to go, what may stay, and patterns that get from one to the other.

Unlike greedy rewriting, a conversion has a goal (:class:`ConversionTarget`), may change the types of values
(:class:`TypeConverter`), and leaves the program as it was where it fails.
"""

from lamina.passes.framework.conversion.driver import apply_full_conversion, apply_partial_conversion
from lamina.passes.framework.conversion.patterns import ConversionPattern, PatternTable
from lamina.passes.framework.conversion.rewriter import ConversionRewriter
from lamina.passes.framework.conversion.target import ConversionTarget
from lamina.passes.framework.conversion.types import TypeConverter

__all__ = [
    "ConversionPattern",
    "ConversionRewriter",
    "ConversionTarget",
    "PatternTable",
    "TypeConverter",
    "apply_full_conversion",
    "apply_partial_conversion",
]
