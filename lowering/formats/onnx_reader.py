"""Reads ONNX models into the `onnx` dialect, one operation for each node, one constant for each initialiser.

The names of the model's inputs and outputs become ``nn.name``, symbolic extents ``nn.dims``, of the
arguments and results of ``@main``; every operation's location is the name of its node at the file.
"""

from __future__ import annotations

import re
from collections.abc import Container
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    FileLineColLoc,
    FloatAttr,
    IntAttr,
    IntegerAttr,
    ModuleOp,
    NameLoc,
    NoneType,
    StringAttr,
    f32,
    i64,
)
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from lamina.dialects.core.diagnostics import LaminaError, Location, error
from lamina.dialects.onnx.operations import OPSET_ATTRIBUTE, Custom, NoValue, Yield
from lamina.dialects.onnx.table import DEFAULT_DOMAIN, Operator, find_operator
from lamina.dialects.onnx.types import unknown_type
from lamina.lowering.formats._onnx_functions import with_functions_inlined
from lamina.lowering.formats._onnx_inference import inferred_types
from lamina.lowering.formats._onnx_source import parse_model
from lamina.lowering.formats._onnx_tensors import dimension_names, tensor_attribute, type_of

if TYPE_CHECKING:
    from onnx import ModelProto


def load_onnx(
    source: str | Path | bytes | ModelProto, keep: Container[tuple[str, str]] | None = None
) -> ModuleOp:
    """The module in the `onnx` dialect for a model: a file, the bytes of one, or a ``ModelProto``.

    External data is read from beside the file. With ``keep``, operators whose domain and name are not in it
    are replaced by ONNX's definition of them in simpler operators, where there is one. Raises
    :class:`LaminaError` for a file that is missing, damaged or no ONNX model, and for what the dialect
    cannot hold (sparse tensors).
    """
    proto, name, directory = parse_model(source)
    try:
        return _ModelReader(with_functions_inlined(proto, keep), name, directory).read()
    except LaminaError as problem:
        if problem.diagnostics[0].location is not None:
            raise
        first = problem.diagnostics[0]
        raise error(first.message, Location(name), hint=first.hint, notes=first.notes) from None


