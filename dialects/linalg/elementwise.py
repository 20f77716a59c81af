"""Elementwise named operations of upstream's linalg that xDSL lacks."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import AnyFloat, FloatAttr
from xdsl.dialects.linalg.abstract_ops import ElementwiseOperation
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import irdl_op_definition

from lamina.dialects.linalg._bodies import Scalar, applied, elementwise


def _reciprocal(args: Sequence[SSAValue], block: Block) -> SSAValue:
    kind = args[0].type
    assert isinstance(kind, AnyFloat)
    one = arith.ConstantOp(FloatAttr(1.0, kind))  # pyright: ignore[reportArgumentType,reportCallIssue]
    quotient = arith.DivfOp(one, args[0])
    block.add_ops([one, quotient])
    return quotient.result


def _square(args: Sequence[SSAValue], block: Block) -> SSAValue:
    return applied(arith.MulfOp, arith.MuliOp)([args[0], args[0]], block)


class _Elementwise(ElementwiseOperation):
    """One scalar operation on corresponding elements; inputs are promoted to the output's element type."""

    @classmethod
    def scalar(cls) -> Scalar:
        """The scalar function of the op."""
        raise NotImplementedError

    def __init__(
        self,
        inputs: Sequence[SSAValue],
        outputs: Sequence[SSAValue],
        res: Sequence[Attribute] | None = None,
        attributes: dict[str, Attribute] | None = None,
    ) -> None:
        super().__init__(
            ins=inputs,
            outs=outputs,
            result_types=[[output.type for output in outputs] if res is None else list(res)],
            attributes=attributes,
            hidden_region=self.get_hidden_region(inputs, outputs),
        )

    @classmethod
    def get_hidden_region(cls, inputs: Sequence[SSAValue], outputs: Sequence[SSAValue]) -> Region:
        return elementwise(inputs, outputs, cls.scalar())


def _define(operation: str, scalar: Scalar) -> type[Operation]:
    """The class of an elementwise op: its name and scalar function are all that differs."""
    members = {
        "name": f"linalg.{operation}",
        "scalar": classmethod(lambda cls: scalar),
        "__module__": __name__,
        "__doc__": f"Elementwise `{operation}`.",
    }
    title = "".join(part.capitalize() for part in operation.split("_"))
    return irdl_op_definition(type(f"{title}Op", (_Elementwise,), members))


ELEMENTWISE: list[type[Operation]] = [
    _define("abs", applied(math.AbsFOp, math.AbsIOp)),
    _define("ceil", applied(math.CeilOp)),
    _define("floor", applied(math.FloorOp)),
    _define("negf", applied(arith.NegfOp)),
    _define("reciprocal", _reciprocal),
    _define("round", applied(math.RoundOp)),
    _define("rsqrt", applied(math.RsqrtOp)),
    _define("square", _square),
    _define("tanh", applied(math.TanhOp)),
    _define("erf", applied(math.ErfOp)),
    _define("div", applied(arith.DivfOp, arith.DivSIOp)),
    _define("div_unsigned", applied(arith.DivfOp, arith.DivUIOp)),
    _define("powf", applied(math.PowFOp)),
]
