"""From an assembly format to the function that reads it: one closure for each element."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Block, Operation

from lamina.dialects.core.ods.formats.attributes import attribute_form
from lamina.dialects.core.ods.formats.grammar import Choice, Clauses, Directive, Element, Literal, Variable
from lamina.dialects.core.ods.formats.resolving import TypePlan
from lamina.dialects.core.ods.formats.state import State
from lamina.dialects.core.ods.kinds import slots_of
from lamina.dialects.core.ods.spec import OPTIONAL, SINGLE, VARIADIC, Group, OpSpec, table_of
from lamina.dialects.core.ods.syntax import OpParser, directive_named
from lamina.dialects.core.ods.terminators import implicit_terminator, with_terminator

Step = Callable[[Any, State], None]
Attempt = Callable[[Any, State], bool]
"""Reads an element if it is there, and says whether it was."""


def groups_named(spec: OpSpec) -> dict[str, tuple[str, Group]]:
    """What each ``$name`` that is no attribute stands for."""
    found: dict[str, tuple[str, Group]] = {}
    for what in ("operands", "results", "regions", "successors"):
        for group in getattr(spec, what):
            found[group.name] = (what, group)
    return found


def types_given(elements: Sequence[Element], spec: OpSpec) -> set[str]:
    """The groups whose types stand in a form."""
    found: set[str] = set()
    for element in elements:
        if isinstance(element, Directive):
            if element.name == "qualified":
                found |= types_given(element.arguments, spec)
            elif element.name in ("type", "functional-type") or element.name.startswith("custom:"):
                for argument in element.arguments:
                    found |= _typed(argument, element.name, spec)
        elif isinstance(element, Choice):
            found |= types_given((*element.present, *element.absent), spec)
        elif isinstance(element, Clauses):
            for clause in element.clauses:
                found |= types_given(clause, spec)
    return found


def _typed(argument: Element, where: str, spec: OpSpec) -> set[str]:
    if isinstance(argument, Directive) and argument.name in ("type", "qualified"):
        return set().union(*(_typed(inner, argument.name, spec) for inner in argument.arguments))
    if where.startswith("custom:"):
        return set()
    if isinstance(argument, Variable):
        return {argument.name}
    if isinstance(argument, Directive) and argument.name in ("operands", "results"):
        return {group.name for group in getattr(spec, argument.name)}
    return set()


class ParserMaker:
    """Makes the steps for the elements of one op's format."""

    def __init__(self, spec: OpSpec) -> None:
        self.spec = spec
        self.groups = groups_named(spec)

    def steps(self, elements: Sequence[Element]) -> list[Step]:
        return [self.step(element) for element in elements]

    def step(self, element: Element) -> Step:
        if isinstance(element, Literal):
            return _literal(element.text)
        if isinstance(element, Variable):
            return self.variable(element.name)
        if isinstance(element, Choice):
            return self.choice(element)
        if isinstance(element, Clauses):
            return self.clauses(element)
        return self.directive(element)

    def variable(self, name: str, qualified: bool = False) -> Step:
        if name not in self.groups:
            read = attribute_form(self.spec, self.spec.by_name[name], qualified).read

            def attribute(p: Any, s: State) -> None:
                s.attributes[name] = read(p)

            return attribute
        attempt = self.attempt_variable(name)
        what, group = self.groups[name]
        if what == "operands" and group.count == SINGLE:

            def operand(p: Any, s: State) -> None:
                s.operands[name] = [p.operand()]

            return operand
        if what == "regions" and group.count == SINGLE:

            def region(p: Any, s: State) -> None:
                s.regions[name] = [p.region()]

            return region
        if what == "successors" and group.count == SINGLE:

            def successor(p: Any, s: State) -> None:
                s.successors[name] = [p.successor()]

            return successor

        def there_or_not(p: Any, s: State) -> None:
            attempt(p, s)

        return there_or_not

    def attempt_variable(self, name: str, qualified: bool = False) -> Attempt:
        if name not in self.groups:
            read = attribute_form(self.spec, self.spec.by_name[name], qualified).read_optional

            def attribute(p: Any, s: State) -> bool:
                found = read(p)
                if found is not None:
                    s.attributes[name] = found
                return found is not None

            return attribute
        what, group = self.groups[name]
        several = group.count >= VARIADIC
        if what == "operands":

            def operands(p: Any, s: State) -> bool:
                if several:
                    found = p.operands()
                else:
                    one = p.optional_operand()
                    found = [one] if one is not None else []
                s.operands[name] = found
                return bool(found)

            return operands
        if what == "regions":
            return _attempt_list(name, "regions", "optional_region", several)
        return _attempt_list(name, "successors", "optional_successor", several)

    def choice(self, element: Choice) -> Step:
        present = [e for e in element.present if not (isinstance(e, Literal) and not e.text.strip())]
        first, rest = self.attempt(present[0]), self.steps([e for e in present[1:] if not self.is_unit(e)])
        absent = self.steps(element.absent)
        unit = self.unit_anchor(element)
        empty = self.groups_in(element.present)

        def choice(p: Any, s: State) -> None:
            if first(p, s):
                if unit is not None and unit not in s.attributes:
                    s.attributes[unit] = UnitAttr()
                for step in rest:
                    step(p, s)
                return
            for name in empty:
                s.operands.setdefault(name, [])
                s.types.setdefault(name, [])
            for step in absent:
                step(p, s)

        return choice

    def groups_in(self, elements: Sequence[Element]) -> list[str]:
        """The operand and result groups that an absent optional group leaves empty."""
        found: list[str] = []
        for element in elements:
            if isinstance(element, Variable) and self.groups.get(element.name, ("", None))[0] == "operands":
                found.append(element.name)
            elif isinstance(element, Directive):
                found += self.groups_in(element.arguments)
                if element.name in ("operands", "results"):
                    found += [group.name for group in getattr(self.spec, element.name)]
                elif element.name == "type" and isinstance(element.arguments[0], Variable):
                    found.append(element.arguments[0].name)
            elif isinstance(element, Choice):
                found += self.groups_in(element.present)
        return found

    def unit_anchor(self, element: Choice) -> str | None:
        """A unit attribute that the words of the group stand for."""
        anchor = element.anchor
        return anchor.name if isinstance(anchor, Variable) and self.is_unit(anchor) else None

    def is_unit(self, element: Element) -> bool:
        """Whether an element is a unit attribute, which has no text of its own in an optional group."""
        if not isinstance(element, Variable) or element.name in self.groups:
            return False
        table = table_of(self.spec.name.partition(".")[0])
        assert table is not None
        return table.attr_kinds[self.spec.by_name[element.name].kind].storage == "unit"

    def attempt(self, element: Element) -> Attempt:
        if isinstance(element, Literal):
            text = element.text.strip()
            return lambda p, s: p.accept(text)
        if isinstance(element, Variable):
            return self.attempt_variable(element.name)
        if isinstance(element, Directive) and element.name == "qualified":
            inner = element.arguments[0]
            return (
                self.attempt_variable(inner.name, True)
                if isinstance(inner, Variable)
                else self.attempt(inner)
            )
        if isinstance(element, Directive) and element.name in ("operands", "results", "type"):
            step, groups = self.directive(element), self.groups_in([element])

            def directive(p: Any, s: State) -> bool:
                step(p, s)
                return any(s.operands.get(name) or s.types.get(name) for name in groups) or bool(
                    s.operands.get("*")
                )

            return directive
        if isinstance(element, Directive) and element.name.startswith("custom:"):
            kind = directive_named(element.name[7:], self.spec.name)
            names = [name_of(argument) for argument in element.arguments]
            return lambda p, s: kind.parse_optional(p, s, *names)
        raise ValueError(f"{self.spec.name}: an optional group cannot start with {element}")

    def clauses(self, element: Clauses) -> Step:
        made = [(self.attempt(clause[0]), self.steps(clause[1:]), clause) for clause in element.clauses]
        units = [self.unit_anchor(Choice(clause, (), clause[-1])) for clause in element.clauses]
        empty = self.groups_in([e for clause in element.clauses for e in clause])

        def clauses(p: Any, s: State) -> None:
            seen: set[int] = set()
            going = True
            while going:
                going = False
                for number, (first, rest, clause) in enumerate(made):
                    if first(p, s):
                        if number in seen:
                            p.fail(
                                f"`{name_of(clause[0])}` clause can appear at most once in the expansion of "
                                "the oilist directive"
                            )
                        seen.add(number)
                        unit = units[number]
                        if unit is not None and len(clause) == 2:
                            s.attributes[unit] = UnitAttr()
                        else:
                            for step in rest:
                                step(p, s)
                        going = True
            for name in empty:
                s.operands.setdefault(name, [])
                s.types.setdefault(name, [])

        return clauses

    def directive(self, element: Directive) -> Step:
        name, arguments = element.name, element.arguments
        if name.startswith("custom:"):
            kind = directive_named(name[7:], self.spec.name)
            names = [name_of(argument) for argument in arguments]
            return lambda p, s: kind.parse(p, s, *names)
        if name == "qualified":
            inner = arguments[0]
            return self.variable(inner.name, True) if isinstance(inner, Variable) else self.step(inner)
        if name == "type":
            return self.type(arguments[0])
        if name == "functional-type":
            return self.functional(arguments)
        return _SIMPLE[name]

    def type(self, argument: Element) -> Step:
        if isinstance(argument, Directive):
            key = argument.name

            def all_types(p: Any, s: State) -> None:
                s.types["*" + key] = p.optional_types_list()

            return all_types
        assert isinstance(argument, Variable)
        name = argument.name
        count = self.groups[name][1].count
        if count == SINGLE:

            def one(p: Any, s: State) -> None:
                s.types[name] = [p.type()]

            return one
        if count == OPTIONAL:

            def optional(p: Any, s: State) -> None:
                found = p.optional_type()
                s.types[name] = [found] if found is not None else []

            return optional

        def several(p: Any, s: State) -> None:
            s.types[name] = p.optional_types_list()

        return several

    def functional(self, arguments: Sequence[Element]) -> Step:
        keys = [a.name if isinstance(a, Variable) else "*" + a.name for a in arguments]  # pyright: ignore[reportAttributeAccessIssue]

        def functional(p: Any, s: State) -> None:
            found = p.function_type()
            s.types[keys[0]], s.types[keys[1]] = list(found.inputs.data), list(found.outputs.data)

        return functional


