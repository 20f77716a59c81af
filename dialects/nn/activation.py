"""Activation functions: what neural networks put between their layers.

All take one tensor and give one of its type. f16 and bf16 are computed wider and rounded once; numbers
in attributes are f64 and count as values of the type that is computed in.
"""

from __future__ import annotations

from typing import Any, ClassVar

from xdsl.dialects.builtin import FloatAttr, StringAttr
from xdsl.irdl import irdl_op_definition, opt_prop_def

from lamina.dialects.nn.elementwise import UnaryOp
from lamina.dialects.nn.kinds import Kind


class ActivationOp(UnaryOp):
    """``x: [*S] -> [*S]`` on floats."""

    ELEMENTS: ClassVar[Kind] = Kind.FLOAT
    DEFAULTS: ClassVar[dict[str, float | str]] = {}
    """The values of attributes that are not given: ONNX's."""

    def attribute(self, name: str, default: Any = None) -> Any:
        """A property as a Python value; the operator's default where it is absent."""
        return super().attribute(name, self.DEFAULTS.get(name, default))


@irdl_op_definition
class ReluOp(ActivationOp):
    """``maximum(x, 0)``: NaN stays NaN, -0.0 becomes +0.0. Floats and integers. ONNX Relu."""

    name = "nn.relu"
    ELEMENTS: ClassVar[Kind] = Kind.NUMBER


@irdl_op_definition
class SigmoidOp(ActivationOp):
    """``1 / (1 + exp(-x))``. ONNX Sigmoid."""

    name = "nn.sigmoid"


@irdl_op_definition
class SoftplusOp(ActivationOp):
    """``log(1 + exp(x))``, computed without overflow. ONNX Softplus."""

    name = "nn.softplus"


@irdl_op_definition
class SoftsignOp(ActivationOp):
    """``x / (1 + |x|)``; NaN at infinities. ONNX Softsign."""

    name = "nn.softsign"


@irdl_op_definition
class SiluOp(ActivationOp):
    """``x * sigmoid(x)``, also called swish; NaN at -inf. PyTorch's SiLU, ONNX Swish."""

    name = "nn.silu"


@irdl_op_definition
class HardSwishOp(ActivationOp):
    """``x * clip(x / 6 + 0.5, 0, 1)``; NaN at -inf. ONNX HardSwish."""

    name = "nn.hard_swish"


@irdl_op_definition
class GeluOp(ActivationOp):
    """``x * Phi(x)`` with the normal distribution's Phi; NaN at -inf. ONNX Gelu.

    ``approximate`` is ``"none"`` (default): ``x / 2 * (1 + erf(x / sqrt(2)))``, or ``"tanh"``:
    ``x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3)))``.
    """

    name = "nn.gelu"
    DEFAULTS: ClassVar[dict[str, float | str]] = {"approximate": "none"}

    approximate = opt_prop_def(StringAttr)


@irdl_op_definition
class LeakyReluOp(ActivationOp):
    """``x`` where ``x >= 0``, else ``alpha * x`` (default 0.01). ONNX LeakyRelu."""

    name = "nn.leaky_relu"
    DEFAULTS: ClassVar[dict[str, float | str]] = {"alpha": 0.01}

    alpha = opt_prop_def(FloatAttr)


@irdl_op_definition
class EluOp(ActivationOp):
    """``x`` where ``x > 0``, else ``alpha * (exp(x) - 1)`` (default 1.0). ONNX Elu."""

    name = "nn.elu"
    DEFAULTS: ClassVar[dict[str, float | str]] = {"alpha": 1.0}

    alpha = opt_prop_def(FloatAttr)


@irdl_op_definition
class SeluOp(ActivationOp):
    """``gamma * x`` where ``x > 0``, else ``gamma * alpha * (exp(x) - 1)``. ONNX Selu and its defaults."""

    name = "nn.selu"
    DEFAULTS: ClassVar[dict[str, float | str]] = {
        "alpha": 1.67326319217681884765625,
        "gamma": 1.05070102214813232421875,
    }

    alpha = opt_prop_def(FloatAttr)
    gamma = opt_prop_def(FloatAttr)


@irdl_op_definition
class CeluOp(ActivationOp):
    """``max(0, x) + min(0, alpha * (exp(x / alpha) - 1))``, alpha not 0 (default 1.0). ONNX Celu."""

    name = "nn.celu"
    DEFAULTS: ClassVar[dict[str, float | str]] = {"alpha": 1.0}

    alpha = opt_prop_def(FloatAttr)


@irdl_op_definition
class HardSigmoidOp(ActivationOp):
    """``clip(alpha * x + beta, 0, 1)`` (defaults 0.2 and 0.5). ONNX HardSigmoid."""

    name = "nn.hard_sigmoid"
    DEFAULTS: ClassVar[dict[str, float | str]] = {"alpha": 0.2, "beta": 0.5}

    alpha = opt_prop_def(FloatAttr)
    beta = opt_prop_def(FloatAttr)


@irdl_op_definition
class ThresholdedReluOp(ActivationOp):
    """``x`` where ``x > alpha`` (default 1.0), else 0; NaN gives 0. ONNX ThresholdedRelu."""

    name = "nn.thresholded_relu"
    DEFAULTS: ClassVar[dict[str, float | str]] = {"alpha": 1.0}

    alpha = opt_prop_def(FloatAttr)
