"""The registry of hand-written checks: what upstream verifies in C++.

``dialects/<dialect>/verify.py`` (a module or a package) registers a function for each op; it is imported
when an op of the dialect is first verified.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from functools import cache
from typing import Any, TypeAlias

Check: TypeAlias = "Callable[[Any], None]"

_checks: dict[str, Check] = {}
_checks_of_types: dict[str, Check] = {}
_checks_of_regions: dict[str, Check] = {}
_uses: dict[str, Check] = {}


def verifies(*names: str, types_only: bool = False, after_regions: bool = False) -> Callable[[Check], Check]:
    """Register a function that raises :func:`~lamina.dialects.core.diagnostics.error` for a wrong op.

    It runs after the op's operands, attributes and results have been found to fulfil the constraints of
    the table. ``types_only``: it looks at nothing but the types of operands and results (and how many
    there are), so it is not run again for equal types. ``after_regions``: it runs when everything inside
    the op has been verified.
    """

    def register(function: Check) -> Check:
        into = _checks_of_types if types_only else _checks_of_regions if after_regions else _checks
        for name in names:
            into[name] = function
        return function

    return register


def verifies_uses(*names: str) -> Callable[[Check], Check]:
    """Register the check of the symbols that an op refers to: it runs when everything else is right."""

    def register(function: Check) -> Check:
        for name in names:
            _uses[name] = function
        return function

    return register


HandWritten: TypeAlias = "tuple[Check | None, Check | None, Check | None, Check | None]"


def hand_written(name: str) -> HandWritten:
    """The checks of an op: of its types, of the op, after its regions, of its uses of symbols."""
    load_checks(name.partition(".")[0])
    return _checks_of_types.get(name), _checks.get(name), _checks_of_regions.get(name), _uses.get(name)


@cache
def load_checks(dialect: str) -> None:
    """Import the hand-written checks of a dialect."""
    name = f"lamina.dialects.{dialect}.verify"
    try:
        found = importlib.util.find_spec(name)
    except ModuleNotFoundError:
        return
    if found is not None:
        importlib.import_module(name)
