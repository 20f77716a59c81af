"""Operations: from a record of class ``Op`` to the row of the table."""

from __future__ import annotations

import re
from typing import Any

from lamina.dialects.core.ods.generating.constraints import Constraints
from lamina.dialects.core.ods.generating.defaults import default_text
from lamina.dialects.core.ods.generating.predicates import tree
from lamina.dialects.core.ods.generating.records import (
    Dump,
    Record,
    arguments,
    cpp_class,
    derives,
    is_text,
    plain,
)
from lamina.dialects.core.ods.spec import NESTED, OPTIONAL, SINGLE, VARIADIC


class Operations:
    """Makes rows; ``classes`` maps C++ class names to op names, for traits that name other ops."""

    def __init__(self, dump: Dump, constraints: Constraints, classes: dict[str, str]) -> None:
        self.dump = dump
        self.constraints = constraints
        self.classes = classes

    def row(self, record: Record) -> dict[str, Any]:
        """The row of an op: only what is not empty."""
        relations: list[list[Any]] = []
        operands, attributes = self._arguments(record, relations)
        traits: set[str] = set()
        for trait in record["traits"]:
            self._trait(self.dump[trait], traits, relations)
        syntax = record["assemblyFormat"]
        row = {
            "operands": operands,
            "results": self._values(record["results"], relations),
            "attributes": attributes,
            "regions": [self._region(value, name) for value, name in arguments(record["regions"])],
            "successors": [self._successor(value, name) for value, name in arguments(record["successors"])],
            "traits": sorted(traits),
            "relations": relations,
            "format": re.sub(r"\s+", " ", syntax).strip() if is_text(syntax) else None,
            "custom": bool(record["hasCustomAssemblyFormat"]),
            "verifier": bool(record["hasVerifier"] or record["hasRegionVerifier"]),
        }
        return {key: value for key, value in row.items() if value}

    def _arguments(self, record: Record, relations: list[list[Any]]) -> tuple[list[Any], list[Any]]:
        operands: list[Any] = []
        attributes: list[Any] = []
        for value, name in arguments(record["arguments"]):
            kind = self._undecorated(self.dump[value], name, relations)
            if derives(kind, "Attr", "Property"):
                attributes.append(self._attribute(kind, name))
            else:
                operands.append(self._group(kind, name))
        return operands, attributes

    def _values(self, dag: Record, relations: list[list[Any]]) -> list[Any]:
        return [
            self._group(self._undecorated(self.dump[value], name, relations), name)
            for value, name in arguments(dag)
        ]

    def _undecorated(self, record: Record, name: str, relations: list[list[Any]]) -> Record:
        """The constraint of an argument; its memory effects become relations."""
        while derives(record, "OpVariable"):
            for decorator in record["decorators"]:
                effect = self.dump[decorator]
                if derives(effect, "MemoryEffect"):
                    relations.append(["Effect", _effect(effect), name])
            record = self.dump[record["constraint"]]
        return record

    def _group(self, record: Record, name: str) -> list[Any]:
        count = SINGLE
        rest: list[Any] = []
        if derives(record, "VariadicOfVariadic"):
            count, rest = NESTED, [record["segmentAttrName"]]
            record = self.dump[record["baseType"]]
        elif derives(record, "Variadic"):
            count, rest = VARIADIC, [None, record["minSize"]] if record.get("minSize") else []
            record = self.dump[record["baseType"]]
        elif derives(record, "Optional"):
            count, record = OPTIONAL, self.dump[record["baseType"]]
        kind = self.constraints.type_kind(record)
        return [name, kind, count, *rest] if count or rest else [name, kind]

    def _attribute(self, record: Record, name: str) -> list[Any]:
        optional, default = False, None
        while derives(record, "OptionalAttr", "DefaultValuedAttr", "DefaultValuedOptionalAttr"):
            optional = optional or not derives(record, "DefaultValuedAttr")
            default = record["defaultValue"] if is_text(record["defaultValue"]) else default
            record = self.dump[record["baseAttr"]]
        kind = self.constraints.attr_kind(record)
        default = default or (record["defaultValue"] if is_text(record["defaultValue"]) else None)
        if default is not None:
            enum = self.constraints.enums[kind.enum] if kind.enum else None
            default = default_text(default, kind, enum, self.constraints.case_names.get(kind.enum or "", {}))
            optional = optional or default is None
        if default is not None:
            return [name, kind.name, int(optional), default]
        return [name, kind.name, 1] if optional else [name, kind.name]

    def _region(self, value: Any, name: str) -> list[Any]:
        record = self.dump[value]
        variadic = derives(record, "VariadicRegion")
        summary = record["summary"] if record["!name"] != "AnyRegion" else "any region"
        return [name, summary, VARIADIC] if variadic else [name, summary]

    def _successor(self, value: Any, name: str) -> list[Any]:
        record = self.dump[value]
        return (
            [name, "any successor", VARIADIC]
            if derives(record, "VariadicSuccessor")
            else [name, "any successor"]
        )

    def _trait(self, record: Record, traits: set[str], relations: list[list[Any]]) -> None:
        named = not record["!anonymous"]
        if derives(record, "SingleBlockImplicitTerminator"):
            implicit = next(t for t in map(self.dump.__getitem__, record["traits"]) if "<" in t["trait"])
            relations.append(["SingleBlockImplicitTerminator", *self._named_in(implicit["trait"])])
            traits.add("SingleBlock")
        elif derives(record, "TraitList"):
            if named:
                traits.add(record["!name"])
            for part in record["traits"]:
                self._trait(self.dump[part], traits, relations)
        elif derives(record, "MemoryEffects") and not named:
            relations.append(["MemoryEffects", *sorted({_effect(self.dump[e]) for e in record["effects"]})])
        elif derives(record, "PredOpTrait"):
            relations.append(self._relation(record))
        elif derives(record, "Interface"):
            traits.add(record["cppInterfaceName"])
            for base in record["baseInterfaces"]:
                self._trait(self.dump[base], traits, relations)
        elif derives(record, "NativeTrait"):
            self._native(record, traits, relations)

    def _native(self, record: Record, traits: set[str], relations: list[list[Any]]) -> None:
        text = record["trait"]
        if text.startswith(("HasParent<", "SingleBlockImplicitTerminator<")):
            relations.append([text.partition("<")[0], *self._named_in(text)])
        elif "<" in text:
            traits.add(text.removesuffix("::Impl"))
        elif not text.endswith("ImplTrait"):
            traits.add(text if record["!anonymous"] else record["!name"])

    def _named_in(self, trait: str) -> list[str]:
        names = trait[trait.index("<") + 1 : trait.rindex(">")].split(",")
        return [self.classes[name.strip().rpartition("::")[2]] for name in names]

    def _relation(self, record: Record) -> list[Any]:
        """A trait with parameters: its class, its parameters, its summary and its predicate."""
        summary = record["summary"]
        if derives(record, "AllMatchSameOperatorTrait"):
            return [record["!superclasses"][-1], *record["values"]]
        if derives(record, "TypesMatchWith"):
            kind = "OptionalTypesMatchWith" if derives(record, "OptionalTypesMatchWith") else "TypesMatchWith"
            if derives(record, "RangedTypesMatchWith"):
                kind = "RangedTypesMatchWith"
            return [kind, record["lhs"], record["rhs"], plain(record["transformer"]), summary]
        if derives(record, "ShapedTypeMatchesElementCountAndTypes"):
            return ["TypesMatchWith", record["shaped"], record["elements"], _ELEMENTS, summary]
        name = record["!superclasses"][-1] if record["!anonymous"] else record["!name"]
        return ["PredOpTrait", summary, tree(self.dump, record["predicate"]), name]


