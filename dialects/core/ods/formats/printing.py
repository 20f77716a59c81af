"""From an assembly format to the function that writes it, with upstream's rules for blanks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from xdsl.ir import Operation

from lamina.dialects.core.ods.formats.attributes import attribute_form
from lamina.dialects.core.ods.formats.grammar import Choice, Clauses, Directive, Element, Literal, Variable
from lamina.dialects.core.ods.formats.parsing import groups_named, name_of
from lamina.dialects.core.ods.kinds import groups_of
from lamina.dialects.core.ods.spec import SINGLE, OpSpec
from lamina.dialects.core.ods.syntax import OpWriter, directive_named
from lamina.dialects.core.ods.terminators import implicit_terminator, write_region

Step = Callable[[Any, Any], None]
"""Writes an element: takes the writer and a view of the op."""


class View:
    """An op by the names of its definition."""

    __slots__ = ("_groups", "_spec", "op")

    def __init__(self, op: Operation, spec: OpSpec) -> None:
        self.op, self._spec = op, spec
        self._groups: dict[str, Any] | None = None

    def values(self, name: str, what: str) -> Any:
        """The operands or results of a group."""
        known = self._groups
        if known is None:
            known = self._groups = {}
        if name not in known:
            declared = getattr(self._spec, what)
            found = groups_of(self.op, self._spec, what)
            if found is None:
                raise ValueError(f"{self._spec.name} does not have the {what} of its definition")
            known.update(zip((group.name for group in declared), found, strict=True))
        return known[name]

    def attribute(self, name: str) -> Any:
        """An inherent attribute, or None."""
        found = self.op.properties.get(name)
        return self.op.attributes.get(name) if found is None else found


_item = tuple.__getitem__


def _value_step(text: str, what: str, position: int) -> Step:
    """A text and the one value of a group that stands at a position."""
    if what == "operands":

        def operand(w: Any, view: View) -> None:
            value = _item(view.op._operands, position)  # pyright: ignore[reportPrivateUsage]
            w.put(text + w.value_name(value))

        return operand

    def result(w: Any, view: View) -> None:
        w.put(text + w.value_name(_item(view.op.results, position)))

    return result


def _type_step(text: str, what: str, position: int) -> Step:
    """A text and the type of the one value of a group that stands at a position."""
    if what == "operands":

        def operand(w: Any, view: View) -> None:
            w.put(text + w.type_text(_item(view.op._operands, position)._type))  # pyright: ignore[reportPrivateUsage]

        return operand

    def result(w: Any, view: View) -> None:
        w.put(text + w.type_text(_item(view.op.results, position)._type))  # pyright: ignore[reportPrivateUsage]

    return result


def _text_step(text: str) -> Step:
    return lambda w, view: w.put(text)


class _One(NamedTuple):
    """A value or a type of a group that holds one, at its position: joined with the text before it."""

    make: Callable[[str, str, int], Step]
    what: str
    position: int


def joined_steps(parts: Sequence[str | _One | Step]) -> list[Step]:
    """Steps, with texts that follow each other as one, and with values and types as part of them."""
    steps: list[Step] = []
    text = ""
    for part in parts:
        if isinstance(part, str):
            text += part
        elif isinstance(part, _One):
            steps.append(part.make(text, part.what, part.position))
            text = ""
        else:
            if text:
                steps.append(_text_step(text))
            steps.append(part)
            text = ""
    return [*steps, _text_step(text)] if text else steps


class PrinterMaker:
    """Makes the steps for the elements of one op's format."""

    def __init__(self, spec: OpSpec, elements: Sequence[Element], default_of: Callable[[str], Any]) -> None:
        self.spec = spec
        self.groups = groups_named(spec)
        self.blank, self.punctuation = True, False
        self.default_of = default_of
        self.shown = frozenset(_attributes_in(elements, self.groups)) | {
            "operandSegmentSizes",
            "resultSegmentSizes",
        }

    def steps(self, elements: Sequence[Element]) -> list[Step]:
        return joined_steps([step for element in elements for step in self.step(element)])

    def single(self, name: str) -> tuple[str, int] | None:
        """Where the one value of a group stands, if that and every group before it holds one."""
        what, _ = self.groups.get(name, ("", None))
        if what not in ("operands", "results"):
            return None
        for position, group in enumerate(getattr(self.spec, what)):
            if group.count != SINGLE:
                return None
            if group.name == name:
                return what, position
        return None

    def step(self, element: Element) -> list[str | _One | Step]:
        if isinstance(element, Literal):
            return self.literal(element.text)
        if isinstance(element, Choice):
            return [self.choice(element)]
        if isinstance(element, Clauses):
            return [self.choice(Choice(clause, (), clause[-1])) for clause in element.clauses]
        if isinstance(element, Directive) and element.name.startswith("attr-dict"):
            self.punctuation = False
            keyword, shown, default_of = element.name.endswith("keyword"), self.shown, self.default_of
            defaulted = [
                a.name for a in self.spec.attributes if a.default is not None and a.name not in shown
            ]

            def attr_dict(w: Any, view: View) -> None:
                hidden = shown
                for name in defaulted:
                    if (value := view.attribute(name)) is not None and value == default_of(name):
                        hidden = hidden | {name}
                w.attr_dict(view.op, hidden, keyword)

            return [attr_dict]
        blank = self.blank or not self.punctuation
        self.blank, self.punctuation = True, False
        step = self.one(element) or self.element(element)
        return [" ", step] if blank else [step]

    def one(self, element: Element) -> _One | None:
        """A value, or a type of one, of a group that always holds one."""
        make = _value_step
        if isinstance(element, Directive) and element.name == "type":
            make, element = _type_step, element.arguments[0]
        found = self.single(element.name) if isinstance(element, Variable) else None
        return _One(make, *found) if found is not None else None

    def literal(self, text: str) -> list[str | _One | Step]:
        if text in ("", " ", "\\n"):
            self.blank = False
            self.punctuation = text == ""
            if text == "\\n":
                return [lambda w, view: w.new_line()]
            return [" "] if text else []
        blank = self.blank and _blank_before(text, self.punctuation)
        self.blank = not (len(text) == 1 and text in "<({[")
        self.punctuation = text[0] != "_" and not text[0].isalpha()
        return [f" {text}" if blank else text]

    def element(self, element: Element) -> Step:
        if isinstance(element, Variable):
            return self.variable(element.name)
        assert isinstance(element, Directive)
        name, arguments = element.name, element.arguments
        if name.startswith("custom:"):
            kind = directive_named(name[7:], self.spec.name)
            names = [name_of(argument) for argument in arguments]
            return lambda w, view: kind.write(w, view, *names)
        if name == "qualified":
            inner = arguments[0]
            return self.variable(inner.name, True) if isinstance(inner, Variable) else self.element(inner)
        if name == "type":
            get = self.getter(arguments[0])
            return lambda w, view: w.types([value.type for value in get(view)])
        if name == "functional-type":
            first, second = self.getter(arguments[0]), self.getter(arguments[1])
            return lambda w, view: w.function_type(
                [v.type for v in first(view)], [v.type for v in second(view)]
            )
        if name == "operands":
            return lambda w, view: w.values(view.op.operands)
        if name == "regions":
            return lambda w, view: _joined(w, view.op.regions, w.region)
        if name == "successors":
            return lambda w, view: _joined(w, view.op.successors, w.successor)
        if name == "prop-dict":
            return lambda w, view: w.properties(view.op)
        raise ValueError(f"{self.spec.name}: the directive '{name}' is not known")

    def getter(self, argument: Element) -> Callable[[View], Any]:
        if isinstance(argument, Variable):
            name, what = argument.name, self.groups[argument.name][0]
            return lambda view: view.values(name, what)
        assert isinstance(argument, Directive)
        if argument.name in ("type", "qualified"):
            return self.getter(argument.arguments[0])
        return (
            (lambda view: view.op.operands) if argument.name == "operands" else (lambda view: view.op.results)
        )

    def variable(self, name: str, qualified: bool = False) -> Step:
        if name not in self.groups:
            write = attribute_form(self.spec, self.spec.by_name[name], qualified).write
            return lambda w, view: write(w, view.attribute(name))
        what, group = self.groups[name]
        if what in ("operands", "results"):
            return lambda w, view: w.values(view.values(name, what))
        position = [g.name for g in getattr(self.spec, what)].index(name)
        single = group.count == SINGLE
        if what == "regions":
            region = write_region if implicit_terminator(self.spec.name) else _region
            if single:
                return lambda w, view: region(w, view.op.regions[position])
            return lambda w, view: _joined(w, view.op.regions[position:], lambda one: region(w, one))
        if single:
            return lambda w, view: w.successor(view.op.successors[position])
        return lambda w, view: _joined(w, view.op.successors[position:], w.successor)

    def choice(self, element: Choice) -> Step:
        there = self.presence(element.anchor)
        before = self.blank, self.punctuation
        present = self.steps([e for e in element.present if not self.stands_for_unit(e)])
        after = self.blank, self.punctuation
        self.blank, self.punctuation = before
        absent = self.steps(element.absent)
        if not element.absent:
            self.blank, self.punctuation = after

        def choice(w: Any, view: View) -> None:
            for step in present if there(view) else absent:
                step(w, view)

        return choice

    def stands_for_unit(self, element: Element) -> bool:
        return (
            isinstance(element, Variable)
            and element.name not in self.groups
            and self.kind_of(element.name).storage == "unit"
        )

    def kind_of(self, name: str) -> Any:
        from lamina.dialects.core.ods.spec import table_of

        table = table_of(self.spec.name.partition(".")[0])
        assert table is not None
        return table.attr_kinds[self.spec.by_name[name].kind]

    def presence(self, anchor: Element) -> Callable[[View], bool]:
        if isinstance(anchor, Directive) and anchor.name == "qualified":
            anchor = anchor.arguments[0]
        if isinstance(anchor, Variable) and anchor.name not in self.groups:
            name, default_of = anchor.name, self.default_of
            if self.spec.by_name[name].default is None:
                return lambda view: view.attribute(name) is not None

            def differs(view: View) -> bool:
                value = view.attribute(name)
                return value is not None and value is not default_of(name) and value != default_of(name)

            return differs
        if isinstance(anchor, Variable):
            what, _ = self.groups[anchor.name]
            name = anchor.name
            if what in ("operands", "results"):
                return lambda view: bool(view.values(name, what))
            position = [g.name for g in getattr(self.spec, what)].index(name)
            if what == "regions":
                return lambda view: any(r.blocks for r in view.op.regions[position:])
            return lambda view: len(view.op.successors) > position
        assert isinstance(anchor, Directive)
        if anchor.name.startswith("custom:"):
            found = [self.presence(a) for a in anchor.arguments if isinstance(a, Variable)]
            return lambda view: any(there(view) for there in found)
        get = self.getter(anchor.arguments[0] if anchor.arguments else anchor)
        return lambda view: bool(get(view))


