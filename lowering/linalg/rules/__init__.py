"""The lowering rules of the ``nn`` ops, a module per family, in one table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from xdsl.ir import SSAValue

from lamina.dialects.core.tables import RuleTable

LinalgRule: TypeAlias = "Callable[[Any, Sequence[SSAValue], Any], Sequence[SSAValue] | SSAValue]"

linalg_rule: RuleTable[LinalgRule] = RuleTable("lowering to linalg", "lamina.lowering.linalg.rules")
"""``@linalg_rule("nn.x")`` registers ``rule(op, operands, builder) -> results``.

``op`` keeps its ``nn`` types (``i1``, ``ui8``), ``operands`` are the converted values, ``builder`` is a
:class:`lamina.lowering.linalg._builder.LinalgBuilder` that inserts where the op stands.
"""
