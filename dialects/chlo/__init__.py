"""The mirror of CHLO: operations that clients use and StableHLO composes of its own."""

from __future__ import annotations

from xdsl.ir import Dialect

from lamina.dialects.core.families import operations_of
from lamina.dialects.stablehlo.syntax import StablehloOp

Chlo = Dialect("chlo", operations_of(__name__, StablehloOp), [])
