"""IRDL classes made from the op tables."""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable
from typing import Any

from xdsl.ir import Operation
from xdsl.irdl import (
    AnyAttr,
    AttrSizedOperandSegments,
    AttrSizedResultSegments,
    IRDLOperation,
    irdl_op_definition,
    lazy_traits_def,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    opt_result_def,
    prop_def,
    region_def,
    result_def,
    successor_def,
    var_operand_def,
    var_region_def,
    var_result_def,
    var_successor_def,
)

from lamina.dialects.core.ods.spec import SINGLE, Group, OpSpec
from lamina.dialects.core.ods.traits import traits_of


def accessor(name: str) -> str:
    """The Python name of an operand, attribute or region: snake case, an underscore where it is taken."""
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
    taken = keyword.iskeyword(snake) or hasattr(IRDLOperation, snake)
    return f"{snake}_" if taken or snake in ("name", "traits", "irdl_options") else snake


def made_from(spec: OpSpec) -> type[Operation]:
    """An IRDL class as the table says."""
    fields: dict[str, Any] = {"name": spec.name, "__doc__": f"``{spec.name}``, as upstream defines it."}
    _add(fields, "operand", spec.operands, (operand_def, opt_operand_def, var_operand_def, var_operand_def))
    _add(fields, "result", spec.results, (result_def, opt_result_def, var_result_def, var_result_def))
    for attribute in spec.attributes:
        define = opt_prop_def if attribute.optional else prop_def
        fields[_free(fields, attribute.name)] = define(AnyAttr(), prop_name=attribute.name)
    for group in spec.regions:
        define = region_def if group.count == SINGLE else var_region_def
        fields[_free(fields, group.name or "region")] = define()
    for group in spec.successors:
        define = successor_def if group.count == SINGLE else var_successor_def
        fields[_free(fields, group.name or "successor")] = define()
    options: list[Any] = []
    if "AttrSizedOperandSegments" in spec.traits:
        options.append(AttrSizedOperandSegments(as_property=True))
    if "AttrSizedResultSegments" in spec.traits:
        options.append(AttrSizedResultSegments(as_property=True))
    fields["irdl_options"] = tuple(options)
    fields["traits"] = lazy_traits_def(lambda: traits_of(spec))
    name = "".join(part.capitalize() for part in re.split(r"[._]", spec.name.partition(".")[2])) + "Op"
    fields["__module__"] = __name__
    return irdl_op_definition(type(name, (IRDLOperation,), fields))


def _add(
    fields: dict[str, Any], what: str, groups: tuple[Group, ...], kinds: tuple[Callable[..., Any], ...]
) -> None:
    for number, group in enumerate(groups):
        fields[_free(fields, group.name or f"{what}_{number}")] = kinds[group.count](AnyAttr())


def _free(fields: dict[str, Any], name: str) -> str:
    name = accessor(name)
    return f"{name}_" if name in fields else name
