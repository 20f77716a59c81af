"""Scalar bodies of named operations: multiply-accumulate and elementwise, with upstream's promotions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, ComplexType, IntegerType, MemRefType, TensorType
from xdsl.dialects.linalg.ops import YieldOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import Rewriter

from lamina.dialects.core.diagnostics import error

Scalar = Callable[[Sequence[SSAValue], Block], SSAValue]


def appended(op: Operation, block: Block) -> SSAValue:
    """The only result of an op that is put at the end of a block."""
    block.add_op(op)
    return op.results[0]


def applied(on_float: Callable[..., Operation], on_integer: Callable[..., Operation] | None = None) -> Scalar:
    """The scalar function that applies one op, chosen by the element type."""

    def build(args: Sequence[SSAValue], block: Block) -> SSAValue:
        is_float = isinstance(args[0].type, AnyFloat)
        return appended((on_float if is_float or on_integer is None else on_integer)(*args), block)

    return build


def promote(value: SSAValue, target: Attribute, block: Block) -> SSAValue:
    """Widen (or narrow) a scalar to a type the way named ops do: signed, extending or truncating."""
    source = value.type
    if source == target:
        return value
    op: Operation
    match source, target:
        case IntegerType(), IntegerType():
            widens = source.width.data < target.width.data
            op = arith.ExtSIOp(value, target) if widens else arith.TruncIOp(value, target)
        case IntegerType(), _ if isinstance(target, AnyFloat):
            op = arith.SIToFPOp(value, target)
        case _ if isinstance(source, AnyFloat) and isinstance(target, AnyFloat):
            widens = source.bitwidth < target.bitwidth
            op = arith.ExtFOp(value, target) if widens else arith.TruncFOp(value, target)
        case _, IntegerType() if isinstance(source, AnyFloat):
            op = arith.FPToSIOp(value, target)
        case _:
            raise error(f"a named linalg operation cannot promote {source} to {target}")
    return appended(op, block)


_WITHOUT_SIGN: dict[str, Callable[..., Operation]] = {
    "arith.extsi": arith.ExtUIOp,
    "arith.sitofp": arith.UIToFPOp,
    "arith.fptosi": arith.FPToUIOp,
}


def drop_signs(body: Region) -> None:
    """Let a body convert integers as numbers without sign."""
    for op in list(body.walk()):
        make = _WITHOUT_SIGN.get(op.name)
        if make is not None:
            Rewriter.replace_op(op, make(op.operands[0], op.results[0].type))


def element_type(kind: Attribute) -> Attribute:
    """The type of what a named op computes with, of the type of one of its operands."""
    return kind.element_type if isinstance(kind, MemRefType | TensorType) else kind


def region_of(operands: Sequence[SSAValue], build: Scalar) -> Region:
    """A body of the elements of operands that yields what ``build`` makes."""
    block = Block(arg_types=[element_type(operand.type) for operand in operands])
    result = build(block.args, block)
    block.add_op(YieldOp(result))
    return Region(block)


def multiply_accumulate(inputs: Sequence[SSAValue], outputs: Sequence[SSAValue]) -> Region:
    """`out + a * b` in the output's element type."""

    def build(args: Sequence[SSAValue], block: Block) -> SSAValue:
        kind = args[-1].type
        left, right = (promote(arg, kind, block) for arg in args[:2])
        multiply, add = _arithmetic_of(kind)
        return appended(add(args[2], appended(multiply(left, right), block)), block)

    return region_of((*inputs, *outputs), build)


def _arithmetic_of(kind: Attribute) -> tuple[Callable[..., Operation], Callable[..., Operation]]:
    """The ops that multiply and add values of a type."""
    if isinstance(kind, ComplexType):
        from xdsl.dialects import complex

        return complex.MulOp, complex.AddOp
    return (arith.MulfOp, arith.AddfOp) if isinstance(kind, AnyFloat) else (arith.MuliOp, arith.AddiOp)


def combine(
    inputs: Sequence[SSAValue],
    outputs: Sequence[SSAValue],
    on_float: type[Operation],
    on_integer: type[Operation],
) -> Region:
    """`out (op) in` for poolings, whose second input is a window of which only the shape counts."""

    def build(args: Sequence[SSAValue], block: Block) -> SSAValue:
        value = promote(args[0], args[-1].type, block)
        return applied(on_float, on_integer)([args[-1], value], block)

    return region_of((*inputs, *outputs), build)


def elementwise(
    inputs: Sequence[SSAValue],
    outputs: Sequence[SSAValue],
    build: Callable[[Sequence[SSAValue], Block], SSAValue],
) -> Region:
    """A body over the inputs, promoted to the output's element type."""

    def promoted(args: Sequence[SSAValue], block: Block) -> SSAValue:
        kind = args[-1].type
        return build([promote(arg, kind, block) for arg in args[: len(inputs)]], block)

    return region_of((*inputs, *outputs), promoted)
