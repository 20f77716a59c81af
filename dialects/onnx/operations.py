"""The operations of the `onnx` dialect, one class for each record of the operator table.

All share one syntax: ``onnx.Conv %x, %w, %none ({…}, {…}) {group = 1 : i64} : (types) -> types``, where the
regions are the graph attributes in the order of their names, and an operand that a node leaves out is the
result of ``onnx.NoValue``. Attributes keep ONNX's names: INT is i64, FLOAT f32, INTS ``array<i64>``, FLOATS
``array<f32>``, STRING a string, STRINGS an array of strings, TENSOR a dense constant, TYPE_PROTO a type.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    DenseResourceAttr,
    DictionaryAttr,
    FloatAttr,
    IntegerAttr,
    ModuleOp,
    NoneType,
    StringAttr,
)
from xdsl.ir import Attribute, Operation, OpTraits, TypeAttribute
from xdsl.irdl import traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsTerminator, Pure
from xdsl.utils.exceptions import VerifyException

from lamina.dialects.onnx.table import DEFAULT_DOMAIN, Operator, Parameters, Signature, operators

OPSET_ATTRIBUTE = "onnx.opset"
"""The module attribute that holds the version of each operator set: ``{ai.onnx = 13 : i64}``."""

_ATTRIBUTE_CLASSES: dict[str, tuple[type[Attribute], ...]] = {
    "INT": (IntegerAttr,),
    "FLOAT": (FloatAttr,),
    "STRING": (StringAttr,),
    "TENSOR": (DenseIntOrFPElementsAttr, DenseResourceAttr, DictionaryAttr),
    "INTS": (DenseArrayBase,),
    "FLOATS": (DenseArrayBase,),
    "STRINGS": (ArrayAttr,),
    "TENSORS": (ArrayAttr,),
    "TYPE_PROTO": (TypeAttribute,),
}
_IMPURE = frozenset(
    (
        "Bernoulli",
        "Multinomial",
        "RandomNormal",
        "RandomNormalLike",
        "RandomUniform",
        "RandomUniformLike",
        "Dropout",
    )
)


class OnnxOp(Operation):
    """Base of the dialect's operations: the common syntax, and verification against the operator table."""

    name: ClassVar[str] = "onnx.op"
    operator: ClassVar[Operator | None] = None
    traits: ClassVar[OpTraits] = traits_def()

    @property
    def op_type(self) -> str:
        """The operator's name in ONNX: ``Conv``."""
        return self.operator.name if self.operator else self.name.removeprefix("onnx.")

    @property
    def domain(self) -> str:
        """The operator's domain: ``ai.onnx``, ``ai.onnx.ml``."""
        return self.operator.domain if self.operator else DEFAULT_DOMAIN

    def signature(self) -> Signature | None:
        """The operator's signature in the operator set that the module imports."""
        if self.operator is None:
            return None
        return self.operator.signature(opset_of(self).get(self.operator.domain))

    def verify_(self) -> None:
        signature = self.signature()
        if self.operator is None:
            return
        if signature is None:
            first = self.operator.since_versions[0]
            raise VerifyException(
                f"exists since version {first} of the operator set, the module imports an older one"
            )
        if signature.deprecated:
            raise VerifyException(f"is deprecated since version {signature.since} of the operator set")
        _verify_count("operands", len(self.operands), signature.inputs)
        _verify_count("results", len(self.results), signature.outputs)
        if len(self.regions) != len(signature.regions):
            raise VerifyException(f"has {len(self.regions)} regions, expected {len(signature.regions)}")
        _verify_attributes(self, signature)

    def print(self, printer: Printer) -> None:
        if self.operands:
            printer.print_string(" ")
            printer.print_list(self.operands, printer.print_ssa_value)
        if self.regions:
            printer.print_string(" ")
            with printer.in_parens():
                printer.print_list(self.regions, printer.print_region)
        if self.attributes:
            printer.print_string(" ")
            printer.print_attr_dict(self.attributes)
        printer.print_string(" : ")
        printer.print_function_type(self.operand_types, self.result_types)

    @classmethod
    def parse(cls, parser: Parser) -> Operation:
        operands = parser.parse_optional_undelimited_comma_separated_list(
            parser.parse_optional_unresolved_operand, parser.parse_unresolved_operand
        )
        regions = parser.parse_region_list()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":", " before the type of the operation")
        position = parser.pos
        kind = parser.parse_function_type()
        values = parser.resolve_operands(operands or [], kind.inputs.data, position)
        return cls.create(
            operands=values, result_types=kind.outputs.data, attributes=attributes, regions=regions
        )


