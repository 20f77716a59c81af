"""LLVM IR text of intrinsics: ``llvm.intr.x`` becomes a call of ``@llvm.x`` with the suffixes of its types.

A row of :data:`INTRINSICS` says which types the name is overloaded on (``r`` the result, a digit that
operand) and which attributes are passed as immediate arguments at the end.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, IntegerAttr, StringAttr
from xdsl.ir import Operation, SSAValue

from lamina.dialects.core.diagnostics import error, op_name
from lamina.lowering.codegen.llvm_emitter import Emitter, attribute, integer
from lamina.lowering.codegen.llvm_instructions import fastmath
from lamina.lowering.codegen.llvm_metadata import access_metadata
from lamina.lowering.codegen.llvm_types import mangled


@dataclass(frozen=True)
class Intrinsic:
    """How an intrinsic's name and arguments follow from its operation."""

    overloads: str
    immediates: tuple[tuple[str, str], ...] = ()
    """Attribute names and the LLVM types of the immediates they give."""
    aligned: int | None = None
    """The operand that carries the operation's ``alignment`` as a parameter attribute."""


def _rows(overloads: str, names: str, immediates: tuple[tuple[str, str], ...] = ()) -> dict[str, Intrinsic]:
    return {f"llvm.intr.{name}": Intrinsic(overloads, immediates) for name in names.split()}


INTRINSICS: dict[str, Intrinsic] = {
    **_rows(
        "r", "fabs ceil floor trunc rint nearbyint round roundeven sqrt canonicalize copysign fma fmuladd"
    ),
    **_rows("r", "exp exp2 exp10 log log2 log10 pow sin cos tan asin acos atan atan2 sinh cosh tanh"),
    **_rows("r", "maxnum minnum maximum minimum maximumnum minimumnum smax smin umax umin"),
    **_rows("r", "sadd.sat uadd.sat ssub.sat usub.sat sshl.sat ushl.sat bitreverse bswap ctpop fshl fshr"),
    **_rows("r", "abs", (("is_int_min_poison", "i1"),)),
    **_rows("r", "ctlz cttz", (("is_zero_poison", "i1"),)),
    **_rows("0", "is.fpclass", (("bit", "i32"),)),
    **_rows("r1", "powi ldexp"),
    **_rows("r0", "lround llround lrint llrint fptosi.sat fptoui.sat frexp"),
    **_rows("0", "sadd.with.overflow uadd.with.overflow ssub.with.overflow usub.with.overflow"),
    **_rows("0", "smul.with.overflow umul.with.overflow sincos modf"),
    **_rows("0", "vector.reduce.add vector.reduce.mul vector.reduce.and vector.reduce.or vector.reduce.xor"),
    **_rows("0", "vector.reduce.smax vector.reduce.smin vector.reduce.umax vector.reduce.umin"),
    **_rows("0", "vector.reduce.fmax vector.reduce.fmin vector.reduce.fmaximum vector.reduce.fminimum"),
    **_rows("1", "vector.reduce.fadd vector.reduce.fmul"),
    **_rows("r1", "vector.insert", (("pos", "i64"),)),
    **_rows("r0", "vector.extract", (("pos", "i64"),)),
    **_rows("r", "vector.interleave2 stepvector vscale masked.expandload"),
    **_rows("0", "vector.deinterleave2 masked.compressstore expect"),
    **_rows("r0", "get.active.lane.mask"),
    "llvm.intr.masked.load": Intrinsic("r0", aligned=0),
    "llvm.intr.masked.gather": Intrinsic("r0", aligned=0),
    "llvm.intr.masked.store": Intrinsic("01", aligned=1),
    "llvm.intr.masked.scatter": Intrinsic("01", aligned=1),
    **_rows("012", "memcpy memmove memcpy.inline", (("isVolatile", "i1"),)),
    **_rows("02", "memset memset.inline", (("isVolatile", "i1"),)),
    **_rows("0", "prefetch", (("rw", "i32"), ("hint", "i32"), ("cache", "i32"))),
    **_rows("0", "lifetime.start lifetime.end stackrestore"),
    **_rows("r", "stacksave"),
    **_rows("r1", "ptrmask"),
    **_rows("", "assume trap debugtrap"),
}


