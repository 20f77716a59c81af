"""The `bounds` dialect: values kept within limits."""

from __future__ import annotations

from math import copysign, isnan
from typing import ClassVar

from xdsl.dialects.builtin import AnyFloat, FloatAttr, TensorType
from xdsl.ir import Dialect
from xdsl.irdl import (
    IRDLOperation,
    VarConstraint,
    base,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.traits import HasCanonicalizationPatternsTrait, Pure
from xdsl.utils.exceptions import VerifyException

from lamina.dialects.nn.derivatives import Term, elementwise


def _in_order(bound: FloatAttr[AnyFloat]) -> tuple[float, float]:
    """A key that orders numbers as IEEE 754's maximum does: -0.0 is less than 0.0."""
    return bound.value.data, copysign(1.0, bound.value.data)


class ClampCanonicalization(HasCanonicalizationPatternsTrait):
    """Gives `canonicalize` the patterns of :class:`ClampOp`."""

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return (ClampOfClamp(),)


@irdl_op_definition
class ClampOp(IRDLOperation):
    """Each element of a tensor, or the nearer bound where it lies outside of `low` to `high`.

    The bounds have the element type of the tensor; NaN stays NaN.
    """

    name = "bounds.clamp"

    _T: ClassVar = VarConstraint("T", base(TensorType))

    input = operand_def(_T)
    low = prop_def(FloatAttr)
    high = prop_def(FloatAttr)
    result = result_def(_T)

    traits = traits_def(Pure(), ClampCanonicalization())

    assembly_format = "$input `from` $low `to` $high attr-dict `:` type($input)"

    def verify_(self) -> None:
        element_type = self.input.type.get_element_type()  # pyright: ignore[reportAttributeAccessIssue]
        for name, bound in (("low", self.low), ("high", self.high)):
            if bound.type != element_type:
                raise VerifyException(f"'{name}' is of type {bound.type}, the elements of {element_type}")
            if isnan(bound.value.data):
                raise VerifyException(f"'{name}' is no number")
        if _in_order(self.low) > _in_order(self.high):
            raise VerifyException("'low' is greater than 'high'")


class ClampOfClamp(RewritePattern):
    """``clamp(clamp(x))`` is one clamp to what both bounds allow, where they have something in common."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ClampOp, rewriter: PatternRewriter) -> None:
        inner = op.input.owner
        if not isinstance(inner, ClampOp):
            return
        low = max(op.low, inner.low, key=_in_order)
        high = min(op.high, inner.high, key=_in_order)
        if _in_order(low) <= _in_order(high):
            properties = {"low": low, "high": high}
            merged = ClampOp.create(
                operands=[inner.input], result_types=[op.result.type], properties=properties
            )
            rewriter.replace(op, merged)


@elementwise("bounds.clamp")
def _(op: ClampOp, x: Term, y: Term) -> Term:
    """Both modes of differentiation: nothing passes at the bounds and outside of them."""
    return (x > op.low.value.data).logical_and(x < op.high.value.data)


Bounds = Dialect("bounds", [ClampOp])
