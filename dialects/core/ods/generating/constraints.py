"""Constraints of attributes and types: which record stands behind an argument, and what it says."""

from __future__ import annotations

import dataclasses
import re
from typing import Any, TypeGuard

from lamina.dialects.core.ods.generating.predicates import tree
from lamina.dialects.core.ods.generating.records import Dump, Record, derives, is_text
from lamina.dialects.core.ods.spec import AttrKind, EnumSpec, TypeKind

_STORAGES = {
    "BoolAttr": "boolean",
    "IntegerAttr": "integer",
    "FloatAttr": "float",
    "StringAttr": "string",
    "UnitAttr": "unit",
    "TypeAttr": "type",
    "ArrayAttr": "array",
    "DenseI32ArrayAttr": "dense-array",
    "DenseI64ArrayAttr": "dense-array",
    "DenseIntElementsAttr": "elements",
    "DictionaryAttr": "dictionary",
    "AffineMapAttr": "affine-map",
    "IntegerSetAttr": "integer-set",
    "SymbolRefAttr": "symbol",
    "FlatSymbolRefAttr": "symbol",
}
"""How upstream's storage classes are held."""

_BUILT = {
    "$_builder.getIndexType()": "index",
    "$_builder.getF32Type()": "f32",
    "$_builder.getF64Type()": "f64",
    "$_builder.getType<::mlir::LLVM::LLVMPointerType>(0)": "!llvm.ptr",
    "::mlir::LLVM::LLVMTokenType::get($_builder.getContext())": "!llvm.token",
}


