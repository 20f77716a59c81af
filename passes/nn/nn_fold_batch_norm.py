"""``nn-fold-batch-norm``: normalisation by known statistics becomes part of the weights before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Operation, SSAValue

from lamina.dialects.core.constants import constant_attr, constant_value
from lamina.dialects.nn.arithmetic import AddOp
from lamina.dialects.nn.base import NnOp, make
from lamina.dialects.nn.constant import ConstantOp
from lamina.dialects.nn.convolution import Conv2dOp
from lamina.dialects.nn.linear import MatmulOp
from lamina.dialects.nn.normalization import BatchNormOp
from lamina.passes.framework.passes import ANY_OP, Pass, PassContext


@dataclass(frozen=True)
class NnFoldBatchNorm(Pass):
    """Fold batch normalisation with constant parameters into what is before it.

    ``y = x * a + b`` with ``a = scale / sqrt(variance + epsilon)`` and ``b = bias - mean * a``. If x is a
    convolution or a matrix product with constant weights (and perhaps the sum with a constant bias) that is
    used nowhere else, its weights are scaled by ``a`` and its bias becomes ``bias * a + b``. Otherwise a
    product and a sum take the normalisation's place.

    The factors are computed in f64 and rounded to the element type once, then the same sums run over
    weights of other roundings: results differ in their last digits. An ``a`` or ``b`` that is not finite is not
    folded.

    ```mlir
    func.func @f(%x: tensor<1x1x4x4xf32>) -> tensor<1x1x4x4xf32> {
      %one = nn.constant dense<1.0> : tensor<1xf32>
      %two = nn.constant dense<2.0> : tensor<1xf32>
      %zero = nn.constant dense<0.0> : tensor<1xf32>
      %w = nn.constant dense<3.0> : tensor<1x1x1x1xf32>
      %0 = nn.conv2d %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, layout = "NCHW"} : (tensor<1x1x4x4xf32>, tensor<1x1x1x1xf32>) -> tensor<1x1x4x4xf32>
      %1 = nn.batch_norm %0, %two, %one, %zero, %one {epsilon = 0.0, axis = 1 : i64} : (tensor<1x1x4x4xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x4x4xf32>
      return %1 : tensor<1x1x4x4xf32>
    }
    ```

    ```mlir
    func.func @f(%x: tensor<1x1x4x4xf32>) -> tensor<1x1x4x4xf32> {
      %0 = nn.constant dense<6.000000e+00> : tensor<1x1x1x1xf32>
      %1 = nn.constant dense<1.000000e+00> : tensor<1xf32>
      %2 = nn.conv2d %x, %0, %1 {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, layout = "NCHW"} : (tensor<1x1x4x4xf32>, tensor<1x1x1x1xf32>, tensor<1xf32>) -> tensor<1x1x4x4xf32>
      return %2 : tensor<1x1x4x4xf32>
    }
    ```
    """  # noqa: E501

    name = "nn-fold-batch-norm"
    anchor = ANY_OP
    statistics = {
        "into-weights": "normalisations that became part of a convolution or matrix product",
        "into-product": "normalisations that became a product and a sum",
    }

    def run(self, op: Operation, ctx: PassContext) -> None:
        into_weights, into_product = fold_batch_norms(op)
        ctx.count("into-weights", into_weights)
        ctx.count("into-product", into_product)


def fold_batch_norms(root: Operation) -> tuple[int, int]:
    """Fold every batch normalisation with constant parameters inside ``root``.

    Returns how many became part of weights, and how many a product and a sum.
    """
    into_weights = into_product = 0
    for op in [op for op in root.walk() if isinstance(op, BatchNormOp)]:
        factors = affine_factors(op)
        if factors is None:
            continue
        layer = _layer_before(op)
        if layer is None:
            _to_product(op, *factors)
            into_product += 1
        else:
            _into_weights(op, layer, *factors)
            into_weights += 1
    return into_weights, into_product


def affine_factors(op: BatchNormOp) -> tuple[np.ndarray, np.ndarray] | None:
    """``a`` and ``b`` of ``x * a + b`` as f64 vectors; None where they are not known or not finite."""
    values = [constant_value(v) for v in (op.scale, op.bias, op.mean, op.variance)]
    if any(v is None for v in values):
        return None
    scale, bias, mean, variance = (np.asarray(v, np.float64) for v in values)
    with np.errstate(all="ignore"):
        a = scale / np.sqrt(variance + op.attribute("epsilon"))
        b = bias - mean * a
    return (a, b) if np.isfinite(a).all() and np.isfinite(b).all() else None


@dataclass
class _Layer:
    """A convolution or matrix product with constant weights whose channels are normalised."""

    op: Conv2dOp | MatmulOp
    weights: np.ndarray
    channel_axis: int
    """The axis of the weights along which the normalised channels lie."""
    bias: np.ndarray
    """A vector of the channels' biases, in f64."""
    dropped: list[Operation] = field(default_factory=list)
    """Ops between the layer and the normalisation that the new bias stands for."""


