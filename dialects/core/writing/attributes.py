"""Attributes as text."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Mapping
from typing import Any

from xdsl.dialects.builtin import (
    AffineMapAttr,
    AffineSetAttr,
    ArrayAttr,
    BytesAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    DenseResourceAttr,
    DictionaryAttr,
    FloatAttr,
    IntAttr,
    IntegerAttr,
    NoneAttr,
    StridedLayoutAttr,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
)
from xdsl.ir import Attribute, OpaqueSyntaxAttribute, Operation, TypeAttribute

from lamina.dialects.core.hexadecimal import LARGE
from lamina.dialects.core.later import regex
from lamina.dialects.core.writing.affine import map_text, set_text
from lamina.dialects.core.writing.dense import dense_pieces, element_texts, is_splat, stored_size
from lamina.dialects.core.writing.floats import float_bits, float_text
from lamina.dialects.core.writing.quoting import keyword, quoted, symbol
from lamina.dialects.core.writing.types import TypeWriter

ELIDED = "dense_resource<__elided__>"
_DIALECT_NAME = regex(r"[#!][\w$.\-]+")
_BUILTIN_EXTRAS = "lamina.dialects.builtin.attributes"
"""The module of classes that are imported where they occur."""
_OPAQUE_FORM = regex(r"#[\w$.\-]+<[\w$.\-]+ ?(.*)>", re.DOTALL)
_OP_NAME = "op_name__"
"""Where xDSL holds the name of an unregistered op."""


class AttributeWriter(TypeWriter):
    """Writes attributes; those of dialects through the dialect's own ``print_parameters``."""

    def attribute_text(self, attribute: Attribute) -> str:
        """The text of an attribute with its type."""
        found = self._texts.get(id(attribute))
        if found is not None:
            return found
        kind = attribute.__class__
        typed = _TYPED.get(kind)
        if typed is not None:
            return typed(self, attribute)
        write = _ATTRIBUTES.get(kind)
        if write is not None:
            return write(self, attribute)
        if isinstance(attribute, TypeAttribute):
            return self.type_text(attribute)
        if kind.__module__ == _BUILTIN_EXTRAS:
            from lamina.dialects.core.writing.builtin import WRITERS

            return WRITERS[kind](self, attribute)
        return self.remember(attribute, self.dialect_attribute_text(attribute))

    def dialect_attribute_text(self, attribute: Attribute) -> str:
        """The text of an attribute that is none of the builtin ones."""
        raise NotImplementedError

    def element_text(self, attribute: Attribute) -> str:
        """The text of an attribute where the type of ``i64`` and ``f64`` values goes without saying."""
        kind = attribute.__class__
        if kind is IntegerAttr or kind is FloatAttr:
            type_name = self.type_text(attribute.type)  # pyright: ignore[reportAttributeAccessIssue]
            if type_name in ("i64", "f64"):
                return self.attribute_without_type_text(attribute)
        return self.attribute_text(attribute)

    def attribute_without_type_text(self, attribute: Attribute) -> str:
        """The text of an attribute whose type the reader knows."""
        write = _UNTYPED.get(attribute.__class__)
        return write(self, attribute) if write else self.attribute_text(attribute)

    def attribute(self, attribute: Attribute, elide_type: Attribute | None = None) -> None:
        """Write an attribute, without its type where the reader knows it (``elide_type``)."""
        if elide_type is None:
            self.put(self.attribute_text(attribute))
        else:
            self.put(self.attribute_without_type_text(attribute))

    def stripped_attribute(self, attribute: Attribute) -> None:
        """Write an attribute of a dialect without its name: ``<add>``."""
        text = self.attribute_text(attribute)
        if isinstance(attribute, OpaqueSyntaxAttribute):
            # The format of such an attribute begins with a blank.
            found = _OPAQUE_FORM.fullmatch(text)
            self.put(f" {found[1] if found else text}")
            return
        name = _DIALECT_NAME.match(text)
        self.put(text[name.end() :] if name else text)

    def symbol(self, name: str | StringAttr) -> None:
        """Write ``@name``."""
        self.put(symbol(name if isinstance(name, str) else name.data))

    def string(self, text: str | bytes) -> None:
        """Write a string literal."""
        self.put(quoted(text))

    def keyword(self, text: str) -> None:
        """Write a name: quoted only if it has to be."""
        self.put(keyword(text))

    def float_number(self, value: float, type: Any) -> str:
        """The text of a floating-point number."""
        return float_text(float_bits(value, type), type.name)

    def entries_text(self, entries: Mapping[str, Attribute]) -> str:
        """``{name = value, unit}`` in the order of the names."""
        return f"{{{', '.join([self.entry_text(name, entries[name]) for name in sorted(entries)])}}}"

    def entry_text(self, name: str, value: Attribute) -> str:
        """``name = value``, or the name alone for a unit attribute."""
        if value.__class__ is UnitAttr:
            return keyword(name)
        return f"{keyword(name)} = {self.attribute_text(value)}"

    def attr_dict(self, op: Operation, hidden: Container[str] = (), keyword: bool = False) -> None:
        """Write the attributes of an op in braces, without the ``hidden`` ones; nothing if none is left.

        A blank stands before, and the word ``attributes`` with ``keyword``.
        """
        entries: dict[str, Attribute] | None = None
        for held in (op.attributes, op.properties):
            for name in held:
                if name not in hidden and name != _OP_NAME:
                    if entries is None:
                        entries = {}
                    entries[name] = held[name]
        if entries is not None:
            self.dictionary(entries, keyword)

    def dictionary(self, entries: Mapping[str, Attribute], keyword: bool = False) -> None:
        """Write entries in braces after a blank; nothing where there are none."""
        if entries:
            self.put((" attributes " if keyword else " ") + self.entries_text(entries))

    def properties(self, op: Operation, hidden: Container[str] = ()) -> None:
        """Write the inherent attributes as ``<{…}>``, a blank before; nothing where all are hidden."""
        entries = {name: value for name, value in op.properties.items() if name not in hidden}
        if entries:
            self.put(f" <{self.entries_text(entries)}>")

    def resource_key(self, key: str) -> str:
        """The name of a resource whose data is written at the end."""
        key = str(key)  # what is remembered must not keep the data
        self.resource_keys[key] = None
        return keyword(key)

    def symbol_reference(self, names: Iterable[str]) -> str:
        """``@outer::@inner``"""
        return "::".join([symbol(name) for name in names])


