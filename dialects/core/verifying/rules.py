"""What is to be verified of the ops of one class, looked up once."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import UnregisteredOp
from xdsl.ir import Operation
from xdsl.traits import IsolatedFromAbove, IsTerminator, NoTerminator, SymbolTable

from lamina.dialects.core.ods.spec import spec_of
from lamina.dialects.core.verifying.plans import Plan
from lamina.dialects.core.verifying.registry import Check
from lamina.dialects.core.verifying.traits import check_symbol_table


class Rules:
    """The checks of an op's class, and how its regions are to be read."""

    __slots__ = ("after_regions", "check", "graph", "isolated", "may_end_a_block", "uses", "wants_terminator")

    def __init__(self, kind: type[Operation]) -> None:
        spec = spec_of(kind.name)
        # xDSL's test.op stands for any op, too.
        unregistered = issubclass(kind, UnregisteredOp) or kind.name == "test.op"
        self.after_regions: list[Check] = []
        self.uses: Check | None = None
        if spec is not None:
            plan = Plan(spec, kind)
            self.check: Check = plan.check
            self.after_regions, self.uses = plan.after_regions, plan.uses
        else:
            self.check = _nothing if unregistered else _as_written
            if kind.has_trait(SymbolTable, value_if_unregistered=False):
                self.after_regions = [check_symbol_table]
        traits = spec.traits if spec else frozenset[str]()
        self.isolated = "IsolatedFromAbove" in traits or _has(kind, IsolatedFromAbove)
        self.graph = unregistered or "HasOnlyGraphRegion" in traits
        self.wants_terminator = not (unregistered or "NoTerminator" in traits or _has(kind, NoTerminator))
        self.may_end_a_block = unregistered or "Terminator" in traits or _has(kind, IsTerminator)


def _has(kind: type[Operation], trait: Any) -> bool:
    return kind.has_trait(trait, value_if_unregistered=False)


def _nothing(op: Operation) -> None:
    """An op that nobody has registered is right."""


def _as_written(op: Operation) -> None:
    """An op without a table: what its class verifies."""
    op.verify(verify_nested_ops=False)


known_rules: dict[type[Operation], Rules] = {}
"""The rules of the classes that have been met."""


def rules_of(kind: type[Operation]) -> Rules:
    """The rules of a class of ops."""
    found = known_rules.get(kind)
    if found is None:
        found = known_rules[kind] = Rules(kind)
    return found
