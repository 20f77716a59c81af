"""What a conversion rule sees of a StableHLO operation, and how it builds `nn` ops in its place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, DenseResourceAttr, TensorType
from xdsl.ir import Attribute, Block, SSAValue

from lamina.dialects.core.constants import as_array, constant_value
from lamina.dialects.nn.base import python_value
from lamina.dialects.stablehlo.syntax import StablehloOp
from lamina.lowering.importing.emitter import Emitter, Unsupported, shape


@dataclass
class Site(Emitter):
    """One StableHLO operation whose operands are `nn` values already."""

    op: StablehloOp
    convert_block: Callable[[Block], None]
    """Converts the ops of a block of the operation, which become `nn` ops in the block."""
    counters: dict[SSAValue, int]
    """Values that count from 0 along one dimension, and the dimension."""
    ranges: dict[SSAValue, tuple[int, int]]
    """The indices of loops of known bounds, with their first and last value."""

    @property
    def operands(self) -> list[SSAValue]:
        """The operands."""
        return list(self.op.operands)

    @property
    def result_types(self) -> list[Attribute]:
        """The types that the results have in the text."""
        return [result.type for result in self.op.results]

    @property
    def result_type(self) -> TensorType:
        """The type of the (first) result, a tensor."""
        kind = self.op.results[0].type
        if not isinstance(kind, TensorType):
            raise Unsupported(f"its result is a {kind}")
        return kind

    def attribute(self, name: str, default: Any = None) -> Any:
        """A property as a Python value: numbers, tuples, arrays; attributes of the dialect as they are."""
        attribute = self.op.properties.get(name)
        if attribute is None:
            return default
        if isinstance(attribute, DenseIntOrFPElementsAttr | DenseResourceAttr):
            return as_array(attribute)
        return python_value(attribute)

    def pairs(self, name: str, rank: int) -> list[tuple[int, int]]:
        """Padding: a pair for each dimension, zeros by default."""
        array = self.attribute(name)
        return [(0, 0)] * rank if array is None else [(int(a), int(b)) for a, b in array]

    def constant(self, value: SSAValue, what: str) -> np.ndarray:
        """The value of an operand that has to be known now."""
        array = constant_value(value)
        if array is None:
            raise Unsupported(f"its {what} is no constant")
        return array

    def all_equal(self, name: str, value: int) -> bool:
        """Whether a list is left out or holds one number only."""
        return all(entry == value for entry in self.attribute(name, ()))

    def reshape(self, value: SSAValue, extents: Sequence[int]) -> SSAValue:
        """The value under another shape, itself if it has it."""
        return value if list(shape(value)) == list(extents) else self.emit("reshape", value, shape=extents)

    def transpose(self, value: SSAValue, permutation: Sequence[int]) -> SSAValue:
        """The value with its dimensions in another order, itself if the order is theirs."""
        if list(permutation) == list(range(len(permutation))):
            return value
        return self.emit("transpose", value, permutation=permutation)


class Unconverted(Exception):
    """Raised by a rule whose regions hold ops that failed, which are noted already."""
