"""Convolutions and poolings of upstream's linalg: those xDSL lacks, and its own with splat-aware strides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects import arith
from xdsl.dialects.builtin import ArrayAttr
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.abstract_ops import ConvOperation, PoolingOperation
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.ir import Operation, Region, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.irdl import irdl_op_definition

from lamina.dialects.linalg._bodies import combine, multiply_accumulate
from lamina.dialects.linalg.windows import window_form, window_numbers


class _Window:
    """What the notation FORM says of an op with strides and dilations."""

    FORM: ClassVar[str]

    def get_default_indexing_maps(self) -> Sequence[AffineMap]:
        form = window_form(self.FORM)
        count = len(form.spatial)
        held = (self.get_attr_or_prop(name) for name in ("strides", "dilations"))  # pyright: ignore[reportAttributeAccessIssue]
        strides, dilations = (window_numbers(numbers, count) for numbers in held)
        return form.maps(strides, dilations)

    def get_iterator_types(self) -> ArrayAttr[IteratorTypeAttr]:
        form = window_form(self.FORM)
        parallel = len(form.loops) - form.reductions
        return ArrayAttr(
            (IteratorTypeAttr.parallel(),) * parallel + (IteratorTypeAttr.reduction(),) * form.reductions
        )


class _Convolution(_Window, ConvOperation):
    """Sum of products of a window of the input and a filter, added to the output."""

    @classmethod
    def get_hidden_region(cls, inputs: Sequence[SSAValue], outputs: Sequence[SSAValue]) -> Region:
        return multiply_accumulate(inputs, outputs)


class _Pooling(_Window, PoolingOperation):
    """Combines a window of the input into the output; the second input gives the window's shape only."""

    ON_FLOAT: ClassVar[type[Operation]]
    ON_INTEGER: ClassVar[type[Operation]]

    @classmethod
    def get_hidden_region(cls, inputs: Sequence[SSAValue], outputs: Sequence[SSAValue]) -> Region:
        return combine(inputs, outputs, cls.ON_FLOAT, cls.ON_INTEGER)


class Conv2DNchwFchwOp(_Convolution, linalg.Conv2DNchwFchwOp):
    """Input [N, C, H, W], filter [F, C, KH, KW], output [N, F, OH, OW]."""

    FORM: ClassVar[str] = "n f oh ow c kh kw | n c H W, f c kh kw, n f oh ow | 3"


class Conv2DNgchwFgchwOp(_Convolution, linalg.Conv2DNgchwFgchwOp):
    """Grouped: input [N, G, C, H, W], filter [F, G, C, KH, KW], output [N, G, F, OH, OW]."""

    FORM: ClassVar[str] = "n g f oh ow c kh kw | n g c H W, f g c kh kw, n g f oh ow | 3"


class Conv2DNgchwGfchwOp(_Convolution, linalg.Conv2DNgchwGfchwOp):
    """Grouped: input [N, G, C, H, W], filter [G, F, C, KH, KW], output [N, G, F, OH, OW]."""

    FORM: ClassVar[str] = "n g f oh ow c kh kw | n g c H W, g f c kh kw, n g f oh ow | 3"


class Conv2DNhwcFhwcOp(_Convolution, linalg.Conv2DNhwc_FhwcOp):
    """Input [N, H, W, C], filter [F, KH, KW, C], output [N, OH, OW, F]."""

    FORM: ClassVar[str] = "n oh ow f kh kw c | n H W c, f kh kw c, n oh ow f | 3"


class Conv2DNhwcHwcfOp(_Convolution, linalg.Conv2DNhwc_HwcfOp):
    """Input [N, H, W, C], filter [KH, KW, C, F], output [N, OH, OW, F]."""

    FORM: ClassVar[str] = "n oh ow f kh kw c | n H W c, kh kw c f, n oh ow f | 3"


class Conv2DNhwgcGfhwcOp(_Convolution, linalg.Conv2DNhwgcGfhwcOp):
    """Grouped: input [N, H, W, G, C], filter [G, F, KH, KW, C], output [N, OH, OW, G, F]."""

    FORM: ClassVar[str] = "n oh ow g f kh kw c | n H W g c, g f kh kw c, n oh ow g f | 3"


class PoolingNchwMaxOp(_Pooling, linalg.PoolingNchwMaxOp):
    """Maximum over windows: input [N, C, H, W], window [KH, KW], output [N, C, OH, OW]."""

    FORM: ClassVar[str] = "n c oh ow kh kw | n c H W, kh kw, n c oh ow | 2"
    ON_FLOAT: ClassVar[type[Operation]] = arith.MaximumfOp
    ON_INTEGER: ClassVar[type[Operation]] = arith.MaxSIOp


@irdl_op_definition
class Conv1DNwcWcfOp(_Convolution):
    """Input [N, W, C], filter [KW, C, F], output [N, OW, F]."""

    name = "linalg.conv_1d_nwc_wcf"
    FORM: ClassVar[str] = "n ow f kw c | n W c, kw c f, n ow f | 2"


