"""Pre- and postconditions of passes, as data: what holds of a piece of IR at a level."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

from xdsl.dialects.builtin import ShapedType
from xdsl.ir import Operation

from lamina.dialects.core.diagnostics import op_name
from lamina.passes.framework.walk import ops_inside


@dataclass(frozen=True)
class Condition:
    """A named property of IR. Two conditions are the same if their names are."""

    name: str
    """Reads after "the IR has" or "there are": for example ``no ops of dialect 'nn'``."""
    violations: Callable[[Operation], Iterator[Operation]]
    """The operations that break the property."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Condition) and other.name == self.name

    def __hash__(self) -> int:
        return hash(self.name)

    def first_violations(self, root: Operation, limit: int = 5) -> list[Operation]:
        """At most ``limit`` operations under ``root`` that break the property."""
        return list(islice(self.violations(root), limit))


def no_dialect(*names: str) -> Condition:
    """No operation of the named dialects is left."""

    def violations(root: Operation) -> Iterator[Operation]:
        return (op for op in (root, *ops_inside(root)) if op_name(op).split(".", 1)[0] in names)

    return Condition("no ops of " + ", ".join(f"'{name}'" for name in names), violations)


def no_op(*names: str) -> Condition:
    """No operation of the given names is left."""

    def violations(root: Operation) -> Iterator[Operation]:
        return (op for op in (root, *ops_inside(root)) if op_name(op) in names)

    return Condition("no " + ", ".join(f"'{name}'" for name in names), violations)


def _has_dynamic_shape(op: Operation) -> bool:
    types = (value.type for value in (*op.operands, *op.results))
    return any(isinstance(t, ShapedType) and not t.has_static_shape() for t in types)


STATIC_SHAPES = Condition(
    "static shapes only", lambda root: (op for op in (root, *ops_inside(root)) if _has_dynamic_shape(op))
)
"""Every shaped value has a static shape (``nn-set-shapes`` specialises)."""


def _has_tensors(op: Operation) -> bool:
    types = (value.type for value in (*op.operands, *op.results))
    return any(t.name in ("tensor", "unranked_tensor") for t in types)


BUFFERS_ONLY = Condition(
    "no tensor values", lambda root: (op for op in (root, *ops_inside(root)) if _has_tensors(op))
)
"""All tensors have become buffers (``one-shot-bufferize``)."""
