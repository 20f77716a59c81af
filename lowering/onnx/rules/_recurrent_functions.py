"""The activation functions of recurrent layers, by ONNX's names."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from xdsl.ir import SSAValue

from lamina.lowering.importing.emitter import Unsupported
from lamina.lowering.onnx.node import Node

Function = Callable[[SSAValue], SSAValue]

_PLAIN = {
    "Relu": "relu",
    "Tanh": "tanh",
    "Sigmoid": "sigmoid",
    "Softsign": "softsign",
    "Softplus": "softplus",
}
_PARAMETRIC: dict[str, tuple[str, dict[str, float]]] = {
    "LeakyRelu": ("leaky_relu", {"alpha": 0.01}),
    "ThresholdedRelu": ("thresholded_relu", {"alpha": 1.0}),
    "HardSigmoid": ("hard_sigmoid", {"alpha": 0.2, "beta": 0.5}),
    "Elu": ("elu", {"alpha": 1.0}),
}


def activation_functions(node: Node, defaults: list[str]) -> list[Function]:
    """The activation functions, clipped before if the node says so."""
    names = node.attribute("activations") or tuple(defaults)
    alphas = iter(node.attribute("activation_alpha") or ())
    betas = iter(node.attribute("activation_beta") or ())
    clip = node.attribute("clip")
    return [_function(node, name, alphas, betas, clip) for name in names]


def _function(
    node: Node, name: str, alphas: Iterator[float], betas: Iterator[float], clip: float | None
) -> Function:
    apply = _plain_function(node, name, alphas, betas)
    if clip is None:
        return apply
    return lambda x: apply(node.emit("clip", x, min=-clip, max=clip))


def _plain_function(node: Node, name: str, alphas: Iterator[float], betas: Iterator[float]) -> Function:
    spelling = {n.lower(): n for n in (*_PLAIN, *_PARAMETRIC, "Affine", "ScaledTanh")}.get(name.lower())
    if spelling in _PLAIN:
        return partial(node.emit, _PLAIN[spelling])
    if spelling in _PARAMETRIC:
        op, parameters = _PARAMETRIC[spelling]
        given = {"alpha": next(alphas, None), "beta": next(betas, None) if "beta" in parameters else None}
        values: dict[str, Any] = {
            key: parameters[key] if given[key] is None else given[key] for key in parameters
        }
        return lambda x: node.emit(op, x, **values)
    if spelling is None:
        raise Unsupported(f"the activation function '{name}' is not supported")
    alpha, beta = next(alphas, 1.0), next(betas, 1.0)
    return _affine(node, alpha, beta) if spelling == "Affine" else _scaled_tanh(node, alpha, beta)


def _affine(node: Node, alpha: float, beta: float) -> Function:
    def apply(x: SSAValue) -> SSAValue:
        return node.emit(
            "add", node.emit("mul", x, node.constant_like(alpha, x)), node.constant_like(beta, x)
        )

    return apply


def _scaled_tanh(node: Node, alpha: float, beta: float) -> Function:
    def apply(x: SSAValue) -> SSAValue:
        inner = node.emit("tanh", node.emit("mul", x, node.constant_like(beta, x)))
        return node.emit("mul", inner, node.constant_like(alpha, inner))

    return apply
