"""The forms of affine that upstream writes in C++."""

from __future__ import annotations

from typing import Any

from xdsl.ir import Operation

from lamina.dialects.affine import access, loops
from lamina.dialects.affine.parts import (
    INDEX,
    read_dims_and_symbols,
    read_map,
    write_dims_and_symbols,
)
from lamina.dialects.core.ods.syntax import syntax
from lamina.dialects.core.verifying.groups import attribute

_MAP = frozenset(("map",))


@syntax("affine.apply", "affine.min", "affine.max")
class Apply:
    """``affine.apply #map(%i)[%n]``"""

    @staticmethod
    def parse(p: Any, name: str) -> Operation:
        start = p.operation_start
        map = read_map(p)
        dims, values = read_dims_and_symbols(p)
        attributes = {"map": map, **p.attr_dict()}
        if name == "affine.apply" and (
            map.data.num_dims != dims or dims + map.data.num_symbols != len(values)
        ):
            p.fail("dimension or symbol index mismatch", start)
        results = len(map.data.results) if name == "affine.apply" else 1
        return p.build(name, values, [INDEX] * results, attributes)

    @staticmethod
    def write(w: Any, op: Operation) -> None:
        map = attribute(op, "map")
        w.put(" ")
        w.attribute(map)
        write_dims_and_symbols(w, map.data.num_dims, op.operands)
        w.attr_dict(op, _MAP)


__all__ = ["access", "loops"]
