"""Whether an operation may run earlier, or more often, than the program says.

It may if it has no side effects and cannot fail. xDSL's traits do not say that for every operation of
upstream's dialects, and say too much for some: the tables below follow upstream
(``ConditionallySpeculatable``), and are stricter where upstream trusts the program, since a remainder by zero
or an element outside of its tensor may trap on a real machine.
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import affine, scf
from xdsl.dialects.builtin import IntegerType, MemRefType, ShapedType, TensorType, UnrankedMemRefType
from xdsl.ir import Operation, SSAValue
from xdsl.traits import IsTerminator, is_speculatable
from xdsl.utils.type import get_element_type_or_self

from lamina.dialects.core.constants import constant_value
from lamina.dialects.core.facts import facts_of
from lamina.passes.framework.effects import is_registered, is_side_effect_free

_ALWAYS = frozenset(
    (
        "affine.min",
        "arith.extsi",
        "memref.cast",
        "memref.collapse_shape",
        "memref.expand_shape",
        "memref.extract_aligned_pointer_as_index",
        "memref.extract_strided_metadata",
        "memref.get_global",
        "memref.memory_space_cast",
        "memref.rank",
        "memref.reinterpret_cast",
        "memref.subview",
        "memref.view",
        "tensor.empty",
        "vector.bitcast",
        "vector.create_mask",
        "vector.reduction",
        "vector.shuffle",
    )
)
"""Pure operations of upstream that xDSL does not mark as pure."""

_NEVER = frozenset(
    ("nn.gather", "nn.dynamic_reshape", "nn.dynamic_broadcast_to", "linalg.div", "linalg.div_unsigned")
)
"""Operations that may fail, depending on values that are hardly ever known."""

_NESTED = frozenset(("affine.if", "scf.if", "tensor.generate", "tensor.pad"))
"""Operations that may run early if all operations inside may."""


def may_run_early(op: Operation) -> bool:
    """Whether an operation, with all those inside it, has no effects and no way to fail."""
    name = op.name
    if not is_registered(op) or name in _NEVER:
        return False
    rule = _CONDITIONS.get(name)
    if rule is not None:
        return rule(op)
    if name.startswith("linalg."):
        return _is_on_tensors(op) and _all_inside(op)
    if name in _NESTED:
        return _all_inside(op)
    if op.regions:
        return False
    if name in _ALWAYS:
        return True
    return is_side_effect_free(op) and ("S" in facts_of(op).traits or is_speculatable(op))


def _all_inside(op: Operation) -> bool:
    return all(
        may_run_early(inner)
        or (inner.has_trait(IsTerminator, value_if_unregistered=False) and not inner.regions)
        for region in op.regions
        for block in region.blocks
        for inner in block.ops
    )


def _is_plain_terminator(op: Operation) -> bool:
    return not op.regions and op.has_trait(IsTerminator, value_if_unregistered=False)


def _is_on_tensors(op: Operation) -> bool:
    return not any(isinstance(v.type, MemRefType | UnrankedMemRefType) for v in op.operands)


def _divides_safely(op: Operation) -> bool:
    """The divisor is a constant: not 0, and not -1 where signs count (the least integer has no opposite)."""
    divisor = op.operands[1]
    if op.name.startswith("nn.") and not isinstance(get_element_type_or_self(divisor.type), IntegerType):
        return True
    value = constant_value(divisor)
    unsigned = op.name.endswith(("ui", "u"))
    return value is not None and bool((value != 0).all() and (unsigned or (value != -1).all()))


def _is_small_step(op: Operation) -> bool:
    """A loop of step 1 surely ends: its induction variable cannot step over the bound and wrap around."""
    if isinstance(op, affine.ForOp):
        return op.step.value.data == 1 and _all_inside(op)
    assert isinstance(op, scf.ForOp)
    step = constant_value(op.step)
    return step is not None and int(step) == 1 and _all_inside(op)


def _has_dimension(op: Operation) -> bool:
    """``dim`` of a dimension that is known to exist."""
    source, index = op.operands
    number = constant_value(index)
    rank = source.type.get_num_dims() if isinstance(source.type, ShapedType) else 0
    return number is not None and 0 <= int(number) < rank


def _is_inside(tensor: SSAValue, indices: tuple[SSAValue, ...]) -> bool:
    if not isinstance(tensor.type, TensorType):
        return False
    known = [constant_value(index) for index in indices]
    sizes = tensor.type.get_shape()
    return all(i is not None and 0 <= int(i) < size for i, size in zip(known, sizes, strict=True))


def _extracts_inside(op: Operation) -> bool:
    return _is_inside(op.operands[0], tuple(op.operands[1:]))


def _inserts_inside(op: Operation) -> bool:
    return _is_inside(op.operands[1], tuple(op.operands[2:]))


def _inserts_at_constants(op: Operation) -> bool:
    """Offsets, sizes and strides are part of the operation, whose verifier has checked them."""
    return len(op.operands) == 2


_CONDITIONS: dict[str, Callable[[Operation], bool]] = {
    **{
        f"{dialect}.{name}": _divides_safely
        for dialect, names in {
            "arith": ("divsi", "divui", "ceildivsi", "ceildivui", "floordivsi", "remsi", "remui"),
            "index": ("divs", "divu", "ceildivs", "ceildivu", "floordivs", "rems", "remu"),
            "nn": ("div", "mod", "rem"),
        }.items()
        for name in names
    },
    "affine.for": _is_small_step,
    "scf.for": _is_small_step,
    "memref.dim": _has_dimension,
    "tensor.dim": _has_dimension,
    "tensor.extract": _extracts_inside,
    "tensor.insert": _inserts_inside,
    "tensor.insert_slice": _inserts_at_constants,
}
