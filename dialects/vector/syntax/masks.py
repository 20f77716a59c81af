"""``vector.mask``."""

from __future__ import annotations

from typing import Any

from xdsl.ir import Operation

from lamina.dialects.core.ods.syntax import syntax
from lamina.dialects.core.ods.terminators import with_terminator


@syntax("vector.mask")
class Mask:
    """``vector.mask %m, %passthru { op } : t -> t``; what the op inside gives goes without saying."""

    @staticmethod
    def parse(p: Any, name: str) -> Operation:
        start = p.at
        mask = p.operand()
        passed = p.operand() if p.accept(",") else None
        region = p.region()
        block = region.first_block
        first = block.first_op if block is not None else None
        if (
            block is not None
            and first is not None
            and first is block.last_op
            and first.name != "vector.yield"
        ):
            end = p.build("vector.yield", first.results)
            end.location = p.location_at(start)
            block.add_op(end)
        with_terminator(p, region, "vector.yield", start)
        attributes = p.attr_dict()
        p.require(":")
        type = p.type()
        results = p.optional_arrow_types()
        operands = [p.resolve(mask, type)]
        if passed is not None:
            if not results:
                p.fail("expects a result if passthru operand is provided", start)
            operands.append(p.resolve(passed, results[0]))
        return p.build(name, operands, results, attributes, [region])

    @staticmethod
    def write(w: Any, op: Operation) -> None:
        w.put(" ")
        w.values(op.operands)
        w.put(" { ")
        block = op.regions[0].first_block
        inner = block.first_op if block is not None else None
        if inner is not None:
            w.operation_without_results(inner)
        w.put(" }")
        w.attr_dict(op)
        w.put(" : ")
        w.type(op.operands[0].type)
        if op.results:
            w.put(" -> ")
            w.types([result.type for result in op.results])