class _ModelReader:
    """Builds one module from a model."""

    def __init__(self, proto: Any, name: str, directory: Path | None) -> None:
        self.proto = proto
        self.file = FileLineColLoc(StringAttr(name), IntAttr(0), IntAttr(0))
        self.directory = directory
        self.opset = {entry.domain or DEFAULT_DOMAIN: entry.version for entry in self.proto.opset_import}
        self.types = inferred_types(self.proto)

    def read(self) -> ModuleOp:
        graph = self.proto.graph
        given = {tensor.name for tensor in graph.initializer}
        inputs = [value for value in graph.input if value.name not in given]
        block = Block(arg_types=[self.type_of_value(value.name) for value in inputs])
        values: dict[str, SSAValue] = {}
        for value, argument in zip(inputs, block.args, strict=True):
            if value.name in values:
                raise error(f"the graph has two inputs named '{value.name}'")
            values[value.name] = _named(argument, value.name)
        self.read_graph(graph, block, values)
        results = [self.use(values, value.name, "the graph's outputs") for value in graph.output]
        block.add_op(ReturnOp(*results))
        function = FuncOp(
            "main",
            ([a.type for a in block.args], [r.type for r in results]),
            Region(block),
            arg_attrs=ArrayAttr(_signature_attributes(value) for value in inputs),
            res_attrs=ArrayAttr(_signature_attributes(value) for value in graph.output),
        )
        return ModuleOp([function], attributes=self.module_attributes())

    def module_attributes(self) -> dict[str, Attribute]:
        proto = self.proto
        opset = {domain: IntegerAttr(version, i64) for domain, version in self.opset.items()}
        attributes: dict[str, Attribute] = {OPSET_ATTRIBUTE: DictionaryAttr(opset)}
        if proto.producer_name:
            attributes["onnx.producer"] = StringAttr(
                f"{proto.producer_name} {proto.producer_version}".strip()
            )
        if proto.metadata_props:
            metadata = {entry.key: StringAttr(entry.value) for entry in proto.metadata_props}
            attributes["onnx.metadata"] = DictionaryAttr(metadata)
        return attributes

    def read_graph(self, graph: Any, block: Block, values: dict[str, SSAValue]) -> None:
        """Append a graph's constants and nodes to a block, and their results to the values by name."""
        if graph.sparse_initializer:
            name = graph.sparse_initializer[0].values.name
            raise error(f"the initialiser '{name}' is sparse, which is not supported")
        for tensor in graph.initializer:
            attribute = tensor_attribute(tensor, self.directory, f"the initialiser '{tensor.name}'")
            self.add_constant(attribute, tensor.name, block, values)
        for node in graph.node:
            self.add_node(node, block, values)

    def add_constant(self, value: Attribute, name: str, block: Block, values: dict[str, SSAValue]) -> None:
        kind = getattr(value, "type", None) or self.type_of_value(name)
        op = _operation_of("Constant").create(
            result_types=[kind], attributes={"value": value}, location=self.location(name)
        )
        block.add_op(op)
        values[name] = _named(op.results[0], name)

    def add_node(self, node: Any, block: Block, values: dict[str, SSAValue]) -> None:
        title = node.name or next((name for name in node.output if name), node.op_type)
        where = f"node '{title}' ({node.op_type})"
        operands = [self.operand(name, block, values, where) for name in node.input]
        operator = find_operator(node.op_type, node.domain)
        try:
            attributes, regions = self.attributes(node, operator, values)
        except LaminaError as problem:
            raise error(
                f"{where}: {problem.diagnostics[0].message}", Location(self.file.filename.data)
            ) from None
        outputs = list(node.output)
        while outputs and not outputs[-1]:
            outputs.pop()
        op = (_operation_of(operator.op_name) if operator else Custom).create(
            operands=operands,
            result_types=[self.type_of_value(name) for name in outputs],
            attributes=attributes,
            regions=regions,
            location=self.location(title),
        )
        block.add_op(op)
        for name, result in zip(outputs, op.results, strict=True):
            if name in values and values[name].owner.parent is block:
                raise error(f"{where} gives the value '{name}', which something before it gives already")
            if name:
                values[name] = _named(result, name)

    def operand(self, name: str, block: Block, values: dict[str, SSAValue], where: str) -> SSAValue:
        if name:
            return self.use(values, name, where)
        missing = NoValue.create(result_types=[NoneType()], location=self.file)
        block.add_op(missing)
        return _named(missing.results[0], "none")

    def use(self, values: dict[str, SSAValue], name: str, where: str) -> SSAValue:
        if name not in values:
            raise error(
                f"{where} uses the value '{name}', which nothing before it gives",
                hint="the file is truncated, or its nodes are not in order",
            )
        return values[name]

    def attributes(
        self, node: Any, operator: Operator | None, values: dict[str, SSAValue]
    ) -> tuple[dict[str, Attribute], list[Region]]:
        """A node's attributes, and its graph attributes as regions in the order of their names."""
        attributes: dict[str, Attribute] = {}
        graphs: dict[str, Any] = {}
        if operator is None:
            attributes |= {"domain": StringAttr(node.domain), "op_type": StringAttr(node.op_type)}
        for attribute in node.attribute:
            kind = attribute.AttributeType.Name(attribute.type)
            if kind == "GRAPH":
                graphs[attribute.name] = attribute.g
            else:
                attributes[attribute.name] = self.attribute(attribute, kind)
        if operator is None and graphs:
            attributes["region_names"] = ArrayAttr(StringAttr(name) for name in sorted(graphs))
        return attributes, [self.region(graphs[name], values) for name in sorted(graphs)]

    def attribute(self, attribute: Any, kind: str) -> Attribute:
        match kind:
            case "INT":
                return IntegerAttr(attribute.i, i64)
            case "FLOAT":
                return FloatAttr(attribute.f, f32)
            case "STRING":
                return _string(attribute.s)
            case "INTS":
                return DenseArrayBase.from_list(i64, list(attribute.ints))
            case "FLOATS":
                return DenseArrayBase.from_list(f32, list(attribute.floats))
            case "STRINGS":
                return ArrayAttr(_string(s) for s in attribute.strings)
            case "TENSOR":
                return tensor_attribute(attribute.t, self.directory, f"the attribute '{attribute.name}'")
            case "TENSORS":
                what = f"the attribute '{attribute.name}'"
                return ArrayAttr(tensor_attribute(t, self.directory, what) for t in attribute.tensors)
            case "TYPE_PROTO":
                return type_of(attribute.tp)
            case _:
                raise error(f"the attribute '{attribute.name}' is of kind {kind}, which is not supported")

    def region(self, graph: Any, values: dict[str, SSAValue]) -> Region:
        """A graph attribute as a region: a block, ended by ``onnx.Yield``, that sees the values around it."""
        block = Block(arg_types=[self.type_of_value(value.name) for value in graph.input])
        inner = dict(values)
        for value, argument in zip(graph.input, block.args, strict=True):
            inner[value.name] = _named(argument, value.name)
        self.read_graph(graph, block, inner)
        results = [self.use(inner, value.name, f"the subgraph '{graph.name}'") for value in graph.output]
        block.add_op(Yield.create(operands=results, location=self.file))
        return Region(block)

    def type_of_value(self, name: str) -> Attribute:
        return self.types.get(name) or unknown_type()

    def location(self, name: str) -> NameLoc:
        return NameLoc(StringAttr(name), self.file)


def _operation_of(name: str) -> type[Operation]:
    if not _classes:
        from lamina.dialects.onnx import Onnx

        _classes.update({op.name: op for op in Onnx.operations})
    return _classes[name if "." in name else f"onnx.{name}"]


_classes: dict[str, type[Operation]] = {}


def _string(data: bytes) -> StringAttr:
    return StringAttr(data.decode("utf-8", "replace"))


def _signature_attributes(value: Any) -> DictionaryAttr:
    """``nn.name`` and, where a dimension has a symbolic name, ``nn.dims`` of an input or output."""
    attributes: dict[str, Attribute] = {"nn.name": StringAttr(value.name)}
    if names := dimension_names(value.type):
        attributes["nn.dims"] = ArrayAttr(StringAttr(name) for name in names)
    return DictionaryAttr(attributes)


def _named(value: SSAValue, name: str) -> SSAValue:
    """The value, with a name hint as near to ONNX's name as the syntax allows."""
    hint = re.sub(r"[^A-Za-z0-9_$.-]", "_", name)
    hint = re.sub(r"(_\d+)+$", lambda m: m[0].replace("_", "."), hint)
    if re.match(r"[A-Za-z_$]", hint):
        value.name_hint = hint
    return value
