"""The walk of ``convert-stablehlo-to-nn``: a rule for each op in order, and all failures in one error."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, UnregisteredOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, OpResult, SSAValue
from xdsl.utils.exceptions import VerifyException

from lamina.dialects.core.diagnostics import LaminaError, location_of, op_name
from lamina.dialects.nn.base import ShapeError
from lamina.dialects.stablehlo.calls import CustomCallOp
from lamina.dialects.stablehlo.control_flow import ReturnOp
from lamina.dialects.stablehlo.syntax import StablehloOp
from lamina.lowering.importing.emitter import Unsupported
from lamina.lowering.importing.failures import Failures
from lamina.lowering.importing.known_elements import KnownElements
from lamina.lowering.stablehlo.rules import stablehlo_rule
from lamina.lowering.stablehlo.site import Site, Unconverted

_MIRRORED = ("stablehlo.", "chlo.", "mhlo.")
_NOTES = ("jax.", "mhlo.", "sdy.", "tf.")
"""Attributes that only JAX and XLA read."""


class Conversion:
    """Converts the functions of one module in place."""

    def __init__(self, module: ModuleOp) -> None:
        self.module = module
        self.known = KnownElements()
        self.failures = Failures("operation")
        self.counters: dict[SSAValue, int] = {}
        self.ranges: dict[SSAValue, tuple[int, int]] = {}
        self.converted = 0

    def run(self) -> None:
        """Convert everything, or raise one :class:`LaminaError` for all that has no conversion."""
        functions = [op for op in self.module.body.block.ops if isinstance(op, FuncOp)]
        for function in functions:
            for block in function.body.blocks:
                self.convert_block(block)
        if self.failures.found:
            raise self.failures.error("docs/stablehlo.md lists what is supported")
        for op in (self.module, *functions):
            _drop_notes(op)

    def convert_block(self, block: Block) -> None:
        """Convert the ops of a block in their order, so that each has operands in `nn`. Dead ones go."""
        ops = list(block.ops)
        _erase_unused(ops)
        for op in ops:
            if op.parent is block:
                self.convert_op(op)
        _erase_unused(ops)

    def convert_op(self, op: Operation) -> None:
        """Put `nn` ops in front of an op and let them take over its uses, or note why that fails."""
        if isinstance(op, ReturnOp) or not op_name(op).startswith(_MIRRORED):
            return
        rule = stablehlo_rule.get(op_name(op))
        if rule is None or not isinstance(op, StablehloOp):
            self._fail(op, "there is no conversion for this operation")
            return
        if any(_is_unconverted(operand) for operand in op.operands):
            return
        try:
            results = rule(Site(op, self.known, self.convert_block, self.counters, self.ranges))
            self._replace(op, [results] if isinstance(results, SSAValue) else list(results))
        except Unconverted:
            return
        except (Unsupported, ShapeError, VerifyException) as problem:
            self._fail(op, str(problem))
        except LaminaError as problem:
            self._fail(op, problem.diagnostics[0].message)

    def _replace(self, op: StablehloOp, values: Sequence[SSAValue]) -> None:
        for i, (old, new) in enumerate(zip(op.results, values, strict=True)):
            if old.type != new.type:
                raise Unsupported(f"result {i} has type {old.type}, but its operands give {new.type}")
        for old, new in zip(op.results, values, strict=True):
            old.replace_all_uses_with(new)
        self.converted += 1

    def _fail(self, op: Operation, reason: str) -> None:
        name = op_name(op)
        if isinstance(op, CustomCallOp):
            name = f"{name} @{op.call_target_name.data}"
        self.failures.add(name, reason, "", location_of(op))


def _is_unconverted(value: SSAValue) -> bool:
    return isinstance(value, OpResult) and op_name(value.op).startswith(_MIRRORED)


def _erase_unused(ops: Iterable[Operation]) -> None:
    """Erase the ops that nothing reads; what only has an effect stays, and is reported."""
    for op in reversed(list(ops)):
        mirrored = isinstance(op, StablehloOp | UnregisteredOp) and op_name(op).startswith(_MIRRORED)
        if mirrored and op.parent and op.results and all(r.first_use is None for r in op.results):
            op.detach()
            op.erase()


def _drop_notes(op: ModuleOp | FuncOp) -> None:
    """Drop attributes that only JAX and XLA read, also from arguments and results."""
    for name in [name for name in op.attributes if name.startswith(_NOTES)]:
        del op.attributes[name]
    if isinstance(op, FuncOp):
        op.arg_attrs = _without_notes(op.arg_attrs)
        op.res_attrs = _without_notes(op.res_attrs)


def _without_notes(attributes: ArrayAttr[DictionaryAttr] | None) -> ArrayAttr[DictionaryAttr] | None:
    if attributes is None:
        return None
    kept = [
        DictionaryAttr({name: value for name, value in entry.data.items() if not name.startswith(_NOTES)})
        for entry in attributes
    ]
    return ArrayAttr(kept) if any(entry.data for entry in kept) else None
