"""A small reader of ONNX graphs, for frameworks that have none: a table of operators makes steps of them.

A table maps the name of an operator to a function of a :class:`Node`; what it returns takes the operands as
values of the framework. Attributes and operands that say a shape are read once, before anything runs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper

Compute = Callable[..., Any]


class Unsupported(Exception):
    """A node that a table of operators does not know how to compute; the message says why."""


@dataclass(frozen=True)
class Node:
    """A node of a graph, as the tables see it."""

    operator: str
    operands: tuple[str, ...]
    result: str
    attributes: Mapping[str, Any]
    constants: Mapping[int, np.ndarray]
    """The operands that are constants of the model, by position."""
    opset: int

    def ints(self, name: str, default: Sequence[int] = ()) -> tuple[int, ...]:
        """An attribute that is a list of integers."""
        return tuple(self.attributes.get(name, default))

    def constant(self, position: int, what: str) -> np.ndarray:
        """An operand that has to be known before the model runs."""
        if position not in self.constants:
            raise Unsupported(f"{self.operator}: {what} is not a constant of the model")
        return self.constants[position]

    def setting(self, name: str, position: int) -> Any:
        """What older operator sets have as an attribute and newer ones as an operand; None if left out."""
        if name in self.attributes:
            return self.attributes[name]
        given = position < len(self.operands) and self.operands[position]
        return self.constant(position, name).tolist() if given else None

    def refuse(self, unless: bool, what: str) -> None:
        """Raise :class:`Unsupported` unless a condition holds."""
        if not unless:
            raise Unsupported(f"{self.operator}: {what}")


Table = Mapping[str, Callable[[Node], Compute]]
"""By operator; frozen into a call for each node."""


@dataclass(frozen=True)
class Graph:
    """The graph of a model."""

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    nodes: tuple[Node, ...]
    constants: Mapping[str, np.ndarray]


def read_graph(model: onnx.ModelProto) -> Graph:
    """The nodes and constants of a model."""
    constants = {c.name: numpy_helper.to_array(c) for c in model.graph.initializer}
    opset = next(i.version for i in model.opset_import if i.domain in ("", "ai.onnx"))
    nodes: list[Node] = []
    for proto in model.graph.node:
        attributes = {a.name: _attribute(a) for a in proto.attribute}
        if proto.op_type == "Constant" and isinstance(attributes.get("value"), np.ndarray):
            constants[proto.output[0]] = attributes["value"]
            continue
        known = {i: constants[name] for i, name in enumerate(proto.input) if name in constants}
        name = f"{proto.domain}.{proto.op_type}" if proto.domain else proto.op_type
        if len(proto.output) != 1:
            raise Unsupported(f"{name}: {len(proto.output)} results")
        nodes.append(Node(name, tuple(proto.input), proto.output[0], attributes, known, opset))
    inputs = tuple(value.name for value in model.graph.input if value.name not in constants)
    return Graph(inputs, tuple(value.name for value in model.graph.output), tuple(nodes), constants)


def _attribute(proto: onnx.AttributeProto) -> Any:
    value = helper.get_attribute_value(proto)
    if isinstance(value, bytes):
        return value.decode()
    return numpy_helper.to_array(value) if isinstance(value, onnx.TensorProto) else value


class Steps:
    """The nodes of a graph as calls of a framework's functions."""

    def __init__(self, graph: Graph, table: Table) -> None:
        unknown = sorted({node.operator for node in graph.nodes} - set(table))
        if unknown:
            raise Unsupported(f"no operator {', '.join(unknown)}")
        self._steps = [(table[n.operator](n), n.operands, n.result) for n in graph.nodes]
        self._inputs, self._outputs = graph.inputs, graph.outputs
        used = {name for node in graph.nodes for name in node.operands} | set(graph.outputs)
        self.constants = {name: array for name, array in graph.constants.items() if name in used}
        """The constants that nodes may read when they run."""

    def run(self, constants: Mapping[str, Any], inputs: Sequence[Any]) -> list[Any]:
        """The results for inputs, both in the order of the model."""
        values = {**constants, **dict(zip(self._inputs, inputs, strict=True))}
        for compute, operands, result in self._steps:
            values[result] = compute(*[values[name] if name else None for name in operands])
        return [values[name] for name in self._outputs]
