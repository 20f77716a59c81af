"""Reading the elements of a constant that are not zero, and where they are."""

from __future__ import annotations

import math
from typing import Any

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute

from lamina.dialects.core.making import shape_of, unchecked
from lamina.dialects.core.reading.constants import ConstantReader
from lamina.dialects.core.reading.shaped import NONE
from lamina.dialects.core.reading.types import integer_type


class SparseReader(ConstantReader):
    """Reads sparse constants."""

    def sparse(self, kind: Attribute | None, start: int) -> Attribute:
        """``<indices, values> : type``, after ``sparse``."""
        from lamina.dialects.builtin.attributes import SparseElementsAttr

        if not self.accept("<"):
            self.fail("expected '<' after 'sparse'")
        none = self.accept(">")
        indices, values = ([], []), ([], [])
        if not none:
            indices = self.nested_elements()
            if not self.accept(","):
                self.fail("expected ','")
            values = self.nested_elements()
            if not self.accept(">"):
                self.fail("expected '>'")
        shaped = self.elements_type(kind, start)
        rank = len(shaped.get_shape())
        index_shape = indices[1] if indices[1] is not None else [1, rank]
        value_shape = values[1] if values[1] is not None else index_shape[:1]
        if none:
            index_shape, value_shape = [0, rank], [0]
        if len(value_shape) != 1:
            self.fail("expected 1-d tensor for sparse element values", start)
        wrong = index_shape[:1] != value_shape or (
            index_shape[1:] != [rank] if rank != 1 or len(index_shape) > 1 else False
        )
        if wrong:
            shapes = (", ".join(map(str, shape)) for shape in (shaped.get_shape(), index_shape, value_shape))
            of_type, of_indices, of_values = shapes
            self.fail(
                f"expected shape ([{of_type}]); inferred shape of indices literal ([{of_indices}]); "
                f"inferred shape of values literal ([{of_values}])",
                start,
            )
        index_type = _tensor(integer_type(64), index_shape)
        value_type = _tensor(shaped.element_type, value_shape)
        at = self.from_elements(index_type, indices[0], indices[1], start)
        self._check_indices(at, shaped, start)
        elements = self.from_elements(value_type, values[0], values[1], start)
        return unchecked(SparseElementsAttr, indices=at, values=elements, type=shaped)

    def _check_indices(self, indices: Any, kind: Any, start: int) -> None:
        shape, rank = kind.get_shape(), len(kind.get_shape())
        data = memoryview(indices.data.data).cast("q").tolist()
        if len(data) == 1:
            data *= math.prod(indices.type.get_shape())
        for i in range(len(data) // rank if rank else 0):
            index = data[i * rank : (i + 1) * rank]
            if not all(0 <= n < extent for n, extent in zip(index, shape, strict=True)):
                self.fail(
                    f"sparse index #{i} is not contained within the value shape, "
                    f"with index={index}, and type='{kind}'",
                    start,
                )


def _tensor(element: Attribute, shape: list[int]) -> TensorType:
    return unchecked(TensorType, shape=shape_of(tuple(shape)), element_type=element, encoding=NONE)
