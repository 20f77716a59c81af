"""``nn-constant-fold``: operations whose operands are all known, replaced by their values.

The value of an op is what its reference says, so folding never changes a result. Splats stay splats:
an elementwise op on splats is evaluated for one element.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Operation
from xdsl.traits import is_side_effect_free
from xdsl.transforms.dead_code_elimination import is_trivially_dead

from lamina.dialects.core.constants import constant_attr, constant_attribute, constant_value, is_uniform_view
from lamina.dialects.nn.base import NnOp, reference
from lamina.dialects.nn.constant import ConstantOp
from lamina.dialects.nn.elementwise import ElementwiseOp
from lamina.dialects.nn.evaluate import evaluate
from lamina.passes.framework.passes import ANY_OP, Pass, PassContext, option

CANONICALIZE_LIMIT = 4096
"""Elements that an op may read and write in all for ``canonicalize`` to fold it."""
DEFAULT_LIMIT = 1 << 20
"""Elements of a result beyond which a fold must not grow the program."""
_REARRANGING = frozenset(
    ("nn.reshape", "nn.transpose", "nn.broadcast_to", "nn.squeeze", "nn.unsqueeze", "nn.tile", "nn.slice")
)
"""Ops whose result holds nothing but elements of their first operand."""


@dataclass(frozen=True)
class NnConstantFold(Pass):
    """Replace nn operations on constants by their values.

    A fold whose result is larger than its operands together is made only up to ``max-elements``, so a model
    does not grow by broadcasts of its weights; splats cost one element, whatever their shape.

    ```mlir
    func.func @f() -> tensor<2xf32> {
      %a = nn.constant dense<[1.0, 2.0]> : tensor<2xf32>
      %b = nn.constant dense<0.5> : tensor<2xf32>
      %0 = nn.mul %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      return %0 : tensor<2xf32>
    }
    ```

    ```mlir
    func.func @f() -> tensor<2xf32> {
      %0 = nn.constant dense<[5.000000e-01, 1.000000e+00]> : tensor<2xf32>
      return %0 : tensor<2xf32>
    }
    ```
    """

    name = "nn-constant-fold"
    anchor = ANY_OP
    statistics = {"folded": "operations replaced by constants"}

    max_elements: int = option(DEFAULT_LIMIT, "Largest result of a fold that is larger than its operands")

    def run(self, op: Operation, ctx: PassContext) -> None:
        ctx.count("folded", fold_constants(op, self.max_elements))


def fold_constants(root: Operation, max_elements: int = DEFAULT_LIMIT) -> int:
    """Fold all ops inside ``root`` that :func:`fold_op` folds, and erase constants without uses left behind.

    Returns the number of ops folded.
    """
    folded = 0
    left: list[Operation] = []
    for op in list(root.walk()):
        values = fold_op(op, max_elements)
        if values is None:
            continue
        left += [operand.owner for operand in op.operands if isinstance(operand.owner, Operation)]
        replace_by_constants(op, values)
        folded += 1
    for op in reversed(left):
        if op.parent is not None and is_trivially_dead(op):
            op.parent.erase_op(op)
    return folded


def replace_by_constants(op: Operation, values: Sequence[np.ndarray]) -> list[ConstantOp]:
    """Put constants of the op's result types in its place, at its location."""
    assert op.parent is not None
    constants: list[ConstantOp] = []
    for result, value in zip(op.results, values, strict=True):
        constant = ConstantOp.of(constant_attr(value, result.type))
        constant.location = op.location
        constant.result.name_hint = result.name_hint
        op.parent.insert_op_before(constant, op)
        result.replace_all_uses_with(constant.result)
        constants.append(constant)
    op.parent.erase_op(op)
    return constants


def fold_op(op: Operation, max_elements: int = CANONICALIZE_LIMIT) -> list[np.ndarray] | None:
    """The values of an nn op's results, or None where they are not known, too large or of dynamic type.

    Too large is a result of more than ``max_elements`` that is also larger than the operands together.
    """
    operands = _constant_operands(op)
    if operands is None:
        return None
    assert isinstance(op, NnOp)
    splats = _fold_splats(op, operands)
    if splats is not None:
        return splats
    size = sum(math.prod(r.type.get_shape()) for r in op.results if isinstance(r.type, TensorType))
    if size > max_elements and size > sum(stored_size(a) for a in operands):
        return None
    return list(evaluate(op, operands))


def fold_to_attributes(op: Operation) -> list[Attribute] | None:
    """As :func:`fold_op`, for ``canonicalize``: attributes, and only where little has to be done."""
    operands = _constant_operands(op)
    if operands is None:
        return None
    kinds = [r.type for r in op.results if isinstance(r.type, TensorType)]
    touched = sum(stored_size(a) for a in operands) + sum(math.prod(kind.get_shape()) for kind in kinds)
    assert isinstance(op, NnOp)
    values = _fold_splats(op, operands)
    if values is None:
        values = evaluate(op, operands) if touched <= CANONICALIZE_LIMIT else None
    if values is None:
        return None
    return [constant_attr(value, kind) for value, kind in zip(values, kinds, strict=True)]


def stored_size(array: np.ndarray) -> int:
    """The number of elements that a constant stores: one for a splat."""
    return 1 if is_uniform_view(array) else array.size


def _constant_operands(op: Operation) -> list[np.ndarray] | None:
    """The values of the operands of an op that may be folded, or None."""
    if not isinstance(op, NnOp) or isinstance(op, ConstantOp) or not op.results:
        return None
    if any(constant_attribute(operand) is None for operand in op.operands):
        return None
    static = all(isinstance(r.type, TensorType) and r.type.has_static_shape() for r in op.results)
    if not static or op.name not in reference or not is_side_effect_free(op):
        return None
    operands: list[np.ndarray] = []
    for operand in op.operands:
        value = constant_value(operand)
        if value is None:
            return None
        operands.append(value)
    return operands


def _fold_splats(op: NnOp, operands: Sequence[np.ndarray]) -> list[np.ndarray] | None:
    """The result of an op on splats that is a splat itself, without a loop over its elements."""
    if not isinstance(op, ElementwiseOp) and op.name not in _REARRANGING:
        return None
    if len(op.results) != 1 or not all(is_uniform_view(a) for a in operands):
        return None
    kind = op.results[0].type
    assert isinstance(kind, TensorType)
    elements = [a[(0,) * a.ndim] for a in operands]
    if op.name not in _REARRANGING:
        rule = reference.get(op.name)
        assert rule is not None
        element = rule(op, *(np.asarray(e) for e in elements))
    else:
        element = elements[0]
    return [np.broadcast_to(element, kind.get_shape())]
