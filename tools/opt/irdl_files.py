"""``--irdl-file``: dialects that an IRDL file defines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, cast

from xdsl.dialects import irdl
from xdsl.dialects.builtin import ArrayAttr, Builtin, StringAttr, SymbolRefAttr
from xdsl.ir import Attribute, Dialect, Operation, ParametrizedAttribute, SSAValue, TypeAttribute
from xdsl.irdl import (
    AllOf,
    AnyAttr,
    AttrConstraint,
    AttributeDef,
    AttrSizedOperandSegments,
    AttrSizedResultSegments,
    BaseAttr,
    EqAttrConstraint,
    IRDLOperation,
    OpDef,
    OperandDef,
    OptOperandDef,
    OptResultDef,
    ParamAttrConstraint,
    ParamAttrDef,
    ParamDef,
    RegionDef,
    ResultDef,
    VarConstraint,
    VarOperandDef,
    VarResultDef,
    VerificationContext,
)
from xdsl.irdl.operations import get_accessors_from_op_def
from xdsl.utils.exceptions import VerifyException

from lamina.dialects.core.context import make_context, register_dialect
from lamina.dialects.core.diagnostics import error
from lamina.dialects.core.text import parse
from lamina.dialects.core.verifier import verify
from lamina.tools.console import read_text

_Kinds = dict[str, type[Attribute]]
_OPERANDS: dict[str, Callable[..., OperandDef]] = {
    "single": OperandDef,
    "optional": OptOperandDef,
    "variadic": VarOperandDef,
}
_RESULTS: dict[str, Callable[..., ResultDef]] = {
    "single": ResultDef,
    "optional": OptResultDef,
    "variadic": VarResultDef,
}


def load_irdl(path: str) -> None:
    """Register the dialects that an IRDL file defines. Raises :class:`LaminaError` for a wrong file."""
    text, name = read_text(path)
    module = parse(text, name)
    verify(module)
    found = [op for op in module.walk() if isinstance(op, irdl.DialectOp)]
    if not found:
        raise error(
            "defines no dialect", module, hint="a dialect is an 'irdl.dialect' at the top of the file"
        )
    kinds: _Kinds = {}
    for op in found:
        for entry in op.body.block.ops:
            if isinstance(entry, irdl.TypeOp | irdl.AttributeOp):
                kinds[entry.qualified_name] = _declared_kind(entry)
    for op in found:
        dialect = _dialect(op, kinds)
        register_dialect(dialect.name, lambda dialect=dialect: dialect)


def _dialect(op: irdl.DialectOp, kinds: _Kinds) -> Dialect:
    operations: list[type[Operation]] = []
    attributes: list[type[Attribute]] = []
    for entry in op.body.block.ops:
        if isinstance(entry, irdl.OperationOp):
            operations.append(_operation(entry, kinds))
        elif isinstance(entry, irdl.TypeOp | irdl.AttributeOp):
            kind = cast(Any, kinds[entry.qualified_name])
            kind.get_irdl_definition().parameters.extend(_parameters(entry, kinds))
            attributes.append(kind)
    return Dialect(op.sym_name.data, operations, attributes)


def _declared_kind(op: irdl.TypeOp | irdl.AttributeOp) -> type[Attribute]:
    """The class of a type or attribute, without its parameters: they may refer to types defined later."""
    definition = ParamAttrDef(op.qualified_name, [])
    bases = (
        (ParametrizedAttribute, TypeAttribute) if isinstance(op, irdl.TypeOp) else (ParametrizedAttribute,)
    )

    def new(cls: type[ParametrizedAttribute], params: Sequence[Attribute]) -> ParametrizedAttribute:
        if len(params) != len(definition.parameters):
            wanted = len(definition.parameters)
            raise VerifyException(f"expected {wanted} type arguments, but had {len(params)}")
        return make(cls, params)

    make = cast(Any, ParametrizedAttribute.new).__func__
    members = {
        "name": op.qualified_name,
        "get_irdl_definition": classmethod(lambda cls: definition),
        "new": classmethod(new),
    }
    return type(op.sym_name.data, bases, members)


def _parameters(op: irdl.TypeOp | irdl.AttributeOp, kinds: _Kinds) -> list[tuple[str, ParamDef]]:
    constraints = _Constraints(op, kinds)
    return [
        (_field(name), ParamDef(constraints.of(value)))
        for inner in op.body.ops
        if isinstance(inner, irdl.ParametersOp)
        for name, value in zip(inner.names, inner.args, strict=True)
    ]


def _operation(op: irdl.OperationOp, kinds: _Kinds) -> type[Operation]:
    definition = OpDef(op.qualified_name)
    constraints = _Constraints(op, kinds)
    for inner in op.body.ops:
        match inner:
            case irdl.OperandsOp():
                definition.operands = _values(inner, constraints, _OPERANDS)
            case irdl.ResultsOp():
                definition.results = _values(inner, constraints, _RESULTS)
            case irdl.AttributesOp():
                pairs = zip(inner.attribute_value_names, inner.attribute_values, strict=True)
                for name, value in pairs:
                    definition.attributes[name.data] = AttributeDef(constraints.of(value))
                    definition.accessor_names[_field(name)] = (name.data, "attribute")
            case irdl.RegionsOp():
                definition.regions = [(_field(name), RegionDef()) for name in inner.names]
            case _:
                pass
    if sum(isinstance(o, VarOperandDef) for _, o in definition.operands) > 1:
        definition.options.append(AttrSizedOperandSegments())
    if sum(isinstance(r, VarResultDef) for _, r in definition.results) > 1:
        definition.options.append(AttrSizedResultSegments())
    members = {"name": op.qualified_name, "get_irdl_definition": classmethod(lambda cls: definition)}
    members |= get_accessors_from_op_def(definition, None)
    return type(op.get_py_class_name(), (IRDLOperation,), dict(IRDLOperation.__dict__) | members)


def _values(
    op: irdl.OperandsOp | irdl.ResultsOp, constraints: _Constraints, kinds: dict[str, Callable[..., Any]]
) -> list[tuple[str, Any]]:
    """Definitions of operands or results, each with its constraint: one, optional or any number."""
    triples = zip(op.names, op.args, op.variadicity.value, strict=True)
    return [(_field(name), kinds[str(many.data)](constraints.of(value))) for name, value, many in triples]


def _field(name: StringAttr) -> str:
    return f"{name.data}_" if name.data in ("name", "operands", "results", "attributes") else name.data


@dataclass(frozen=True)
class _Either(AttrConstraint):
    """One of several constraints; unlike xDSL's own they may be about the same type."""

    choices: tuple[AttrConstraint, ...]

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        for choice in self.choices:
            try:
                choice.verify(attr, deepcopy(constraint_context))
            except VerifyException:
                continue
            choice.verify(attr, constraint_context)
            return
        raise VerifyException(f"'{attr}' does not satisfy the constraint")

    def mapping_type_vars(self, type_var_mapping: Any) -> AttrConstraint:
        return self


