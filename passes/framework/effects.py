"""Questions about side effects, answered once for each class of operations where the class tells."""

from __future__ import annotations

from xdsl.dialects.builtin import UnregisteredOp
from xdsl.ir import Operation, SSAValue
from xdsl.traits import (
    IsTerminator,
    MemoryEffect,
    MemoryEffectKind,
    NoMemoryEffect,
    RecursiveMemoryEffect,
    SymbolOpInterface,
    get_effects,
)
from xdsl.traits import is_side_effect_free as is_free_by_traits

_NESTED = "those of the operations inside"
_OWN = "those of the operation"

_effects: dict[type[Operation], bool | str] = {}
"""True for no effects, False for unknown ones, or whose they are."""
_registered: dict[type[Operation], bool] = {}
_stays: dict[type[Operation], bool] = {}
"""Whether operations of a class are never dead."""


def is_registered(op: Operation) -> bool:
    """Whether the op has a definition (nothing may be assumed of one that has none)."""
    kind = type(op)
    if kind not in _registered:  # a dictionary is faster than asking an abstract class
        _registered[kind] = not issubclass(kind, UnregisteredOp)
    return _registered[kind]


def is_side_effect_free(op: Operation) -> bool:
    """Whether the op surely reads, writes, allocates and frees nothing."""
    answer = _effects_of_class(op)
    return answer if isinstance(answer, bool) else is_free_by_traits(op)


def is_dead(op: Operation) -> bool:
    """Whether nobody uses the op's results and running it has no effect that can be seen."""
    for result in op.results:
        if result.first_use is not None:
            return False
    kind = type(op)
    if kind not in _stays:
        _stays[kind] = op.has_trait(IsTerminator, value_if_unregistered=False) or op.has_trait(
            SymbolOpInterface, value_if_unregistered=False
        )
    return not _stays[kind] and _is_unseen(op, op)


def _is_unseen(op: Operation, root: Operation) -> bool:
    """Whether an op in (or at) ``root`` has no effects but to read, and to allocate for ``root`` itself."""
    answer = _effects_of_class(op)
    if isinstance(answer, bool):
        return answer
    if answer is _NESTED:
        return all(_is_unseen(inner, root) for r in op.regions for block in r.blocks for inner in block.ops)
    effects = get_effects(op)
    return effects is not None and all(
        effect.kind is MemoryEffectKind.READ
        or (
            effect.kind is MemoryEffectKind.ALLOC
            and isinstance(effect.value, SSAValue)
            and root.is_ancestor(effect.value.owner)
        )
        for effect in effects
    )


def _effects_of_class(op: Operation) -> bool | str:
    kind = type(op)
    answer = _effects.get(kind)
    if answer is None:
        methods = {type(effect).get_effects for effect in op.get_traits_of_type(MemoryEffect)}
        functions: set[object] = {getattr(method, "__func__", method) for method in methods}
        answer = _effects[kind] = _classified(functions)
    return answer


def _classified(functions: set[object]) -> bool | str:
    if not functions:
        return False
    if functions == {NoMemoryEffect.get_effects.__func__}:  # pyright: ignore[reportFunctionMemberAccess]
        return True
    if functions == {RecursiveMemoryEffect.get_effects.__func__}:  # pyright: ignore[reportFunctionMemberAccess]
        return _NESTED
    return _OWN
