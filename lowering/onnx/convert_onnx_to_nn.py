"""The pass ``convert-onnx-to-nn``, and the import of an ONNX model in one call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from lamina.dialects.nn.base import DYNAMIC
from lamina.lowering.onnx.conversion import Conversion
from lamina.lowering.onnx.specialize import bind_inputs, set_input_shapes
from lamina.passes.framework.conditions import Condition, no_dialect
from lamina.passes.framework.passes import Pass, PassContext, option
from lamina.passes.nn.nn_set_shapes import argument_names, find_function, parse_shapes

if TYPE_CHECKING:
    from onnx import ModelProto


def convert_onnx_to_nn(module: ModuleOp) -> int:
    """Turn every `onnx` op of a module into `nn` ops, in place; returns how many there were.

    All operators that cannot be converted are reported at once in one :class:`LaminaError`; the module is
    then partly converted.
    """
    conversion = Conversion(module)
    conversion.run()
    return conversion.converted


def import_onnx(
    source: str | Path | bytes | ModelProto,
    input_shapes: Mapping[str, Sequence[int]] | None = None,
    constants: Mapping[str, np.ndarray] | None = None,
) -> ModuleOp:
    """The module in `nn` for an ONNX model: a file, its bytes, or a ``ModelProto``.

    ``input_shapes`` fixes the shapes of inputs, ``constants`` the values of some, by name: a conversion may
    need to know them. Operators without a rule are replaced by ONNX's own definition of them where it has
    one. Raises :class:`LaminaError` for a file that cannot be read, and for operators that remain.
    """
    from lamina.lowering.formats.onnx_reader import load_onnx
    from lamina.lowering.onnx.rule_table import supported_operators

    module = load_onnx(source, keep=supported_operators())
    set_input_shapes(module, input_shapes or {})
    bind_inputs(module, constants or {})
    convert_onnx_to_nn(module)
    return module


def _parsed_shapes(module: ModuleOp, text: str) -> dict[str, list[int]]:
    """Shapes by name, from the text of an option."""
    function = find_function(module, "main")
    named: dict[str, list[int]] = {}
    for index, extents in enumerate(parse_shapes(text, function)):
        if extents is not None:
            name = argument_names(function)[index]
            named[f"arg{index}" if name is None else name] = [DYNAMIC if n is None else n for n in extents]
    return named


@dataclass(frozen=True)
class ConvertOnnxToNn(Pass):
    """Convert ONNX operators to `nn`, by the version of the operator set that the module imports.

    Operators without a counterpart are composed of several ops. Constant operands become attributes; shape
    computations on dynamic extents become ops on the results of ``nn.shape_of``. Whatever cannot be
    converted is reported in one error: the operator, how often it occurs, the first node, and the reason.

    ```mlir
    builtin.module attributes {onnx.opset = {ai.onnx = 13 : i64}} {
      func.func @main(%x: tensor<2x3x4xf32>) -> tensor<2x12xf32> {
        %0 = onnx.Flatten %x {axis = 1 : i64} : (tensor<2x3x4xf32>) -> tensor<2x12xf32>
        %1 = onnx.Relu %0 : (tensor<2x12xf32>) -> tensor<2x12xf32>
        return %1 : tensor<2x12xf32>
      }
    }
    ```

    ```mlir
    func.func @main(%x: tensor<2x3x4xf32>) -> tensor<2x12xf32> {
      %0 = nn.reshape %x {shape = array<i64: 2, 12>} : (tensor<2x3x4xf32>) -> tensor<2x12xf32>
      %1 = nn.relu %0 : (tensor<2x12xf32>) -> tensor<2x12xf32>
      return %1 : tensor<2x12xf32>
    }
    ```
    """

    name = "convert-onnx-to-nn"
    ensures: ClassVar[tuple[Condition, ...]] = (no_dialect("onnx"),)
    statistics: ClassVar[dict[str, str]] = {"converted": "ONNX operations converted"}

    input_shapes: str = option(
        "", "Shapes of inputs that a conversion needs to know, as in x=1x3x224x224,y=1x4"
    )

    def run(self, op: Operation, ctx: PassContext) -> None:
        assert isinstance(op, ModuleOp)
        if self.input_shapes:
            set_input_shapes(op, _parsed_shapes(op, self.input_shapes))
        ctx.count("converted", convert_onnx_to_nn(op))
