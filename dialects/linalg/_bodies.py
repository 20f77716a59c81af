"""Scalar bodies of named operations: multiply-accumulate and elementwise, with upstream's promotions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, ComplexType, IntegerType, MemRefType, TensorType
from xdsl.dialects.linalg.ops import YieldOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import Rewriter

from lamina.dialects.core.diagnostics import error


def promote(value: SSAValue, target: Attribute, block: Block, signed: bool = True) -> SSAValue:
    """Widen (or narrow) a scalar to a type the way named ops do: extending or truncating."""
    source = value.type
    if source == target:
        return value
    op: Operation
    match source, target:
        case IntegerType(), IntegerType():
            widens = source.width.data < target.width.data
            extend = arith.ExtSIOp if signed else arith.ExtUIOp
            op = extend(value, target) if widens else arith.TruncIOp(value, target)
        case IntegerType(), _ if isinstance(target, AnyFloat):
            op = arith.SIToFPOp(value, target) if signed else arith.UIToFPOp(value, target)
        case _ if isinstance(source, AnyFloat) and isinstance(target, AnyFloat):
            widens = source.bitwidth < target.bitwidth
            op = arith.ExtFOp(value, target) if widens else arith.TruncFOp(value, target)
        case _, IntegerType() if isinstance(source, AnyFloat):
            op = arith.FPToSIOp(value, target) if signed else arith.FPToUIOp(value, target)
        case _:
            raise error(f"a named linalg operation cannot promote {source} to {target}")
    block.add_op(op)
    return op.results[0]


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


def region_of(operands: Sequence[SSAValue], build: Callable[[Sequence[SSAValue], Block], SSAValue]) -> Region:
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
        product = multiply(left, right)
        block.add_op(product)
        total = add(args[2], product.results[0])
        block.add_op(total)
        return total.results[0]

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
    signed: bool = True,
) -> Region:
    """`out (op) in` for poolings, whose second input is a window of which only the shape counts."""

    def build(args: Sequence[SSAValue], block: Block) -> SSAValue:
        kind = args[-1].type
        value = promote(args[0], kind, block, signed)
        chosen = on_float if isinstance(kind, AnyFloat) else on_integer
        op = chosen(args[-1], value)  # pyright: ignore[reportCallIssue]
        block.add_op(op)
        return op.results[0]

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
