"""The conversion rules of StableHLO and CHLO, a module per family, in one table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from xdsl.ir import SSAValue

from lamina.dialects.core.tables import RuleTable

if TYPE_CHECKING:
    from lamina.lowering.stablehlo.site import Site

StablehloRule: TypeAlias = "Callable[[Site], SSAValue | Sequence[SSAValue]]"

stablehlo_rule: RuleTable[StablehloRule] = RuleTable("conversion to nn", "lamina.lowering.stablehlo.rules")
"""``@stablehlo_rule("stablehlo.x")`` registers ``rule(site) -> results``.

The rule builds `nn` ops through the :class:`lamina.lowering.stablehlo.site.Site`, and raises ``Unsupported``
with a reason where it cannot.
"""
