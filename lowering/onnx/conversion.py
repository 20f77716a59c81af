"""The walk of ``convert-onnx-to-nn``: a rule for each op in order, and all failures in one error."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xdsl.dialects.builtin import FunctionType, ModuleOp, NameLoc, NoneType, TensorType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, OpResult, SSAValue
from xdsl.utils.exceptions import VerifyException

from lamina.dialects.core.diagnostics import (
    LaminaError,
    error,
    location_of,
    resolve_location,
)
from lamina.dialects.nn.base import ShapeError
from lamina.dialects.onnx.operations import OPSET_ATTRIBUTE, NoValue, OnnxOp, Yield, opset_of
from lamina.dialects.onnx.table import DEFAULT_DOMAIN
from lamina.dialects.onnx.types import AnyType
from lamina.lowering.importing.emitter import Unsupported
from lamina.lowering.importing.failures import Failures
from lamina.lowering.importing.known_elements import KnownElements
from lamina.lowering.onnx.node import Node, Unconverted
from lamina.lowering.onnx.rule_table import find_rule

OLDEST_OPSET = 7
"""The first operator set with NumPy's broadcasting; what came before has another meaning."""
_NOT_KNOWN_YET = ("dynamic", "no constant", "before the model runs", "while the model runs", "branches give")
"""Words of reasons that fall away once shapes or values of inputs are known."""


class Conversion:
    """Converts the functions of one module in place."""

    def __init__(self, module: ModuleOp) -> None:
        self.module = module
        self.versions = opset_of(module)
        self.known = KnownElements()
        self.failures = Failures()
        self.converted = 0

    def run(self) -> None:
        """Convert everything, or raise one :class:`LaminaError` for all that has no conversion."""
        functions = [
            op for op in self.module.body.block.ops if isinstance(op, FuncOp) and self._is_of_a_model(op)
        ]
        self._check_opset(functions)
        for function in functions:
            self._check_arguments(function)
            for block in function.body.blocks:
                self.convert_block(block)
        if self.failures.found:
            raise self.failures.error(self._hint())
        for function in functions:
            _update_results(function)
        for name in [name for name in self.module.attributes if name.startswith("onnx.")]:
            del self.module.attributes[name]

    def _is_of_a_model(self, function: FuncOp) -> bool:
        """Whether a function has a body of ONNX; what stands in a model's module is a part of the model."""
        imported = any(name.startswith("onnx.") for name in self.module.attributes)
        return bool(function.body.blocks) and (
            imported or any(isinstance(op, OnnxOp) for op in function.walk())
        )

    def convert_block(self, block: Block) -> None:
        """Convert the `onnx` ops of a block in order, so that each has operands in `nn`. Dead ones go."""
        _erase_unused(block.ops)
        self.convert_ops(list(block.ops))

    def convert_ops(self, ops: Sequence[Operation]) -> None:
        """Convert the `onnx` ops among some, in their order."""
        for op in ops:
            self.convert_op(op)
        _erase_unused(ops)

    def convert_op(self, op: Operation) -> None:
        """Put `nn` ops in front of an `onnx` op and let them take over its uses, or note why that fails."""
        if not isinstance(op, OnnxOp) or isinstance(op, NoValue | Yield):
            return
        opset = self.versions.get(op.domain, 1)
        rule = find_rule(op.op_type, op.domain, opset)
        if rule is None:
            self._fail(op, "there is no conversion for this operator")
            return
        if any(_is_unconverted(operand) for operand in op.operands):
            return
        try:
            results = rule(Node(op, self.known, opset, self.convert_ops))
        except Unconverted:
            return
        except (Unsupported, ShapeError, VerifyException) as problem:
            self._fail(op, str(problem))
            return
        except LaminaError as problem:
            self._fail(op, problem.diagnostics[0].message)
            return
        self._replace(op, results)

    def _replace(self, op: OnnxOp, results: SSAValue | Sequence[SSAValue]) -> None:
        values = [results] if isinstance(results, SSAValue) else list(results)
        for old, new in zip(op.results, values, strict=False):
            old.replace_all_uses_with(new)
        if any(old.first_use is not None for old in op.results):
            self._fail(op, f"only the first {len(values)} of its {len(op.results)} results are supported")
            return
        self.converted += 1

    def _fail(self, op: OnnxOp, reason: str) -> None:
        domain = "" if op.domain == DEFAULT_DOMAIN else f"{op.domain}."
        title = op.location.desc.data if isinstance(op.location, NameLoc) else ""
        self.failures.add(domain + op.op_type, reason, title, location_of(op))

    def _hint(self) -> str:
        if any(words in reason for _, reason in self.failures.found for words in _NOT_KNOWN_YET):
            return "say what is not known yet: lamina.load(file, input_shapes={'x': [1, 3]}, constants={…})"
        return "docs/onnx-operators.md lists what is converted, and says how a conversion is added"

    def _check_opset(self, functions: list[FuncOp]) -> None:
        version = self.versions.get(DEFAULT_DOMAIN)
        if version is not None and version < OLDEST_OPSET:
            raise error(
                f"the model uses operator set {version}; {OLDEST_OPSET} is the oldest that is supported",
                next((resolve_location(f.location) for f in functions), None),
                hint="onnx.version_converter.convert_version(model, 13) makes a newer one",
            )
        used = any(isinstance(op, OnnxOp) for f in functions for op in f.walk())
        if version is None and used:
            raise error(
                f"the module does not say which operator set it uses (attribute {OPSET_ATTRIBUTE})",
                hint="for example {onnx.opset = {ai.onnx = 13 : i64}}",
            )

    def _check_arguments(self, function: FuncOp) -> None:
        for argument in function.args:
            if not isinstance(argument.type, TensorType) or isinstance(argument.type.element_type, AnyType):
                name = _argument_name(function, argument.index)
                raise error(
                    f"the input '{name}' has type {argument.type}; a tensor of known rank is needed",
                    function,
                    hint="state its shape in the model (a symbolic name for each unknown extent)",
                )


def _is_unconverted(value: SSAValue) -> bool:
    return (
        isinstance(value, OpResult) and isinstance(value.op, OnnxOp) and not isinstance(value.type, NoneType)
    )


def _erase_unused(ops: Iterable[Operation]) -> None:
    """Erase the `onnx` ops that nothing reads."""
    for op in reversed(list(ops)):
        if isinstance(op, OnnxOp) and op.results and all(r.first_use is None for r in op.results):
            op.detach()
            op.erase()


def _argument_name(function: FuncOp, index: int) -> str:
    attributes = function.arg_attrs.data[index].data if function.arg_attrs else {}
    name: Attribute | None = attributes.get("nn.name")
    return getattr(name, "data", f"arg{index}")


def _update_results(function: FuncOp) -> None:
    """Give a function the result types that its return has now."""
    last = function.body.blocks.last.last_op if function.body.blocks.last else None
    if isinstance(last, ReturnOp):
        function.function_type = FunctionType.from_lists(
            list(function.function_type.inputs.data), [v.type for v in last.arguments]
        )
