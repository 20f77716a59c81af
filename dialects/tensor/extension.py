"""What Lamina changes in xDSL's tensor dialect."""

from __future__ import annotations

from math import prod

from xdsl.dialects import tensor
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Operation
from xdsl.utils.exceptions import VerifyException

from lamina.dialects.tensor.generate import GenerateOp
from lamina.dialects.tensor.parallel import ParallelInsertSliceOp


class ReshapeOp(tensor.ReshapeOp):
    """``tensor.reshape``, whose numbers of elements are only compared where both are known."""

    def verify_(self) -> None:
        source, shape, result = (value.type for value in (self.source, self.shape, self.result))
        assert (
            isinstance(source, TensorType)
            and isinstance(shape, TensorType)
            and isinstance(result, TensorType)
        )
        if source.element_type != result.element_type:
            raise VerifyException("element types of source and result tensor types should be the same")
        if shape.get_num_dims() != 1:
            raise VerifyException("shape tensor must have a rank one")
        if shape.has_static_shape() and shape.get_shape()[0] != result.get_num_dims():
            raise VerifyException("length of shape operand differs from the result's tensor rank")
        static = source.has_static_shape() and result.has_static_shape()
        if static and prod(source.get_shape()) != prod(result.get_shape()):
            raise VerifyException("source and result tensor should have the same number of elements")


class ExpandShapeOp(tensor.ExpandShapeOp):
    """``tensor.expand_shape``, which may expand a tensor of rank 0 to extents of 1."""

    def verify_(self) -> None:
        source, result = self.src.type, self.result.type
        assert isinstance(source, TensorType) and isinstance(result, TensorType)
        if source.get_num_dims() or self.reassociation.data:
            super().verify_()
        elif source.element_type != result.element_type or any(n != 1 for n in result.get_shape()):
            raise VerifyException(f"cannot expand {source} to {result}")


OPERATIONS: list[type[Operation]] = [ExpandShapeOp, GenerateOp, ParallelInsertSliceOp, ReshapeOp]
ATTRIBUTES: list[type[Attribute]] = []
