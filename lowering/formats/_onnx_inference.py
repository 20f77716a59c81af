"""The types of a model's values, as far as the file or ONNX's inference tells. Only for `onnx_reader`."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from xdsl.ir import Attribute

from lamina.lowering.formats._onnx_tensors import type_of

_SHAPE_TENSOR_SIZE = 64
"""Elements up to which a constant may be a shape, and is shown to the inference."""


def inferred_types(proto: Any) -> dict[str, Attribute]:
    """Types by value name, of the graph and its subgraphs. What the inference rejects is left out."""
    return {name: type_of(kind) for name, kind in inferred_protos(proto).items()}


def inferred_protos(proto: Any) -> dict[str, Any]:
    """The same as ``TypeProto``s."""
    from onnx import shape_inference

    types = {value.name: value.type for graph in _graphs(proto.graph) for value in _declared(graph)}
    for graph in _graphs(proto.graph):
        for tensor in graph.initializer:
            types.setdefault(tensor.name, _tensor_type(tensor))
    try:
        inferred = shape_inference.infer_shapes(_without_weights(proto), data_prop=True).graph
    except Exception:  # the inference is a convenience: the conversion infers types by itself
        return types
    for graph in _graphs(inferred):
        for value in graph.value_info:
            types.setdefault(value.name, value.type)
    return types


def _tensor_type(tensor: Any) -> Any:
    from onnx import helper

    return helper.make_tensor_type_proto(tensor.data_type, list(tensor.dims))


def _declared(graph: Any) -> Iterator[Any]:
    yield from graph.input
    yield from graph.output
    yield from graph.value_info


def _graphs(graph: Any) -> Iterator[Any]:
    """A graph and the graphs inside its nodes."""
    yield graph
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from _graphs(attribute.g)


def _without_weights(proto: Any) -> Any:
    """A copy in which large initialisers are inputs, so that inference does not copy them twice."""
    from onnx import ModelProto, helper

    light = ModelProto()
    light.ir_version = proto.ir_version
    light.opset_import.extend(proto.opset_import)
    graph = light.graph
    graph.name = proto.graph.name
    graph.node.extend(proto.graph.node)
    graph.input.extend(proto.graph.input)
    graph.output.extend(proto.graph.output)
    graph.value_info.extend(proto.graph.value_info)
    inputs = {value.name for value in graph.input}
    for tensor in proto.graph.initializer:
        if math.prod(tensor.dims) <= _SHAPE_TENSOR_SIZE and not tensor.external_data:
            graph.initializer.append(tensor)
        elif tensor.name not in inputs:
            graph.input.append(
                helper.make_tensor_value_info(tensor.name, tensor.data_type, list(tensor.dims))
            )
    return light
