"""``linalg.map``, ``reduce``, ``transpose``, ``broadcast``: a body or the name of one, and dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects.builtin import DenseArrayBase, i64
from xdsl.dialects.linalg.ops import YieldOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from lamina.dialects.core.diagnostics import op_name
from lamina.dialects.core.ods.syntax import inference_of, syntax
from lamina.dialects.linalg.syntax.parts import (
    SEGMENTS,
    Parts,
    copying_body,
    inputs_and_outputs,
    place_body,
    read_parts,
    scalars,
    write_parts,
)


def read_dimensions(p: Any, word: str) -> DenseArrayBase:
    """``word = [1, 2]``."""
    p.require(word)
    p.require("=")
    p.require("[")
    numbers: list[int] = []
    while not p.sees("]"):
        numbers.append(p.integer())
        if not p.accept(","):
            break
    p.require("]")
    return DenseArrayBase.from_list(i64, numbers)


def _write_dimensions(w: Any, op: Operation, word: str) -> None:
    value: Any = op.get_attr_or_prop(word)
    w.put(f" {word} = [{', '.join(str(n) for n in value.get_values())}]")


class _Payload:
    """The name of the op that makes up a body, with its attributes, until the operands are known."""

    def __init__(self, p: Any) -> None:
        self.at = p.at
        self.name = p.word("the name of an operation")
        p.kind(self.name)  # a name of no operation is a mistake here, not behind the operands
        self.attributes = p.attr_dict()
        p.require("}")

    def body(
        self, p: Any, arguments: Sequence[Attribute], operands: Sequence[int], results: Sequence[Attribute]
    ) -> Region:
        """A block with the op on the arguments whose numbers are given, and the yield of what it gives."""
        block = Block(arg_types=arguments)
        values = [block.args[number] for number in operands]
        op = p.build(self.name, values, _results(self, values, results), self.attributes)
        op.location = p.location_at(self.at)
        block.add_op(op)
        block.add_op(YieldOp(*op.results))
        return Region(block)


def _results(
    payload: _Payload, values: Sequence[SSAValue], wanted: Sequence[Attribute]
) -> Sequence[Attribute]:
    infer = inference_of(payload.name)
    if infer is None:
        return wanted
    return infer([[value.type] for value in values], payload.attributes, ())


def _body(p: Any, payload: _Payload | None, parts: Parts, kind: str) -> Region:
    if payload is None:
        p.require("(")
        arguments = []
        while not p.sees(")"):
            arguments.append(p.argument())
            if not p.accept(","):
                break
        p.require(")")
        return p.region(arguments)
    types = scalars(parts.operands)
    count, results = len(parts.inputs), scalars(parts.outputs)
    if kind == "map":
        return payload.body(p, types, range(count), results)
    order = [*range(count, len(types)), *range(count)]
    return payload.body(p, types, order, results)


def _payload_of(op: Operation, numbers: Sequence[int]) -> Operation | None:
    """The one op of a body that only applies it to the block's arguments in this order, or None."""
    blocks = op.regions[0].blocks
    if len(blocks) != 1 or len(blocks[0].ops) != 2:  # pyright: ignore[reportArgumentType]
        return None
    block = blocks[0]
    inner, last = block.first_op, block.last_op
    if (
        inner is None
        or last is None
        or not isinstance(last, YieldOp)
        or inner.regions
        or "." not in op_name(inner)
    ):
        return None
    if len(inner.results) != 1 or tuple(last.operands) != tuple(inner.results):
        return None
    same = len(inner.operands) == len(numbers) and all(
        value is block.args[number] for value, number in zip(inner.operands, numbers, strict=True)
    )
    infer = inference_of(inner.name)
    types = {value.type for value in (*inner.operands, *inner.results)}
    return inner if same and (infer is not None or len(types) == 1) else None


def _write_payload(w: Any, payload: Operation) -> None:
    w.put(" { " + op_name(payload))
    w.attr_dict(payload, frozenset({"op_name__"}), False)
    w.put(" }")


def _write_body(w: Any, op: Operation) -> None:
    w.put(w.line_start() + "  (")
    for number, argument in enumerate(op.regions[0].blocks[0].args):
        if number:
            w.put(", ")
        w.argument(argument)
    w.put(") ")
    w.region(op.regions[0], entry_args=False)


@syntax("linalg.map")
class Map:
    """``linalg.map { arith.addf } ins(…) outs(…)`` or with a body after the attributes."""

    @staticmethod
    def parse(p: Any, name: str) -> Operation:
        payload = _Payload(p) if p.accept("{") else None
        parts = read_parts(p)
        attributes = {**parts.attributes, **p.attr_dict()}
        region = _body(p, payload, parts, "map")
        return p.build(name, parts.operands, parts.tensors, attributes, [region])

    @staticmethod
    def write(w: Any, op: Operation) -> None:
        inputs, outputs = inputs_and_outputs(op)
        payload = _payload_of(op, range(len(inputs)))
        if payload is not None:
            _write_payload(w, payload)
        write_parts(w, inputs, outputs)
        w.attr_dict(op, SEGMENTS, False)
        if payload is None:
            _write_body(w, op)


@syntax("linalg.reduce")
class Reduce:
    """``linalg.reduce { arith.addf } ins(…) outs(…) dimensions = [1]`` or with a body."""

    @staticmethod
    def parse(p: Any, name: str) -> Operation:
        payload = _Payload(p) if p.accept("{") else None
        parts = read_parts(p)
        attributes = {**parts.attributes, "dimensions": read_dimensions(p, "dimensions"), **p.attr_dict()}
        region = _body(p, payload, parts, "reduce")
        return p.build(name, parts.operands, parts.tensors, attributes, [region])

    @staticmethod
    def write(w: Any, op: Operation) -> None:
        inputs, outputs = inputs_and_outputs(op)
        order = [*range(len(inputs), len(op.operands)), *range(len(inputs))]
        payload = _payload_of(op, order)
        if payload is not None:
            _write_payload(w, payload)
        write_parts(w, inputs, outputs)
        _write_dimensions(w, op, "dimensions")
        w.attr_dict(op, SEGMENTS | {"dimensions"}, False)
        if payload is None:
            _write_body(w, op)


def _moving(word: str) -> type:
    class Moving:
        """An operation that only moves elements, with a list of dimensions."""

        @staticmethod
        def parse(p: Any, name: str) -> Operation:
            parts = read_parts(p)
            attributes = {**parts.attributes, word: read_dimensions(p, word), **p.attr_dict()}
            region = copying_body(parts.inputs, parts.outputs) if parts.inputs else Region()
            place_body(p, region)
            return p.build(name, parts.operands, parts.tensors, attributes, [region])

        @staticmethod
        def write(w: Any, op: Operation) -> None:
            write_parts(w, *inputs_and_outputs(op))
            _write_dimensions(w, op, word)
            w.attr_dict(op, SEGMENTS | {word}, False)

    return Moving


syntax("linalg.transpose")(_moving("permutation"))
syntax("linalg.broadcast")(_moving("dimensions"))
