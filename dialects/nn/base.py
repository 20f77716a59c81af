"""What all ``nn`` operations share: syntax, verification through the shape rule, and building by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    BoolAttr,
    DenseArrayBase,
    FloatAttr,
    FunctionType,
    IntegerAttr,
    StringAttr,
    TensorType,
    f64,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import IRDLOperation
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from lamina.dialects.core.constants import constant_attr
from lamina.dialects.core.diagnostics import did_you_mean
from lamina.dialects.core.tables import RuleTable

DYNAMIC = DYNAMIC_INDEX
"""The extent that stands for an unknown dimension (printed ``?``)."""


class ShapeError(Exception):
    """Operands or attributes that no result type fits; the message says what is wrong and expected."""


ShapeRule: TypeAlias = "Callable[[Any], Sequence[Attribute]]"
Reference: TypeAlias = "Callable[..., Any]"

shape_rule: RuleTable[ShapeRule] = RuleTable("shape rule", "lamina.dialects.nn.shapes")
"""``@shape_rule("nn.x")`` registers ``rule(op) -> result types``; it raises :class:`ShapeError`."""
reference: RuleTable[Reference] = RuleTable("reference", "lamina.dialects.nn.reference")
"""``@reference("nn.x")`` registers ``f(op, *arrays) -> array or tuple``, vectorised NumPy."""
derivative: RuleTable[Any] = RuleTable("derivative", "lamina.dialects.nn.derivatives")
"""``@derivative("nn.x")`` registers ``rule(at) -> cotangents of the operands`` (see its ``_rules.py``)."""
tangent: RuleTable[Any] = RuleTable("tangent", "lamina.dialects.nn.derivatives")
"""``@tangent("nn.x")``: a rule of forward mode, where it is not the transposed rule of reverse mode."""
expansion: RuleTable[Any] = RuleTable("expansion", "lamina.dialects.nn.derivatives")
"""``@expansion("nn.x")``: an op by simpler ones that are differentiated in its place."""
canonicalization: RuleTable[Any] = RuleTable("canonicalization", "lamina.dialects.nn.canonicalize")
"""``@canonicalization("nn.x")`` registers a function that returns the RewritePatterns rooted at the op."""


class NnOp(IRDLOperation):
    """Base of the ops of the ``nn`` dialect: ``nn.x operands {attributes} : (types) -> types``."""

    def infer(self) -> list[Attribute]:
        """The result types that follow from operands and attributes. Raises :class:`ShapeError`."""
        rule = shape_rule.get(self.name)
        if rule is None:
            raise ShapeError(f"there is no shape rule for '{self.name}'")
        return list(rule(self))

    def verify_(self) -> None:
        for name in self.attributes:
            if "." not in name:
                known = list(self.get_irdl_definition().properties)
                near = did_you_mean(name, known) or f"it has: {', '.join(known) or 'none'}"
                raise VerifyException(f"has no attribute '{name}' ({near})")
        try:
            inferred = self.infer()
        except ShapeError as problem:
            raise VerifyException(str(problem)) from None
        if len(inferred) != len(self.results):
            raise VerifyException(f"has {len(self.results)} results, expected {len(inferred)}")
        for i, (expected, result) in enumerate(zip(inferred, self.results, strict=True)):
            if not compatible(expected, result.type):
                which = f"result {i}" if len(inferred) > 1 else "the result"
                raise VerifyException(f"{which} has type {result.type}, but the operands give {expected}")

    def attribute(self, name: str, default: Any = None) -> Any:
        """A property as a Python value: int, float, bool, str, or a tuple of ints or floats."""
        attr = self.properties.get(name)
        return default if attr is None else python_value(attr)

    def print(self, printer: Printer) -> None:
        if self.operands:
            printer.print_string(" ")
            printer.print_list(self.operands, printer.print_ssa_value)
        known = self.get_irdl_definition().properties
        ordered = {name: self.properties[name] for name in known if name in self.properties}
        attributes = {**ordered, **self.attributes}
        if attributes:
            printer.print_string(" ")
            printer.print_attr_dict(attributes)
        printer.print_string(" : ")
        printer.print_function_type(self.operand_types, self.result_types)

    @classmethod
    def parse(cls, parser: Parser) -> NnOp:
        operands = parser.parse_optional_undelimited_comma_separated_list(
            parser.parse_optional_unresolved_operand, parser.parse_unresolved_operand
        )
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":", " before the type of the operation")
        position = parser.pos
        kind = parser.parse_function_type()
        values = parser.resolve_operands(operands or [], kind.inputs.data, position)
        known = cls.get_irdl_definition().properties
        return cls.create(
            operands=values,
            result_types=kind.outputs.data,
            properties={name: attributes.pop(name) for name in list(attributes) if name in known},
            attributes=attributes,
        )


def compatible(a: Attribute, b: Attribute) -> bool:
    """Equal types, where an unknown extent matches any."""
    if isinstance(a, TensorType) and isinstance(b, TensorType):
        if a.element_type != b.element_type or a.get_num_dims() != b.get_num_dims():
            return False
        pairs = zip(a.get_shape(), b.get_shape(), strict=True)
        return all(m == n or DYNAMIC in (m, n) for m, n in pairs)
    return a == b


def python_value(attr: Attribute) -> Any:
    """The Python value of an integer, bool, float, string or array attribute."""
    match attr:
        case IntegerAttr():
            return bool(attr.value.data) if attr.type == BoolAttr.from_bool(True).type else attr.value.data
        case FloatAttr():
            return attr.value.data
        case StringAttr():
            return attr.data
        case DenseArrayBase():
            return tuple(attr.get_values())  # pyright: ignore[reportAttributeAccessIssue]
        case _:
            return attr


def attribute_of(value: Any) -> Attribute:
    """The attribute for a Python value, as ``nn`` ops want it: i64, f64, i1, strings, arrays."""
    match value:
        case Attribute():
            return value
        case bool() | np.bool_():
            return BoolAttr.from_bool(bool(value))
        case int() | np.integer():
            return IntegerAttr(int(value), i64)
        case float() | np.floating():
            return FloatAttr(float(value), f64)
        case str():
            return StringAttr(value)
        case np.ndarray():
            return constant_attr(value)
        case list() | tuple():
            if any(isinstance(item, float | np.floating) for item in value):
                return DenseArrayBase.from_list(f64, [float(item) for item in value])
            return DenseArrayBase.from_list(i64, [int(item) for item in value])
        case _:
            raise TypeError(f"no attribute for {value!r}")


def make(
    name: str,
    operands: Sequence[SSAValue | Operation] = (),
    result_types: Sequence[Attribute] | None = None,
    **attributes: Any,
) -> NnOp:
    """Build an ``nn`` op by name, with attributes from Python values and inferred result types.

    ``None`` as an attribute means that it is absent. Raises :class:`ShapeError` where operands do not fit.
    Where no shape rule can say the type (``nn.cast``), ``result_types`` gives it.
    """
    from lamina.dialects.nn import Nn

    op_class = _classes(Nn).get(name)
    if op_class is None:
        raise ValueError(f"there is no operation '{name}'")
    values = [SSAValue.get(v) for v in operands]
    properties = {key: attribute_of(v) for key, v in attributes.items() if v is not None}
    if result_types is None:
        draft = op_class.create(operands=values, properties=properties)
        try:
            result_types = draft.infer()
        finally:
            draft.drop_all_references()
    return op_class.create(operands=values, result_types=result_types, properties=properties)


_by_name: dict[str, type[NnOp]] = {}


def _classes(dialect: Any) -> dict[str, type[NnOp]]:
    if not _by_name:
        _by_name.update({op.name: op for op in dialect.operations})
    return _by_name


def function_type(op: Operation) -> FunctionType:
    """The operand and result types of an op as a function type."""
    return FunctionType.from_lists([v.type for v in op.operands], [v.type for v in op.results])
