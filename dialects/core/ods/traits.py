"""xDSL's traits for what an op table says."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir import Operation
from xdsl.traits import (
    AlwaysSpeculatable,
    Commutative,
    HasParent,
    IsolatedFromAbove,
    IsTerminator,
    MemoryAllocEffect,
    MemoryFreeEffect,
    MemoryReadEffect,
    MemoryWriteEffect,
    NoMemoryEffect,
    NoTerminator,
    OptionalSymbolOpInterface,
    OpTrait,
    Pure,
    RecursivelySpeculatable,
    RecursiveMemoryEffect,
    ReturnLike,
    SingleBlockImplicitTerminator,
    SymbolOpInterface,
    SymbolTable,
)

from lamina.dialects.core.ods.spec import OpSpec

_PLAIN: dict[str, Callable[[], OpTrait]] = {
    "Pure": Pure,
    "NoMemoryEffect": NoMemoryEffect,
    "AlwaysSpeculatable": AlwaysSpeculatable,
    "RecursivelySpeculatable": RecursivelySpeculatable,
    "RecursiveMemoryEffects": RecursiveMemoryEffect,
    "Terminator": IsTerminator,
    "ReturnLike": ReturnLike,
    "NoTerminator": NoTerminator,
    "IsolatedFromAbove": IsolatedFromAbove,
    "SymbolTable": SymbolTable,
    "Commutative": Commutative,
}
"""The traits without parameters that both have (upstream's ``ConstantLike`` has no method in ODS)."""

_EFFECTS: dict[str, Callable[[], OpTrait]] = {
    "read": MemoryReadEffect,
    "write": MemoryWriteEffect,
    "allocate": MemoryAllocEffect,
    "free": MemoryFreeEffect,
}


def traits_of(spec: OpSpec) -> tuple[OpTrait, ...]:
    """The traits of a class that is made from the table."""
    implied = {"NoMemoryEffect", "AlwaysSpeculatable"} if "Pure" in spec.traits else set[str]()
    found: list[OpTrait] = [make() for name, make in _PLAIN.items() if name in spec.traits - implied]
    if "SymbolOpInterface" in spec.traits:
        name = spec.by_name.get("sym_name")
        found.append(OptionalSymbolOpInterface() if name and name.optional else SymbolOpInterface())
    found.extend(_EFFECTS[effect]() for effect in sorted(_effects(spec)))
    for relation in spec.relations:
        if relation[0] == "HasParent":
            found.append(HasParent(*map(_class, relation[1:])))
        elif relation[0] == "SingleBlockImplicitTerminator":
            found.append(SingleBlockImplicitTerminator(_class(relation[1])))
    return tuple(found)


def _effects(spec: OpSpec) -> set[str]:
    """The effects on memory that an op always has."""
    effects = {relation[1] for relation in spec.relations if relation[0] == "Effect"}
    for relation in spec.relations:
        if relation[0] == "MemoryEffects":
            effects.update(relation[1:])
    return {effect.partition(" ")[0] for effect in effects}


def _class(name: str) -> type[Operation]:
    from lamina.dialects.core.ods.classes import class_of

    found = class_of(name)
    assert found is not None, f"the table names the op {name}, which does not exist"
    return found
