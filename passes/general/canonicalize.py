"""``canonicalize``: folds and canonicalisation patterns of every dialect, applied to a fixed point."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from xdsl.interfaces import HasFolderInterface
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import RewritePattern
from xdsl.traits import HasCanonicalizationPatternsTrait

from lamina.dialects.core.diagnostics import error
from lamina.dialects.core.facts import facts_named, facts_of
from lamina.dialects.core.materialization import constant_op
from lamina.dialects.core.simplification import Fold, Folded, folds_of, patterns_of
from lamina.passes.framework.greedy import Greedy, Plan, Stopped, is_shared_constant
from lamina.passes.framework.passes import ANY_OP, Pass, PassContext, option
from lamina.passes.general._regions import simplify_regions
from lamina.passes.general._trait_folds import folds_by_traits


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

    top_down: bool = option(True, "Seed the worklist in the order of the text")
    region_simplify: Literal["disabled", "normal", "aggressive"] = option(
        "normal", "Simplify control flow: not at all, dead and unreachable parts, equal blocks too"
    )
    max_iterations: int = option(10, "Sweeps over the program at most (-1: no limit)")
    max_num_rewrites: int = option(-1, "Rewrites at most, then stop (-1: error beyond 64 for each op)")
    test_convergence: bool = option(False, "Fail if the limits come before the fixed point")
    disable_patterns: tuple[str, ...] = option((), "Names of patterns that are not applied")
    enable_patterns: tuple[str, ...] = option((), "Names of the only patterns to apply (none: all)")

    def run(self, op: Operation, ctx: PassContext) -> None:
        total, converged = canonicalize(
            op,
            top_down=self.top_down,
            region_simplify=self.region_simplify,
            max_iterations=self.max_iterations,
            max_num_rewrites=self.max_num_rewrites,
            disabled=self.disable_patterns,
            enabled=self.enable_patterns,
        )
        ctx.count("rewrites", total)
        if self.test_convergence and not converged:
            raise error("is not at rest when the limits of canonicalize are reached", op)


def canonicalize(
    root: Operation,
    *,
    top_down: bool = True,
    region_simplify: str = "normal",
    max_iterations: int = 10,
    max_num_rewrites: int = -1,
    disabled: Sequence[str] = (),
    enabled: Sequence[str] = (),
) -> tuple[int, bool]:
    """Canonicalise everything inside ``root``; returns the number of rewrites, and whether it came to rest.

    The parameters are the options of the pass. A sweep offers every op once, and again what changed.
    """

    def allowed_plan_of(op: Operation) -> Plan:
        plan = plan_of(op)
        return _restricted(plan, disabled, enabled) if disabled or enabled else plan

    driver = Greedy(allowed_plan_of, constant_op, max_rewrites=max_num_rewrites, top_down=top_down)
    sweeps = 0
    try:
        while max_iterations < 0 or sweeps < max_iterations:
            sweeps += 1
            changes = driver.sweep(root)
            if region_simplify != "disabled":
                changes += simplify_regions(root, merge_blocks=region_simplify == "aggressive")
            if not changes:
                return driver.total, True
    except Stopped:
        pass
    return driver.total, False


_plans: dict[type[Operation], Plan] = {}


def plan_of(op: Operation) -> Plan:
    """What is tried on an op, looked up once for each class."""
    kind = type(op)
    plan = _plans.get(kind)
    if plan is None:
        plan = _plans[kind] = _make_plan(op)
    return plan


def _make_plan(op: Operation) -> Plan:
    facts = facts_of(op)
    if not facts.is_known:
        return Plan(facts)
    if is_shared_constant(op):
        return Plan(facts, is_shared=True)
    own = folds_by_traits(facts) + tuple(folds_of(op.name))
    if op.name.startswith("nn."):
        return Plan(facts, own + _folds_of_nn(op), tuple(patterns_of(op.name)), _patterns_of_nn(op))
    if facts_named(op.name) is not None:
        return Plan(facts, own, tuple(patterns_of(op.name)))
    if isinstance(op, HasFolderInterface) and not facts.is_constant:
        own += (_fold_of_class,)
    return Plan(facts, own, tuple(patterns_of(op.name)), _patterns_of_traits(op))


def _restricted(plan: Plan, disabled: Sequence[str], enabled: Sequence[str]) -> Plan:
    def allowed(name: str) -> bool:
        return name not in disabled and (not enabled or name in enabled)

    patterns = tuple(rule for rule in plan.patterns if allowed(rule.__name__))
    foreign = tuple(rule for rule in plan.foreign if allowed(type(rule).__name__))
    return Plan(plan.facts, plan.folds, patterns, foreign, plan.is_shared)


def _fold_of_class(op: Operation) -> Folded:
    """The fold that an xDSL class defines."""
    assert isinstance(op, HasFolderInterface)
    folded: Sequence[SSAValue | Attribute] | None = op.fold()
    return folded


def _patterns_of_traits(op: Operation) -> tuple[RewritePattern, ...]:
    traits = op.get_traits_of_type(HasCanonicalizationPatternsTrait)
    return tuple(rule for trait in traits for rule in trait.get_patterns(type(op)))


def _folds_of_nn(op: Operation) -> tuple[Fold, ...]:
    if op.name == "nn.constant" or not op.results:
        return ()
    from lamina.passes.nn.nn_constant_fold import fold_to_attributes

    return (fold_to_attributes,)


def _patterns_of_nn(op: Operation) -> tuple[RewritePattern, ...]:
    from lamina.dialects.nn.base import canonicalization

    rule = canonicalization.get(op.name)
    return (tuple(rule()) if rule is not None else ()) + _patterns_of_traits(op)
