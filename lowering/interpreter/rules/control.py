"""``scf`` and ``func``: loops, branches and calls."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
from xdsl.dialects import scf

from lamina.lowering.interpreter.machine import Interpreter, Value, interprets


@interprets("func.call")
def _call(machine: Interpreter, op: Any, operands: Sequence[Value]) -> Sequence[Value]:
    return machine.call(op.callee.root_reference.data, operands)


@interprets("scf.for")
def _for(machine: Interpreter, op: scf.ForOp, operands: Sequence[Value]) -> Sequence[Value]:
    low, high, step, *carried = operands
    dtype = np.asarray(low).dtype
    unsigned = op.get_attr_or_prop("unsignedCmp") is not None
    mask = (1 << 8 * dtype.itemsize) - 1
    bounds = [int(v) & mask if unsigned else int(v) for v in (low, high, step)]
    for i in range(*bounds):
        carried = list(machine.run_region(op.body, [np.asarray(i).astype(dtype)[()], *carried]))
    return carried


@interprets("scf.if")
def _if(machine: Interpreter, op: scf.IfOp, operands: Sequence[Value]) -> Sequence[Value]:
    region = op.true_region if operands[0] else op.false_region
    return machine.run_region(region, []) if region.blocks else []


@interprets("scf.while")
def _while(machine: Interpreter, op: scf.WhileOp, operands: Sequence[Value]) -> Sequence[Value]:
    while True:
        go_on, *passed = machine.run_region(op.before_region, operands)
        if not go_on:
            return passed
        operands = machine.run_region(op.after_region, passed)


@interprets("scf.execute_region")
def _execute_region(machine: Interpreter, op: Any, operands: Sequence[Value]) -> Sequence[Value]:
    return machine.run_region(op.regions[0], [])


@interprets("scf.index_switch")
def _index_switch(machine: Interpreter, op: Any, operands: Sequence[Value]) -> Sequence[Value]:
    cases = list(op.cases.get_values())
    chosen = (
        op.case_regions[cases.index(int(operands[0]))] if int(operands[0]) in cases else op.default_region
    )
    return machine.run_region(chosen, [])


@interprets("scf.parallel")
def _parallel(machine: Interpreter, op: scf.ParallelOp, operands: Sequence[Value]) -> Sequence[Value]:
    rank = len(op.lowerBound)
    lows, highs, steps = (operands[k * rank : (k + 1) * rank] for k in range(3))
    carried = list(operands[3 * rank :])
    reduce = op.body.block.last_op
    ranges = [range(int(a), int(b), int(s)) for a, b, s in zip(lows, highs, steps, strict=True)]
    for indices in product(*ranges):
        contributions = machine.run_region(op.body, [np.int64(i) for i in indices])
        for k, value in enumerate(contributions):
            assert reduce is not None
            carried[k] = machine.run_region(reduce.regions[k], [carried[k], value])[0]
    return carried


@interprets("cf.assert")
def _assert(machine: Interpreter, op: Any, operands: Sequence[Value]) -> Sequence[Value]:
    if not operands[0]:
        from lamina.dialects.core.diagnostics import error

        raise error(f"failed: {op.msg.data}", op)
    return []
