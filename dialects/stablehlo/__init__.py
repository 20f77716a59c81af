"""The mirror of StableHLO: one class for each of its operations, with the text that JAX prints.

Nothing is decided here; what the operations mean in Lamina stands in ``convert-stablehlo-to-nn``.
"""

from __future__ import annotations

from xdsl.ir import Dialect

from lamina.dialects.core.families import operations_of
from lamina.dialects.stablehlo.attributes import ATTRIBUTES
from lamina.dialects.stablehlo.syntax import StablehloOp

Stablehlo = Dialect("stablehlo", operations_of(__name__, StablehloOp), ATTRIBUTES)
