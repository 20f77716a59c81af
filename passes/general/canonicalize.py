"""``canonicalize``: folds and canonicalisation patterns of every dialect, applied to a fixed point."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, DenseResourceAttr, FloatAttr, IntegerAttr
from xdsl.interfaces import HasFolderInterface
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import RewritePattern
from xdsl.traits import HasCanonicalizationPatternsTrait
from xdsl.transforms.canonicalization_patterns.scf import RehoistConstInLoops

from lamina.passes.framework.effects import is_registered
from lamina.passes.framework.passes import ANY_OP, Pass, PassContext, option
from lamina.passes.framework.rewriting import GreedyDriver

_SKIPPED: tuple[type[RewritePattern], ...] = (RehoistConstInLoops,)
"""Patterns of xDSL that are not applied: this one also hoists ops that are only taken for constants."""


@dataclass(frozen=True)
class Canonicalize(Pass):
    """Simplify operations by their folds and canonicalisation patterns.

    ```mlir
    func.func @f(%x: i32) -> i32 {
      %c0 = arith.constant 0 : i32
      %0 = arith.addi %x, %c0 : i32
      return %0 : i32
    }
    ```

    ```mlir
    func.func @f(%x: i32) -> i32 {
      return %x : i32
    }
    ```
    """

    name = "canonicalize"
    anchor = ANY_OP
    statistics = {"rewrites": "folds, patterns and removals applied"}

    max_rewrites: int = option(0, "Give up with an error beyond so many rewrites (0: 64 for each op)")

    def run(self, op: Operation, ctx: PassContext) -> None:
        ctx.count("rewrites", canonicalize(op, self.max_rewrites))


def canonicalize(root: Operation, max_rewrites: int = 0) -> int:
    """Canonicalise everything inside ``root``; returns the number of rewrites."""
    return GreedyDriver(_patterns_of, _fold, _materialise, max_rewrites or None).run(root)


_by_class: dict[type[Operation], tuple[RewritePattern, ...]] = {}


def _patterns_of(op: Operation) -> Sequence[RewritePattern]:
    kind = type(op)
    if kind not in _by_class:
        _by_class[kind] = _collect(op) if is_registered(op) else ()
    return _by_class[kind]


def _collect(op: Operation) -> tuple[RewritePattern, ...]:
    """The patterns of xDSL's trait and of Lamina's table for an op."""
    own: tuple[RewritePattern, ...] = ()
    if op.name.startswith("nn."):
        from lamina.dialects.nn.base import canonicalization

        rule = canonicalization.get(op.name)
        own = tuple(rule()) if rule is not None else ()
    traits = op.get_traits_of_type(HasCanonicalizationPatternsTrait)
    given = tuple(p for trait in traits for p in trait.get_patterns(type(op)))
    return own + tuple(p for p in given if not isinstance(p, _SKIPPED))


def _fold(op: Operation) -> Sequence[SSAValue | Attribute] | None:
    if op.name in ("nn.constant", "arith.constant") or not op.results:
        return None
    if op.name.startswith("nn."):
        from lamina.passes.nn.nn_constant_fold import fold_to_attributes

        return fold_to_attributes(op)
    return op.fold() if isinstance(op, HasFolderInterface) else None


def _materialise(value: Attribute, type: Attribute, op: Operation) -> Operation | None:
    if op.name.startswith("nn."):
        from lamina.dialects.nn.base import make

        return make("nn.constant", [], [type], value=value)
    if isinstance(value, IntegerAttr | FloatAttr | DenseIntOrFPElementsAttr | DenseResourceAttr):
        return ConstantOp(value, type)
    return None