class Constraints:
    """The constraints that the ops of one dialect use, collected as they are asked for."""

    def __init__(self, dump: Dump) -> None:
        self.dump = dump
        self.attr_kinds: dict[str, AttrKind] = {}
        self.type_kinds: dict[str, TypeKind] = {}
        self.enums: dict[str, EnumSpec] = {}
        self.case_names: dict[str, dict[str, str]] = {}
        """By enum: the C++ names of the cases and their texts."""

    def type_kind(self, record: Record) -> str:
        """Take in a type constraint; its name in the table."""
        summary = record["summary"] if is_text(record["summary"]) else ""
        predicate = tree(self.dump, record["predicate"])
        kind = TypeKind(_name(record, summary), summary, predicate, self._buildable(record))
        return _put(self.type_kinds, kind)

    def attr_kind(self, record: Record) -> AttrKind:
        """Take in an attribute constraint (without the wrappers for optional and default)."""
        summary = record["summary"] if is_text(record["summary"]) else ""
        storage: dict[str, Any] = self._storage(self._root(record))
        if derives(record, "Property"):
            predicate, storage["property"] = True, True
        else:
            predicate = tree(self.dump, record["predicate"])
        kind = AttrKind(_name(record, summary), summary, predicate=predicate, **storage)
        return self.attr_kinds[_put(self.attr_kinds, kind)]

    def enum(self, record: Record) -> str:
        """Take in an enumeration; its name in the table."""
        name = record["className"]
        if name not in self.enums:
            cases = [self.dump[case] for case in record["enumerants"]]
            self.case_names[name] = {case["symbol"]: case["str"] for case in cases}
            self.enums[name] = EnumSpec(
                name,
                {case["str"]: case["value"] for case in cases},
                derives(record, "BitEnumBase"),
                record.get("separator") or "|",
                record["bitwidth"],
            )
        return name

    def enum_of_attribute(self, record: Record) -> str | None:
        """The enumeration that an attribute of a dialect wraps, if its one parameter is one."""
        if is_reference(record.get("enum")):
            return self.enum(self.dump[record["enum"]])
        parameters = record["parameters"]["args"]
        return self.enum_of_parameter(parameters[0][0]) if len(parameters) == 1 else None

    def enum_of_parameter(self, parameter: Any) -> str | None:
        """The enumeration that a parameter of an attribute or a type is, if it is one."""
        if not isinstance(parameter, str):
            record = self.dump[parameter]
            parameter = record["cppType"]
        wanted = _unqualified(parameter)
        for candidate in self.dump.of_class("EnumInfo"):
            name = _unqualified(candidate["cppType"])
            if name == wanted or name.rpartition("::")[2] == wanted:
                return self.enum(candidate)
        return None

    def _root(self, record: Record) -> Record:
        """The record that says how an attribute is stored."""
        while derives(record, "ConfinedAttr") or (
            not record["!anonymous"] and is_reference(record.get("baseAttr"))
        ):
            record = self.dump[record["baseAttr"]]
        return record

    def _storage(self, record: Record) -> dict[str, Any]:
        if derives(record, "AttrDef") and not record["attrName"].startswith("builtin."):
            enum = self.enum_of_attribute(record)
            return {"storage": "enum" if enum else "dialect", "enum": enum, "attribute": record["attrName"]}
        if derives(record, "EnumProp"):
            enum = self.enum(self.dump[record["enum"]])
            form = record.get("attrForm")
            attribute = self.dump[form]["attrName"] if is_reference(form) else None
            width = self.enums[enum].width
            return {"storage": "enum-integer", "type": f"i{width}", "enum": enum, "attribute": attribute}
        if derives(record, "Property"):
            return {"storage": {"UnitProp": "unit"}[record["!name"]]}
        if derives(record, "EnumAttrInfo"):
            return {
                "storage": "enum-integer",
                "type": f"i{record['bitwidth']}",
                "enum": self.enum(record),
            }
        return self._storage_by_class(record)

    def _storage_by_class(self, record: Record) -> dict[str, Any]:
        stored = record["storageType"].rpartition("::")[2].strip()
        if record["!name"] == "SymbolNameAttr":
            return {"storage": "symbol-name"}
        if derives(
            record, "AnyIntegerAttrBase", "SignlessIntegerAttrBase", "TypedSignlessIntegerAttrBase"
        ) or (stored in ("IntegerAttr", "FloatAttr") and is_reference(record["valueType"])):
            value_type = record["valueType"]["def"] if is_reference(record["valueType"]) else None
            storage = _STORAGES[stored]
            return {"storage": storage, "type": value_type.lower() if value_type else None}
        if stored == "DenseIntElementsAttr":
            width = re.match(r"(\d+)-bit", record["summary"] or "")
            return {"storage": "elements", "type": f"i{width.group(1)}" if width else None}
        if stored.startswith("DenseI"):
            return {"storage": "dense-array", "type": stored[5:].removesuffix("ArrayAttr").lower()}
        if stored in _STORAGES:
            return {"storage": _STORAGES[stored]}
        for attribute in self.dump.of_class("AttrDef"):
            if derives(record, "DialectAttr") and attribute["cppClassName"] == stored:
                return self._storage(attribute)
        return {"storage": "any"}

    def _buildable(self, record: Record) -> str | None:
        call = record.get("builderCall")
        if not is_text(call):
            return None
        call = re.sub(r"\s+", " ", call).strip()
        integer = re.search(r"\$_builder\.get(?:IntegerType\((\d+)\)|I(\d+)Type\(\))", call)
        if integer:
            return f"i{integer.group(1) or integer.group(2)}"
        if call not in _BUILT:
            raise ValueError(f"the type that {call!r} builds is not known")
        return _BUILT[call]


def _unqualified(cpp: str) -> str:
    return cpp.strip(":").removeprefix("mlir::").removeprefix("LLVM::")


def is_reference(value: Any) -> TypeGuard[Record]:
    """Whether a field refers to another record."""
    return isinstance(value, dict) and value.get("kind") == "def"


def _name(record: Record, summary: str) -> str:
    return summary if record["!anonymous"] and summary else record["!name"]


def _put(kinds: dict[str, Any], kind: Any) -> str:
    """Add a kind; a second one of the same name that says something else gets a number."""
    name, number = kind.name, 1
    while name in kinds and kinds[name] != dataclasses.replace(kind, name=name):
        number += 1
        name = f"{kind.name} #{number}"
    kinds[name] = dataclasses.replace(kind, name=name)
    return name
