"""The ops and attributes that join xDSL's vector dialect under upstream's names."""

from __future__ import annotations

from xdsl.ir import Attribute, Operation

from lamina.dialects.vector import contraction, shapes

OPERATIONS: list[type[Operation]] = [*contraction.OPERATIONS, *shapes.OPERATIONS]
ATTRIBUTES: list[type[Attribute]] = [*contraction.ATTRIBUTES]
