"""The form of ``cf.switch``."""

from __future__ import annotations

import re
from typing import Any

from xdsl.dialects.builtin import DenseArrayBase, DenseIntOrFPElementsAttr, IndexType, IntegerType, i32
from xdsl.ir import Operation

from lamina.dialects.core.making import bytes_attr, unchecked
from lamina.dialects.core.ods.syntax import syntax
from lamina.dialects.core.reading.elements import element_size
from lamina.dialects.core.reading.numbers import parsed_integer
from lamina.dialects.core.writing.dense import element_texts

_HIDDEN = frozenset({"case_values", "case_operand_segments", "operandSegmentSizes"})
_CASE = re.compile(r"(-?)(0x[0-9A-Fa-f]++|[0-9]++)")


@syntax("cf.switch")
class Switch:
    """``cf.switch %flag : i32, [default: ^bb1(%a : t), 42: ^bb2]``."""

    @staticmethod
    def parse(p: Any, name: str) -> Operation:
        flag = p.operand()
        p.require(":")
        kind = p.type()
        p.require(",")
        p.require("[")
        if not p.accept("default"):
            p.fail("expected 'default'", p.at)
        p.require(":")
        default, passed = p.successor_and_operands()
        successors, values, sizes = [default], [p.resolve(flag, kind), *passed], []
        data: list[bytes] = []
        while p.accept(","):
            data.append(_case_value(p, kind))
            p.require(":")
            block, of_case = p.successor_and_operands()
            successors.append(block)
            values += of_case
            sizes.append(len(of_case))
        p.require("]")
        attributes = p.attr_dict()
        if data:
            attributes["case_values"] = unchecked(
                DenseIntOrFPElementsAttr, type=_vector(kind, len(data)), data=bytes_attr(_joined(data))
            )
        attributes["case_operand_segments"] = DenseArrayBase.from_list(i32, sizes)
        segments = (1, len(passed), sum(sizes))
        return p.build(name, values, (), attributes, (), successors, segments=segments)

    @staticmethod
    def write(w: Any, op: Operation) -> None:
        sizes: Any = op.properties["case_operand_segments"]
        values: Any = op.properties.get("case_values")
        texts = element_texts(values.type.element_type, values.data.data) if values is not None else []
        if len(texts) == 1:
            texts *= len(op.successors) - 1
        flag, *others = op.operands
        of_default = len(others) - sum(sizes.get_values())
        w.put(" ")
        w.value(flag)
        w.put(" : ")
        w.type(flag.type)
        w.put(", [")
        first = 0
        cases = zip(("default", *texts), op.successors, (of_default, *sizes.get_values()), strict=True)
        for number, (text, block, count) in enumerate(cases):
            w.put("," if number else "")
            w.new_line()
            w.put(f"  {text}: ")
            w.successor_with(block, others[first : first + count])
            first += count
        w.new_line()
        w.put("]")
        w.attr_dict(op, _HIDDEN)


def _case_value(p: Any, kind: Any) -> bytes:
    """The bytes of the number before a colon."""
    start = p.at
    found = _CASE.match(p.text, start)
    if found is None:
        return p.fail("expected integer value", start)
    p.advance(found.end())
    if not isinstance(kind, IntegerType | IndexType):
        p.fail(f"a switch is on an integer, not on '{kind}'", start)
    value = parsed_integer(found[2], found[1] == "-", kind)
    if value is None:
        return p.fail("integer constant out of range for attribute", start)
    return value.to_bytes(element_size(kind), "little", signed=value < 0)


def _joined(data: list[bytes]) -> bytes:
    """The bytes of all values, or of one where all are the same."""
    return data[0] if data.count(data[0]) == len(data) else b"".join(data)


def _vector(kind: Any, count: int) -> Any:
    from xdsl.dialects.builtin import VectorType

    return VectorType(kind, (count,))
