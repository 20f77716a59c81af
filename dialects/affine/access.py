"""The forms of loads, stores, prefetches and copies with affine subscripts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects.builtin import BoolAttr, i1, i32
from xdsl.ir import Attribute, Operation, SSAValue

from lamina.dialects.affine.parts import (
    INDEX,
    read_map_of_values,
    resolved,
    write_map_of_values,
)
from lamina.dialects.core.ods.syntax import syntax
from lamina.dialects.core.verifying.groups import attribute

_MAP = frozenset(("map",))
_PREFETCH = frozenset(("map", "isWrite", "localityHint", "isDataCache"))


def _element(p: Any, type: Any, place: int) -> Attribute:
    found = getattr(type, "element_type", None)
    return found if found is not None else p.fail(f"expected a memref type, got '{type}'", place)


def _write_access(w: Any, op: Operation, memref: int) -> None:
    """Write ``%m[%i + 1]``; the subscripts' values stand after the memref among the operands."""
    w.value(op.operands[memref])
    w.put("[")
    write_map_of_values(w, attribute(op, "map").data, op.operands[memref + 1 :])
    w.put("]")


class _Subscripted:
    """What loads and stores share: subscripts, attributes, the type of the memref and that of a vector."""

    vector = False

    @classmethod
    def read_access(cls, p: Any) -> tuple[list[SSAValue], Attribute, dict[str, Attribute]]:
        """``%m[%i + 1] {…} : memref<…>, vector<…>``: operands, what is accessed, attributes."""
        memref = p.operand()
        map, uses = read_map_of_values(p)
        attributes = {"map": map, **p.attr_dict()}
        p.require(":")
        place = p.at
        type = p.type()
        accessed = _element(p, type, place)
        if cls.vector:
            p.require(",")
            accessed = p.type()
        return [p.resolve(memref, type), *resolved(p, uses)], accessed, attributes

    @classmethod
    def write_access(cls, w: Any, op: Operation, memref: int, accessed: SSAValue) -> None:
        """What :meth:`read_access` reads."""
        _write_access(w, op, memref)
        w.attr_dict(op, _MAP)
        w.put(" : ")
        w.type(op.operands[memref].type)
        if cls.vector:
            w.put(", ")
            w.type(accessed.type)


class _Load(_Subscripted):
    """``affine.load %m[%i + 1] : memref<…>``, with the type of the vector after it for ``vector_load``."""

    @classmethod
    def parse(cls, p: Any, name: str) -> Operation:
        operands, result, attributes = cls.read_access(p)
        return p.build(name, operands, [result], attributes)

    @classmethod
    def write(cls, w: Any, op: Operation) -> None:
        w.put(" ")
        cls.write_access(w, op, 0, op.results[0])


class _VectorLoad(_Load):
    vector = True


class _Store(_Subscripted):
    """``affine.store %v, %m[%i + 1] : memref<…>``, with the type of the vector for ``vector_store``."""

    @classmethod
    def parse(cls, p: Any, name: str) -> Operation:
        value = p.operand()
        p.require(",")
        operands, stored, attributes = cls.read_access(p)
        return p.build(name, [p.resolve(value, stored), *operands], (), attributes)

    @classmethod
    def write(cls, w: Any, op: Operation) -> None:
        w.put(" ")
        w.value(op.operands[0])
        w.put(", ")
        cls.write_access(w, op, 1, op.operands[0])


class _VectorStore(_Store):
    vector = True


for _name, _form in {
    "affine.load": _Load,
    "affine.vector_load": _VectorLoad,
    "affine.store": _Store,
    "affine.vector_store": _VectorStore,
}.items():
    syntax(_name)(_form)


