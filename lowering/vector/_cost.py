"""An estimate of the cycles that a tiling of a root takes on a superscalar core with vector units.

One step of a tile is bound by its arithmetic (two operations a cycle), by its loads or, in a reduction, by
the latency of the accumulation. Edges count as whole steps.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import ceil, prod

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, IntegerType, ShapedType
from xdsl.dialects.linalg.ops import IndexOp, YieldOp
from xdsl.ir import Attribute

from lamina.lowering.codegen.target import Target
from lamina.lowering.vector._access import Access, Structured
from lamina.lowering.vector._combiner import fused_products

_LATENCY = 4
_LOADS = 1.6
"""Loads that a cycle sustains beside arithmetic (two are the peak)."""
_LOAD_OVERHEAD = 0.8
"""What a load costs even where arithmetic takes longer, where each vector is a whole line: broadcasts and
vectors take turns with multiply-adds at the front of the core, above all where it runs a second thread."""
_TILE_OVERHEAD = 6
_STEP_OVERHEAD = 0.8
_DELAYS = (0.0, 0.5, 1.5)
"""What a load costs beyond its issue, from the first, second and third-level cache."""
_RUN = 4
"""What each run of neighbours from memory costs beyond its lines, in lines (pages, lost prefetching)."""
_HORIZONTAL = 8
_LARGEST_STRIDE = 4
_WEIGHTS = {"divf": 5, "sqrt": 5, "rsqrt": 8, "maximumf": 3, "minimumf": 3, "maxnumf": 3, "minnumf": 3}
_WEIGHTS |= dict.fromkeys(("absf", "absi", "copysign", "fma", "floor", "ceil", "roundeven", "trunc"), 1)
FUNCTION_WEIGHT = 20
"""What an elementary function counts: as many operations."""


def arithmetic_of(of: Structured) -> float:
    """Operations of a body for one element."""
    skipped = set(fused_products(of).values())
    counted = 0.0
    for op in of.body.ops:
        if isinstance(op, YieldOp | IndexOp | arith.ConstantOp) or op in skipped:
            continue
        dialect, _, name = op.name.partition(".")
        counted += _WEIGHTS.get(name, FUNCTION_WEIGHT if dialect == "math" else 1)
    return max(1.0, counted)


def bits_of(element: Attribute) -> int:
    """The width of an element in a vector register."""
    if isinstance(element, IntegerType):
        return max(8, element.width.data)
    return element.bitwidth if isinstance(element, AnyFloat) else 64


@dataclass(frozen=True)
class CostModel:
    """What the loops of a root cost on a target."""

    root: Structured
    target: Target

    @cached_property
    def lanes(self) -> int:
        """Elements of a vector register: those of the widest type in the body."""
        values = [*self.root.body.args, *(r for op in self.root.body.ops for r in op.results)]
        widest = max(bits_of(v.type) for v in values if not isinstance(v.type, IntegerType) or v.type != _I1)
        return self.target.lanes(widest)

    @cached_property
    def arithmetic(self) -> float:
        """Operations of the body for one element."""
        return arithmetic_of(self.root)

    @cached_property
    def inputs(self) -> list[Access]:
        """Accesses of the inputs that are read from memory."""
        return [
            self.root.input_accesses[i]
            for i in self.root.used_inputs()
            if isinstance(self.root.inputs[i].type, ShapedType)
        ]

    def is_vector_loop(self, loop: int) -> bool:
        """Whether vectors can run through a loop: contiguous in the outputs, nearly so in the inputs."""
        for access in self.root.output_accesses:
            if _depends(access, loop) and access[-1].is_loop() != loop:
                return False
        return all(self._row_cost(access, loop) is not None for access in self.inputs)

    def _row_cost(self, access: Access, loop: int) -> float | None:
        """Loads for each vector along a loop; None where the elements lie too far apart."""
        if not _depends(access, loop):
            return 1.0
        stride = access[-1].coefficient(loop)
        if _depends(access[:-1], loop) or not 1 <= stride <= _LARGEST_STRIDE:
            return None
        return 1.0 if stride == 1 else 2.0 * stride

    def accumulators(self, steps: Mapping[int, int], vector: int) -> int:
        """Vector registers that one step computes."""
        outer = prod(step for loop, step in steps.items() if loop != vector)
        return outer * ceil(steps.get(vector, 1) / self.lanes)

    def fits(self, steps: Mapping[int, int], vector: int) -> bool:
        """Whether a step's accumulators and the operands they are made from stay in registers."""
        held = self.accumulators(steps, vector)
        registers = self.target.vector_registers
        if self.arithmetic > 1:
            # Intermediate values take registers, too; several chains of operations hide their latency.
            return held <= registers // 4
        if not self.root.reductions:
            return held <= registers // 2
        reused = [
            self._loads(access, steps, vector)
            for access in self.inputs
            if _depends(access, vector)
            and any(step > 1 and not _depends(access, loop) for loop, step in steps.items())
        ]
        rows = min(reused, default=0)
        # What is used once only, LLVM loads ahead: the scalars of a single row, a depthwise product's inputs.
        used_once = any(self._loads(access, steps, vector) >= held for access in self.inputs)
        return held + rows + (held if reused and used_once else 1) <= registers

    def _loads(self, access: Access, steps: Mapping[int, int], vector: int) -> float:
        outer = prod(step for loop, step in steps.items() if loop != vector and _depends(access, loop))
        if not _depends(access, vector):
            return outer
        return outer * ceil(steps.get(vector, 1) / self.lanes) * (self._row_cost(access, vector) or 1.0)

    def step(self, steps: Mapping[int, int], vector: int) -> float:
        """Cycles of one step of a tile."""
        computed = self.accumulators(steps, vector) * self.arithmetic / 2
        loads = [self._loads(access, steps, vector) for access in self.inputs]
        delays = (
            n * self._delay(access, steps, vector) for n, access in zip(loads, self.inputs, strict=True)
        )
        bound = max(computed, sum(loads) / _LOADS, _LATENCY if self.root.reductions else 1)
        return bound + self._load_overhead * sum(loads) + sum(delays) + _STEP_OVERHEAD

    @cached_property
    def _load_overhead(self) -> float:
        """What a load of a product's factor costs beside its arithmetic."""
        is_product = self.root.reductions and len(self.inputs) > 1
        return _LOAD_OVERHEAD if is_product and self.target.vector_bits >= 8 * self.target.line_bytes else 0.0

    def _delay(self, access: Access, steps: Mapping[int, int], vector: int) -> float:
        """What a load costs beyond its issue, by the cache that holds what a tile reads of an input."""
        if not _depends(access, vector):
            return _DELAYS[0]
        reductions, sizes = self.root.reductions, self.root.sizes
        if self._is_read_once(access, steps):
            return self._streaming_delay(access, steps)
        read = prod(
            sizes[loop] if loop in reductions else steps.get(loop, 1)
            for loop in self.root.loops
            if _depends(access, loop)
        )
        return self._delay_from(read)

    def _is_read_once(self, access: Access, steps: Mapping[int, int]) -> bool:
        """Whether no tile reads what another has read: no window slides, and all loops over tiles move it."""
        if any(len(expression.coefficients) > 1 for expression in access):
            return False
        sizes = self.root.sizes
        return all(_depends(access, d) for d in self.root.parallels if steps.get(d, 1) < sizes[d])

    def _streaming_delay(self, access: Access, steps: Mapping[int, int]) -> float:
        """The delay of what is read once: it comes from where the whole operand is."""
        read = prod(size for loop, size in enumerate(self.root.sizes) if _depends(access, loop))
        delay = self._delay_from(read)
        if delay < _DELAYS[2]:
            return delay
        run = prod(steps.get(loop, 1) for loop, _ in access[-1].coefficients)
        lines = max(1.0, run * self._bytes / self.target.line_bytes)
        return delay * (1 + _RUN / lines)

    def _delay_from(self, elements: int) -> float:
        size = elements * self._bytes
        if size <= self.target.l1_bytes * 0.75:
            return _DELAYS[0]
        return _DELAYS[1] if size <= self.target.l2_bytes / 2 else _DELAYS[2]

    @property
    def _bytes(self) -> int:
        return self.target.vector_bits // 8 // self.lanes

    def total(self, tile: Mapping[int, int], vector: int) -> float:
        """Cycles of all tiles; ``tile`` holds the loops that are tiled by more than 1."""
        reductions, sizes = self.root.reductions, self.root.sizes
        untiled = {loop: size for loop, size in enumerate(sizes) if loop not in tile}
        repeats = prod(size for loop, size in untiled.items() if loop in reductions)
        tiles = prod(size for loop, size in untiled.items() if loop not in reductions)
        counts = {loop: ceil(sizes[loop] / step) for loop, step in tile.items()}
        inner = prod(n for loop, n in counts.items() if loop in reductions) * repeats
        outer = prod(n for loop, n in counts.items() if loop not in reductions) * tiles
        results = self.accumulators({d: s for d, s in tile.items() if d not in reductions}, vector)
        overhead = _TILE_OVERHEAD + results * (_HORIZONTAL if vector in reductions else 2)
        return outer * (self.step(tile, vector) * inner + overhead)


_I1 = IntegerType(1)


def _depends(access: Access, loop: int) -> bool:
    for expression in access:  # without generators: nearly all of the time of scheduling is spent here
        for varying, _ in expression.coefficients:
            if varying == loop:
                return True
    return False
