"""What the forms of all structured operations share: ``ins(…) outs(…)``, maps, scalar bodies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from xdsl.dialects import complex
from xdsl.dialects.builtin import ArrayAttr, ComplexType
from xdsl.dialects.linalg.ops import YieldOp
from xdsl.ir import Attribute, Block, Region, SSAValue

from lamina.dialects.core.diagnostics import error
from lamina.dialects.core.ods.kinds import groups_of
from lamina.dialects.core.ods.spec import spec_of
from lamina.dialects.core.reading.making import copied
from lamina.dialects.linalg._bodies import applied, drop_signs, element_type, elementwise, multiply_accumulate
from lamina.dialects.linalg._named_bodies import elementwise_name, named_body, unsigned_body

SEGMENTS = frozenset({"operandSegmentSizes"})


class Parts(NamedTuple):
    """What stands before the results of a structured operation."""

    inputs: list[SSAValue]
    outputs: list[SSAValue]
    attributes: dict[str, Attribute]

    @property
    def operands(self) -> list[SSAValue]:
        """Inputs, then outputs."""
        return [*self.inputs, *self.outputs]

    @property
    def sizes(self) -> tuple[int, int]:
        """How many inputs and outputs there are."""
        return len(self.inputs), len(self.outputs)

    @property
    def tensors(self) -> list[Attribute]:
        """The types of the outputs that are ranked tensors."""
        return [value.type for value in self.outputs if value.type.name == "tensor"]


def read_parts(p: Any) -> Parts:
    """``<{…}>? {…}? (ins(%a : t))? (outs(%b : t))?``."""
    attributes: dict[str, Attribute] = {}
    if p.accept("<"):
        attributes.update(p.attr_dict())
        p.require(">")
    attributes.update(p.attr_dict())
    return Parts(_values(p, "ins"), _values(p, "outs"), attributes)


def _values(p: Any, word: str) -> list[SSAValue]:
    if not p.accept(word):
        return []
    p.require("(")
    uses = p.operands()
    types: list[Attribute] = []
    place = p.at
    if uses or p.sees(":"):
        p.require(":")
        types = p.types_list()
    p.require(")")
    return p.resolve_all(uses, types, place)


def write_parts(w: Any, inputs: Sequence[SSAValue], outputs: Sequence[SSAValue]) -> None:
    """`` ins(%a : t) outs(%b : t)``."""
    for word, values in (("ins", inputs), ("outs", outputs)):
        if values:
            w.put(f" {word}(")
            w.values(values)
            w.put(" : ")
            w.types([value.type for value in values])
            w.put(")")


def inputs_and_outputs(op: Any) -> tuple[Sequence[SSAValue], Sequence[SSAValue]]:
    """The operands of a structured operation in two groups."""
    spec = spec_of(op.name)
    found = groups_of(op, spec, "operands") if spec else None
    if not found or len(found) != 2:
        return op.operands[:-1], op.operands[-1:]
    return found[0], found[1]


def write_results(w: Any, op: Any) -> None:
    """`` -> type`` or `` -> (types)`` for an operation with results."""
    if op.results:
        w.put(" -> ")
        types = [result.type for result in op.results]
        alone = len(types) == 1 and types[0].name != "function"
        w.put("" if alone else "(")
        w.types(types)
        w.put("" if alone else ")")


def read_maps(p: Any) -> ArrayAttr | None:
    """``indexing_maps = [#a, #b]``, if it is there."""
    if not p.accept("indexing_maps"):
        return None
    p.require("=")
    return p.attribute()


def scalars(values: Sequence[SSAValue]) -> list[Attribute]:
    """The element types of values."""
    return [element_type(value.type) for value in values]


def copying_body(inputs: Sequence[SSAValue], outputs: Sequence[SSAValue]) -> Region:
    """A body that yields its first argument."""
    block = Block(arg_types=scalars([*inputs, *outputs]))
    block.add_op(YieldOp(block.args[0]))
    return Region(block)


def place_body(p: Any, region: Region) -> None:
    """Give the ops of a body that the text does not show the place of the op that is read."""
    location = p.location_at(p.operation_start)
    for op in region.walk():
        op.location = location


_UNSIGNED = "#linalg.type_fn<cast_unsigned>"
_COMPLEX = {"linalg.add": "AddOp", "linalg.sub": "SubOp", "linalg.mul": "MulOp", "linalg.div": "DivOp"}


def hidden_body(kind: Any, inputs: Sequence[SSAValue], outputs: Sequence[SSAValue]) -> Region:
    """The body that the name of an operation stands for; an empty region where its class does not say."""
    if kind.name == "linalg.contract":
        return multiply_accumulate(inputs, outputs)
    if kind.name == "linalg.fill":
        return copying_body(inputs, outputs)
    if kind.name == "linalg.copy":
        return elementwise(inputs, outputs, lambda args, block: args[0])
    elements = scalars([*inputs, *outputs])
    if kind.name in _COMPLEX and isinstance(elements[-1], ComplexType):
        return elementwise(inputs, outputs, applied(getattr(complex, _COMPLEX[kind.name])))
    make = getattr(kind, "get_hidden_region", None)
    if make is None:
        return named_body(kind.name, inputs, outputs) or Region()
    try:
        return make(inputs, outputs)
    except AssertionError:
        # xDSL's classes know bodies for numbers only.
        raise error(f"'{kind.name}' op has no body for elements of type {elements[-1]}") from None


def shared_body(
    p: Any, name: str, inputs: Sequence[SSAValue], outputs: Sequence[SSAValue], cast: Attribute | None = None
) -> Region:
    """:func:`hidden_body` of an op by its name, a copy of the one made for the last op of the same types.

    ``cast`` says whether integers are widened with or without their sign.
    """
    key = (name, cast, len(inputs), *(value.type for value in (*inputs, *outputs)))
    body = p.bodies.get(key)
    if body is None:
        body = p.bodies[key] = hidden_body(p.kind(name).type, inputs, outputs)
        if cast is not None and str(cast) == _UNSIGNED:
            drop_signs(body)
    return copied(body)


def body_of_kind(p: Any, kind: str, inputs: Sequence[SSAValue], outputs: Sequence[SSAValue]) -> Region:
    """The body of a ``linalg.elementwise``."""
    return unsigned_body(kind, inputs, outputs) or shared_body(p, elementwise_name(kind), inputs, outputs)
