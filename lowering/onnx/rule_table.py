"""The table of conversion rules: by operator, domain, and the operator set that a rule begins with."""

from __future__ import annotations

import importlib
import pkgutil
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

from xdsl.ir import SSAValue

from lamina.dialects.onnx.table import DEFAULT_DOMAIN

if TYPE_CHECKING:
    from lamina.lowering.onnx.node import Node

Rule: TypeAlias = "Callable[[Node], SSAValue | Sequence[SSAValue]]"
"""Builds the `nn` ops for a node and returns the values of its results."""

_RULES = "lamina.lowering.onnx.rules"
_table: dict[tuple[str, str], dict[int, Rule]] = defaultdict(dict)


def onnx_rule(*op_types: str, since: int = 1, domain: str = DEFAULT_DOMAIN) -> Callable[[Rule], Rule]:
    """Registers a rule for operators, from a version of the operator set up to the next rule's.

    A rule that stays valid while its operator only gains element types needs no second registration.
    """

    def register(rule: Rule) -> Rule:
        for op_type in op_types:
            versions = _table[domain, op_type]
            if since in versions:
                raise ValueError(f"a rule for {op_type} since version {since} is registered already")
            versions[since] = rule
        return rule

    return register


def find_rule(op_type: str, domain: str, opset: int) -> Rule | None:
    """The rule for an operator as of a version of its operator set, or None."""
    _load()
    versions = _table.get((domain, op_type), {})
    fitting = [since for since in versions if since <= opset]
    return versions[max(fitting)] if fitting else None


def supported_operators() -> frozenset[tuple[str, str]]:
    """Domain and name of every operator that has a rule."""
    _load()
    return frozenset(_table)


def first_opset(op_type: str, domain: str) -> int | None:
    """The operator set from which on an operator has a rule, or None."""
    _load()
    return min(_table.get((domain, op_type), {}), default=None)


@cache
def _load() -> None:
    for module in pkgutil.iter_modules(importlib.import_module(_RULES).__path__):
        importlib.import_module(f"{_RULES}.{module.name}")
