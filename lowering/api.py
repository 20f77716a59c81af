"""The public entry points above native code: load, parse, interpret."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp, UnrealizedConversionCastOp

from lamina.dialects.core.diagnostics import Location, error, op_name
from lamina.dialects.core.reader import parse as parse_text
from lamina.dialects.core.resources import require_resources
from lamina.dialects.core.verifier import verify
from lamina.lowering.codegen.arguments import arrange_inputs, check_input
from lamina.lowering.codegen.signature import ARENA, DTYPE, RESULT, ArrayInfo
from lamina.lowering.pipelines import FROM_STABLEHLO
from lamina.lowering.signature import attributes_of, find_entry, signature_of
from lamina.passes.framework.manager import PassManager

_IR_SUFFIXES = (".mlir", ".txt")
_STABLEHLO = re.compile(r"[\s\"](?:stablehlo|chlo)\.\w")
"""An operation of the mirror of StableHLO in a text."""


def load(
    source: Any,
    *,
    input_shapes: Mapping[str, Sequence[int]] | None = None,
    constants: Mapping[str, Any] | None = None,
) -> ModuleOp:
    """A model as a module in the ``nn`` dialect.

    ``source`` is the path of an ``.onnx`` or ``.mlir`` file, or an ``onnx.ModelProto``. IR text is parsed and
    verified, and converted where it holds a file format's mirror dialect. Where the conversion of an ONNX
    model depends on them, ``input_shapes`` fixes shapes of inputs, and ``constants`` values of some, by name.
    """
    if isinstance(source, str) and "\n" in source:
        raise error("is text, not the path of a file", Location("<string>"), hint="read it with lamina.parse")
    path = Path(source) if isinstance(source, str | Path) else None
    if path is None or path.suffix == ".onnx":
        from lamina.lowering.onnx.convert_onnx_to_nn import import_onnx

        return import_onnx(source if path is None else path, input_shapes, constants)
    if input_shapes or constants:
        raise error(
            "input_shapes and constants are for ONNX models", Location(str(path)), hint="run nn-set-shapes"
        )
    if path.suffix not in _IR_SUFFIXES:
        hint = "known are .onnx and .mlir"
        raise error(f"files of type '{path.suffix}' cannot be read", Location(str(path)), hint=hint)
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as problem:
        hint = "is it a binary file?"
        raise error("is not UTF-8 text", Location(str(path)), hint=hint) from problem
    except OSError as problem:
        raise error(f"cannot be read: {problem.strerror}", Location(str(path))) from problem
    return module_of(text, str(path))


def module_of(text: str, name: str = "<text>") -> ModuleOp:
    """A model given as IR text, as :func:`load` makes it of a file."""
    if "stablehlo." in text and _STABLEHLO.search(text):
        return from_stablehlo(text, name=name)
    module = parse(text, name=name)
    require_resources(module)
    if any(op.name.startswith("onnx.") for op in module.walk()):
        PassManager(verify_each=False).run(module, "convert-onnx-to-nn")
    return module


def from_stablehlo(text: str, name: str = "<text>") -> ModuleOp:
    """The text of a StableHLO module, as ``jax.jit(f).lower(x).as_text()`` gives it, as a module in ``nn``.

    Calls are inlined. Operations that are unknown or have no conversion are reported in one
    :class:`LaminaError`: each with how often it occurs, the first place, and the reason.
    """
    module = parse(text, allow_unregistered=True, name=name)
    require_resources(module)
    PassManager(verify_each=False).run(module, FROM_STABLEHLO)
    return module


def parse(text: str, allow_unregistered: bool = False, name: str = "<text>") -> ModuleOp:
    """IR text of any registered dialect as a verified module; nothing is converted."""
    module = parse_text(text, name, allow_unregistered=allow_unregistered)
    verify(module)
    return module


def interpret(module: ModuleOp | str | Path, *arguments: Any, entry: str = "main", **named: Any) -> Any:
    """Run a module with the reference interpreter: one array, or a tuple in the order of the results.

    Takes a module at any level down to loops on buffers; arguments are given by position or by the
    model's own input names.
    """
    from lamina.lowering.interpreter import interpret_function

    if not isinstance(module, ModuleOp):
        module = load(module)
    function = find_entry(module, entry)
    signature = signature_of(function)
    values = arrange_inputs(signature.inputs, arguments, named)
    kinds = list(function.function_type.inputs.data)
    passed: list[np.ndarray] = []
    results: dict[int, np.ndarray] = {}
    given = iter(zip(signature.inputs, values, strict=True))
    for kind, attributes in zip(kinds, attributes_of(function.arg_attrs, len(kinds)), strict=True):
        if RESULT in attributes:
            number = attributes[RESULT].value.data  # pyright: ignore[reportAttributeAccessIssue]
            info = signature.outputs[number]
            results[number] = np.zeros(info.shape, _held(info))
            passed.append(results[number])
        elif ARENA in attributes:
            passed.append(np.zeros(kind.get_shape(), np.int8))  # pyright: ignore[reportAttributeAccessIssue]
        else:
            info, value = next(given)
            array = check_input(info, value)
            # nn holds values as the caller does; below it a byte stands for a bool or an unsigned number.
            passed.append(array.view(_held(info)) if DTYPE in attributes else array)
    returned = interpret_function(module, entry, passed)
    held = [results[i] for i in sorted(results)] or returned
    outputs = [np.asarray(v) for v in held]
    outputs = [
        v.view(p.dtype) if v.dtype != p.dtype else v for v, p in zip(outputs, signature.outputs, strict=True)
    ]
    return outputs[0] if len(outputs) == 1 else tuple(outputs)


def _held(info: ArrayInfo) -> np.dtype:
    """The dtype that holds values below ``nn``, where integers are signed."""
    return np.dtype(f"i{info.dtype.itemsize}") if info.dtype.kind in "bu" else info.dtype


def dialects_of(module: ModuleOp) -> set[str]:
    """The dialects of the ops in a module."""
    return {
        op_name(op).split(".", 1)[0] for op in module.walk() if not isinstance(op, UnrealizedConversionCastOp)
    }
