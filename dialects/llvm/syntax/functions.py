"""``llvm.func``."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, StringAttr
from xdsl.dialects.llvm import LLVMFunctionType, LLVMVoidType
from xdsl.ir import Attribute, Operation, Region

from lamina.dialects.core.ods.syntax import syntax
from lamina.dialects.core.verifying.groups import attribute
from lamina.dialects.llvm.syntax.parts import optional_enum, optional_number, put_words, word_of

_WORDS = ("linkage", "visibility_", "unnamed_addr", "CConv", "comdat", "vscale_range")
_HIDDEN = frozenset({"sym_name", "function_type", "arg_attrs", "res_attrs", "operandSegmentSizes", *_WORDS})


@syntax("llvm.func")
class Func:
    """``llvm.func internal fastcc @f(%a: t {…}, ...) -> (t {…}) comdat(@c) attributes {…} { … }``."""

    @staticmethod
    def parse(p: Any, name: str) -> Operation:
        external = p.attribute_from_text("#llvm.linkage<external>")
        attributes: dict[str, Attribute] = {
            "linkage": optional_enum(p, "Linkage", "linkage") or external,
        }
        for key, kind in (("visibility_", "Visibility"), ("unnamed_addr", "UnnamedAddr")):
            found = optional_number(p, kind)
            if found is not None:
                attributes[key] = found
        convention = optional_enum(p, "CConv", "cconv")
        if convention is not None:
            attributes["CConv"] = convention
        attributes["sym_name"] = StringAttr(p.symbol_name())
        arguments, types, of_arguments, variadic = _arguments(p)
        result, of_result = _result(p)
        attributes["function_type"] = LLVMFunctionType(types, result, variadic)
        if any(of_arguments):
            attributes["arg_attrs"] = ArrayAttr([DictionaryAttr(one) for one in of_arguments])
        if of_result:
            attributes["res_attrs"] = ArrayAttr([DictionaryAttr(of_result)])
        if p.accept("vscale_range"):
            p.require("(")
            low = p.integer()
            p.require(",")
            high = p.integer()
            p.require(")")
            text = f"#llvm.vscale_range<minRange = {low} : i32, maxRange = {high} : i32>"
            attributes["vscale_range"] = p.attribute_from_text(text)
        if p.accept("comdat"):
            p.require("(")
            attributes["comdat"] = p.symbol()
            p.require(")")
        attributes.update(p.attr_dict_with_keyword())
        region = p.optional_region(arguments)
        if region is None:
            region = Region()
        return p.build(name, (), (), attributes, [region])

    @staticmethod
    def write(w: Any, op: Operation) -> None:
        linkage, convention = (
            word_of("Linkage", attribute(op, "linkage")),
            word_of("CConv", attribute(op, "CConv")),
        )
        put_words(w, [linkage if linkage != "external" else ""])
        put_words(
            w,
            [
                word_of("Visibility", attribute(op, "visibility_")),
                word_of("UnnamedAddr", attribute(op, "unnamed_addr")),
            ],
        )
        put_words(w, [convention if convention != "ccc" else ""])
        w.put(" ")
        w.symbol(attribute(op, "sym_name").data)
        _write_signature(w, op)
        vscale = attribute(op, "vscale_range")
        if vscale is not None:
            numbers = [int(part.split(":")[0]) for part in str(vscale).split("= ")[1:]]
            w.put(f" vscale_range({numbers[0]}, {numbers[1]})")
        if attribute(op, "comdat") is not None:
            w.put(" comdat(")
            w.attribute(attribute(op, "comdat"))
            w.put(")")
        w.attr_dict(op, _HIDDEN, True)
        if op.regions and op.regions[0].blocks:
            w.put(" ")
            w.region(op.regions[0], entry_args=False)


def _arguments(p: Any) -> tuple[list[Any], list[Attribute], list[dict[str, Attribute]], bool]:
    """Named arguments, or only types; the types; attributes; and whether ``...`` ends the list."""
    named: list[Any] = []
    types: list[Attribute] = []
    attributes: list[dict[str, Attribute]] = []
    variadic = False
    p.require("(")
    while not p.sees(")"):
        if p.accept("..."):
            variadic = True
            break
        argument = p.optional_argument(attributes=True)
        if argument is not None:
            named.append(argument)
            types.append(argument.type)
            attributes.append(argument.attributes)
        else:
            if named:
                p.fail("expected SSA identifier")
            types.append(p.type())
            attributes.append(p.attr_dict())
        if not p.accept(","):
            break
    p.require(")")
    return named, types, attributes, variadic


def _result(p: Any) -> tuple[Attribute, dict[str, Attribute]]:
    if not p.accept("->"):
        return LLVMVoidType(), {}
    if not p.accept("("):
        return p.type(), {}
    place = p.at
    if p.accept(")"):
        return LLVMVoidType(), {}
    type, attributes = p.type(), p.attr_dict()
    if p.sees(","):
        p.fail("failed to construct function type: expected zero or one function result", place)
    p.require(")")
    return type, attributes


def _write_signature(w: Any, op: Operation) -> None:
    type: Any = attribute(op, "function_type")
    of_arguments, of_results = attribute(op, "arg_attrs"), attribute(op, "res_attrs")
    body = op.regions[0].blocks if op.regions else ()
    w.put("(")
    for number, argument_type in enumerate(type.inputs.data):
        w.put(", " if number else "")
        if body:
            w.argument(body[0].args[number])
        else:
            w.type(argument_type)
        if of_arguments is not None and of_arguments.data[number].data:
            w.put(" ")
            w.attribute(of_arguments.data[number])
    if type.is_variadic:
        w.put(", ..." if type.inputs.data else "...")
    w.put(")")
    if not isinstance(type.output, LLVMVoidType):
        attributes = of_results.data[0] if of_results is not None and of_results.data else None
        w.put(" -> (" if attributes is not None and attributes.data else " -> ")
        w.type(type.output)
        if attributes is not None and attributes.data:
            w.put(" ")
            w.attribute(attributes)
            w.put(")")
