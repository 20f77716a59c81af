"""The values and attributes of an op by the names of its definition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects.builtin import DenseArrayBase
from xdsl.ir import Operation

from lamina.dialects.core.ods.kinds import groups_of
from lamina.dialects.core.ods.spec import OpSpec, spec_of


def values(op: Operation, name: str) -> Sequence[Any]:
    """The operands or results of the group ``name``."""
    spec = spec_of(op.name)
    assert spec is not None
    return group(op, spec, name)


def group(op: Operation, spec: OpSpec, name: str) -> Sequence[Any]:
    """The operands or results of a group of an op's definition."""
    for what, groups in (("operands", spec.operands), ("results", spec.results)):
        for number, declared in enumerate(groups):
            if declared.name == name:
                found = groups_of(op, spec, what)
                return found[number] if found is not None else ()
    raise KeyError(name)


def attribute(op: Operation, name: str) -> Any:
    """An inherent attribute, wherever the op's class keeps it, or None."""
    return op.get_attr_or_prop(name)


def static_values(op: Operation, name: str) -> list[int]:
    """The numbers of a dense array attribute; none without it."""
    found = attribute(op, name)
    return [int(value) for value in found.get_values()] if isinstance(found, DenseArrayBase) else []
