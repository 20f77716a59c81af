"""What a model takes at least: operations and bytes, and from them the time that the machine allows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from benchmarks.limits import Limits


@dataclass(frozen=True)
class Cost:
    """The work of one run of a model."""

    flops: int
    """Operations of convolutions and matrix products (a multiply-add is two)."""
    bytes: int
    """Bytes of inputs, outputs and weights, each touched once."""
    read: int
    """Those of inputs and weights."""

    def seconds(self, limits: Limits, cache_bytes: int) -> float:
        """The least time on a machine. What fits into the caches may stay there, so it costs no bandwidth."""
        moving = max(self.bytes / limits.bandwidth, self.read / limits.reading)
        return max(self.flops / limits.flops, moving if self.bytes > cache_bytes else 0.0)


def cost_of(model: Any) -> Cost:
    """The cost of an ONNX model of fixed shapes."""
    import onnx

    inferred = onnx.shape_inference.infer_shapes(model, data_prop=True)
    graph = inferred.graph
    shapes = {tensor.name: tuple(tensor.dims) for tensor in graph.initializer}
    for value in [*graph.input, *graph.value_info, *graph.output]:
        shapes[value.name] = tuple(dim.dim_value for dim in value.type.tensor_type.shape.dim)
    read = {value.name for value in graph.input} | {tensor.name for tensor in graph.initializer}
    touched = read | {value.name for value in graph.output}
    moved, given = (4 * sum(math.prod(shapes[name]) for name in names) for names in (touched, read))
    return Cost(sum(_flops(node, shapes) for node in graph.node), moved, given)


def _flops(node: Any, shapes: dict[str, tuple[int, ...]]) -> int:
    """Operations of a node; nothing for what is neither a convolution nor a product."""
    if node.op_type not in ("Conv", "MatMul", "Gemm"):
        return 0
    result, first, second = (shapes.get(name, ()) for name in (node.output[0], node.input[0], node.input[1]))
    if not (result and first and second):
        return 0
    if node.op_type == "Conv":
        return 2 * math.prod(result) * math.prod(second[1:])
    transposed = any(a.name == "transA" and a.i for a in node.attribute)
    return 2 * math.prod(result) * (first[0] if transposed else first[-1])
