"""``llvm.mlir.global`` and ``llvm.mlir.alias``."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import IntAttr, IntegerAttr, IntegerType, StringAttr
from xdsl.dialects.llvm import LLVMArrayType
from xdsl.ir import Attribute, Operation, Region

from lamina.dialects.core.ods.syntax import syntax
from lamina.dialects.core.ods.types_of import type_of_attribute
from lamina.dialects.core.verifying.groups import attribute
from lamina.dialects.llvm.syntax.parts import UNIT, optional_enum, optional_number, put_words, word_of

_IN_FRONT = frozenset(
    {
        "linkage",
        "visibility_",
        "thread_local_",
        "unnamed_addr",
        "constant",
        "sym_name",
        "value",
        "comdat",
        "global_type",
    }
)


def _head(p: Any, constant: bool) -> dict[str, Attribute]:
    """The words before the name."""
    external = p.attribute_from_text("#llvm.linkage<external>")
    attributes: dict[str, Attribute] = {"linkage": optional_enum(p, "Linkage", "linkage") or external}
    visibility = optional_number(p, "Visibility")
    if visibility is not None:
        attributes["visibility_"] = visibility
    if p.accept("thread_local"):
        attributes["thread_local_"] = UNIT
    unnamed = optional_number(p, "UnnamedAddr")
    if unnamed is not None:
        attributes["unnamed_addr"] = unnamed
    if constant and p.accept("constant"):
        attributes["constant"] = UNIT
    attributes["sym_name"] = StringAttr(p.symbol_name())
    return attributes


def _write_head(w: Any, op: Operation) -> None:
    words = [
        word_of("Linkage", attribute(op, "linkage")),
        word_of("Visibility", attribute(op, "visibility_")),
    ]
    words.append("thread_local" if attribute(op, "thread_local_") is not None else "")
    words.append(word_of("UnnamedAddr", attribute(op, "unnamed_addr")))
    words.append("constant" if attribute(op, "constant") is not None else "")
    put_words(w, words)
    w.put(" ")
    w.symbol(attribute(op, "sym_name").data)


@syntax("llvm.mlir.global")
class Global:
    """``llvm.mlir.global internal constant @name(value) comdat(@c) {…} : t { … }``."""

    @staticmethod
    def parse(p: Any, name: str) -> Operation:
        attributes = _head(p, True)
        p.require("(")
        if not p.accept(")"):
            attributes["value"] = p.attribute()
            p.require(")")
        if p.accept("comdat"):
            p.require("(")
            attributes["comdat"] = p.symbol()
            p.require(")")
        attributes.update(p.attr_dict())
        type, region = _type_and_region(p)
        attributes["global_type"] = type if type is not None else _type_of_value(p, attributes.get("value"))
        return p.build(name, (), (), attributes, [region])

    @staticmethod
    def write(w: Any, op: Operation) -> None:
        _write_head(w, op)
        w.put("(")
        value = attribute(op, "value")
        if value is not None:
            w.attribute(value)
        w.put(")")
        if attribute(op, "comdat") is not None:
            w.put(" comdat(")
            w.attribute(attribute(op, "comdat"))
            w.put(")")
        space = attribute(op, "addr_space")
        zero = isinstance(space, IntegerAttr) and space.value.data == 0
        w.attr_dict(op, _IN_FRONT | ({"addr_space"} if zero else set()), False)
        if not isinstance(value, StringAttr) or not _is_text(attribute(op, "global_type"), value):
            w.put(" : ")
            w.type(attribute(op, "global_type"))
        if op.regions[0].blocks:
            w.put(" ")
            w.region(op.regions[0])


def _type_and_region(p: Any) -> tuple[Attribute | None, Region]:
    type = p.type() if p.accept(":") else None
    return type, p.optional_region() or Region()


def _type_of_value(p: Any, value: Attribute | None) -> Attribute:
    """The type of a string without one: an array of its bytes."""
    if isinstance(value, StringAttr):
        return LLVMArrayType(IntAttr(len(value.data.encode("utf-8", "surrogateescape"))), IntegerType(8))
    if value is None:
        p.fail("type can only be omitted for string globals")
    return type_of_attribute(value)


def _is_text(type: Any, value: StringAttr) -> bool:
    return (
        isinstance(type, LLVMArrayType)
        and type.type.name == "integer_type"
        and type.size.data == len(value.data.encode("utf-8", "surrogateescape"))
        and str(type.type) == "i8"
    )


@syntax("llvm.mlir.alias")
class Alias:
    """``llvm.mlir.alias external @name {…} : t { … }``."""

    @staticmethod
    def parse(p: Any, name: str) -> Operation:
        attributes = _head(p, False)
        attributes.update(p.attr_dict())
        p.require(":")
        attributes["alias_type"] = p.type()
        return p.build(name, (), (), attributes, [p.region()])

    @staticmethod
    def write(w: Any, op: Operation) -> None:
        _write_head(w, op)
        w.attr_dict(op, _IN_FRONT | {"alias_type"}, False)
        w.put(" : ")
        w.type(attribute(op, "alias_type"))
        w.put(" ")
        w.region(op.regions[0])
