"""Types and attributes of the llvm dialect whose form upstream writes in C++, or that xDSL's classes lack."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import ArrayAttr, IntAttr, NoneAttr
from xdsl.dialects.llvm import (
    CallingConventionAttr,
    LLVMArrayType,
    LLVMFunctionType,
    LLVMPointerType,
    LLVMStructType,
    LLVMVoidType,
)
from xdsl.ir import Attribute

from lamina.dialects.core.making import array_of, string_attr, unchecked
from lamina.dialects.core.ods.attributes import OdsType
from lamina.dialects.core.ods.spec import table_of
from lamina.dialects.core.reading.extended import attribute_syntax

_WORDS = (
    "ptr",
    "struct",
    "array",
    "func",
    "void",
    "ppc_fp128",
    "token",
    "label",
    "metadata",
    "x86_amx",
    "target",
)


def pretty_type(p: Any) -> Attribute:
    """A type in which the dialect's own need no ``!llvm.``: ``array<4 x f32>``."""
    start = p.at
    word = p.optional_word()
    if word in _WORDS:
        return _READ[word](p, f"llvm.{word}")
    p.at = start
    return p.type()


def _without_parameters(p: Any, name: str) -> Attribute:
    return OdsType(string_attr(name), array_of([]))


@attribute_syntax("!llvm.void")
def _void(p: Any, name: str) -> Attribute:
    return LLVMVoidType()


@attribute_syntax("!llvm.ptr")
def _pointer(p: Any, name: str) -> Attribute:
    """``ptr`` or ``ptr<3>``."""
    if not p.accept("<"):
        return LLVMPointerType(NoneAttr())
    space = p.integer()
    p.require(">")
    return LLVMPointerType(IntAttr(space) if space else NoneAttr())


@attribute_syntax("!llvm.array")
def _array(p: Any, name: str) -> Attribute:
    """``array<4 x f32>``."""
    p.require("<")
    extents = p.dimension_list(allow_dynamic=False, trailing_x=True)
    if len(extents) != 1:
        p.fail("expected one number of elements")
    place = p.at
    element = pretty_type(p)
    p.require(">")
    if element.name in ("llvm.void", "llvm.func", "llvm.metadata", "llvm.label", "function"):
        p.fail(f"invalid array element type: {element}", place)
    return LLVMArrayType(IntAttr(extents[0]), element)


@attribute_syntax("!llvm.func")
def _function(p: Any, name: str) -> Attribute:
    """``func<void (i32, ...)>``."""
    p.require("<")
    place = p.at
    output = pretty_type(p)
    if output.name in ("llvm.func", "function", "llvm.metadata", "llvm.label"):
        p.fail(f"invalid function result type: {output}", place)
    p.require("(")
    inputs: list[Attribute] = []
    variadic = False
    while not p.sees(")"):
        if p.accept("..."):
            variadic = True
            break
        place = p.at
        inputs.append(pretty_type(p))
        if inputs[-1].name in ("llvm.void", "llvm.func"):
            p.fail(f"invalid function argument type: {inputs[-1]}", place)
        if not p.accept(","):
            break
    p.require(")")
    p.require(">")
    return LLVMFunctionType(inputs, output, variadic)


@attribute_syntax("!llvm.struct")
def _struct(p: Any, name: str) -> Attribute:
    """``struct<(i32, f32)>``, ``struct<"a", (i32)>``; ``packed`` and ``opaque`` ones are kept as text."""
    start = p.at
    p.require("<")
    if p.accept("packed"):
        return _packed(p, [])
    quoted = p.optional_string()
    if quoted is None:
        types = _members(p)
        p.require(">")
        return LLVMStructType(string_attr(""), ArrayAttr(types))
    title = quoted.decode("utf-8", "surrogateescape")
    known = p.__dict__.setdefault("struct_bodies", {})
    if p.accept(">"):
        if title not in known:
            p.fail("expected ',' or the body of the structure" if title else "expected a name", start)
        return OdsType(string_attr(name), array_of([string_attr(f'"{title}"')]))
    p.require(",")
    if p.accept("opaque"):
        p.require(">")
        return OdsType(string_attr(name), array_of([string_attr(f'"{title}", opaque')]))
    known[title] = known.get(title)
    if p.accept("packed"):
        return _packed(p, [string_attr(f'"{title}", ')])
    types = _members(p)
    p.require(">")
    made = LLVMStructType(string_attr(title), ArrayAttr(types))
    if known[title] is not None and known[title] != made:
        p.fail("identified type already used with a different body", start)
    known[title] = made
    return made


def _packed(p: Any, head: list[Attribute]) -> Attribute:
    parts: list[Attribute] = [*head, string_attr("packed (")]
    for number, type in enumerate(_members(p)):
        parts += [string_attr(", "), type] if number else [type]
    p.require(">")
    return OdsType(string_attr("llvm.struct"), array_of([*parts, string_attr(")")]))


def _members(p: Any) -> list[Attribute]:
    types: list[Attribute] = []
    p.require("(")
    while not p.sees(")"):
        place = p.at
        types.append(pretty_type(p))
        if types[-1].name in ("llvm.void", "llvm.func", "function", "llvm.metadata", "llvm.label"):
            p.fail(f"invalid LLVM structure element type: {types[-1]}", place)
        if not p.accept(","):
            break
    p.require(")")
    return types


@attribute_syntax("!llvm.target")
def _target(p: Any, name: str) -> Attribute:
    """``target<"spirv.Image", i32, 1>``."""
    p.require("<")
    parts: list[Attribute] = [string_attr(f'"{p.string()}"')]
    while p.accept(","):
        number = p.optional_integer()
        if number is not None:
            parts.append(string_attr(f", {number}"))
        else:
            parts += [string_attr(", "), pretty_type(p)]
    p.require(">")
    return OdsType(string_attr(name), array_of(parts))


_READ = {
    "ptr": _pointer,
    "struct": _struct,
    "array": _array,
    "func": _function,
    "void": _void,
    "target": _target,
} | {word: _without_parameters for word in ("ppc_fp128", "token", "label", "metadata", "x86_amx")}

attribute_syntax(*(f"!llvm.{word}" for word in ("ppc_fp128", "token", "label", "metadata", "x86_amx")))(
    _without_parameters
)


@attribute_syntax("#llvm.cconv")
def _calling_convention(p: Any, name: str) -> Attribute:
    """``#llvm.cconv<fastcc>``."""
    table = table_of("llvm")
    assert table is not None
    p.require("<")
    place = p.at
    word = p.word()
    if word not in table.enums["CConv"].cases:
        p.fail(f"unknown calling convention: {word}", place)
    p.require(">")
    return unchecked(CallingConventionAttr, convention=string_attr(word))


__all__ = ["pretty_type"]
