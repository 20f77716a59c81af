"""The walk that rewrites functions from ``nn`` to linalg: signatures, regions, and ops by their rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerType, StringAttr, TensorType, i1, i8
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from lamina.dialects.core.diagnostics import LaminaError, error, note, op_name
from lamina.dialects.nn.base import NnOp
from lamina.lowering.linalg._builder import LinalgBuilder, Sizes
from lamina.lowering.linalg._types import converted_type, dtype_note
from lamina.lowering.linalg.rules import linalg_rule
from lamina.lowering.linalg.rules.constants import converted_constant


class Conversion:
    """Converts regions, keeping for each old value the new one. The old region is left as it was."""

    def __init__(self) -> None:
        self.converted = 0
        self._values: dict[SSAValue, SSAValue] = {}
        self._blocks: dict[Block, Block] = {}
        self._sizes: Sizes = {}
        self._factors: Sizes = {}

    def function(self, function: FuncOp) -> None:
        """Convert the signature and the body of a function in place."""
        old = function.function_type
        function.function_type = converted_type(old)  # pyright: ignore[reportAttributeAccessIssue]
        function.arg_attrs = _with_dtypes(function.arg_attrs, old.inputs.data)
        function.res_attrs = _with_dtypes(function.res_attrs, old.outputs.data)
        body = self.region(function.body)
        function.detach_region(function.body).erase()
        function.add_region(body)

    def region(self, region: Region) -> Region:
        """A converted copy of a region."""
        pairs = [
            (block, Block(arg_types=[converted_type(a.type) for a in block.args])) for block in region.blocks
        ]
        for old, new in pairs:
            self._blocks[old] = new
            for old_argument, new_argument in zip(old.args, new.args, strict=True):
                self._replace(old_argument, new_argument)
                new_argument.location = old_argument.location
        result = Region([new for _, new in pairs])
        for old, new in pairs:
            for op in old.ops:
                self._operation(op, new)
        return result

    def _replace(self, old: SSAValue, new: SSAValue) -> None:
        self._values[old] = new
        if old.name_hint and not new.name_hint:
            new.name_hint = old.name_hint

    def _operation(self, op: Operation, block: Block) -> None:
        builder = LinalgBuilder(block, op.location, self._sizes, self._factors)
        operands = [self._values[value] for value in op.operands]
        if isinstance(op, NnOp):
            results = self._by_rule(op, operands, builder)
        elif op.name in _BRIDGES:
            results = _BRIDGES[op.name](self._copy(op, operands), op, builder)
        else:
            results = builder.insert(self._copy(op, operands)).results
        for old, new in zip(op.results, results, strict=True):
            self._replace(old, new)

    def _by_rule(self, op: NnOp, operands: Sequence[SSAValue], builder: LinalgBuilder) -> list[SSAValue]:
        rule = linalg_rule.get(op.name)
        assert rule is not None, "checked before the walk"
        made = rule(op, operands, builder)
        self.converted += 1
        values = [made] if isinstance(made, SSAValue) else list(made)
        return [_as_type(v, converted_type(r.type), builder) for v, r in zip(values, op.results, strict=True)]

    def _copy(self, op: Operation, operands: Sequence[SSAValue]) -> Operation:
        """The same op on converted operands, results and regions."""
        properties = dict(op.properties)
        if op.name == "arith.constant":
            properties["value"] = _converted_literal(properties["value"])
        return type(op).create(
            operands=operands,
            result_types=[converted_type(r.type) for r in op.results],
            properties=properties,
            attributes=dict(op.attributes),
            successors=[self._blocks[block] for block in op.successors],
            regions=[self.region(region) for region in op.regions],
        )


def _converted_literal(value: Attribute) -> Attribute:
    return converted_constant(value) if isinstance(getattr(value, "type", None), TensorType) else value


def _as_type(value: SSAValue, kind: Attribute, builder: LinalgBuilder) -> SSAValue:
    """The value in the type that its users expect; extents that are known here only are forgotten."""
    if value.type == kind:
        return value
    sizes = builder.sizes(value)
    return builder.remember(builder.value(tensor.CastOp(value, kind)), sizes)  # pyright: ignore[reportArgumentType]


def _extracted(copy: Operation, op: Operation, builder: LinalgBuilder) -> Sequence[SSAValue]:
    """An element of a tensor of bool, which is held as bytes, is an i1."""
    if op.results[0].type != i1:
        return builder.insert(copy).results
    byte = builder.value(tensor.ExtractOp(copy.operands[0], list(copy.operands[1:]), i8))
    copy.erase()  # else it stays a user of its operands
    copy.drop_all_references()  # it is not used, and must not count as a reader
    return [builder.value(arith.TruncIOp(byte, i1))]


def _from_scalars(copy: Operation, op: Operation, builder: LinalgBuilder) -> Sequence[SSAValue]:
    """Scalars of i1 that go into a tensor become bytes."""
    for i, value in enumerate(copy.operands):
        if value.type == i1:
            copy.operands[i] = builder.value(arith.ExtUIOp(value, IntegerType(8)))
    return builder.insert(copy).results


_BRIDGES = {
    "tensor.extract": _extracted,
    "tensor.from_elements": _from_scalars,
    "tensor.insert": _from_scalars,
    "tensor.splat": _from_scalars,
}
"""Ops between scalars and tensors, where bool changes its form."""


def _with_dtypes(
    attributes: ArrayAttr[DictionaryAttr] | None, types: Sequence[Attribute]
) -> ArrayAttr[DictionaryAttr] | None:
    """The attributes of arguments or results, with ``nn.dtype`` where the element type changes."""
    notes: list[StringAttr | None] = [dtype_note(kind) for kind in types]
    if not any(notes):
        return attributes
    present = attributes.data if attributes is not None else [DictionaryAttr({})] * len(types)
    return ArrayAttr(
        DictionaryAttr({**old.data, "nn.dtype": new}) if new is not None else old
        for old, new in zip(present, notes, strict=True)
    )


def check_rules(root: Operation) -> None:
    """Raise :class:`LaminaError` listing the ``nn`` ops that have no lowering, with count and first place."""
    missing = [
        op for op in root.walk() if op_name(op).startswith("nn.") and linalg_rule.get(op_name(op)) is None
    ]
    if not missing:
        return
    counts = Counter(op_name(op) for op in missing)
    first = {op_name(op): op for op in reversed(missing)}
    listed = ", ".join(f"{name} ({n})" for name, n in counts.most_common())
    problem: LaminaError = error(
        f"no lowering to linalg for: {listed}",
        missing[0],
        notes=[note(f"first '{name}' is here", op) for name, op in first.items()],
        hint="register one with `@linalg_rule(name)` from lamina.lowering.linalg.rules",
    )
    raise problem
