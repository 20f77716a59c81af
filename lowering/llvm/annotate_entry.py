"""Shapes and element types of entries, written down before their arguments become bare pointers."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, MemRefType, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation

from lamina.passes.framework.passes import Pass, PassContext

TYPE = "lamina.type"


def annotate_entry(module: Operation) -> int:
    """Give each memref argument of each public function ``lamina.type``; returns how many were given one.

    An argument that has one keeps it.
    """
    functions = [op for op in module.walk() if isinstance(op, FuncOp) and _is_entry(op)]
    return sum(_annotate(function) for function in functions)


def _is_entry(function: FuncOp) -> bool:
    visibility = function.sym_visibility
    return bool(function.body.blocks) and (visibility is None or visibility.data == "public")


def _annotate(function: FuncOp) -> int:
    types = function.function_type.inputs.data
    given = function.arg_attrs.data if function.arg_attrs is not None else (DictionaryAttr({}),) * len(types)
    annotated = [_with_type(kind, attributes) for kind, attributes in zip(types, given, strict=True)]
    if (count := sum(new is not old for new, old in zip(annotated, given, strict=True))) > 0:
        function.arg_attrs = ArrayAttr(annotated)
    return count


def _with_type(kind: Attribute, attributes: DictionaryAttr) -> DictionaryAttr:
    if not isinstance(kind, MemRefType) or TYPE in attributes.data:
        return attributes
    return DictionaryAttr({**attributes.data, TYPE: TensorType(kind.element_type, kind.get_shape())})


@dataclass(frozen=True)
class AnnotateEntry(Pass):
    """Write the shapes and element types of an entry's buffers onto its arguments.

    At the llvm level buffers are bare pointers; who calls a compiled entry reads ``lamina.type`` there.
    Public functions with a body are entries.

    ```mlir
    func.func @main(%x: memref<4xf32> {nn.name = "x"}, %arena: memref<64xi8> {lamina.arena}) {
      return
    }
    ```

    ```mlir
    func.func @main(%x: memref<4xf32> {nn.name = "x", lamina.type = tensor<4xf32>}, %arena: memref<64xi8> {lamina.arena, lamina.type = tensor<64xi8>}) {
      return
    }
    ```
    """  # noqa: E501

    name = "annotate-entry"
    statistics = {"annotated": "arguments that got a type"}

    def run(self, op: Operation, ctx: PassContext) -> None:
        ctx.count("annotated", annotate_entry(op))
