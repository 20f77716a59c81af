"""``vector.transfer_read`` and ``vector.transfer_write``."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, IndexType, IntegerAttr, TensorType, VectorType, i1
from xdsl.ir import Attribute, Operation

from lamina.dialects.core.ods.syntax import syntax
from lamina.dialects.core.verifying.groups import attribute
from lamina.dialects.core.verifying.shapes import rank_of
from lamina.dialects.vector.transfers import SHAPED, default_map, is_minor_identity, mask_type

INDEX = IndexType()
_FALSE = IntegerAttr(0, i1)


def _types(p: Any) -> tuple[list[Any], int]:
    p.require(":")
    place = p.at
    types = p.types_list()
    if len(types) != 2:
        p.fail("requires two types", place)
    return types, place


def _check_types(p: Any, shaped: Any, vector: Any, place: int, read: bool) -> None:
    of_vector = (isinstance(vector, VectorType), "requires vector type")
    of_shaped = (isinstance(shaped, SHAPED), "requires memref or ranked tensor type")
    for right, message in (of_shaped, of_vector) if read else (of_vector, of_shaped):
        if not right:
            p.fail(message, place)


def _complete(p: Any, attributes: dict[str, Attribute], shaped: Any, vector: Any, place: int) -> Any:
    """The permutation map; it and the bounds are put in where they are not written."""
    written = attributes.get("permutation_map")
    found = written.data if isinstance(written, AffineMapAttr) else default_map(shaped, vector)
    if found is None:
        raise p.fail("expected a custom permutation_map when rank(source) != rank(destination)", place)
    attributes.setdefault("permutation_map", AffineMapAttr(found))
    if "in_bounds" not in attributes:
        attributes["in_bounds"] = ArrayAttr([_FALSE] * len(found.results))
    return found


def _mask(p: Any, use: Any, shaped: Any, vector: Any, map: Any, place: int) -> list[Any]:
    if use is None:
        return []
    if isinstance(shaped.element_type, VectorType):
        p.fail("does not support masks with vector element type", use.at)
    if rank_of(vector) != len(map.results):
        p.fail("expected the same rank for the vector and the results of the permutation map", place)
    return [p.resolve(use, mask_type(vector, map))]


@syntax("vector.transfer_read")
class TransferRead:
    """``vector.transfer_read %m[%i], %padding, %mask {…} : memref<…>, vector<…>``."""

    @staticmethod
    def parse(p: Any, name: str) -> Operation:
        base = p.operand()
        indices = p.operands_in("[", "]")
        p.require(",")
        padding = p.operand()
        masked = p.operand() if p.accept(",") else None
        attributes = p.attr_dict()
        (shaped, vector), place = _types(p)
        _check_types(p, shaped, vector, place, True)
        map = _complete(p, attributes, shaped, vector, place)
        operands = [p.resolve(base, shaped), *(p.resolve(use, INDEX) for use in indices)]
        operands.append(p.resolve(padding, shaped.element_type))
        mask = _mask(p, masked, shaped, vector, map, place)
        sizes = [1, len(indices), 1, len(mask)]
        return p.build(name, [*operands, *mask], [vector], attributes, segments=sizes)

    @staticmethod
    def write(w: Any, op: Operation) -> None:
        values = list(op.operands)
        masked = attribute(op, "operandSegmentSizes").get_values()[3]
        rest = values[-1 - masked :]
        w.put(" ")
        w.value(values[0])
        w.put("[")
        w.values(values[1 : -1 - masked])
        w.put("], ")
        w.values(rest)
        _write_attributes(w, op)
        w.types([values[0].type, op.results[0].type])


@syntax("vector.transfer_write")
class TransferWrite:
    """``vector.transfer_write %v, %m[%i], %mask {…} : vector<…>, memref<…>``."""

    @staticmethod
    def parse(p: Any, name: str) -> Operation:
        value = p.operand()
        p.require(",")
        base = p.operand()
        indices = p.operands_in("[", "]")
        masked = p.operand() if p.accept(",") else None
        attributes = p.attr_dict()
        (vector, shaped), place = _types(p)
        _check_types(p, shaped, vector, place, False)
        map = _complete(p, attributes, shaped, vector, place)
        operands = [p.resolve(value, vector), p.resolve(base, shaped)]
        operands += [p.resolve(use, INDEX) for use in indices]
        mask = _mask(p, masked, shaped, vector, map, place)
        results = [shaped] if isinstance(shaped, TensorType) else []
        sizes = [1, 1, len(indices), len(mask)]
        return p.build(name, [*operands, *mask], results, attributes, segments=sizes)

    @staticmethod
    def write(w: Any, op: Operation) -> None:
        values = list(op.operands)
        masked = attribute(op, "operandSegmentSizes").get_values()[3]
        last = len(values) - masked
        w.put(" ")
        w.values(values[:2])
        w.put("[")
        w.values(values[2:last])
        w.put("]")
        for mask in values[last:]:
            w.put(", ")
            w.value(mask)
        _write_attributes(w, op)
        w.types([values[0].type, values[1].type])


def _write_attributes(w: Any, op: Operation) -> None:
    """Write the attributes; the default map and bounds that promise nothing go without saying."""
    hidden = {"operandSegmentSizes"}
    if is_minor_identity(attribute(op, "permutation_map").data):
        hidden.add("permutation_map")
    bounds = attribute(op, "in_bounds")
    if bounds is not None and not any(bound.value.data for bound in bounds.data):
        hidden.add("in_bounds")
    w.attr_dict(op, hidden)
    w.put(" : ")
