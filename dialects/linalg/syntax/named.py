"""Named structured operations: contractions, convolutions, poolings, elementwise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.ir.affine import AffineMap

from lamina.dialects.core.diagnostics import LaminaError
from lamina.dialects.core.ods.attributes import OdsAttribute
from lamina.dialects.core.ods.formats import default_of
from lamina.dialects.core.ods.spec import spec_of, table_of
from lamina.dialects.core.ods.syntax import syntax
from lamina.dialects.linalg.indexing import shape_of
from lamina.dialects.linalg.syntax.parts import (
    SEGMENTS,
    Parts,
    body_of_kind,
    inputs_and_outputs,
    place_body,
    read_maps,
    read_parts,
    shared_body,
    write_parts,
    write_results,
)

_BY_HAND = frozenset(
    f"linalg.{name}"
    for name in ("generic", "map", "reduce", "transpose", "broadcast", "contract", "elementwise", "yield")
)


def _named() -> list[str]:
    table = table_of("linalg")
    assert table is not None
    return [name for name, row in table.ops.items() if row.custom and name not in _BY_HAND]


def build(
    p: Any,
    name: str,
    parts: Parts,
    results: list[Attribute],
    more: Mapping[str, Attribute | None],
    kind: str | None = None,
) -> Operation:
    """The operation with the body that its name, or its kind, stands for."""
    attributes = {**parts.attributes, **{key: value for key, value in more.items() if value is not None}}
    try:
        if kind is None:
            region = shared_body(p, name, parts.inputs, parts.outputs, attributes.get("cast"))
        else:
            region = body_of_kind(p, kind, parts.inputs, parts.outputs)
    except (LaminaError, ValueError, IndexError, AttributeError, TypeError):
        region = Region()  # the verifier says what is wrong with the operands
    place_body(p, region)
    return p.build(name, parts.operands, results, attributes, [region], segments=parts.sizes)


def has_maps(name: str) -> bool:
    """Whether a named operation may carry indexing maps of its own."""
    spec = spec_of(name)
    return spec is not None and "indexing_maps" in spec.by_name


@syntax(*_named())
class Named:
    """``linalg.matmul indexing_maps = […] {attributes} ins(…) outs(…) -> type``."""

    @staticmethod
    def parse(p: Any, name: str) -> Operation:
        maps = (read_maps(p) or _usual_maps(name)) if has_maps(name) else None
        parts = read_parts(p)
        return build(p, name, parts, p.optional_arrow_types(), {"indexing_maps": maps})

    @staticmethod
    def write(w: Any, op: Operation) -> None:
        if has_maps(op.name):
            write_maps(w, op)
        w.attr_dict(op, SEGMENTS | {"indexing_maps"} | (defaults_of(op) & {"cast"}))
        write_parts(w, *inputs_and_outputs(op))
        write_results(w, op)


def _usual_maps(name: str) -> Attribute | None:
    spec = spec_of(name)
    return default_of(spec)("indexing_maps") if spec is not None else None


def defaults_of(op: Operation) -> set[str]:
    """The inherent attributes of an op that have their default value."""
    spec = spec_of(op.name)
    assert spec is not None
    default = default_of(spec)
    return {
        a.name
        for a in spec.attributes
        if a.default is not None
        and (value := op.properties.get(a.name)) is not None
        and value == default(a.name)
    }


def write_maps(w: Any, op: Operation, always: bool = False) -> None:
    """`` indexing_maps = […]`` where they are not those that the name stands for."""
    maps = op.get_attr_or_prop("indexing_maps")
    if not isinstance(maps, ArrayAttr) or (not always and "indexing_maps" in defaults_of(op)):
        return
    w.put(" indexing_maps = [")
    for number, one in enumerate(maps.data):
        if number:
            w.put(", ")
        w.attribute(one)
    w.put("]")


@syntax("linalg.contract")
class Contract:
    """``linalg.contract indexing_maps = […] {attributes} ins(…) outs(…) -> type``."""

    @staticmethod
    def parse(p: Any, name: str) -> Operation:
        maps = read_maps(p)
        if maps is None:
            p.fail("expected 'indexing_maps' attribute")
        parts = read_parts(p)
        return build(p, name, parts, p.optional_arrow_types(), {"indexing_maps": maps})

    @staticmethod
    def write(w: Any, op: Operation) -> None:
        write_maps(w, op, always=True)
        w.attr_dict(op, SEGMENTS | {"indexing_maps"} | (defaults_of(op) & {"cast"}))
        write_parts(w, *inputs_and_outputs(op))
        write_results(w, op)


def _identities(operands: Sequence[SSAValue]) -> Attribute | None:
    """The maps of elementwise operations where none are given: of all operands as of the output."""
    if not operands:
        return None
    rank = len(shape_of(operands[-1]) or ())
    return ArrayAttr([AffineMapAttr(AffineMap.identity(rank))] * len(operands))


@syntax("linalg.elementwise")
class Elementwise:
    """``linalg.elementwise kind=#… indexing_maps = […] ins(…) outs(…) -> type``."""

    @staticmethod
    def parse(p: Any, name: str) -> Operation:
        p.require("kind")
        p.require("=")
        kind = p.attribute()
        maps = read_maps(p)
        parts = read_parts(p)
        maps = maps or _identities(parts.operands)
        more = {"kind": kind, "indexing_maps": maps}
        text = kind.text if isinstance(kind, OdsAttribute) else ""
        return build(p, name, parts, p.optional_arrow_types(), more, text)

    @staticmethod
    def write(w: Any, op: Operation) -> None:
        w.put(" kind=")
        w.attribute(op.properties["kind"])
        maps = op.properties.get("indexing_maps")
        if isinstance(maps, ArrayAttr) and maps != _identities(op.operands):
            write_maps(w, op, always=True)
        w.attr_dict(op, SEGMENTS | {"indexing_maps", "kind"})
        write_parts(w, *inputs_and_outputs(op))
        write_results(w, op)
