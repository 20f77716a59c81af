"""The form of ``func.func``."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FunctionType
from xdsl.ir import Attribute, Operation, Region

from lamina.dialects.core.making import array_of, string_attr, unchecked
from lamina.dialects.core.ods.syntax import syntax

_HIDDEN = frozenset({"sym_name", "sym_visibility", "function_type", "arg_attrs", "res_attrs"})
_NO_ATTRIBUTES = DictionaryAttr({})


def read_arguments(p: Any) -> tuple[list[Any], list[Attribute], list[dict[str, Attribute]]]:
    """``(%a: t {…}, …)`` or ``(t {…}, …)``: the named arguments, all types, and the attributes of each."""
    named: list[Any] = []
    types: list[Attribute] = []
    attributes: list[dict[str, Attribute]] = []
    if not p.accept("("):
        p.fail("expected '(' in argument list")
    while types or not p.sees(")"):
        start = p.at
        argument = p.optional_argument(attributes=True)
        if argument is not None:
            if types and not named:
                p.fail("expected type instead of SSA identifier", start)
            named.append(argument)
            types.append(argument.type)
            attributes.append(argument.attributes)
        elif named:
            p.fail("expected SSA identifier", p.at)
        elif p.sees("..."):
            p.fail("variadic arguments are not allowed here")
        else:
            types.append(p.type())
            attributes.append(p.attr_dict())
            p.optional_location()
        if not p.accept(","):
            break
    p.require(")")
    return named, types, attributes


def read_results(p: Any) -> tuple[list[Attribute], list[dict[str, Attribute]]]:
    """``-> t`` or ``-> (t {…}, …)`` with the attributes of each; nothing where there is no arrow."""
    if not p.accept("->"):
        return [], []
    if not p.sees("("):
        return [p.type()], [{}]
    p.require("(")
    types: list[Attribute] = []
    attributes: list[dict[str, Attribute]] = []
    while types or not p.sees(")"):
        types.append(p.type())
        attributes.append(p.attr_dict())
        if not p.accept(","):
            break
    p.require(")")
    return types, attributes


def set_attributes_of_each(attributes: dict[str, Attribute], name: str, of_each: list[Any]) -> None:
    """Hold the attributes of arguments or results, if there are any."""
    if any(of_each):
        attributes[name] = ArrayAttr([DictionaryAttr(one) if one else _NO_ATTRIBUTES for one in of_each])


@syntax("func.func")
class Func:
    """``func.func private @f(%a: t {…}) -> (t {…}) attributes {…} { … }``."""

    @staticmethod
    def parse(p: Any, name: str) -> Operation:
        attributes: dict[str, Attribute] = {}
        for visibility in ("private", "public", "nested"):
            if p.accept(visibility):
                attributes["sym_visibility"] = string_attr(visibility)
                break
        attributes["sym_name"] = string_attr(p.symbol_name())
        named, inputs, of_arguments = read_arguments(p)
        outputs, of_results = read_results(p)
        attributes["function_type"] = unchecked(
            FunctionType, inputs=array_of(inputs), outputs=array_of(outputs)
        )
        start = p.at
        others = p.attr_dict_with_keyword()
        for inferred in ("sym_visibility", "sym_name", "function_type"):
            if inferred in others:
                p.fail(
                    f"'{inferred}' is an inferred attribute and should not be specified "
                    "in the explicit attribute dictionary",
                    start,
                )
        attributes.update(others)
        set_attributes_of_each(attributes, "arg_attrs", of_arguments)
        set_attributes_of_each(attributes, "res_attrs", of_results)
        opening = p.at
        region = p.optional_region(named)
        if region is not None and not region.blocks:
            p.fail("expected non-empty function body", opening)
        return p.build(name, (), (), attributes, [region if region is not None else Region()])

    @staticmethod
    def write(w: Any, op: Operation) -> None:
        properties = op.properties
        visibility: Any = properties.get("sym_visibility")
        if visibility is not None:
            w.put(f" {visibility.data}")
        w.put(" ")
        w.symbol(properties["sym_name"])
        _write_signature(w, op)
        w.attr_dict(op, _HIDDEN, True)
        if op.regions and op.regions[0].blocks:
            w.put(" ")
            w.region(op.regions[0], entry_args=False)


def _write_signature(w: Any, op: Operation) -> None:
    type: Any = op.properties["function_type"]
    of_arguments: Any = op.properties.get("arg_attrs")
    of_results: Any = op.properties.get("res_attrs")
    body = op.regions[0].blocks if op.regions else ()
    w.put("(")
    for number, input in enumerate(type.inputs.data):
        if number:
            w.put(", ")
        attributes = of_arguments.data[number].data if of_arguments is not None else None
        argument = body[0].args[number] if body else None
        if argument is not None:
            w.value(argument)
            w.put(": ")
        w.type(input)
        if attributes:
            w.dictionary(attributes)
        if argument is not None and w.options.locations:
            w.argument_location(argument.location)
    w.put(")")
    outputs = type.outputs.data
    if not outputs:
        return
    w.put(" -> ")
    alone = len(outputs) == 1 and outputs[0].__class__ is not FunctionType
    if alone and (of_results is None or not of_results.data[0].data):
        w.type(outputs[0])
        return
    w.put("(")
    for number, output in enumerate(outputs):
        if number:
            w.put(", ")
        w.type(output)
        if of_results is not None:
            w.dictionary(of_results.data[number].data)
    w.put(")")
