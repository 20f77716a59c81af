"""Builtin attributes that xDSL has no class for, as text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from xdsl.dialects.builtin import UnitAttr

from lamina.dialects.builtin.attributes import (
    DenseStringAttr,
    DistinctAttr,
    FloatBitsAttr,
    SparseElementsAttr,
    TypedDialectAttr,
    TypedStringAttr,
)
from lamina.dialects.core.writing.dense import dense_text, nested_text
from lamina.dialects.core.writing.floats import float_text
from lamina.dialects.core.writing.quoting import quoted


def _typed_string(w: Any, attribute: Any) -> str:
    return f"{quoted(attribute.value.data)} : {w.type_text(attribute.type)}"


def _typed(w: Any, attribute: Any) -> str:
    return f"{w.attribute_text(attribute.value)} : {w.type_text(attribute.type)}"


def _float_bits(w: Any, attribute: Any) -> str:
    bits = int.from_bytes(attribute.bits.data, "little")
    return f"{float_text(bits, attribute.type.name)} : {w.type_text(attribute.type)}"


def _distinct(w: Any, attribute: Any) -> str:
    number = w.distinct_numbers.setdefault(attribute.identity.data, len(w.distinct_numbers))
    if attribute.value.__class__ is UnitAttr:
        return f"distinct[{number}]<>"
    text = f"distinct[{number}]<{w.attribute_text(attribute.value)}>"
    return w.alias(attribute, "distinct", lambda: text)


def _values(w: Any, attribute: Any) -> str:
    """What stands in the brackets of a dense attribute."""
    shape = [extent.data for extent in attribute.type.shape.data]
    if attribute.__class__ is not DenseStringAttr:
        data = attribute.data.data
        return dense_text(shape, attribute.type.element_type, data, w.options.hexadecimal_above)
    texts = [quoted(value.data) for value in attribute.values.data]
    return texts[0] if len(texts) == 1 else nested_text(texts, shape) if texts else ""


def _dense_string(w: Any, attribute: Any) -> str:
    return f"dense<{_values(w, attribute)}> : {w.type_text(attribute.type)}"


def _sparse(w: Any, attribute: Any) -> str:
    inside = f"{_values(w, attribute.indices)}, {_values(w, attribute.values)}"
    return f"sparse<{'' if inside == ', ' else inside}> : {w.type_text(attribute.type)}"


WRITERS: dict[type, Callable[[Any, Any], str]] = {
    TypedStringAttr: _typed_string,
    TypedDialectAttr: _typed,
    FloatBitsAttr: _float_bits,
    DistinctAttr: _distinct,
    DenseStringAttr: _dense_string,
    SparseElementsAttr: _sparse,
}
"""By class; locations are with the other locations."""
