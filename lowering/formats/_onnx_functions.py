"""Operators that are defined by others: a model's own functions, and ONNX's. Only for `onnx_reader`."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from typing import Any

from lamina.dialects.core.diagnostics import error
from lamina.dialects.onnx.table import DEFAULT_DOMAIN
from lamina.lowering.formats._onnx_inference import inferred_protos

_MAX_DEPTH = 8
"""How deep definitions by definitions are followed."""


def with_functions_inlined(proto: Any, keep: Container[tuple[str, str]] | None) -> Any:
    """The model without functions of its own, and without operators that are not to be kept.

    An operator outside of ``keep`` (domain and name) is replaced by ONNX's definition of it in simpler
    operators, where it has one. The given model is not changed.
    """
    if proto.functions:
        from onnx import inliner

        try:
            proto = inliner.inline_local_functions(proto)
        except Exception as problem:  # the C++ code raises whatever it likes
            raise error(f"the model's own functions cannot be inlined ({problem})") from None
    if keep is None:
        return proto
    for _ in range(_MAX_DEPTH):
        expansion = _Expansion(proto, keep)
        if not expansion.finds(proto.graph):
            return proto
        proto = expansion.run()
        if not expansion.count:
            return proto
    return proto


class _Expansion:
    """One round: every operator that is not kept, replaced by its definition."""

    def __init__(self, proto: Any, keep: Container[tuple[str, str]]) -> None:
        self.proto = proto
        self.keep = keep
        self.versions = {entry.domain or DEFAULT_DOMAIN: entry.version for entry in proto.opset_import}
        self.types: Mapping[str, Any] = {}
        self.count = 0

    def finds(self, graph: Any) -> bool:
        """Whether a graph holds an operator to replace."""
        return any(
            self.schema(node) is not None or any(self.finds(a.g) for a in node.attribute if a.HasField("g"))
            for node in graph.node
        )

    def run(self) -> Any:
        """A copy of the model with the definitions in place."""
        from onnx import ModelProto

        self.types = inferred_protos(self.proto)
        copy = ModelProto()
        copy.CopyFrom(self.proto)
        self.expand(copy.graph)
        return copy

    def schema(self, node: Any) -> Any:
        """The schema of an operator that is not kept and has a definition, else None."""
        from onnx import defs

        domain = node.domain or DEFAULT_DOMAIN
        version = self.versions.get(domain)
        if (domain, node.op_type) in self.keep or version is None:
            return None
        try:
            schema: Any = defs.get_schema(node.op_type, version, node.domain)
        except defs.SchemaError:
            return None
        return schema if schema.has_function or schema.has_context_dependent_function else None

    def expand(self, graph: Any) -> None:
        nodes: list[Any] = []
        for node in graph.node:
            for attribute in node.attribute:
                if attribute.HasField("g"):
                    self.expand(attribute.g)
            body = self.definition(node)
            nodes += [node] if body is None else body
        copies = [_copy(node) for node in nodes]
        del graph.node[:]
        graph.node.extend(copies)

    def definition(self, node: Any) -> list[Any] | None:
        """The nodes that stand for an operator, or None."""
        schema = self.schema(node)
        if schema is None:
            return None
        function = self.function(schema, node)
        if function is None:
            return None
        self.count += 1
        given = {attribute.name: attribute for attribute in node.attribute}
        defaults = {name: a.default_value for name, a in schema.attributes.items() if a.default_value.name}
        names = dict(zip(function.input, [*node.input, *[""] * len(function.input)], strict=False))
        names |= {formal: name for formal, name in zip(function.output, node.output, strict=False) if name}
        prefix = f"{node.name or next(iter(node.output), node.op_type)}/"
        rename = _renaming(names, f"{prefix}{self.count}/")
        return [_renamed(inner, rename, defaults | given) for inner in function.node]

    def function(self, schema: Any, node: Any) -> Any:
        """The definition of an operator for the model's operator set and the types of its operands."""
        from onnx import FunctionProto

        version = self.versions[node.domain or DEFAULT_DOMAIN]
        function = FunctionProto()
        try:
            if schema.has_function:
                fitting = [v for v in schema.function_opset_versions if v <= version]
                data = schema.get_function_with_opset_version(max(fitting))
            else:
                fitting = [v for v in schema.context_dependent_function_opset_versions if v <= version]
                data = schema.get_context_dependent_function_with_opset_version(
                    max(fitting), node.SerializeToString(), [self.type_of(name) for name in node.input]
                )
        except Exception:  # no definition for this version or these types
            return None
        function.ParseFromString(data)
        return function

    def type_of(self, name: str) -> bytes:
        from onnx import TypeProto

        return self.types.get(name, TypeProto()).SerializeToString()


def _renaming(names: Mapping[str, str], prefix: str) -> Callable[[str], str]:
    """Formal parameters become actual ones, other values get names of their own."""
    return lambda name: names[name] if name in names else prefix + name if name else ""


def _renamed(node: Any, rename: Callable[[str], str], attributes: Mapping[str, Any]) -> Any:
    """A copy of a definition's node with other names, and the attributes that it refers to."""
    copy = _copy(node)
    for field in (copy.input, copy.output):
        field[:] = [rename(name) for name in field]
    copy.name = rename(node.name or next(iter(node.output), node.op_type))
    del copy.attribute[:]
    for attribute in node.attribute:
        referred = attribute.ref_attr_name
        if referred and referred not in attributes:
            continue
        added = copy.attribute.add()
        added.CopyFrom(attributes[referred] if referred else attribute)
        added.name = attribute.name
        if added.HasField("g"):
            _rename_graph(added.g, rename, attributes)
    return copy


def _rename_graph(graph: Any, rename: Callable[[str], str], attributes: Mapping[str, Any]) -> None:
    """Rename the values of a graph attribute in place."""
    nodes = [_renamed(node, rename, attributes) for node in graph.node]
    del graph.node[:]
    graph.node.extend(nodes)
    for named in (*graph.input, *graph.output, *graph.value_info, *graph.initializer):
        named.name = rename(named.name)


def _copy(message: Any) -> Any:
    copy = type(message)()
    copy.CopyFrom(message)
    return copy
