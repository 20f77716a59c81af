"""Which values derivatives pass through: they depend on an input that asks, and a result depends on them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xdsl.dialects.builtin import AnyFloat, ContainerType, TensorType
from xdsl.ir import Attribute, Operation, SSAValue

from lamina.dialects.nn.derivatives.not_differentiable import NOT_DIFFERENTIABLE


def is_differentiable(kind: Attribute) -> bool:
    """Whether values of a type have derivatives: tensors of floating-point numbers."""
    return isinstance(kind, TensorType) and isinstance(kind.element_type, AnyFloat)


def carries_derivative(kind: Attribute) -> bool:
    """Whether derivatives can pass through values of a type, by an op that has a rule or one that lacks it.

    Beside tensors these are bare numbers and other containers: an op that takes a number out of a tensor is
    to be reported, not taken for a constant.
    """
    while isinstance(kind, ContainerType):
        kind = kind.get_element_type()
    return isinstance(kind, AnyFloat)


def read_values(op: Operation) -> list[SSAValue]:
    """What an op reads: its operands, and what its regions capture from outside."""
    values = list(op.operands)
    if op.regions:
        inside = {result for inner in op.walk() for result in inner.results}
        inside |= {a for inner in op.walk() for r in inner.regions for b in r.blocks for a in b.args}
        captured = (v for inner in op.walk() if inner is not op for v in inner.operands)
        values += dict.fromkeys(v for v in captured if v not in inside)
    return values


def varied(ops: Iterable[Operation], start: Iterable[SSAValue]) -> set[SSAValue]:
    """The values of ops in a block through which derivatives by ``start`` may pass, ``start`` included."""
    found = set(start)
    for op in ops:
        if op.name in NOT_DIFFERENTIABLE or not any(v in found for v in read_values(op)):
            continue
        found.update(r for r in op.results if carries_derivative(r.type))
    return found


def useful(ops: Sequence[Operation], results: Iterable[SSAValue]) -> set[SSAValue]:
    """The values of ops in a block that some of ``results`` depend on, those included."""
    found = set(results)
    for op in reversed(ops):
        if op.name not in NOT_DIFFERENTIABLE and any(
            r in found and carries_derivative(r.type) for r in op.results
        ):
            found.update(read_values(op))
    return found
