"""The form of ``bufferization.alloc_tensor``, which upstream writes in C++."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import IndexType
from xdsl.ir import Operation

from lamina.dialects.core.ods.syntax import syntax
from lamina.dialects.core.verifying.groups import values

INDEX = IndexType()
_SEGMENTS = frozenset(("operandSegmentSizes",))


@syntax("bufferization.alloc_tensor")
class AllocTensor:
    """``bufferization.alloc_tensor(%n) copy(%t) size_hint=%s {…} : tensor<?xf32>``"""

    @staticmethod
    def parse(p: Any, name: str) -> Operation:
        sizes = p.operands_in("(", ")")
        copied = p.operands_in("(", ")") if p.accept("copy") else []
        hint = []
        if p.accept("size_hint"):
            p.require("=")
            hint = [p.operand()]
        attributes = p.attr_dict()
        p.require(":")
        type = p.type()
        operands = [p.resolve(use, INDEX) for use in sizes]
        operands += [p.resolve(use, type) for use in copied]
        operands += [p.resolve(use, INDEX) for use in hint]
        segments = (len(sizes), len(copied), len(hint))
        return p.build(name, operands, [type], attributes, segments=segments)

    @staticmethod
    def write(w: Any, op: Operation) -> None:
        w.put("(")
        w.values(values(op, "dynamic_sizes"))
        w.put(")")
        for word, group in ((" copy(", "copy"), (" size_hint=", "size_hint")):
            found = values(op, group)
            if found:
                w.put(word)
                w.values(found)
                w.put(")" if group == "copy" else "")
        w.attr_dict(op, _SEGMENTS)
        w.put(" : ")
        w.type(op.results[0].type)
