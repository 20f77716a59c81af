"""The forms of scf that upstream writes in C++."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects.builtin import DenseArrayBase, IndexType, UnitAttr, i1, i64
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from lamina.dialects.core.ods.directives import read_index_list, write_index_list
from lamina.dialects.core.ods.syntax import directive, syntax
from lamina.dialects.core.ods.terminators import says_nothing, with_terminator, write_region
from lamina.dialects.core.verifying.groups import attribute

INDEX = IndexType()
_SEGMENTS = frozenset(("operandSegmentSizes",))
_BOUNDS = ("LowerBound", "UpperBound", "Step")


def read_assignments(p: Any) -> tuple[list[Any], list[Any]]:
    """``(%a = %x, %b = %y)``: arguments of a region, and the uses that they start with."""
    arguments: list[Any] = []
    uses: list[Any] = []
    p.require("(")
    while not p.sees(")"):
        arguments.append(p.argument(types=False))
        p.require("=")
        uses.append(p.operand())
        if not p.accept(","):
            break
    p.require(")")
    return arguments, uses


def write_assignments(w: Any, word: str, arguments: Sequence[SSAValue], values: Sequence[SSAValue]) -> None:
    """Write ``word(%a = %x)``; nothing where there are no values."""
    if values:
        pairs = zip(arguments, values, strict=True)
        w.put(f"{word}({', '.join(f'{w.value_name(a)} = {w.value_name(v)}' for a, v in pairs)})")


def typed(arguments: Sequence[Any], types: Sequence[Attribute]) -> list[Any]:
    """Arguments with their types."""
    return [argument._replace(type=type) for argument, type in zip(arguments, types, strict=True)]


def read_arguments(p: Any) -> list[Any]:
    """``(%i, %j)``: arguments without types."""
    found: list[Any] = []
    p.require("(")
    while not p.sees(")"):
        found.append(p.argument(types=False))
        if not p.accept(","):
            break
    p.require(")")
    return found


def _write_types(w: Any, values: Sequence[SSAValue]) -> None:
    w.put(f" -> ({w.types_text([value.type for value in values])})")


@syntax("scf.for")
class For:
    """``scf.for unsigned %i = %a to %b step %c iter_args(%x = %y) -> (t) : i32 {…}``"""

    @staticmethod
    def parse(p: Any, name: str) -> Operation:
        start = p.operation_start
        attributes: dict[str, Attribute] = {"unsignedCmp": UnitAttr()} if p.accept("unsigned") else {}
        variable = p.argument(types=False)
        p.require("=")
        bounds = [p.operand()]
        for word in ("to", "step"):
            p.require(word)
            bounds.append(p.operand())
        arguments: list[Any] = []
        uses: list[Any] = []
        types: list[Attribute] = []
        if p.accept("iter_args"):
            arguments, uses = read_assignments(p)
            types = p.arrow_types()
        if len(arguments) != len(types):
            p.fail("mismatch in number of loop-carried values and defined values", start)
        type = p.type() if p.accept(":") else INDEX
        region = p.region(typed([variable, *arguments], [type, *types]))
        with_terminator(p, region, "scf.yield", start)
        operands = p.resolve_all([*bounds, *uses], [type] * 3 + types)
        return p.build(name, operands, types, {**attributes, **p.attr_dict()}, [region])

    @staticmethod
    def write(w: Any, op: Operation) -> None:
        operands, body = op.operands, op.regions[0]
        variable, *arguments = body.blocks[0].args
        names = [w.value_name(value) for value in (variable, *operands[:3])]
        unsigned = " unsigned" if attribute(op, "unsignedCmp") is not None else ""
        w.put(f"{unsigned} {names[0]} = {names[1]} to {names[2]} step {names[3]}")
        write_assignments(w, " iter_args", arguments, operands[3:])
        if len(operands) > 3:
            _write_types(w, operands[3:])
        w.put(" ")
        if variable.type.__class__ is not IndexType:
            w.put(f" : {w.type_text(variable.type)} ")
        if len(operands) > 3:
            w.region(body, entry_args=False)
        else:
            write_region(w, body, entry_args=False)
        w.attr_dict(op, _UNSIGNED)


_UNSIGNED = frozenset(("unsignedCmp",))


@syntax("scf.if")
class If:
    """``scf.if %c -> (t) {…} else {…}``"""

    @staticmethod
    def parse(p: Any, name: str) -> Operation:
        start = p.operation_start
        condition = p.resolve(p.operand(), i1)
        types = p.optional_arrow_types()
        regions = [with_terminator(p, p.region(), "scf.yield", start)]
        regions.append(with_terminator(p, p.region(), "scf.yield", start) if p.accept("else") else Region())
        return p.build(name, [condition], types, p.attr_dict(), regions)

    @staticmethod
    def write(w: Any, op: Operation) -> None:
        w.put(" ")
        w.value(op.operands[0])
        if op.results:
            _write_types(w, op.results)
        w.put(" ")
        for number, region in enumerate(op.regions):
            if number and region.first_block is None:
                continue
            if number:
                w.put(" else ")
            if op.results:
                w.region(region, entry_args=False)
            else:
                write_region(w, region, entry_args=False)
        w.attr_dict(op)


@syntax("scf.while")
class While:
    """``scf.while (%a = %x) : (t) -> u {…} do {…} attributes {…}``"""

    @staticmethod
    def parse(p: Any, name: str) -> Operation:
        arguments, uses = read_assignments(p) if p.sees("(") else ([], [])
        p.require(":")
        place = p.at
        signature = p.function_type()
        inputs = signature.inputs.data
        if len(inputs) != len(uses):
            got = f"(expected {len(uses)} got {len(inputs)})"
            p.fail(f"expected as many input types as operands {got}", place)
        operands = p.resolve_all(uses, inputs)
        before = p.region(typed(arguments, inputs))
        p.require("do")
        after = p.region()
        attributes = p.attr_dict_with_keyword()
        return p.build(name, operands, signature.outputs.data, attributes, [before, after])

    @staticmethod
    def write(w: Any, op: Operation) -> None:
        before, after = op.regions
        write_assignments(w, " ", before.blocks[0].args if before.blocks else (), op.operands)
        w.put(" : ")
        w.function_type([value.type for value in op.operands], [value.type for value in op.results])
        w.put(" ")
        w.region(before, entry_args=False)
        w.put(" do ")
        w.region(after)
        w.attr_dict(op, (), True)


@syntax("scf.execute_region")
class ExecuteRegion:
    """``scf.execute_region -> t no_inline {…}``"""

    @staticmethod
    def parse(p: Any, name: str) -> Operation:
        types = p.optional_arrow_types()
        attributes: dict[str, Attribute] = {"no_inline": UnitAttr()} if p.accept("no_inline") else {}
        region = p.region()
        return p.build(name, (), types, {**attributes, **p.attr_dict()}, [region])

    @staticmethod
    def write(w: Any, op: Operation) -> None:
        w.put(" ")
        if op.results:
            w.arrow_types([value.type for value in op.results])
            w.put(" ")
        if attribute(op, "no_inline") is not None:
            w.put("no_inline ")
        w.region(op.regions[0], entry_args=False)
        w.attr_dict(op, _NO_INLINE)


_NO_INLINE = frozenset(("no_inline",))


def _operand_list(p: Any, count: int) -> list[Any]:
    start = p.at
    found = p.operands_in("(", ")")
    if len(found) != count:
        p.fail(f"expected {count} operands", start)
    return found


@syntax("scf.parallel")
class Parallel:
    """``scf.parallel (%i) = (%a) to (%b) step (%c) init (%x) -> t {…}``"""

    @staticmethod
    def parse(p: Any, name: str) -> Operation:
        start = p.operation_start
        variables = read_arguments(p)
        count = len(variables)
        bounds: list[Any] = []
        for word in ("=", "to", "step"):
            p.require(word)
            bounds += _operand_list(p, count)
        initial = p.operands_in("(", ")") if p.accept("init") else []
        types = p.optional_arrow_types()
        region = p.region(typed(variables, [INDEX] * count))
        attributes = p.attr_dict()
        operands = p.resolve_all(bounds, [INDEX] * (3 * count)) + p.resolve_all(initial, types, start)
        with_terminator(p, region, "scf.reduce", start)
        segments = (count, count, count, len(initial))
        return p.build(name, operands, types, attributes, [region], segments=segments)

    @staticmethod
    def write(w: Any, op: Operation) -> None:
        lower, upper, step, initial = _groups(op)
        w.put(" (")
        w.values(op.regions[0].blocks[0].args)
        for word, values in ((") = (", lower), (") to (", upper), (") step (", step), (") init (", initial)):
            if values or word != ") init (":
                w.put(word)
                w.values(values)
        w.put(") ")
        if op.results:
            w.arrow_types([value.type for value in op.results])
            w.put(" ")
        w.region(op.regions[0], entry_args=False)
        w.attr_dict(op, _SEGMENTS)


def _groups(op: Operation) -> list[Sequence[SSAValue]]:
    """The operands by their segments."""
    found: list[Sequence[SSAValue]] = []
    first = 0
    for size in attribute(op, "operandSegmentSizes").get_values():
        found.append(op.operands[first : first + size])
        first += size
    return found


@syntax("scf.forall")
class Forall:
    """``scf.forall (%i) in (%n) shared_outs(%o = %t) -> (t) {…}``, or ``(%i) = (0) to (%n) step (2)``"""

    @staticmethod
    def parse(p: Any, name: str) -> Operation:
        start = p.operation_start
        variables = read_arguments(p)
        count = len(variables)
        if p.accept("in"):
            uses, numbers = read_index_list(p, "()")
            dynamic = [[], uses, []]
            static = [[0] * count, numbers, [1] * count]
        else:
            dynamic, static = [], []
            for word in ("=", "to", "step"):
                p.require(word)
                uses, numbers = read_index_list(p, "()")
                dynamic.append(uses)
                static.append(numbers)
        bounds = p.resolve_all([use for uses in dynamic for use in uses], [INDEX] * sum(map(len, dynamic)))
        arguments, outputs, types = [], [], []
        if p.accept("shared_outs"):
            place = p.at
            arguments, uses = read_assignments(p)
            types = p.optional_arrow_types()
            if len(types) != len(uses):
                p.fail("mismatch between out operands and types", place)
            outputs = p.resolve_all(uses, types, place)
        region = p.region(typed([*variables, *arguments], [INDEX] * count + types))
        with_terminator(p, region, "scf.forall.in_parallel", start)
        attributes: dict[str, Attribute] = {
            f"static{what}": DenseArrayBase.from_list(i64, numbers)
            for what, numbers in zip(_BOUNDS, static, strict=True)
        }
        segments = (*map(len, dynamic), len(outputs))
        attributes |= p.attr_dict()
        return p.build(name, [*bounds, *outputs], types, attributes, [region], segments=segments)

    @staticmethod
    def write(w: Any, op: Operation) -> None:
        *dynamic, outputs = _groups(op)
        static = [attribute(op, f"static{what}").get_values() for what in _BOUNDS]
        arguments = op.regions[0].blocks[0].args
        count = len(arguments) - len(outputs)
        w.put(" (")
        w.values(arguments[:count])
        normalised = not any(static[0]) and all(step == 1 for step in static[2])
        for number, word in enumerate((") = ", " to ", " step ")):
            if not normalised:
                w.put(word)
                write_index_list(w, static[number], dynamic[number], "()")
        if normalised:
            w.put(") in ")
            write_index_list(w, static[1], dynamic[1], "()")
        write_assignments(w, " shared_outs", arguments[count:], outputs)
        w.put(" ")
        if outputs:
            w.put(f"-> ({w.types_text([value.type for value in op.results])}) ")
        write_forall_body(w, op)
        w.attr_dict(op, _FORALL_HIDDEN)


_FORALL_HIDDEN = _SEGMENTS | {f"static{what}" for what in _BOUNDS}


def write_forall_body(w: Any, op: Operation) -> None:
    """Write the body, without a terminator that combines nothing."""
    block = op.regions[0].blocks[0]
    last = block.last_op
    empty = says_nothing(last) and last is not None and not _has_operations(last)
    w.region(op.regions[0], entry_args=False, terminator=not empty)


def _has_operations(op: Operation) -> bool:
    return any(block.first_op is not None for region in op.regions for block in region.blocks)


@syntax("scf.forall.in_parallel")
class InParallel:
    """``scf.forall.in_parallel {…}``"""

    @staticmethod
    def parse(p: Any, name: str) -> Operation:
        region = p.region()
        if region.first_block is None:
            region.add_block(Block())
        return p.build(name, (), (), p.attr_dict(), [region])

    @staticmethod
    def write(w: Any, op: Operation) -> None:
        w.put(" ")
        w.region(op.regions[0], entry_args=False)
        w.attr_dict(op)


@directive("SwitchCases")
class SwitchCases:
    """``case 1 {…} case 2 {…}``"""

    @staticmethod
    def parse(p: Any, s: Any, cases: str, regions: str) -> None:
        numbers: list[int] = []
        found: list[Region] = []
        while p.accept("case"):
            numbers.append(p.integer())
            found.append(p.region())
        s.attributes[cases] = DenseArrayBase.from_list(i64, numbers)
        s.regions[regions] = found

    @staticmethod
    def write(w: Any, view: Any, cases: str, regions: str) -> None:
        numbers = view.attribute(cases).get_values()
        for number, region in zip(numbers, view.op.regions[1:], strict=True):
            w.new_line()
            w.put(f"case {number} ")
            w.region(region, entry_args=False)
