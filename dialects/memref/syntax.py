"""The forms of the memref dialect that upstream writes in C++."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import (
    AffineMapAttr,
    IndexType,
    IntegerAttr,
    MemRefType,
    TensorType,
    UnitAttr,
    i1,
    i32,
)
from xdsl.ir import Attribute, Operation

from lamina.dialects.core.ods.syntax import directive, syntax
from lamina.dialects.core.ods.terminators import with_terminator
from lamina.dialects.core.verifying.groups import attribute
from lamina.dialects.core.verifying.shapes import is_static, shape_of
from lamina.dialects.core.writing.affine import map_text

INDEX = IndexType()


@directive("GlobalMemrefOpTypeAndInitialValue")
class GlobalTypeAndValue:
    """``memref<2xf32> = dense<…>``, without a value for a declaration, ``= uninitialized`` for none."""

    @staticmethod
    def parse(p: Any, s: Any, type_name: str, value_name: str) -> None:
        type = p.type()
        if not isinstance(type, MemRefType) or not is_static(type):
            p.fail(f"type should be static shaped memref, but got '{type}'", s.at)
        s.attributes[type_name] = type
        if not p.accept("="):
            return
        if p.accept("uninitialized"):
            s.attributes[value_name] = UnitAttr()
            return
        value: Attribute = p.attribute(_as_tensor(type))
        if not isinstance(getattr(value, "type", None), TensorType):
            p.fail("initial value should be a unit or elements attribute", s.at)
        s.attributes[value_name] = value

    @staticmethod
    def write(w: Any, view: Any, type_name: str, value_name: str) -> None:
        type = view.attribute(type_name)
        w.type(type)
        value = view.attribute(value_name)
        if value is None:
            return
        w.put(" = ")
        if isinstance(value, UnitAttr):
            w.put("uninitialized")
        else:
            w.attribute(value, _as_tensor(type))


def _as_tensor(type: MemRefType) -> TensorType:
    return TensorType(type.element_type, shape_of(type))


@syntax("memref.alloca_scope")
class AllocaScope:
    """``memref.alloca_scope -> (types) {…}``; without results its terminator goes without saying."""

    @staticmethod
    def parse(p: Any, name: str) -> Operation:
        results = p.optional_arrow_types()
        region = with_terminator(p, p.region(), "memref.alloca_scope.return")
        return p.build(name, [], results, p.attr_dict(), [region])

    @staticmethod
    def write(w: Any, op: Operation) -> None:
        if op.results:
            w.put(" -> (")
            w.types([result.type for result in op.results])
            w.put(")")
        w.put(" ")
        w.region(op.regions[0], False, bool(op.results))
        w.attr_dict(op)


@syntax("memref.transpose")
class Transpose:
    """``memref.transpose %m (i, j) -> (j, i) : t to t``."""

    @staticmethod
    def parse(p: Any, name: str) -> Operation:
        source = p.operand()
        permutation = AffineMapAttr(p.affine_map())
        attributes = p.attr_dict()
        p.require(":")
        type = p.type()
        p.require("to")
        result = p.type()
        attributes["permutation"] = permutation
        return p.build(name, [p.resolve(source, type)], [result], attributes)

    @staticmethod
    def write(w: Any, op: Operation) -> None:
        w.put(" ")
        w.values(op.operands)
        w.put(f" {map_text(attribute(op, 'permutation').data)}")
        w.attr_dict(op, ("permutation",))
        w.put(" : ")
        w.type(op.operands[0].type)
        w.put(" to ")
        w.type(op.results[0].type)


@syntax("memref.prefetch")
class Prefetch:
    """``memref.prefetch %m[%i], read, locality<3>, data : t``."""

    @staticmethod
    def parse(p: Any, name: str) -> Operation:
        memref = p.operand()
        indices = p.operands_in("[", "]")
        p.require(",")
        writes = _one_of(p, "rw specifier has to be 'read' or 'write'", "read", "write")
        p.require(",")
        p.require("locality")
        p.require("<")
        hint = p.integer()
        p.require(">")
        p.require(",")
        instructions = _one_of(p, "cache type has to be 'data' or 'instr'", "data", "instr")
        attributes = p.attr_dict()
        p.require(":")
        type = p.type()
        attributes["isWrite"] = IntegerAttr(int(writes), i1)
        attributes["localityHint"] = IntegerAttr(hint, i32)
        attributes["isDataCache"] = IntegerAttr(int(not instructions), i1)
        return p.build(name, [p.resolve(memref, type), *_indices(p, indices)], [], attributes)

    @staticmethod
    def write(w: Any, op: Operation) -> None:
        w.put(" ")
        _element(w, op.operands)
        writes, hint, data = (
            attribute(op, name).value.data for name in ("isWrite", "localityHint", "isDataCache")
        )
        w.put(f", {'write' if writes else 'read'}, locality<{hint}>, {'data' if data else 'instr'}")
        w.attr_dict(op, ("isWrite", "localityHint", "isDataCache"))
        w.put(" : ")
        w.type(op.operands[0].type)


def _one_of(p: Any, message: str, first: str, second: str) -> bool:
    place = p.at
    word = p.word()
    if word not in (first, second):
        p.fail(message, place)
    return word == second


def _indices(p: Any, uses: Any) -> list[Any]:
    return [p.resolve(use, INDEX) for use in uses]


def _element(w: Any, operands: Any) -> None:
    """``%m[%i, %j]``"""
    w.value(operands[0])
    w.put("[")
    w.values(operands[1:])
    w.put("]")


@syntax("memref.generic_atomic_rmw")
class GenericAtomicRMW:
    """``memref.generic_atomic_rmw %m[%i] : t {…}``."""

    @staticmethod
    def parse(p: Any, name: str) -> Operation:
        memref = p.operand()
        indices = p.operands_in("[", "]")
        p.require(":")
        place = p.at
        type = p.type()
        if not isinstance(type, MemRefType):
            p.fail("invalid kind of type specified", place)
        operands = [p.resolve(memref, type), *_indices(p, indices)]
        region = p.region()
        return p.build(name, operands, [type.element_type], p.attr_dict(), [region])

    @staticmethod
    def write(w: Any, op: Operation) -> None:
        w.put(" ")
        _element(w, op.operands)
        w.put(" : ")
        w.type(op.operands[0].type)
        w.put(" ")
        w.region(op.regions[0])
        w.attr_dict(op)


@syntax("memref.dma_start")
class DmaStart:
    """``memref.dma_start %src[…], %dst[…], %n, %tag[…], %stride, %per_stride : t, t, t``."""

    @staticmethod
    def parse(p: Any, name: str) -> Operation:
        start = p.at
        groups = [p.operand(), p.operands_in("[", "]")]
        p.require(",")
        groups += [p.operand(), p.operands_in("[", "]")]
        p.require(",")
        count = p.operand()
        p.require(",")
        groups += [p.operand(), p.operands_in("[", "]")]
        strides = p.operands() if p.accept(",") else []
        if strides and len(strides) != 2:
            p.fail("expected two stride related operands", start)
        attributes = p.attr_dict()
        p.require(":")
        types = p.types_list()
        if len(types) != 3:
            p.fail("fewer/more types expected", start)
        source, target, tag = (
            [p.resolve(groups[2 * i], type), *_indices(p, groups[2 * i + 1])] for i, type in enumerate(types)
        )
        operands = [*source, *target, *_indices(p, [count]), *tag, *_indices(p, strides)]
        return p.build(name, operands, [], attributes)

    @staticmethod
    def write(w: Any, op: Operation) -> None:
        parts = dma_parts(op)
        types: list[Attribute] = []
        for number, part in enumerate(parts):
            w.put(", " if number else " ")
            if part and isinstance(part[0].type, MemRefType):
                _element(w, part)
                types.append(part[0].type)
            else:
                w.values(part)
        w.attr_dict(op, ("operandSegmentSizes",))
        w.put(" : ")
        w.types(types)


def dma_parts(op: Operation) -> list[list[Any]]:
    """Source, target, number of elements, tag and, if there are any, strides: each memref with its
    indices."""
    parts: list[list[Any]] = []
    wanted = 0
    for value in op.operands:
        if isinstance(value.type, MemRefType):
            parts.append([])
            wanted = 1 + len(value.type.shape.data)
        elif not parts or len(parts[-1]) >= wanted:
            parts.append([])
            wanted = 2
        parts[-1].append(value)
        if len(parts) == 3 and len(parts[2]) == 1:
            wanted = 1
    return parts
