"""The machine: an environment of values, a table of what each op does, and control flow between blocks.

Tensors and vectors are NumPy arrays that are never written; buffers are arrays (or strided views of them)
that are; scalars are NumPy scalars of the dtype of their type, ``index`` is int64.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, Region, SSAValue

from lamina.dialects.core.diagnostics import did_you_mean, error, op_name
from lamina.dialects.core.tables import RuleTable

Value: TypeAlias = Any
Rule: TypeAlias = Callable[["Interpreter", Any, Sequence[Value]], Sequence[Value]]

interprets: RuleTable[Rule] = RuleTable("meaning", "lamina.lowering.interpreter.rules")
"""``@interprets("scf.for")`` registers ``rule(machine, op, operand values) -> result values``."""

TERMINATORS = frozenset(
    {
        "func.return",
        "scf.yield",
        "scf.condition",
        "scf.reduce",
        "scf.reduce.return",
        "scf.forall.in_parallel",
        "scf.in_parallel",
        "linalg.yield",
        "tensor.yield",
        "affine.yield",
        "memref.alloca_scope.return",
    }
)
"""Ops that hand their operands to the op around them."""


class Interpreter:
    """Runs the functions of one module."""

    def __init__(self, module: ModuleOp) -> None:
        self.module = module
        self.functions = {f.sym_name.data: f for f in module.walk() if isinstance(f, FuncOp)}
        self.globals: dict[str, np.ndarray] = {}
        self._scopes: list[dict[SSAValue, Value]] = [{}]

    def call(self, name: str, arguments: Sequence[Value]) -> list[Value]:
        """Run a function of the module and return its results."""
        function = self.functions.get(name)
        if function is None:
            raise error(f"there is no function '@{name}'", hint=did_you_mean(name, list(self.functions)))
        if function.is_declaration:
            raise error("has no body to interpret", function)
        # A function sees nothing of its caller: a scope of its own.
        self._scopes.append({})
        try:
            return list(self.run_region(function.body, arguments))
        finally:
            self._scopes.pop()

    def value(self, operand: SSAValue) -> Value:
        """What an SSA value stands for now."""
        return self._scopes[-1][operand]

    def run_region(self, region: Region, arguments: Sequence[Value]) -> Sequence[Value]:
        """Run a region from its entry block to a terminator; returns the terminator's operands."""
        block: Block | None = region.blocks.first
        assert block is not None
        while True:
            result, block, arguments = self.run_block(block, arguments)
            if block is None:
                return result

    def run_block(
        self, block: Block, arguments: Sequence[Value]
    ) -> tuple[Sequence[Value], Block | None, Sequence[Value]]:
        """Run one block: the terminator's operands, or the block to go on with and its arguments."""
        scope = self._scopes[-1]
        scope.update(zip(block.args, arguments, strict=True))
        for op in block.ops:
            operands = [scope[v] for v in op.operands]
            if op.name in TERMINATORS:
                return operands, None, ()
            if op.successors:
                target, passed = branch(op, operands)
                return (), target, passed
            scope.update(zip(op.results, self.run_op(op, operands), strict=True))
        return (), None, ()

    def run_op(self, op: Operation, operands: Sequence[Value]) -> Sequence[Value]:
        """Run one op on given operand values."""
        rule = interprets.get(op.name)
        if rule is None:
            if op.name.startswith("nn."):
                rule = interprets.get("nn.*")
            elif op.name.startswith("linalg."):
                rule = interprets.get("linalg.*")
        if rule is None:
            raise error("cannot be interpreted", op, hint=f"no meaning is registered for '{op_name(op)}'")
        return rule(self, op, operands)


def branch(op: Operation, operands: Sequence[Value]) -> tuple[Block, Sequence[Value]]:
    """Where a ``cf`` terminator goes, and with which arguments."""
    match op.name:
        case "cf.br":
            return op.successors[0], operands
        case "cf.cond_br":
            taken = 0 if operands[0] else 1
            then_count = len(op.successors[0].args)
            passed = operands[1 : 1 + then_count] if taken == 0 else operands[1 + then_count :]
            return op.successors[taken], passed
        case _:
            raise error("cannot be interpreted", op)


def interpret_function(module: ModuleOp, entry: str, arguments: Sequence[Value]) -> list[Value]:
    """Run a function of a module on NumPy arrays, with IEEE 754's defaults: no warnings."""
    with np.errstate(all="ignore"):
        return Interpreter(module).call(entry, arguments)
