"""What Lamina adds to xDSL's linalg dialect, under upstream's names and in upstream's form."""

from __future__ import annotations

from xdsl.ir import Attribute, Operation

from lamina.dialects.linalg.contractions import CONTRACTIONS
from lamina.dialects.linalg.convolutions import CONVOLUTIONS
from lamina.dialects.linalg.elementwise import ELEMENTWISE
from lamina.dialects.linalg.generic import GenericOp
from lamina.dialects.linalg.packing import PACKING

OPERATIONS: list[type[Operation]] = [GenericOp, *CONTRACTIONS, *CONVOLUTIONS, *ELEMENTWISE, *PACKING]
ATTRIBUTES: list[type[Attribute]] = []
