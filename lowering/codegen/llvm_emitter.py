"""The state of one emission of LLVM IR text: names of values, spellings, metadata, declarations.

The tables of instructions (:mod:`llvm_instructions`, :mod:`llvm_intrinsics`, …) write through it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects.builtin import IntegerAttr, SymbolRefAttr
from xdsl.ir import Attribute, Block, Operation, OpResult, SSAValue

from lamina.lowering.codegen.llvm_constants import literal
from lamina.lowering.codegen.llvm_types import Types


class Emitter:
    """Collects the text of one module, a function at a time."""

    def __init__(self, *, is_part: bool = False) -> None:
        self.is_part = is_part
        """Whether the text is one part of a module's: its functions are called from other parts."""
        self.references: dict[str, None] = {}
        """Names of the globals and functions that were used, in order."""
        self.types = Types()
        self.lines: list[str] = []
        """The body of the function at hand."""
        self.declarations: dict[str, str] = {}
        """Declarations of intrinsics by name."""
        self.attributes: dict[str, int] = {}
        self.metadata: list[str] = []
        self._metadata_index: dict[str, int] = {}
        self._names: dict[int, str] = {}
        self._labels: dict[int, str] = {}
        self.edge_labels: dict[tuple[Operation, int], str] = {}
        """Labels of the blocks put on edges which share both ends with another edge."""

    def start_function(self) -> None:
        """Forget the names of the previous function."""
        self.lines = []
        self._names = {}
        self._labels = {}
        self.edge_labels = {}

    def type(self, kind: Attribute) -> str:
        """The spelling of a type."""
        return self.types.text(kind)

    def use(self, value: SSAValue) -> str:
        """The spelling of an operand: the literal of a constant, or a name (also before its definition)."""
        name = self._names.get(id(value))
        if name is None:
            name = self._name(value)
        return name

    define = use

    def typed(self, value: SSAValue) -> str:
        """An operand with its type in front."""
        return f"{self.types.text(value.type)} {self.use(value)}"

    def typed_list(self, values: Sequence[SSAValue]) -> str:
        """Operands with their types, separated by commas."""
        return ", ".join([self.typed(v) for v in values])

    def set_name(self, value: SSAValue, text: str) -> None:
        """Spell a value as the given text wherever it is used."""
        self._names[id(value)] = text

    def _name(self, value: SSAValue) -> str:
        spell = LITERALS.get(value.op.name) if isinstance(value, OpResult) else None
        if spell is not None and isinstance(value, OpResult):
            name = spell(self, value.op)
        else:
            name = f"%v{len(self._names)}"
        self._names[id(value)] = name
        return name

    def label(self, block: Block) -> str:
        """The label of a block, without the percent sign."""
        label = self._labels.get(id(block))
        if label is None:
            label = f"bb{len(self._labels)}"
            self._labels[id(block)] = label
        return label

    def target(self, op: Operation, edge: int) -> str:
        """The label that the ``edge``-th successor of a terminator jumps to."""
        return self.edge_labels.get((op, edge)) or self.label(op.successors[edge])

    def node(self, text: str) -> str:
        """A reference to a metadata node with the given body; equal nodes are one."""
        index = self._metadata_index.get(text)
        if index is None:
            index = len(self.metadata)
            self.metadata.append(text)
            self._metadata_index[text] = index
        return f"!{index}"

    def distinct_node(self, operands: Sequence[str]) -> str:
        """A distinct node whose first operand is itself, as loop metadata wants it."""
        index = len(self.metadata)
        self.metadata.append("distinct !{" + ", ".join([f"!{index}", *operands]) + "}")
        return f"!{index}"

    def refer(self, name: str) -> str:
        """The spelling of a global's or function's name at its use."""
        self.references[name] = None
        return symbol(name)

    def declare(self, name: str, result: str, parameters: Sequence[str]) -> None:
        """Declare an intrinsic once."""
        if name not in self.declarations:
            self.declarations[name] = f"declare {result} @{name}({', '.join(parameters)})"


def symbol(name: str) -> str:
    """A global's name as LLVM IR text, quoted where it is no plain identifier."""
    plain = name and not name[0].isdigit() and all(c.isascii() and (c.isalnum() or c in "._$-") for c in name)
    if plain:
        return f"@{name}"
    return f"@{quoted(name)}"


def quoted(text: str) -> str:
    """A string literal of LLVM IR text."""
    plain = (chr(b) if 32 <= b < 127 and b not in b'"\\' else f"\\{b:02X}" for b in text.encode())
    return '"' + "".join(plain) + '"'


def attribute(op: Operation, name: str) -> Attribute | None:
    """An inherent attribute, whether the op's definition knows it as a property or not."""
    return op.get_attr_or_prop(name)


def integer(op: Operation, name: str, default: int = 0) -> int:
    """The value of an integer attribute, or the default where there is none."""
    found = attribute(op, name)
    return found.value.data if isinstance(found, IntegerAttr) else default


def _constant(emitter: Emitter, op: Operation) -> str:
    return literal(op.properties["value"], op.results[0].type, emitter.types)


def _address(emitter: Emitter, op: Operation) -> str:
    name = op.properties["global_name"]
    assert isinstance(name, SymbolRefAttr)
    return emitter.refer(name.root_reference.data)


def _zero(emitter: Emitter, op: Operation) -> str:
    return "null" if emitter.type(op.results[0].type).startswith("ptr") else "zeroinitializer"


LITERALS: dict[str, Callable[[Emitter, Operation], str]] = {
    "llvm.mlir.constant": _constant,
    "llvm.mlir.addressof": _address,
    "llvm.mlir.undef": lambda emitter, op: "undef",
    "llvm.mlir.poison": lambda emitter, op: "poison",
    "llvm.mlir.zero": _zero,
    "llvm.mlir.none": lambda emitter, op: "none",
}
"""Operations whose result is spelled where it is used; they write no instruction."""
