"""One compilation, stage by stage and pass by pass."""

from __future__ import annotations

import resource
import time
from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from lamina.passes.framework.manager import Instrumentation
from lamina.passes.framework.passes import Pass


class Clock:
    """Wall-clock and processor seconds by stage."""

    def __init__(self) -> None:
        self.stages: dict[str, dict[str, float]] = {}
        self.restart()

    def restart(self) -> None:
        """What passed since the last lap belongs to no stage."""
        self._last = (time.perf_counter(), time.process_time())

    def lap(self, stage: str) -> None:
        """What passed since the last lap belongs to this stage."""
        now = (time.perf_counter(), time.process_time())
        entry = self.stages.setdefault(stage, {"wall": 0.0, "cpu": 0.0})
        entry["wall"] += now[0] - self._last[0]
        entry["cpu"] += now[1] - self._last[1]
        self._last = now

    def total(self) -> dict[str, float]:
        """The sum of all stages."""
        return {kind: sum(stage[kind] for stage in self.stages.values()) for kind in ("wall", "cpu")}


class PassClock(Instrumentation):
    """The time of each pass (all its runs), and the operations in the module after its last run."""

    def __init__(self, module: ModuleOp) -> None:
        self.clock = Clock()
        self.counting = Clock()
        self.operations: dict[str, int] = {}
        self._module = module

    def before(self, pass_: Pass, op: Operation) -> None:
        self.clock.restart()

    def after(self, pass_: Pass, op: Operation) -> None:
        self.clock.lap(pass_.name)
        self.counting.restart()
        if isinstance(op, ModuleOp) or pass_.name not in self.operations:
            self.operations[pass_.name] = sum(1 for _ in self._module.walk())
        self.counting.lap("operations")


def compile_once(model: str) -> dict[str, Any]:
    """Compile a model's file in this process, which has done nothing else yet.

    Imports of the compiler that happen during a stage count for that stage (for the passes as a whole where
    a pass is imported).
    """
    peak_before = _peak_bytes()
    clock = Clock()
    import lamina
    from lamina.lowering.codegen.jit import compile_parts
    from lamina.lowering.formats.llvm_ir import emit_llvm_ir_parts
    from lamina.lowering.specialize import lower

    clock.lap("import")
    module = lamina.load(model)
    clock.lap("load")
    passes = PassClock(module)
    lower(module, [passes])
    clock.lap("passes")
    for kind, seconds in passes.counting.total().items():
        clock.stages["passes"][kind] -= seconds
    texts = emit_llvm_ir_parts(module)
    clock.lap("emit")
    objects = compile_parts(texts)
    clock.lap("llvm")
    stages = {stage: sum(part.timings[stage] for part in objects) for stage in objects[0].timings}
    weights, arena = memory_of(module)
    return {
        "stages": {**clock.stages, "all": clock.total()},
        "passes": passes.clock.stages,
        "operations": passes.operations,
        "optimiser_share": stages["optimise"] / sum(stages.values()),
        "text_bytes": sum(map(len, texts)),
        "code_bytes": sum(len(part.object_bytes) for part in objects),
        "peak_bytes": _peak_bytes(),
        "peak_bytes_before": peak_before,
        "weight_bytes": weights,
        "arena_bytes": arena,
    }


def memory_of(module: ModuleOp) -> tuple[int, int]:
    """Bytes of constants and of working memory of a module in the llvm dialect."""
    from lamina.dialects.core.constants import as_array
    from lamina.lowering.codegen.entry import entry_signature
    from lamina.lowering.formats.llvm_ir import VALUE_ATTRIBUTE

    tops = list(module.body.block.ops)
    values = [value for op in tops if (value := op.attributes.get(VALUE_ATTRIBUTE)) is not None]
    entries = [op for op in tops if op.name == "llvm.func" and _is_named(op, "main")]
    return sum(as_array(value).nbytes for value in values), entry_signature(entries[0]).arena_bytes


def _is_named(op: Operation, name: str) -> bool:
    return getattr(op.properties.get("sym_name"), "data", None) == name


def _peak_bytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
