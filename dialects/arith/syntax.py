"""The form of ``arith.select``."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import i1
from xdsl.ir import Operation

from lamina.dialects.core.ods.syntax import syntax


@syntax("arith.select")
class Select:
    """``arith.select %c, %a, %b : t``, with the type of a condition that is not ``i1`` before it."""

    @staticmethod
    def parse(p: Any, name: str) -> Operation:
        condition = p.operand()
        p.require(",")
        on_true = p.operand()
        p.require(",")
        on_false = p.operand()
        attributes = p.attr_dict()
        p.require(":")
        of_condition, kind = i1, p.type()
        if p.accept(","):
            of_condition, kind = kind, p.type()
        operands = [p.resolve(condition, of_condition), p.resolve(on_true, kind), p.resolve(on_false, kind)]
        return p.build(name, operands, (kind,), attributes)

    @staticmethod
    def write(w: Any, op: Operation) -> None:
        w.put(" ")
        w.values(op.operands)
        w.attr_dict(op)
        w.put(" : ")
        if op.operands[0].type != i1:
            w.type(op.operands[0].type)
            w.put(", ")
        w.type(op.results[0].type)