def _region(w: Any, region: Any) -> None:
    w.region(region)


def _blank_before(text: str, after_punctuation: bool) -> bool:
    if len(text) != 1 and text != "->":
        return True
    return text[0] not in (">)}]," if after_punctuation else "<>(){}[],")


def _joined(w: Any, items: Sequence[Any], write: Callable[[Any], None]) -> None:
    for number, item in enumerate(items):
        if number:
            w.put(", ")
        write(item)


def _attributes_in(elements: Sequence[Element], groups: dict[str, Any]) -> set[str]:
    """The attributes that stand outside of the dictionary."""
    found: set[str] = set()
    for element in elements:
        if isinstance(element, Variable) and element.name not in groups:
            found.add(element.name)
        elif isinstance(element, Directive):
            found |= _attributes_in(element.arguments, groups)
        elif isinstance(element, Choice):
            found |= _attributes_in((*element.present, *element.absent), groups)
        elif isinstance(element, Clauses):
            for clause in element.clauses:
                found |= _attributes_in(clause, groups)
    return found


def make_writer(spec: OpSpec, elements: Sequence[Element], default_of: Callable[[str], Any]) -> OpWriter:
    """The function that writes the form of an op after its name."""
    steps = PrinterMaker(spec, elements, default_of).steps(elements)

    def write(w: Any, op: Operation) -> None:
        view = View(op, spec)
        for step in steps:
            step(w, view)

    return write
