"""``nn``: every op runs its reference."""

from __future__ import annotations

from collections.abc import Sequence

from lamina.dialects.nn.base import NnOp
from lamina.dialects.nn.evaluate import evaluate
from lamina.lowering.interpreter.machine import Interpreter, Value, interprets


@interprets("nn.*")
def _nn(machine: Interpreter, op: NnOp, operands: Sequence[Value]) -> Sequence[Value]:
    return evaluate(op, operands)
