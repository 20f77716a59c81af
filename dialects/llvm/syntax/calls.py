"""Calls, invokes, intrinsics and landing pads."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import DenseArrayBase, StringAttr, i32
from xdsl.ir import Attribute, Operation, SSAValue

from lamina.dialects.core.ods.syntax import directive, syntax
from lamina.dialects.core.verifying.groups import attribute
from lamina.dialects.llvm.syntax.parts import (
    BUNDLES,
    SEGMENTS,
    UNIT,
    Bundles,
    groups,
    optional_enum,
    put_words,
    read_signature,
    word_of,
    write_signature,
)

_HIDDEN = (
    SEGMENTS | BUNDLES | {"callee", "CConv", "TailCallKind", "var_callee_type", "arg_attrs", "res_attrs"}
)


class _Callee:
    """Whom a call calls: a symbol, or a pointer whose type stands with the others."""

    def __init__(self, p: Any, attributes: dict[str, Attribute]) -> None:
        self.pointer = p.optional_operand()
        if self.pointer is None:
            attributes["callee"] = p.symbol()
        self.uses = p.operands_in("(", ")")

    def types(self, p: Any, attributes: dict[str, Attribute]) -> tuple[list[SSAValue], list[Attribute]]:
        """The operands (the pointer first) and the types of the results, after ``:``."""
        p.require(":")
        values: list[SSAValue] = []
        if self.pointer is not None:
            values.append(p.resolve(self.pointer, p.type()))
            p.require(",")
        place = p.at
        inputs, outputs = read_signature(p, attributes)
        if len(inputs) != len(self.uses):
            p.fail(
                f"expected {len(self.uses)} types of arguments, as there are arguments; got {len(inputs)}",
                place,
            )
        values += [p.resolve(use, type) for use, type in zip(self.uses, inputs, strict=True)]
        return values, outputs


def _variadic_type(p: Any, attributes: dict[str, Attribute]) -> None:
    if p.accept("vararg"):
        p.require("(")
        attributes["var_callee_type"] = p.type()
        p.require(")")


def _write_callee(w: Any, op: Operation, arguments: Any) -> Any:
    """Write whom the call calls with its arguments, and return the arguments."""
    callee = attribute(op, "callee")
    if callee is not None:
        w.attribute(callee)
    else:
        w.values(arguments[:1])
        arguments = arguments[1:]
    w.put("(")
    w.values(arguments)
    w.put(")")
    variadic = attribute(op, "var_callee_type")
    if variadic is not None:
        w.put(" vararg(")
        w.type(variadic)
        w.put(")")
    return arguments


def _write_types(w: Any, op: Operation, operands: Any, arguments: Any) -> None:
    w.put(" : ")
    if attribute(op, "callee") is None:
        w.type(operands[0].type)
        w.put(", ")
    write_signature(w, op, [value.type for value in arguments], [result.type for result in op.results])


@syntax("llvm.call")
class Call:
    """``llvm.call fastcc tail @f(%a) {…} : (t) -> t``; through a pointer ``%f(…) : !llvm.ptr, (t) -> t``."""

    @staticmethod
    def parse(p: Any, name: str) -> Operation:
        found = {
            "CConv": optional_enum(p, "CConv", "cconv"),
            "TailCallKind": optional_enum(p, "TailCallKind", "tailcallkind"),
        }
        attributes = {key: value for key, value in found.items() if value is not None}
        callee = _Callee(p, attributes)
        _variadic_type(p, attributes)
        bundles = Bundles.store(attributes, Bundles.read(p))
        attributes.update(p.attr_dict())
        values, results = callee.types(p, attributes)
        sizes = (len(values), len(bundles))
        return p.build(name, [*values, *bundles], results, attributes, segments=sizes)

    @staticmethod
    def write(w: Any, op: Operation) -> None:
        operands, bundles = groups(op)
        words = [
            word_of("CConv", attribute(op, "CConv")),
            word_of("TailCallKind", attribute(op, "TailCallKind")),
        ]
        put_words(w, [word for word, plain in zip(words, ("ccc", "none"), strict=True) if word != plain])
        w.put(" ")
        arguments = _write_callee(w, op, operands)
        Bundles.write(w, op, bundles)
        flags = attribute(op, "fastmathFlags")
        w.attr_dict(
            op, _HIDDEN | ({"fastmathFlags"} if flags is None or "none" in str(flags) else set()), False
        )
        _write_types(w, op, operands, arguments)


@syntax("llvm.invoke")
class Invoke:
    """``llvm.invoke @f(%a) to ^bb1(%b : t) unwind ^bb2 : (t) -> t``."""

    @staticmethod
    def parse(p: Any, name: str) -> Operation:
        convention = optional_enum(p, "CConv", "cconv")
        attributes: dict[str, Attribute] = {} if convention is None else {"CConv": convention}
        callee = _Callee(p, attributes)
        p.require("to")
        normal, normal_values = p.successor_and_operands()
        p.require("unwind")
        unwind, unwind_values = p.successor_and_operands()
        _variadic_type(p, attributes)
        bundles = Bundles.store(attributes, Bundles.read(p))
        attributes.update(p.attr_dict())
        values, results = callee.types(p, attributes)
        groups_ = (values, normal_values, unwind_values, bundles)
        operands = [value for group in groups_ for value in group]
        sizes = [len(group) for group in groups_]
        return p.build(name, operands, results, attributes, (), (normal, unwind), sizes)

    @staticmethod
    def write(w: Any, op: Operation) -> None:
        operands, normal, unwind, bundles = groups(op)
        convention = word_of("CConv", attribute(op, "CConv"))
        put_words(w, [convention] if convention != "ccc" else [])
        w.put(" ")
        arguments = _write_callee(w, op, operands)
        w.put(" to ")
        w.successor_with(op.successors[0], normal)
        w.put(" unwind ")
        w.successor_with(op.successors[1], unwind)
        Bundles.write(w, op, bundles)
        w.attr_dict(op, _HIDDEN, False)
        _write_types(w, op, operands, arguments)


@syntax("llvm.call_intrinsic")
class CallIntrinsic:
    """``llvm.call_intrinsic "llvm.x.y"(%a) : (t) -> t``."""

    @staticmethod
    def parse(p: Any, name: str) -> Operation:
        attributes: dict[str, Attribute] = {
            "intrin": StringAttr(p.string("the name of an intrinsic in quotes"))
        }
        uses = p.operands_in("(", ")")
        bundles = Bundles.store(attributes, Bundles.read(p))
        attributes.update(p.attr_dict())
        p.require(":")
        place = p.at
        inputs, outputs = read_signature(p, attributes)
        values = p.resolve_all(uses, inputs, place)
        sizes = (len(values), len(bundles))
        return p.build(name, [*values, *bundles], outputs, attributes, segments=sizes)

    @staticmethod
    def write(w: Any, op: Operation) -> None:
        arguments, bundles = groups(op)
        w.put(" ")
        w.attribute(attribute(op, "intrin"))
        w.put("(")
        w.values(arguments)
        w.put(")")
        Bundles.write(w, op, bundles)
        flags = attribute(op, "fastmathFlags")
        plain = {"fastmathFlags"} if flags is None or "none" in str(flags) else set()
        w.attr_dict(op, SEGMENTS | BUNDLES | {"intrin", "arg_attrs", "res_attrs"} | plain, False)
        w.put(" : ")
        write_signature(w, op, [value.type for value in arguments], [result.type for result in op.results])


@syntax("llvm.landingpad")
class Landingpad:
    """``llvm.landingpad cleanup (catch %a : t) (filter %b : t) : t``."""

    @staticmethod
    def parse(p: Any, name: str) -> Operation:
        attributes: dict[str, Attribute] = {"cleanup": UNIT} if p.accept("cleanup") else {}
        values: list[SSAValue] = []
        while p.accept("("):
            if not p.accept("catch"):
                p.require("filter")
            use = p.operand()
            p.require(":")
            values.append(p.resolve(use, p.type()))
            p.require(")")
        attributes.update(p.attr_dict())
        p.require(":")
        return p.build(name, values, [p.type()], attributes)

    @staticmethod
    def write(w: Any, op: Operation) -> None:
        put_words(w, ["cleanup"] if attribute(op, "cleanup") is not None else [])
        for value in op.operands:
            kind = "filter" if value.type.name == "llvm.array" else "catch"
            w.put(f" ({kind} ")
            w.values([value])
            w.put(" : ")
            w.type(value.type)
            w.put(")")
        w.attr_dict(op, frozenset({"cleanup"}), False)
        w.put(" : ")
        w.type(op.results[0].type)


@directive("IndirectBrOpSucessors")
class IndirectBrSuccessors:
    """``[ ^bb1(%a : t), ^bb2 ]``."""

    @staticmethod
    def parse(p: Any, s: Any, flag: str, successors: str, operands: str, types: str) -> None:
        blocks: list[Any] = []
        passed: list[list[SSAValue]] = []
        p.require("[")
        while not p.sees("]"):
            block, values = p.successor_and_operands()
            blocks.append(block)
            passed.append(values)
            if not p.accept(","):
                break
        p.require("]")
        s.successors[successors] = blocks
        s.values[operands] = [value for values in passed for value in values]
        s.attributes["indbr_operand_segments"] = DenseArrayBase.from_list(i32, [len(v) for v in passed])

    @staticmethod
    def write(w: Any, view: Any, flag: str, successors: str, operands: str, types: str) -> None:
        passed = view.values(operands, "operands")
        first = 0
        w.put("[")
        sizes = view.attribute("indbr_operand_segments").get_values()
        for number, (block, size) in enumerate(zip(view.op.successors, sizes, strict=True)):
            w.put("," if number else "")
            w.new_line()
            w.successor_with(block, passed[first : first + size])
            first += size
        w.new_line()
        w.put("]")