@irdl_op_definition
class Conv1DNcwFcwOp(_Convolution):
    """Input [N, C, W], filter [F, C, KW], output [N, F, OW]."""

    name = "linalg.conv_1d_ncw_fcw"
    FORM: ClassVar[str] = "n f ow c kw | n c W, f c kw, n f ow | 2"


@irdl_op_definition
class Conv3DNdhwcDhwcfOp(_Convolution):
    """Input [N, D, H, W, C], filter [KD, KH, KW, C, F], output [N, OD, OH, OW, F]."""

    name = "linalg.conv_3d_ndhwc_dhwcf"
    FORM: ClassVar[str] = "n od oh ow f kd kh kw c | n D H W c, kd kh kw c f, n od oh ow f | 4"


@irdl_op_definition
class DepthwiseConv2DNhwcHwcOp(_Convolution):
    """Input [N, H, W, C], filter [KH, KW, C], output [N, OH, OW, C]."""

    name = "linalg.depthwise_conv_2d_nhwc_hwc"
    FORM: ClassVar[str] = "n oh ow c kh kw | n H W c, kh kw c, n oh ow c | 2"


@irdl_op_definition
class DepthwiseConv2DNhwcHwcmOp(_Convolution):
    """With a multiplier: input [N, H, W, C], filter [KH, KW, C, M], output [N, OH, OW, C, M]."""

    name = "linalg.depthwise_conv_2d_nhwc_hwcm"
    FORM: ClassVar[str] = "n oh ow c m kh kw | n H W c, kh kw c m, n oh ow c m | 2"


@irdl_op_definition
class DepthwiseConv2DNchwChwOp(_Convolution):
    """Input [N, C, H, W], filter [C, KH, KW], output [N, C, OH, OW]."""

    name = "linalg.depthwise_conv_2d_nchw_chw"
    FORM: ClassVar[str] = "n oh ow c kh kw | n c H W, c kh kw, n c oh ow | 2"


@irdl_op_definition
class PoolingNchwSumOp(_Pooling):
    """Sum over windows: input [N, C, H, W], window [KH, KW], output [N, C, OH, OW]."""

    name = "linalg.pooling_nchw_sum"
    FORM: ClassVar[str] = "n c oh ow kh kw | n c H W, kh kw, n c oh ow | 2"
    ON_FLOAT: ClassVar[type[Operation]] = arith.AddfOp
    ON_INTEGER: ClassVar[type[Operation]] = arith.AddiOp


@irdl_op_definition
class PoolingNhwcSumOp(_Pooling):
    """Sum over windows: input [N, H, W, C], window [KH, KW], output [N, OH, OW, C]."""

    name = "linalg.pooling_nhwc_sum"
    FORM: ClassVar[str] = "n oh ow c kh kw | n H W c, kh kw, n oh ow c | 2"
    ON_FLOAT: ClassVar[type[Operation]] = arith.AddfOp
    ON_INTEGER: ClassVar[type[Operation]] = arith.AddiOp


@irdl_op_definition
class PoolingNhwcMaxOp(_Pooling):
    """Maximum over windows: input [N, H, W, C], window [KH, KW], output [N, OH, OW, C]."""

    name = "linalg.pooling_nhwc_max"
    FORM: ClassVar[str] = "n oh ow c kh kw | n H W c, kh kw, n oh ow c | 2"
    ON_FLOAT: ClassVar[type[Operation]] = arith.MaximumfOp
    ON_INTEGER: ClassVar[type[Operation]] = arith.MaxSIOp


@irdl_op_definition
class PoolingNhwcMinOp(_Pooling):
    """Minimum over windows: input [N, H, W, C], window [KH, KW], output [N, OH, OW, C]."""

    name = "linalg.pooling_nhwc_min"
    FORM: ClassVar[str] = "n oh ow c kh kw | n H W c, kh kw, n oh ow c | 2"
    ON_FLOAT: ClassVar[type[Operation]] = arith.MinimumfOp
    ON_INTEGER: ClassVar[type[Operation]] = arith.MinSIOp


CONVOLUTIONS: list[type[Operation]] = [
    Conv2DNchwFchwOp,
    Conv2DNgchwFgchwOp,
    Conv2DNgchwGfchwOp,
    Conv2DNhwcFhwcOp,
    Conv2DNhwcHwcfOp,
    Conv2DNhwgcGfhwcOp,
    PoolingNchwMaxOp,
    Conv1DNwcWcfOp,
    Conv1DNcwFcwOp,
    Conv3DNdhwcDhwcfOp,
    DepthwiseConv2DNhwcHwcOp,
    DepthwiseConv2DNhwcHwcmOp,
    DepthwiseConv2DNchwChwOp,
    PoolingNchwSumOp,
    PoolingNhwcSumOp,
    PoolingNhwcMaxOp,
    PoolingNhwcMinOp,
]