def emit_intrinsic(emitter: Emitter, op: Operation) -> None:
    """The call of an ``llvm.intr.*`` operation; one that is not in the table is a :class:`LaminaError`."""
    operation = op_name(op)
    row = INTRINSICS.get(operation)
    if row is None:
        raise error("has no translation to LLVM IR", op, hint="write it as `llvm.call_intrinsic`")
    operands = list(op.operands)
    bundles = _operand_bundles(emitter, op, operands)
    suffixes = [
        mangled(op.results[0].type if which == "r" else operands[int(which)].type) for which in row.overloads
    ]
    name = ".".join([operation.replace("llvm.intr.", "llvm.", 1), *suffixes])
    arguments = [emitter.typed(value) for value in operands]
    if row.aligned is not None and (align := _alignment(op)):
        kind, _, value = arguments[row.aligned].rpartition(" ")
        arguments[row.aligned] = f"{kind} align {align} {value}"
    immediates = [_immediate(op, *immediate) for immediate in row.immediates]
    parameters = [emitter.type(value.type) for value in operands] + [kind for _, kind in row.immediates]
    _emit_call(emitter, op, name, parameters, [*arguments, *immediates], bundles)


def emit_call_intrinsic(emitter: Emitter, op: Operation) -> None:
    """``llvm.call_intrinsic "llvm.x.suffix"(…)``: the name is given in full."""
    name = op.properties["intrin"]
    assert isinstance(name, StringAttr)
    operands = list(op.operands)
    bundles = _operand_bundles(emitter, op, operands)
    parameters = [emitter.type(value.type) for value in operands]
    _emit_call(emitter, op, name.data, parameters, [emitter.typed(value) for value in operands], bundles)


def _emit_call(
    emitter: Emitter, op: Operation, name: str, parameters: list[str], arguments: list[str], bundles: str
) -> None:
    result = emitter.type(op.results[0].type) if op.results else "void"
    emitter.declare(name, result, parameters)
    target = f"{emitter.define(op.results[0])} = " if op.results else ""
    flags = fastmath(op) if op.results else ""
    text = f"{target}call{flags} {result} @{name}({', '.join(arguments)}){bundles}"
    emitter.lines.append(text + access_metadata(emitter, op))


def _immediate(op: Operation, name: str, kind: str) -> str:
    value = integer(op, name)
    return f"{kind} {('true' if value else 'false') if kind == 'i1' else value}"


def _alignment(op: Operation) -> int:
    """The alignment of a masked access: an integer (the scattered ones may give it for each operand)."""
    value = attribute(op, "alignment")
    if isinstance(value, ArrayAttr):
        value = value.data[0]
    return value.value.data if isinstance(value, IntegerAttr) else 0


def _operand_bundles(emitter: Emitter, op: Operation, operands: list[SSAValue]) -> str:
    """The text of the operand bundles, whose operands are taken off the end of the list."""
    sizes = op.properties.get("op_bundle_sizes")
    counts = [int(n) for n in sizes.get_values()] if isinstance(sizes, DenseArrayBase) else []
    if not counts:
        return ""
    tags = op.properties.get("op_bundle_tags")
    names = (
        [tag.data for tag in tags.data if isinstance(tag, StringAttr)] if isinstance(tags, ArrayAttr) else []
    )
    bundled = operands[len(operands) - sum(counts) :]
    del operands[len(operands) - sum(counts) :]
    parts: list[str] = []
    for tag, count in zip(names, counts, strict=True):
        parts.append(f'"{tag}"({emitter.typed_list(bundled[:count])})')
        bundled = bundled[count:]
    return f" [ {', '.join(parts)} ]"
