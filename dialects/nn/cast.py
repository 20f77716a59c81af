"""Conversion between element types."""

from __future__ import annotations

from xdsl.irdl import irdl_op_definition

from lamina.dialects.nn.elementwise import UnaryOp


@irdl_op_definition
class CastOp(UnaryOp):
    """The operand's values in the element type of the result, which the op carries. ONNX Cast (saturating).

    ``x: [*S] of any -> [*S] of any``:

    * to a float: rounded to the nearest, ties to even, too large gives infinity; to bf16 through f32;
      i1 gives 0 or 1;
    * float to integer: truncated toward zero, saturated at the ends of the type's range, NaN gives 0;
    * integer to integer: modulo 2^width (sign- or zero-extended by the source's signedness);
    * to i1: whether the value differs from zero (NaN does).

    Errors: a result of another shape, element types other than floats, integers and i1.

    ```mlir
    %0 = nn.cast %x : (tensor<?x3xf32>) -> tensor<?x3xi8>
    ```
    """

    name = "nn.cast"


@irdl_op_definition
class BitcastOp(UnaryOp):
    """The operand's bits as another element type of the same width, the result's (NumPy ``view``).

    ``x: [*S] of floats or integers -> [*S] of floats or integers``.

    Errors: a result of another shape, an element type of another width or i1.

    ```mlir
    %0 = nn.bitcast %x : (tensor<?x3xf32>) -> tensor<?x3xi32>
    ```
    """

    name = "nn.bitcast"