def name_of(element: Element) -> str:
    """An element of a directive's arguments as text: ``x``, ``type(x)``, ``ref(x)``."""
    if isinstance(element, Literal):
        return element.text
    if isinstance(element, Variable):
        return element.name
    if isinstance(element, Directive):
        return name_of(element.arguments[0]) if element.arguments else element.name
    raise ValueError(f"{element} cannot be an argument")


def _literal(text: str) -> Step:
    literal = text.strip()
    if not literal or literal == "\\n":
        return lambda p, s: None
    return lambda p, s: p.require(literal)


def _attempt_list(name: str, what: str, method: str, several: bool) -> Attempt:
    def attempt(p: Any, s: State) -> bool:
        read = getattr(p, method)
        found: list[Any] = []
        while (one := read()) is not None:
            found.append(one)
            if not several or not p.accept(","):
                break
        getattr(s, what)[name] = found
        return bool(found)

    return attempt


def _attr_dict(p: Any, s: State) -> None:
    if p.text.startswith("{", p.at):
        s.attributes.update(p.attr_dict())


def _attr_dict_with_keyword(p: Any, s: State) -> None:
    s.attributes.update(p.attr_dict_with_keyword())


def _prop_dict(p: Any, s: State) -> None:
    if p.accept("<"):
        s.attributes.update(p.attr_dict())
        p.require(">")