_ELEMENTS = "SmallVector<Type>(cast<ShapedType>($_self).getNumElements(), $_self.getElementType())"
"""What a trait says whose predicate cannot be read off upstream's definition: one value for each element."""


def _effect(record: Record) -> str:
    """``read``, ``write``, ``allocate`` or ``free``, with the resource where it is not memory as such."""
    effect = record["effect"].rpartition("::")[2].lower()
    resource = record["resource"].rpartition("::")[2]
    return effect if resource == "DefaultResource" else f"{effect} {resource}"


def class_names(dumps: list[Dump]) -> dict[str, str]:
    """The op name of every C++ class of an op."""
    return {
        cpp_class(record): f"{dump.dialect_of(record)}.{record['opName']}"
        for dump in dumps
        for record in dump.of_class("Op")
    }


def own_definitions(
    dump: Dump, dialect: str, constraints: Constraints
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The attributes and the types that a dialect defines, by mnemonic."""
    attributes = {
        record["attrName"]: _definition(dump, record, constraints)
        for record in dump.of_class("AttrDef")
        if dump.dialect_of(record, "dialect") == dialect and is_text(record["mnemonic"])
    }
    types = {
        record["typeName"]: _definition(dump, record, constraints)
        for record in dump.of_class("TypeDef")
        if dump.dialect_of(record, "dialect") == dialect and is_text(record["mnemonic"])
    }
    return attributes, types


def _definition(dump: Dump, record: Record, constraints: Constraints) -> dict[str, Any]:
    syntax = record["assemblyFormat"]
    for value, _ in arguments(record["parameters"]):
        constraints.enum_of_parameter(value)
    definition = {
        "class": record["cppClassName"],
        "parameters": [_parameter(dump, value, name) for value, name in arguments(record["parameters"])],
        "format": re.sub(r"\s+", " ", syntax).strip() if is_text(syntax) else None,
        "custom": bool(record["hasCustomAssemblyFormat"]),
        "enum": constraints.enum_of_attribute(record),
        "alias": bool(record["genMnemonicAlias"]),
        "verifier": bool(record["genVerifyDecl"]),
    }
    return {key: value for key, value in definition.items() if value}


def _parameter(dump: Dump, value: Any, name: str) -> list[Any]:
    """Name, C++ type and, for an optional one, its default (null where it has none)."""
    if isinstance(value, str):
        return [name, plain(value)]
    record = dump[value]
    row: list[Any] = [name, plain(record["cppType"])]
    if is_text(record["defaultValue"]):
        row.append(plain(record["defaultValue"]))
    return row