class NoValue(OnnxOp):
    """Stands for an operand that a node leaves out: ``onnx.NoValue : () -> none``."""

    name = "onnx.NoValue"
    traits = traits_def(Pure())

    def verify_(self) -> None:
        if self.operands or [r.type for r in self.results] != [NoneType()]:
            raise VerifyException("takes nothing and gives a value of type none")


class Yield(OnnxOp):
    """Ends a graph attribute's region with the graph's outputs: ``onnx.Yield %a : (tensor<f32>) -> ()``."""

    name = "onnx.Yield"
    traits = traits_def(IsTerminator())

    def verify_(self) -> None:
        if self.results:
            raise VerifyException("has no results")


class Custom(OnnxOp):
    """An operator that ONNX does not define: ``onnx.Custom %x {domain = "com.x", op_type = "Foo", …}``.

    Its graph attributes are named by the attribute ``region_names``.
    """

    name = "onnx.Custom"

    @property
    def op_type(self) -> str:
        return _string(self.attributes.get("op_type"))

    @property
    def domain(self) -> str:
        return _string(self.attributes.get("domain"))

    def verify_(self) -> None:
        for name in ("domain", "op_type"):
            if not isinstance(self.attributes.get(name), StringAttr):
                raise VerifyException(f"needs the string attribute '{name}'")


def operation_classes() -> list[type[Operation]]:
    """All operations of the dialect."""
    return [NoValue, Yield, Custom, *(_operation_class(operator) for operator in operators().values())]


def opset_of(op: Operation) -> dict[str, int]:
    """The versions of the operator sets, by domain, that the module around an operation imports."""
    root: Operation = op
    while (parent := root.parent_op()) is not None:
        root = parent
    versions = root.attributes.get(OPSET_ATTRIBUTE) if isinstance(root, ModuleOp) else None
    if not isinstance(versions, DictionaryAttr):
        return {}
    return {
        domain or DEFAULT_DOMAIN: version.value.data
        for domain, version in versions.data.items()
        if isinstance(version, IntegerAttr)
    }


def _operation_class(operator: Operator) -> type[OnnxOp]:
    newest = operator.signatures[-1]
    pure = not newest.regions and operator.name not in _IMPURE
    traits = traits_def(Pure()) if pure else traits_def()
    members = {
        "name": operator.op_name,
        "operator": operator,
        "traits": traits,
        "__doc__": f"ONNX's {operator.name}.",
    }
    return type(operator.name, (OnnxOp,), members)


def _string(attribute: Attribute | None) -> str:
    return attribute.data if isinstance(attribute, StringAttr) else ""


def _verify_count(what: str, count: int, parameters: Parameters) -> None:
    if not parameters.accepts(count):
        raise VerifyException(
            f"has {count} {what}, expected {parameters.range_text()} ({_names(parameters.names)})"
        )


def _verify_attributes(op: OnnxOp, signature: Signature) -> None:
    for name, attribute in op.attributes.items():
        definition = signature.attributes.get(name)
        if definition is None:
            if "." in name:
                continue
            raise VerifyException(f"has no attribute '{name}' (it has {_names(tuple(signature.attributes))})")
        classes = _ATTRIBUTE_CLASSES.get(definition.kind)
        if classes and not isinstance(attribute, classes):
            raise VerifyException(
                f"attribute '{name}' is of kind {definition.kind}, but has the value {attribute}"
            )
    for name, definition in signature.attributes.items():
        if definition.required and definition.kind != "GRAPH" and name not in op.attributes:
            raise VerifyException(f"needs the attribute '{name}'")


def _names(names: Sequence[str]) -> str:
    return ", ".join(names) or "none"