def _operands(p: Any, s: State) -> None:
    s.operands["*"] = p.operands()


def _regions(p: Any, s: State) -> None:
    found: list[Any] = []
    while (one := p.optional_region()) is not None:
        found.append(one)
        p.accept(",")
    s.regions["*"] = found


def _successors(p: Any, s: State) -> None:
    found: list[Any] = []
    while (one := p.optional_successor()) is not None:
        found.append(one)
        if not p.accept(","):
            break
    s.successors["*"] = found


_SIMPLE: dict[str, Step] = {
    "attr-dict": _attr_dict,
    "attr-dict-with-keyword": _attr_dict_with_keyword,
    "prop-dict": _prop_dict,
    "operands": _operands,
    "regions": _regions,
    "successors": _successors,
}


def make_parser(spec: OpSpec, elements: Sequence[Element]) -> OpParser:
    """The function that reads the form of an op after its name."""
    steps = ParserMaker(spec).steps(elements)
    finish = make_finish(spec, TypePlan(spec, types_given(elements, spec)))

    def parse(p: Any, name: str) -> Operation:
        state = State(p.at)
        start = p.operation_start
        for step in steps:
            step(p, state)
        p.operation_start = start
        return finish(p, state)

    return parse


def make_finish(spec: OpSpec, plan: TypePlan) -> Callable[[Any, State], Operation]:
    """The function that makes an op from what was read of it."""
    operand_counts = [group.count for group in spec.operands]
    result_counts = [group.count for group in spec.results]
    sized = "AttrSizedOperandSegments" in spec.traits
    results_sized = "AttrSizedResultSegments" in spec.traits
    terminator = implicit_terminator(spec.name)
    single_block = "SingleBlock" in spec.traits

    def finish(p: Any, s: State) -> Operation:
        _distribute(p, s, spec, operand_counts)
        operands: list[Any] = []
        sizes: list[int] = []
        types_by_group: list[Sequence[Any]] = []
        for group in spec.operands:
            uses = s.values.get(group.name) or s.operands.get(group.name) or ()
            types: Sequence[Any] = ()
            if group.name in s.values:
                operands += uses
                types = [value.type for value in uses]
            elif uses:
                source = plan.sources.get(group.name)
                if source is None:
                    return p.fail(f"the type of operand '{group.name}' is not known", s.at)
                types = source(p, s)
                operands += p.resolve_all(uses, types, s.at)
            sizes.append(len(uses))
            types_by_group.append(types)
        regions = [r for group in spec.regions for r in s.regions.get(group.name, ())] + s.regions.get(
            "*", []
        )
        for region in regions if single_block else ():
            if terminator is not None:
                with_terminator(p, region, terminator)
            elif region.first_block is None:
                region.add_block(Block())
        results, result_sizes = _results(p, s, spec, plan, result_counts, types_by_group, regions)
        successors = [b for group in spec.successors for b in s.successors.get(group.name, ())]
        return p.build(
            spec.name,
            operands,
            results,
            s.attributes,
            regions,
            successors or s.successors.get("*", ()),
            sizes if sized else None,
            result_sizes if results_sized else None,
        )

    return finish


