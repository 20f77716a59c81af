"""Making operations by name, whatever class stands for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from xdsl.dialects.builtin import UnregisteredOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from lamina.dialects.core.context import make_context


@cache
def class_of(name: str) -> type[Operation]:
    """The class of an op by its name; one without a definition gets a class of unregistered ops."""
    return make_context().get_optional_op(name) or UnregisteredOp.with_name(name)


def make_op(
    name: str,
    operands: Sequence[SSAValue] = (),
    result_types: Sequence[Attribute] = (),
    properties: Mapping[str, Attribute] | None = None,
    *,
    regions: Sequence[Region] = (),
    successors: Sequence[Block] = (),
    attributes: Mapping[str, Attribute] | None = None,
) -> Operation:
    """An op that stands nowhere yet."""
    return class_of(name).create(
        operands=operands,
        result_types=result_types,
        properties=properties or {},
        attributes=attributes or {},
        regions=regions,
        successors=successors,
    )
