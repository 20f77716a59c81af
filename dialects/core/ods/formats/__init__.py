"""Declarative assembly formats, compiled to the functions that read and write them."""

from __future__ import annotations

from functools import cache
from typing import Any

from lamina.dialects.core.ods.spec import OpSpec


def compiled(spec: OpSpec) -> tuple[Any, Any]:
    """The functions that read and write the form of an op (made together, once)."""
    return _compiled(spec.name)


@cache
def _compiled(name: str) -> tuple[Any, Any]:
    from lamina.dialects.core.ods.formats.fast import make_fast_parser
    from lamina.dialects.core.ods.formats.grammar import parse_format
    from lamina.dialects.core.ods.formats.parsing import make_parser
    from lamina.dialects.core.ods.formats.printing import make_writer
    from lamina.dialects.core.ods.spec import spec_of

    spec = spec_of(name)
    assert spec is not None and spec.format is not None
    elements = parse_format(spec.format)
    parse = make_parser(spec, elements)
    return make_fast_parser(spec, elements, parse) or parse, make_writer(spec, elements, default_of(spec))


def default_of(spec: OpSpec) -> Any:
    """A function from the name of an attribute of an op to its default value (None where there is none)."""
    return _default_of(spec.name)


@cache
def _default_of(op: str) -> Any:
    from lamina.dialects.core.ods.formats.attributes import default_texts
    from lamina.dialects.core.ods.spec import spec_of

    spec = spec_of(op)
    texts = default_texts(spec) if spec is not None else {}
    values: dict[str, Any] = {}

    def default(name: str) -> Any:
        if name not in values:
            from lamina.dialects.core.reader import read_attribute

            values[name] = read_attribute(texts[name]) if name in texts else None
        return values[name]

    return default