def _results(
    p: Any,
    s: State,
    spec: OpSpec,
    plan: TypePlan,
    counts: list[int],
    operand_types: list[Any],
    regions: list[Any],
) -> tuple[list[Any], list[int]]:
    flat = s.types.get("*results")
    if flat is not None:
        slices = slots_of(counts, len(flat), None)
        if slices is None:
            return p.fail(f"the number of result types ({len(flat)}) does not fit the operation", s.at)
        return flat, [part.stop - part.start for part in slices]
    if plan.infer is not None:
        try:
            found = list(plan.infer(operand_types, s.attributes, regions))
        except (AttributeError, TypeError, ValueError, IndexError, KeyError) as problem:
            return p.fail(f"the types of the results cannot be inferred: {problem}", s.at)
        return found, [len(found)]
    types: list[Any] = []
    sizes: list[int] = []
    for group in spec.results:
        source = plan.sources.get(group.name)
        if source is None:
            return p.fail(f"the type of result '{group.name}' is not known", s.at)
        found = source(p, s)
        types += found
        sizes.append(len(found))
    return types, sizes


def _distribute(p: Any, s: State, spec: OpSpec, counts: list[int]) -> None:
    """Give each group its part of what stood together (``operands``, ``type(operands)``)."""
    flat = s.operands.get("*")
    if flat is not None:
        slices = slots_of(counts, len(flat), None)
        if slices is None:
            raise p.fail(f"the number of operands ({len(flat)}) does not fit the operation", s.at)
        for group, part in zip(spec.operands, slices, strict=True):
            s.operands[group.name] = flat[part]
    types = s.types.get("*operands")
    if types is not None:
        total = sum(len(s.operands.get(group.name) or ()) for group in spec.operands)
        if total != len(types):
            p.fail(
                f"number of operands and types do not match: got {total} operands and {len(types)} types",
                s.at,
            )
        first = 0
        for group in spec.operands:
            size = len(s.operands.get(group.name) or ())
            s.types[group.name] = types[first : first + size]
            first += size
