"""Questions about memory effects, answered by op name from the tables of facts.

An effect is a kind (``r`` read, ``w`` write, ``a`` allocate, ``f`` free) and the value it is on, or None
where it is on something without a name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from xdsl.dialects.builtin import MemRefType, UnrankedMemRefType
from xdsl.ir import Operation, SSAValue
from xdsl.traits import MemoryEffectKind, get_effects

from lamina.dialects.core.facts import Facts, facts_of, operand_groups

ValueEffect = tuple[str, SSAValue | None]


def is_registered(op: Operation) -> bool:
    """Whether the op has a definition (nothing may be assumed of one that has none)."""
    return facts_of(op).is_known


def is_side_effect_free(op: Operation) -> bool:
    """Whether the op, with those inside it, surely reads, writes, allocates and frees nothing."""
    facts = facts_of(op)
    if facts.is_pure:
        return True
    if "N" not in facts.traits and "M" not in facts.traits:
        return False
    own = own_effects(op, facts)
    return own is not None and not own and all(map(is_side_effect_free, _inside(op, facts)))


def is_dead(op: Operation) -> bool:
    """Whether nobody uses the op's results and running it has no effect that can be seen."""
    for result in op.results:
        if result.first_use is not None:
            return False
    return is_removable(op)


def is_removable(op: Operation) -> bool:
    """Whether an op could go if nobody used its results."""
    facts = facts_of(op)
    if facts.is_terminator or "Y" in facts.traits:
        return False
    return facts.is_pure or _is_unseen(op, op)


def effects_of(op: Operation) -> list[ValueEffect] | None:
    """All effects of an op and of those inside it; None where they are not known."""
    facts = facts_of(op)
    if facts.is_pure:
        return []
    found = own_effects(op, facts)
    if found is None:
        return None
    for inner in _inside(op, facts):
        more = effects_of(inner)
        if more is None:
            return None
        found += more
    return found


def own_effects(op: Operation, facts: Facts) -> list[ValueEffect] | None:
    """The effects of an op without those of the ops inside; None where they are not known."""
    if facts.effects:
        return _declared(op, facts)
    traits = facts.traits
    if "M" in traits:
        rule = _RULES.get(op.name) or _RULES.get(op.name.partition(".")[0] + ".*")
        return rule(op) if rule is not None else _by_traits(op)
    return [] if "P" in traits or "N" in traits else None


def _declared(op: Operation, facts: Facts) -> list[ValueEffect]:
    found: list[ValueEffect] = []
    groups: list[tuple[SSAValue, ...]] | None = None
    for kind, target in facts.effects:
        if target == "-":
            found.append((kind, None))
        elif target[0] == "=":
            found.append((kind, op.results[int(target[1:])]) if op.results else (kind, None))
        else:
            groups = groups or operand_groups(op)
            found += [(kind, value) for value in groups[int(target)]]
    return found


def _inside(op: Operation, facts: Facts) -> Iterator[Operation]:
    if "N" in facts.traits:
        for region in op.regions:
            for block in region.blocks:
                yield from block.ops


def _is_unseen(op: Operation, root: Operation) -> bool:
    """Whether an op in (or at) ``root`` has no effects but to read, and to allocate for ``root`` itself."""
    facts = facts_of(op)
    if facts.is_pure:
        return True
    own = own_effects(op, facts)
    if own is None or not all(_is_unseen_effect(kind, value, root) for kind, value in own):
        return False
    return all(_is_unseen(inner, root) for inner in _inside(op, facts))


def _is_unseen_effect(kind: str, value: SSAValue | None, root: Operation) -> bool:
    if kind == "r":
        return True
    return kind == "a" and value is not None and root.is_ancestor(value.owner)


def is_buffer(value: SSAValue) -> bool:
    """Whether a value is a memref."""
    return isinstance(value.type, MemRefType | UnrankedMemRefType)


def _buffers(kinds: str, values: Iterable[SSAValue]) -> list[ValueEffect]:
    return [(kind, value) for value in values if is_buffer(value) for kind in kinds]


def _structured(op: Operation) -> list[ValueEffect]:
    """An op of linalg: it reads its inputs, reads and writes its outputs, where these are buffers."""
    inputs, outputs, *_ = operand_groups(op)
    return _buffers("r", inputs) + _buffers("rw", outputs)


def _access(kind: str, position: int) -> Callable[[Operation], list[ValueEffect] | None]:
    """A load or store of llvm; a volatile or atomic one has effects that nobody can name."""

    def rule(op: Operation) -> list[ValueEffect]:
        found: list[ValueEffect] = [(kind, op.operands[position])]
        volatile = op.get_attr_or_prop("volatile_") is not None
        ordering = getattr(op.get_attr_or_prop("ordering"), "data", 0)
        if volatile or getattr(ordering, "value", ordering) not in (0, 1, "not_atomic", "unordered"):
            found += [("r", None), ("w", None)]
        return found

    return rule


def _by_traits(op: Operation) -> list[ValueEffect] | None:
    """What the traits of an xDSL class say, for ops of other dialects than upstream's."""
    effects = get_effects(op)
    if effects is None:
        return None
    letters = {
        MemoryEffectKind.READ: "r",
        MemoryEffectKind.WRITE: "w",
        MemoryEffectKind.ALLOC: "a",
        MemoryEffectKind.FREE: "f",
    }
    return [
        (letters[effect.kind], effect.value if isinstance(effect.value, SSAValue) else None)
        for effect in effects
    ]


_RULES: dict[str, Callable[[Operation], list[ValueEffect] | None]] = {
    "linalg.*": _structured,
    "linalg.softmax": lambda op: _buffers("r", op.operands[:1]) + _buffers("rw", op.operands[1:]),
    "llvm.load": _access("r", 0),
    "llvm.store": _access("w", 1),
    "vector.transfer_read": lambda op: _buffers("r", op.operands[:1]),
    "vector.transfer_write": lambda op: _buffers("w", op.operands[1:2]),
    "vector.mask": lambda op: [],
    "cf.assert": lambda op: [("w", None)],
    "bufferization.materialize_in_destination": lambda op: _buffers("w", op.operands[1:]),
    "llvm.inline_asm": lambda op: None if op.get_attr_or_prop("has_side_effects") is not None else [],
}
"""The ops whose effects depend on the op, by name or for all others of a dialect."""
