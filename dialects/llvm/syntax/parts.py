"""Words, argument lists and operand bundles that several forms of the llvm dialect share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    IntegerAttr,
    StringAttr,
    UnitAttr,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue

from lamina.dialects.core.ods.formats.attributes import case_text
from lamina.dialects.core.ods.kinds import groups_of
from lamina.dialects.core.ods.spec import EnumSpec, spec_of, table_of
from lamina.dialects.core.ods.syntax import directive
from lamina.dialects.core.verifying.groups import attribute

SEGMENTS = frozenset({"operandSegmentSizes"})


def enum(name: str) -> EnumSpec:
    """An enumeration of the dialect."""
    table = table_of("llvm")
    assert table is not None
    return table.enums[name]


def optional_enum(p: Any, kind: str, mnemonic: str) -> Attribute | None:
    """A keyword of an enumeration as the attribute ``#llvm.<mnemonic><…>``."""
    start = p.at
    word = p.optional_word()
    if word is None or word not in enum(kind).cases or p.at == start:
        p.at = start
        return None
    return p.attribute_from_text(f"#llvm.{mnemonic}<{word}>")


def optional_number(p: Any, kind: str) -> IntegerAttr | None:
    """A keyword of an enumeration that is stored as a number."""
    start = p.at
    word = p.optional_word()
    number = enum(kind).cases.get(word) if word else None
    if number is None:
        p.at = start
        return None
    return IntegerAttr(number, i64)


def word_of(kind: str, value: Any) -> str:
    """The keyword for an attribute that wraps an enumeration or a number; empty for none."""
    if value is None:
        return ""
    if isinstance(value, IntegerAttr):
        return case_text(enum(kind), value.value.data)
    text = str(value)
    return text[text.index("<") + 1 : text.rindex(">")].strip('"')


def put_words(w: Any, words: Sequence[str]) -> None:
    """Words with a blank before each."""
    for word in words:
        if word:
            w.put(f" {word}")


def write_signature(w: Any, op: Operation, inputs: Sequence[Attribute], outputs: Sequence[Attribute]) -> None:
    """``(t {a}, t) -> t`` with the attributes of arguments and results."""
    argument_attributes, result_attributes = attribute(op, "arg_attrs"), attribute(op, "res_attrs")
    _write_types(w, inputs, argument_attributes, True)
    w.put(" -> ")
    _write_types(w, outputs, result_attributes, len(outputs) != 1 or result_attributes is not None)


def _write_types(w: Any, types: Sequence[Attribute], attributes: Any, parentheses: bool) -> None:
    w.put("(" if parentheses else "")
    for number, type in enumerate(types):
        w.put(", " if number else "")
        w.type(type)
        if attributes is not None and number < len(attributes.data) and attributes.data[number].data:
            w.put(" ")
            w.attribute(attributes.data[number])
    w.put(")" if parentheses else "")


def read_signature(p: Any, attributes: dict[str, Attribute]) -> tuple[list[Attribute], list[Attribute]]:
    """``(t {a}, t) -> t``; attributes of arguments and results go where the op keeps them."""
    inputs, of_inputs = _read_types(p)
    p.require("->")
    if p.sees("("):
        outputs, of_outputs = _read_types(p)
    else:
        outputs, of_outputs = [p.type()], [{}]
    if any(of_inputs):
        attributes["arg_attrs"] = ArrayAttr([DictionaryAttr(one) for one in of_inputs])
    if any(of_outputs):
        attributes["res_attrs"] = ArrayAttr([DictionaryAttr(one) for one in of_outputs])
    return inputs, outputs


def _read_types(p: Any) -> tuple[list[Attribute], list[dict[str, Attribute]]]:
    types: list[Attribute] = []
    attributes: list[dict[str, Attribute]] = []
    p.require("(")
    while not p.sees(")"):
        types.append(p.type())
        attributes.append(p.attr_dict())
        if not p.accept(","):
            break
    p.require(")")
    return types, attributes


class Bundles:
    """``["tag"(%a, %b : t, t), "tag"()]``: operands that a call carries beside its arguments."""

    @staticmethod
    def read(p: Any) -> tuple[list[list[SSAValue]], list[str]] | None:
        """The operands and the tag of each bundle, or None where none stand here."""
        if not p.accept("["):
            return None
        values: list[list[SSAValue]] = []
        tags: list[str] = []
        while not p.sees("]"):
            tags.append(p.string("the tag of an operand bundle"))
            p.require("(")
            uses = p.operands()
            types = p.types_list() if uses and p.accept(":") else []
            values.append(p.resolve_all(uses, types))
            p.require(")")
            if not p.accept(","):
                break
        p.require("]")
        return values, tags

    @staticmethod
    def store(
        attributes: dict[str, Attribute], found: tuple[list[list[SSAValue]], list[str]] | None
    ) -> list[SSAValue]:
        """The operands of all bundles; sizes and tags go to the attributes."""
        values, tags = found or ([], [])
        attributes["op_bundle_sizes"] = DenseArrayBase.from_list(i32, [len(one) for one in values])
        if tags:
            attributes["op_bundle_tags"] = ArrayAttr([StringAttr(tag) for tag in tags])
        return [value for one in values for value in one]

    @staticmethod
    def write(w: Any, op: Operation, operands: Sequence[SSAValue]) -> None:
        """The bundles of an op, where it has any."""
        tags, sizes = attribute(op, "op_bundle_tags"), attribute(op, "op_bundle_sizes")
        if tags is None or not tags.data:
            return
        w.put(" [")
        first = 0
        for number, (tag, size) in enumerate(zip(tags.data, sizes.get_values(), strict=True)):
            w.put(", " if number else "")
            w.attribute(tag)
            w.put("(")
            part = operands[first : first + size]
            first += size
            if part:
                w.values(part)
                w.put(" : ")
                w.types([value.type for value in part])
            w.put(")")
        w.put("]")


BUNDLES = frozenset({"op_bundle_sizes", "op_bundle_tags"})


@directive("OpBundles")
class OpBundles:
    """Operand bundles in the format of an op."""

    @staticmethod
    def parse(p: Any, s: Any, operands: str, types: str, tags: str) -> None:
        OpBundles.parse_optional(p, s, operands, types, tags)

    @staticmethod
    def parse_optional(p: Any, s: Any, operands: str, types: str, tags: str) -> bool:
        found = Bundles.read(p)
        s.values[operands] = Bundles.store(s.attributes, found)
        return found is not None

    @staticmethod
    def write(w: Any, view: Any, operands: str, types: str, tags: str) -> None:
        Bundles.write(w, view.op, view.op.operands[1:])


@directive("LLVMLinkage")
class LLVMLinkage:
    """A linkage keyword; ``external`` where there is none."""

    @staticmethod
    def parse(p: Any, s: Any, name: str) -> None:
        found = optional_enum(p, "Linkage", "linkage")
        s.attributes[name] = found or p.attribute_from_text("#llvm.linkage<external>")

    @staticmethod
    def write(w: Any, view: Any, name: str) -> None:
        w.put(word_of("Linkage", view.attribute(name)))


def groups(op: Operation) -> list[Any]:
    """The operands of an op by groups."""
    spec = spec_of(op.name)
    assert spec is not None
    return groups_of(op, spec, "operands") or [op.operands]


UNIT = UnitAttr()