class _Constraints:
    """The constraints inside an IRDL definition, each made once: a value used twice has to be equal."""

    def __init__(self, home: Operation, kinds: _Kinds) -> None:
        self._home = home
        self._kinds = kinds
        self._known: dict[SSAValue, AttrConstraint] = {}

    def of(self, value: SSAValue) -> AttrConstraint:
        """The constraint that a value of the definition stands for."""
        if value not in self._known:
            made = self._made(cast(Operation, value.owner))
            if value.has_more_than_one_use():
                made = VarConstraint(f"V{len(self._known)}", made)
            self._known[value] = made
        return self._known[value]

    def _made(self, op: Operation) -> AttrConstraint:
        match op:
            case irdl.IsOp():
                return EqAttrConstraint(op.expected)
            case irdl.AnyOp() | irdl.CPredOp():
                return AnyAttr()  # a predicate in C++ cannot be evaluated, so it accepts all
            case irdl.AnyOfOp():
                return _Either(tuple(self.of(value) for value in op.args))
            case irdl.AllOfOp():
                return AllOf(tuple(self.of(value) for value in op.args))
            case irdl.ParametricOp():
                kind = cast(Any, self._kind(op, op.base_type))
                return ParamAttrConstraint(kind, tuple(self.of(value) for value in op.args))
            case irdl.BaseOp():
                return BaseAttr(self._kind(op, op.base_ref or op.base_name))
            case _:
                raise error("is no constraint that is known here", op)

    def _kind(self, op: Operation, name: Attribute | None) -> type[Attribute]:
        """The class that ``@dialect::@type`` or ``"!dialect.type"`` stands for."""
        if isinstance(name, SymbolRefAttr):
            inner = [part.data for part in cast(ArrayAttr[StringAttr], name.nested_references)]
            path = [name.root_reference.data, *inner]
        else:
            path = cast(StringAttr, name).data.lstrip("!#").split(".", 1)
        if len(path) == 1:
            dialect = self._home.parent_op()
            assert isinstance(dialect, irdl.DialectOp)
            path.insert(0, dialect.sym_name.data)
        full = ".".join(path)
        found = self._kinds.get(full)
        if found is None and path[0] == "builtin":
            # xDSL's names of builtin types are not those of their dialect.
            names = (full, path[-1], f"{path[-1]}_type")
            found = next((kind for kind in Builtin.attributes if kind.name in names), None)
        elif found is None:
            found = make_context().get_optional_attr(full)
        if found is None:
            raise error(f"refers to '{full}', which no dialect defines", op)
        return found