def _layer_before(op: BatchNormOp) -> _Layer | None:
    """The layer that a normalisation can become part of, if there is one."""
    assert isinstance(op.x.type, TensorType)
    axis, rank = op.attribute("axis") % op.x.type.get_num_dims(), op.x.type.get_num_dims()
    value, added = op.x, None
    dropped: list[Operation] = []
    if isinstance(value.owner, AddOp) and _used_once(value):
        added = _channel_vector(value.owner, axis)
        if added is None:
            return None
        dropped.append(value.owner)
        value = value.owner.lhs
    if not _used_once(value) or not isinstance(value.owner, Conv2dOp | MatmulOp):
        return None
    layer = _conv_layer(value.owner, axis) if isinstance(value.owner, Conv2dOp) else None
    if isinstance(value.owner, MatmulOp) and axis == rank - 1:
        layer = _matmul_layer(value.owner)
    if layer is not None:
        layer.bias = layer.bias + (0 if added is None else added)
        layer.dropped = dropped
    return layer


def _used_once(value: SSAValue) -> bool:
    return len(list(value.uses)) == 1


def _channel_vector(op: AddOp, axis: int) -> np.ndarray | None:
    """The constant that is added, as a vector over the channels, if it is the same along all other axes."""
    value = constant_value(op.rhs)
    kind = op.result.type
    assert isinstance(kind, TensorType)
    if value is None or op.lhs.type != kind or kind.get_shape()[axis] < 0:
        return None
    aligned = value.reshape((1,) * (kind.get_num_dims() - value.ndim) + value.shape)
    if any(n != 1 for d, n in enumerate(aligned.shape) if d != axis):
        return None
    return np.broadcast_to(aligned.reshape(-1), (kind.get_shape()[axis],)).astype(np.float64)


def _conv_layer(op: Conv2dOp, axis: int) -> _Layer | None:
    channels_last = op.attribute("layout") == "NHWC"
    weights = constant_value(op.w)
    bias = None if op.bias is None else constant_value(op.bias)
    if weights is None or axis != (3 if channels_last else 1) or (op.bias is not None and bias is None):
        return None
    channel_axis = 3 if channels_last else 0
    zero = np.zeros(weights.shape[channel_axis])
    return _Layer(op, weights, channel_axis, zero if bias is None else bias.astype(np.float64))


def _matmul_layer(op: MatmulOp) -> _Layer | None:
    weights = constant_value(op.operands[1])
    if weights is None or weights.ndim < 2:
        return None
    return _Layer(op, weights, weights.ndim - 1, np.zeros(weights.shape[-1]))


def _into_weights(op: BatchNormOp, layer: _Layer, a: np.ndarray, b: np.ndarray) -> None:
    """Scale the weights and give the layer a bias in place of the normalisation."""
    along = [1] * layer.weights.ndim
    along[layer.channel_axis] = -1
    weights = _constant(layer.weights.astype(np.float64) * a.reshape(along), layer.op.operands[1].type)
    bias = _constant(layer.bias * a + b, op.bias.type)
    made: list[NnOp] = [weights, bias]
    x, attributes = layer.op.operands[0], dict(layer.op.properties)
    if isinstance(layer.op, Conv2dOp):
        made.append(make(layer.op.name, [x, weights, bias], [op.result.type], **attributes))
    else:
        made.append(make(layer.op.name, [x, weights], [op.result.type], **attributes))
        made.append(make("nn.add", [made[-1], bias], [op.result.type]))
    _replace(op, made)
    made[2].location = layer.op.location
    for gone in (*layer.dropped, layer.op):
        _erase(gone)


def _to_product(op: BatchNormOp, a: np.ndarray, b: np.ndarray) -> None:
    """Put a product and a sum in the place of a normalisation."""
    assert isinstance(op.x.type, TensorType)
    trailing = op.x.type.get_num_dims() - 1 - op.attribute("axis") % op.x.type.get_num_dims()
    kind = TensorType(op.x.type.element_type, [a.size] + [1] * trailing)
    factor, summand = (_constant(v.reshape(kind.get_shape()), kind) for v in (a, b))
    product = make("nn.mul", [op.x, factor], [op.result.type])
    _replace(op, [factor, summand, product, make("nn.add", [product, summand], [op.result.type])])


def _constant(values: np.ndarray, kind: Attribute) -> ConstantOp:
    """f64 values rounded to the element type of a tensor type."""
    with np.errstate(all="ignore"):
        return ConstantOp.of(constant_attr(values, kind))


def _replace(op: BatchNormOp, made: Sequence[NnOp]) -> None:
    """Put ops, of which the last one gives the value, in the place of a normalisation."""
    assert op.parent is not None
    for new in made:
        new.location = op.location
    op.parent.insert_ops_before(list(made), op)
    made[-1].results[0].name_hint = op.result.name_hint
    op.result.replace_all_uses_with(made[-1].results[0])
    _erase(op)


def _erase(op: Operation) -> None:
    """Erase an op, and constants that it alone used."""
    operands = list(op.operands)
    assert op.parent is not None
    op.parent.erase_op(op)
    for operand in operands:
        owner = operand.owner
        if isinstance(owner, ConstantOp) and not owner.result.uses and owner.parent is not None:
            owner.parent.erase_op(owner)
