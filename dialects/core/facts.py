"""What is known of an operation before it is looked at: traits, effects and the names of its operands.

For upstream's dialects the facts stand in ``dialects/<dialect>/facts.py``, a line an op: its name, its traits
as letters, its memory effects, its operands (``?`` optional, ``*`` variadic). They hold whatever class stands
for the op. For other dialects they follow from the traits of the op's class.

Letters: ``P`` no effects, ``N`` those of the ops inside, ``M`` a rule in :mod:`lamina.dialects.core.effects`,
``S`` may run early, ``s`` may if all inside may, ``c`` depends, ``T`` terminator, ``R`` return-like,
``C`` constant, ``I`` isolated from above, ``K`` commutative, ``D`` idempotent, ``V`` its own inverse,
``Y`` symbol, ``B`` symbol table, ``G`` graph regions, ``A`` frees what is allocated on the stack inside,
``E`` elementwise. Effects: ``r`` read, ``w`` write, ``a`` allocate, ``f`` free, of an operand (``r0``), of a
result (``a=0``) or of something unnamed (``w-``).
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass, field
from pathlib import Path

from xdsl.dialects.builtin import DenseArrayBase, UnregisteredOp
from xdsl.ir import Operation, SSAValue
from xdsl.traits import (
    ConstantLike,
    IsolatedFromAbove,
    IsTerminator,
    NoMemoryEffect,
    RecursiveMemoryEffect,
    SymbolOpInterface,
    SymbolTable,
)

Effect = tuple[str, str]
"""What happens (``r``, ``w``, ``a``, ``f``), and to what: ``0`` an operand group, ``=0`` a result, ``-``."""


@dataclass(frozen=True)
class Facts:
    """The facts of one op; see the module's text for the letters in ``traits``."""

    name: str
    traits: str = ""
    effects: tuple[Effect, ...] = ()
    operands: tuple[str, ...] = ()
    is_known: bool = True
    """False for ops that no dialect defines: nothing may be assumed of them."""
    is_pure: bool = field(init=False)
    is_terminator: bool = field(init=False)
    is_constant: bool = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "is_pure", "P" in self.traits)
        object.__setattr__(self, "is_terminator", "T" in self.traits)
        object.__setattr__(self, "is_constant", "C" in self.traits)


_UNKNOWN = Facts("", is_known=False)
_tables: dict[str, dict[str, Facts]] = {}
_by_class: dict[type[Operation], Facts] = {}


def facts_of(op: Operation) -> Facts:
    """The facts of an op, looked up once for each class."""
    kind = type(op)
    found = _by_class.get(kind)
    if found is None:
        found = _by_class[kind] = _facts_of_class(op)
    return found


def facts_named(name: str) -> Facts | None:
    """The facts of an op of upstream's dialects by its name, or None."""
    return _table(name.partition(".")[0]).get(name)


def names_of(dialect: str, trait: str) -> tuple[str, ...]:
    """The ops of one of upstream's dialects that have a trait."""
    return tuple(name for name, facts in _table(dialect).items() if trait in facts.traits)


def _facts_of_class(op: Operation) -> Facts:
    if isinstance(op, UnregisteredOp):
        return _UNKNOWN
    return facts_named(op.name) or _from_traits(op)


def _table(dialect: str) -> dict[str, Facts]:
    if dialect not in _tables:
        path = Path(__file__).parent.parent / dialect / "facts.py"
        text = ""
        if dialect.isidentifier() and path.exists():
            text = importlib.import_module(f"lamina.dialects.{dialect}.facts").FACTS
        rows = (_row(dialect, line) for line in text.splitlines())
        _tables[dialect] = {row.name: row for row in rows}
    return _tables[dialect]


def _row(dialect: str, line: str) -> Facts:
    name, traits, effects, *operands = line.split()
    listed = () if effects == "-" else tuple((e[0], e[1:]) for e in effects.split(","))
    return Facts(f"{dialect}.{name}", traits.replace("-", ""), listed, tuple(operands))


_LETTERS = (
    ("P", NoMemoryEffect),
    ("N", RecursiveMemoryEffect),
    ("T", IsTerminator),
    ("C", ConstantLike),
    ("I", IsolatedFromAbove),
    ("Y", SymbolOpInterface),
    ("B", SymbolTable),
)


def _from_traits(op: Operation) -> Facts:
    traits = "".join(letter for letter, trait in _LETTERS if op.get_traits_of_type(trait))
    if "N" in traits and "P" in traits:
        traits = traits.replace("N", "")
    return Facts(op.name, traits + "M" if not set("PN") & set(traits) else traits)


def operand_groups(op: Operation) -> list[tuple[SSAValue, ...]]:
    """The operands by group, as the op declares them: one value, or those of a variadic group."""
    names = facts_of(op).operands
    values = tuple(op.operands)
    segments = op.get_attr_or_prop("operandSegmentSizes")
    several = sum(1 for name in names if name[-1] in "?*") > 1
    if isinstance(segments, DenseArrayBase) and (several or not names):
        sizes = [int(size) for size in segments.get_values()]
    else:
        rest = len(values) - sum(1 for name in names if name[-1] not in "?*")
        sizes = [rest if name[-1] in "?*" else 1 for name in names]
    groups: list[tuple[SSAValue, ...]] = []
    start = 0
    for size in sizes:
        groups.append(values[start : start + size])
        start += size
    return groups


def operands_of(op: Operation, name: str) -> tuple[SSAValue, ...]:
    """The operands of the group that upstream calls ``name``."""
    for group, declared in zip(operand_groups(op), facts_of(op).operands, strict=False):
        if declared.rstrip("?*") == name:
            return group
    raise KeyError(f"'{op.name}' has no operands '{name}'")
