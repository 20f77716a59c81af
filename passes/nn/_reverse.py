"""Reverse mode over the ops of a block: cotangents from results back to what they depend on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias

from xdsl.dialects.builtin import LocationAttr
from xdsl.ir import Block, Operation, SSAValue

from lamina.dialects.core.diagnostics import Diagnostic, LaminaError, location_of, op_name
from lamina.dialects.nn.base import derivative
from lamina.dialects.nn.derivatives._rules import Adjoint, Reverse
from lamina.dialects.nn.derivatives._terms import Insert, Term
from lamina.passes.nn._activity import carries_derivative, is_differentiable, useful, varied

StructureRule: TypeAlias = Callable[[Operation, "Backward"], None]
"""Continues cotangents through an op with regions, or a call."""
_structure_rules: dict[str, StructureRule] = {}
_recursive = ("scf.if", "scf.for")
"""Ops whose regions' ops need rules, too."""


def structure_rule(name: str) -> Callable[[StructureRule], StructureRule]:
    """Register how cotangents go through an op with regions, or a call."""

    def register(rule: StructureRule) -> StructureRule:
        _structure_rules[name] = rule
        return rule

    return register


HOW_TO_ADD = (
    'register a rule with @derivative("<op>") as in docs/derivatives.md, name a function as rule by the '
    "attribute custom_grad, or put nn.stop_gradient in front"
)


class Backward:
    """Cotangents by value, and the place where ops of the backward pass go."""

    def __init__(self, insert: Insert, active: set[SSAValue]) -> None:
        self._insert = insert
        self.active = active
        """The values whose cotangents are wanted."""
        self._cotangents: dict[SSAValue, Term] = {}
        self._location: LocationAttr | None = None

    def insert(self, op: Operation) -> None:
        """Put an op of the backward pass where it goes, at the location of what it differentiates."""
        if self._location is not None:
            op.location = self._location
        self._insert(op)

    def within(self, block: Block, active: set[SSAValue]) -> Backward:
        """Cotangents inside of a new block, whose ops go to its end."""
        inner = Backward(block.add_op, active)
        inner._location = self._location
        return inner

    def term(self, value: SSAValue) -> Term:
        """A value of the program for a rule to compute with."""
        return Term(value, self.insert)

    def cotangent(self, value: SSAValue) -> Term | None:
        """The sum of the cotangents that reached a value so far."""
        return self._cotangents.get(value)

    def zeros(self, value: SSAValue) -> Term:
        """A cotangent of zeros."""
        return self.term(value).splat(0.0)

    def accumulate(self, value: SSAValue, cotangent: Term | None) -> None:
        """Add a cotangent to a value's, if it is wanted."""
        if cotangent is None or value not in self.active:
            return
        cotangent = self.term(cotangent.value)  # in a region, ops on it go there, wherever it was made
        before = self._cotangents.get(value)
        self._cotangents[value] = cotangent if before is None else before + cotangent

    def run(self, ops: Sequence[Operation]) -> None:
        """Take cotangents through ops, from the last to the first."""
        for op in reversed(ops):
            if any(r in self._cotangents for r in op.results):
                outer, self._location = self._location, op.location
                self._through(op)
                self._location = outer

    def _through(self, op: Operation) -> None:
        structure = _structure_rules.get(op.name)
        if structure is not None:
            structure(op, self)
            return
        rule: Reverse | None = derivative.get(op.name)
        assert rule is not None, f"check_rules was not asked about {op.name}"
        needs = tuple(v in self.active for v in op.operands)
        at = Adjoint(
            op,
            tuple(self.term(v) for v in op.operands),
            tuple(self.term(r) for r in op.results),
            tuple(self._cotangents.get(r) for r in op.results),
            needs,
        )
        for operand, cotangent in zip(op.operands, rule(at), strict=True):
            self.accumulate(operand, cotangent)


def active_values(
    ops: Sequence[Operation], inputs: Iterable[SSAValue], results: Iterable[SSAValue]
) -> set[SSAValue]:
    """The values between inputs and results whose cotangents are wanted."""
    return varied(ops, inputs) & useful(ops, results)


def check_rules(ops: Sequence[Operation], active: set[SSAValue]) -> None:
    """Raise one :class:`LaminaError` that lists every op on the way that has no rule."""
    missing = list(_without_rule(ops, active))
    if missing:
        raise LaminaError(*(_no_rule(op) for op in missing))


def _without_rule(ops: Sequence[Operation], active: set[SSAValue]) -> Iterator[Operation]:
    for op in ops:
        if not any(r in active for r in op.results):
            continue
        if op.name in _recursive:
            for block in (b for region in op.regions for b in region.blocks):
                inner = [inner for inner in block.ops if inner is not block.last_op]
                results = block.last_op.operands if block.last_op is not None else ()
                inputs = active | _carried(op, block, inner, active)
                yield from _without_rule(inner, active_values(inner, inputs, results))
        elif op.name not in _structure_rules and op.name not in derivative:
            yield op


def _carried(op: Operation, block: Block, ops: Sequence[Operation], active: set[SSAValue]) -> set[SSAValue]:
    """What a loop carries and derivatives may pass through: tensors, and bare numbers made from such."""
    end = block.last_op
    found: set[SSAValue] = {a for a in block.args if is_differentiable(a.type)}
    numbers = [a for a in block.args if carries_derivative(a.type) and a not in found]
    while numbers and end is not None:
        reached = varied(ops, active | found)
        # Start values are a loop's last operands, and what it carries are its block's last arguments.
        pairs = zip(reversed(block.args), reversed(op.operands), reversed(end.operands), strict=False)
        more = {a for a, start, after in pairs if a in numbers and (start in active or after in reached)}
        if more <= found:
            break
        found |= more
    return found


def _no_rule(op: Operation) -> Diagnostic:
    hint = "make it a loop that counts, scf.for" if op.name == "scf.while" else HOW_TO_ADD
    return Diagnostic(f"'{op_name(op)}' op has no derivative rule", location_of(op), hint=hint)