@syntax("affine.prefetch")
class Prefetch:
    """``affine.prefetch %m[%i], read, locality<3>, data : memref<…>``"""

    @staticmethod
    def parse(p: Any, name: str) -> Operation:
        start = p.operation_start
        memref = p.operand()
        map, uses = read_map_of_values(p)
        p.require(",")
        access = p.word()
        p.require(",")
        p.require("locality")
        p.require("<")
        hint = p.integer_attr(i32)
        p.require(">")
        p.require(",")
        cache = p.word()
        extra = p.attr_dict()
        p.require(":")
        type = p.type()
        if access not in ("read", "write"):
            p.fail("rw specifier has to be 'read' or 'write'", start)
        if cache not in ("data", "instr"):
            p.fail("cache type has to be 'data' or 'instr'", start)
        attributes = {
            "map": map,
            "isWrite": BoolAttr(access == "write", i1),
            "localityHint": hint,
            "isDataCache": BoolAttr(cache == "data", i1),
            **extra,
        }
        return p.build(name, [p.resolve(memref, type), *resolved(p, uses)], (), attributes)

    @staticmethod
    def write(w: Any, op: Operation) -> None:
        w.put(" ")
        _write_access(w, op, 0)
        access = "write" if attribute(op, "isWrite").value.data else "read"
        cache = "data" if attribute(op, "isDataCache").value.data else "instr"
        w.put(f", {access}, locality<{attribute(op, 'localityHint').value.data}>, {cache}")
        w.attr_dict(op, _PREFETCH)
        w.put(" : ")
        w.type(op.operands[0].type)


class _Access:
    """A memref with its subscripts in a copy that runs aside."""

    def __init__(self, p: Any) -> None:
        self.memref = p.operand()
        self.map, self.uses = read_map_of_values(p)

    def values(self, p: Any, type: Attribute) -> list[SSAValue]:
        """The memref and the values of the subscripts."""
        return [p.resolve(self.memref, type), *resolved(p, self.uses)]


def _accesses(op: Operation, names: Sequence[str]) -> tuple[list[tuple[Any, Sequence[SSAValue]]], int]:
    """Map and operands (the memref first) of each access, and where the operands after them start."""
    found: list[tuple[Any, Sequence[SSAValue]]] = []
    first = 0
    for name in names:
        map = attribute(op, name).data
        end = first + 1 + map.num_dims + map.num_symbols
        found.append((map, op.operands[first:end]))
        first = end
    return found, first


def _write_accesses(w: Any, op: Operation, names: Sequence[str]) -> None:
    accesses, rest = _accesses(op, names)
    w.put(" ")
    for map, operands in accesses:
        w.value(operands[0])
        w.put("[")
        write_map_of_values(w, map, operands[1:])
        w.put("], ")
    w.values(op.operands[rest:])
    w.attr_dict(op, frozenset(names))
    w.put(" : ")
    w.types([operands[0].type for _, operands in accesses])


_START = ("src_map", "dst_map", "tag_map")


@syntax("affine.dma_start")
class DmaStart:
    """``affine.dma_start %a[%i], %b[%j], %tag[%k], %n(, %stride, %each) : memref, memref, memref``"""

    @staticmethod
    def parse(p: Any, name: str) -> Operation:
        start = p.operation_start
        accesses: list[_Access] = []
        for _ in _START:
            accesses.append(_Access(p))
            p.require(",")
        uses = [p.operand()]
        if p.accept(","):
            uses += p.operands()
        if len(uses) not in (1, 3):
            p.fail("expected two stride related operands", start)
        extra = p.attr_dict()
        p.require(":")
        types = p.types_list()
        if len(types) != len(accesses):
            p.fail("expected three types", start)
        operands = [
            value for access, type in zip(accesses, types, strict=True) for value in access.values(p, type)
        ]
        maps = {key: access.map for key, access in zip(_START, accesses, strict=True)}
        return p.build(name, [*operands, *resolved(p, uses)], (), {**maps, **extra})

    @staticmethod
    def write(w: Any, op: Operation) -> None:
        _write_accesses(w, op, _START)


@syntax("affine.dma_wait")
class DmaWait:
    """``affine.dma_wait %tag[%k], %n : memref``"""

    @staticmethod
    def parse(p: Any, name: str) -> Operation:
        access = _Access(p)
        p.require(",")
        count = p.operand()
        extra = p.attr_dict()
        p.require(":")
        operands = [*access.values(p, p.type()), p.resolve(count, INDEX)]
        return p.build(name, operands, (), {"tag_map": access.map, **extra})

    @staticmethod
    def write(w: Any, op: Operation) -> None:
        _write_accesses(w, op, ("tag_map",))
