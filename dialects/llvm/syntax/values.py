"""Comparisons, stack slots, addresses, aggregates, switches."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import (
    DenseArrayBase,
    FunctionType,
    IntegerAttr,
    IntegerType,
    VectorType,
    i32,
    i64,
)
from xdsl.dialects.llvm import LLVMArrayType, LLVMStructType
from xdsl.ir import Attribute, Operation

from lamina.dialects.core.ods.formats.attributes import case_text
from lamina.dialects.core.ods.syntax import directive, syntax
from lamina.dialects.core.ods.transformers import same_shape
from lamina.dialects.core.verifying.groups import attribute
from lamina.dialects.llvm.syntax.parts import UNIT, enum


def _compare(kind: str) -> type:
    class Compare:
        """``llvm.icmp "eq" %a, %b : t``."""

        @staticmethod
        def parse(p: Any, name: str) -> Operation:
            place = p.at
            word = p.string("a predicate in quotes")
            number = enum(kind).cases.get(word)
            if number is None:
                return p.fail(
                    f"'{word}' is an incorrect value of the 'predicate' attribute",
                    place,
                    f"one of {', '.join(enum(kind).cases)}",
                )
            left = p.operand()
            p.require(",")
            right = p.operand()
            attributes = p.attr_dict()
            p.require(":")
            place = p.at
            type = p.type()
            values = [p.resolve(left, type), p.resolve(right, type)]
            attributes["predicate"] = IntegerAttr(number, i64)
            return p.build(name, values, [same_shape(type, IntegerType(1))], attributes)

        @staticmethod
        def write(w: Any, op: Operation) -> None:
            w.put(f' "{case_text(enum(kind), attribute(op, "predicate").value.data)}" ')
            w.values(op.operands)
            hidden = {"predicate"} | (
                {"fastmathFlags"} if _is_plain(attribute(op, "fastmathFlags")) else set()
            )
            w.attr_dict(op, frozenset(hidden), False)
            w.put(" : ")
            w.type(op.operands[0].type)

    return Compare


def _is_plain(flags: Any) -> bool:
    return flags is None or "none" in str(flags)


syntax("llvm.icmp")(_compare("ICmpPredicate"))
syntax("llvm.fcmp")(_compare("FCmpPredicate"))


@syntax("llvm.alloca")
class Alloca:
    """``llvm.alloca inalloca? %n x t {…} : (i32) -> !llvm.ptr``."""

    @staticmethod
    def parse(p: Any, name: str) -> Operation:
        inalloca = p.accept("inalloca")
        size = p.operand()
        p.require("x")
        element = p.type()
        attributes = p.attr_dict()
        p.require(":")
        place = p.at
        signature = p.type()
        if (
            not isinstance(signature, FunctionType)
            or len(signature.inputs) != 1
            or len(signature.outputs) != 1
        ):
            p.fail("expected trailing function type with one argument and one result", place)
        attributes["elem_type"] = element
        if inalloca:
            attributes["inalloca"] = UNIT
        operand = p.resolve(size, signature.inputs.data[0])
        return p.build(name, [operand], signature.outputs.data, attributes)

    @staticmethod
    def write(w: Any, op: Operation) -> None:
        w.put(" inalloca " if attribute(op, "inalloca") is not None else " ")
        w.values(op.operands)
        w.put(" x ")
        w.type(attribute(op, "elem_type"))
        alignment = attribute(op, "alignment")
        hidden = {"elem_type", "inalloca"}
        if alignment is not None and alignment.value.data == 0:
            hidden.add("alignment")
        w.attr_dict(op, frozenset(hidden), False)
        w.put(" : ")
        w.function_type([op.operands[0].type], [op.results[0].type])


_DYNAMIC = -(1 << 31)


@directive("GEPIndices")
class GEPIndices:
    """``%i, 3``: values and constants; the constants' list holds a mark for each value."""

    @staticmethod
    def parse(p: Any, s: Any, dynamic: str, constants: str) -> None:
        uses: list[Any] = []
        numbers: list[int] = []
        while not p.sees("]"):
            use = p.optional_operand()
            if use is not None:
                uses.append(use)
                numbers.append(_DYNAMIC)
            else:
                numbers.append(p.integer())
            if not p.accept(","):
                break
        s.operands[dynamic] = uses
        s.attributes[constants] = DenseArrayBase.from_list(i32, numbers)

    @staticmethod
    def write(w: Any, view: Any, dynamic: str, constants: str) -> None:
        values = iter(view.values(dynamic, "operands"))
        for number, constant in enumerate(view.attribute(constants).get_values()):
            w.put(", " if number else "")
            if constant == _DYNAMIC:
                w.values([next(values)])
            else:
                w.put(str(constant))


def element_at(type: Attribute, position: Any) -> Attribute:
    """The type at a position in an aggregate. Raises ValueError where there is none."""
    for index in position:
        if isinstance(type, LLVMStructType):
            if not 0 <= index < len(type.types):
                raise ValueError(f"position out of bounds: {index}")
            type = type.types.data[index]
        elif isinstance(type, LLVMArrayType):
            if not 0 <= index < type.size.data:
                raise ValueError(f"position out of bounds: {index}")
            type = type.type
        else:
            raise ValueError(f"expected LLVM IR structure/array type, got: {type}")
    return type


@directive("InsertExtractValueElementType")
class InsertExtractValueElementType:
    """Nothing in the text: the type follows from the container and the position."""

    @staticmethod
    def parse(p: Any, s: Any, value: str, container: str, position: str) -> None:
        try:
            found = element_at(s.types[container][0], s.attributes[position].get_values())
        except ValueError as problem:
            raise p.fail(str(problem), p.at) from None
        s.types[value] = [found]

    @staticmethod
    def write(w: Any, view: Any, *names: str) -> None:
        """Nothing is written."""


@directive("ShuffleType")
class ShuffleType:
    """Nothing in the text: as many elements as the mask."""

    @staticmethod
    def parse(p: Any, s: Any, value: str, result: str, mask: str) -> None:
        source = s.types[value][0]
        if not isinstance(source, VectorType):
            p.fail("expected an LLVM compatible vector type", s.at)
        scalable = [source.scalable_dims.data[0]] if any(source.get_scalable_dims()) else None
        length = len(s.attributes[mask].get_values())
        s.types[result] = (
            [VectorType(source.element_type, [length], scalable)] if scalable is None else [source]
        )

    @staticmethod
    def write(w: Any, view: Any, *names: str) -> None:
        """Nothing is written."""