def _array(w: AttributeWriter, attribute: Any) -> str:
    return f"[{', '.join([w.element_text(element) for element in attribute.data])}]"


def _dictionary(w: AttributeWriter, attribute: Any) -> str:
    return w.entries_text(attribute.data)


def _string(w: AttributeWriter, attribute: Any) -> str:
    return quoted(attribute.data)


def _unit(w: AttributeWriter, attribute: Any) -> str:
    return "unit"


def _none(w: AttributeWriter, attribute: Any) -> str:
    return "none"


def _symbol_reference(w: AttributeWriter, attribute: Any) -> str:
    nested = attribute.nested_references.data
    root = symbol(attribute.root_reference.data)
    return root if not nested else "::".join([root, *[symbol(name.data) for name in nested]])


def _affine_map(w: AttributeWriter, attribute: Any) -> str:
    return w.alias(attribute, "map", lambda: f"affine_map<{map_text(attribute.data)}>")


def _affine_set(w: AttributeWriter, attribute: Any) -> str:
    return w.alias(attribute, "set", lambda: f"affine_set<{set_text(attribute.data)}>")


def _strided(w: AttributeWriter, attribute: Any) -> str:
    strides = ", ".join([_known(stride) for stride in attribute.strides.data])
    offset = _known(attribute.offset)
    return f"strided<[{strides}]>" if offset == "0" else f"strided<[{strides}], offset: {offset}>"


def _known(value: Any) -> str:
    return str(value.data) if value.__class__ is IntAttr else "?"


def _dense_array(w: AttributeWriter, attribute: Any) -> str:
    element, data = attribute.elt_type, attribute.data.data
    values = f": {', '.join(element_texts(element, data))}" if data else ""
    return f"array<{w.type_text(element)}{values}>"


def _integer_value(w: AttributeWriter, attribute: Any) -> str:
    value = attribute.value.data
    if w.type_text(attribute.type) == "i1":
        return "true" if value else "false"
    return str(value)


def _integer(w: AttributeWriter, attribute: Any) -> str:
    type_name = w.type_text(attribute.type)
    if type_name == "i1":
        return "true" if attribute.value.data else "false"
    return f"{attribute.value.data} : {type_name}"


def _float_value(w: AttributeWriter, attribute: Any) -> str:
    return w.float_number(attribute.value.data, attribute.type)


def _float(w: AttributeWriter, attribute: Any) -> str:
    return f"{_float_value(w, attribute)} : {w.type_text(attribute.type)}"


def _dense_value(w: AttributeWriter, attribute: Any) -> str:
    type, data = attribute.type, attribute.data.data
    element = type.element_type
    limit = w.options.elide
    if limit is not None and len(data) > limit:
        size = stored_size(element)
        if len(data) // size > limit and not is_splat(data, size):
            return ELIDED
    shape = [extent.data for extent in type.shape.data]

    def pieces() -> Iterable[str]:
        return dense_pieces(shape, element, data, w.options.hexadecimal_above)

    return f"dense<{w.set_aside(pieces) if len(data) > LARGE else ''.join(pieces())}>"


def _dense(w: AttributeWriter, attribute: Any) -> str:
    return f"{_dense_value(w, attribute)} : {w.type_text(attribute.type)}"


def _resource_value(w: AttributeWriter, attribute: Any) -> str:
    return f"dense_resource<{w.resource_key(attribute.resource_handle.data)}>"


def _resource(w: AttributeWriter, attribute: Any) -> str:
    return f"{_resource_value(w, attribute)} : {w.type_text(attribute.type)}"


_TYPED: dict[type, Callable[[Any, Any], str]] = {
    IntegerAttr: _integer,
    FloatAttr: _float,
    DenseIntOrFPElementsAttr: _dense,
    DenseResourceAttr: _resource,
}
_UNTYPED: dict[type, Callable[[Any, Any], str]] = {
    IntegerAttr: _integer_value,
    FloatAttr: _float_value,
    DenseIntOrFPElementsAttr: _dense_value,
    DenseResourceAttr: _resource_value,
}
_ATTRIBUTES: dict[type, Callable[[Any, Any], str]] = {
    ArrayAttr: _array,
    DictionaryAttr: _dictionary,
    StringAttr: _string,
    BytesAttr: _string,
    UnitAttr: _unit,
    NoneAttr: _none,
    SymbolRefAttr: _symbol_reference,
    AffineMapAttr: _affine_map,
    AffineSetAttr: _affine_set,
    StridedLayoutAttr: _strided,
    DenseArrayBase: _dense_array,
}
