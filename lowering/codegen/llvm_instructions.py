"""LLVM IR text of instructions: one short entry in :data:`INSTRUCTIONS` for each operation.

Arithmetic, comparisons, conversions, vectors, aggregates, calls and control flow; memory access is in
:mod:`llvm_memory`, intrinsics are in :mod:`llvm_intrinsics`.
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, StringAttr, SymbolRefAttr
from xdsl.dialects.llvm import LLVMFunctionType
from xdsl.dialects.utils import BitEnumAttribute
from xdsl.ir import Attribute, Operation, SSAValue

from lamina.lowering.codegen.llvm_emitter import Emitter, attribute, integer, quoted
from lamina.lowering.codegen.llvm_metadata import branch_metadata, memory_effects

Instruction = Callable[[Emitter, Operation], None]

ICMP_PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
FCMP_PREDICATES = (
    *("false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord"),
    *("ueq", "ugt", "uge", "ult", "ule", "une", "uno", "true"),
)

FUNCTION_WORDS = {
    "no_inline": "noinline",
    "always_inline": "alwaysinline",
    "inline_hint": "inlinehint",
    "no_unwind": "nounwind",
    "will_return": "willreturn",
    "optimize_none": "optnone",
    "noreturn": "noreturn",
    "convergent": "convergent",
    "returns_twice": "returns_twice",
    "cold": "cold",
    "hot": "hot",
}
"""Unit attributes of functions and calls, and LLVM's words for them."""


def no_flags(op: Operation) -> str:
    """Nothing: the operation has no flags."""
    return ""


def fastmath(op: Operation) -> str:
    """Fast-math flags, each with a blank in front."""
    flags = attribute(op, "fastmathFlags")
    if not isinstance(flags, BitEnumAttribute) or not flags.data:
        return ""
    return "".join([f" {flag.value}" for flag in flags.enum_type if flag in flags.data])


def overflow(op: Operation) -> str:
    """``nuw`` and ``nsw``: upstream's bit enum (1: nsw, 2: nuw), or xDSL's attribute for it."""
    flags = attribute(op, "overflowFlags")
    if isinstance(flags, IntegerAttr):
        bits = flags.value.data
        return ("", " nsw", " nuw", " nuw nsw")[bits & 3]
    if isinstance(flags, BitEnumAttribute):
        return "".join([f" {flag.value}" for flag in flags.enum_type if flag in flags.data])
    return ""


def flag(property_name: str, keyword: str) -> Callable[[Operation], str]:
    """A unit attribute that becomes a keyword."""
    return lambda op: f" {keyword}" if attribute(op, property_name) is not None else ""


def binary(opcode: str, flags: Callable[[Operation], str] = no_flags) -> Instruction:
    """``%r = opcode flags type %a, %b``."""

    def emit(emitter: Emitter, op: Operation) -> None:
        lhs, rhs = op.operands
        emitter.lines.append(
            f"{emitter.define(op.results[0])} = {opcode}{flags(op)} {emitter.typed(lhs)}, {emitter.use(rhs)}"
        )

    return emit


def unary(opcode: str, flags: Callable[[Operation], str] = no_flags) -> Instruction:
    """``%r = opcode flags type %a``."""

    def emit(emitter: Emitter, op: Operation) -> None:
        result = emitter.define(op.results[0])
        emitter.lines.append(f"{result} = {opcode}{flags(op)} {emitter.typed(op.operands[0])}")

    return emit


def cast(opcode: str, flags: Callable[[Operation], str] = no_flags) -> Instruction:
    """``%r = opcode flags type %a to type``."""

    def emit(emitter: Emitter, op: Operation) -> None:
        result = op.results[0]
        emitter.lines.append(
            f"{emitter.define(result)} = {opcode}{flags(op)} {emitter.typed(op.operands[0])}"
            f" to {emitter.type(result.type)}"
        )

    return emit


def compare(opcode: str, predicates: tuple[str, ...]) -> Instruction:
    """``%r = opcode flags predicate type %a, %b``."""

    def emit(emitter: Emitter, op: Operation) -> None:
        lhs, rhs = op.operands
        emitter.lines.append(
            f"{emitter.define(op.results[0])} = {opcode}{fastmath(op)} {predicates[integer(op, 'predicate')]}"
            f" {emitter.typed(lhs)}, {emitter.use(rhs)}"
        )

    return emit


def operands_list(opcode: str, flags: Callable[[Operation], str] = no_flags) -> Instruction:
    """``%r = opcode flags type %a, type %b, …``."""

    def emit(emitter: Emitter, op: Operation) -> None:
        result = emitter.define(op.results[0])
        emitter.lines.append(f"{result} = {opcode}{flags(op)} {emitter.typed_list(op.operands)}")  # pyright: ignore[reportArgumentType]

    return emit


def _insert_element(emitter: Emitter, op: Operation) -> None:
    vector, value, index = op.operands
    emitter.lines.append(
        f"{emitter.define(op.results[0])} = insertelement {emitter.typed_list((vector, value, index))}"
    )


def _shuffle(emitter: Emitter, op: Operation) -> None:
    first, second = op.operands
    mask = _integers(op.properties["mask"])
    lanes = ", ".join(["i32 poison" if lane < 0 else f"i32 {lane}" for lane in mask])
    emitter.lines.append(
        f"{emitter.define(op.results[0])} = shufflevector {emitter.typed(first)}, {emitter.typed(second)},"
        f" <{len(mask)} x i32> <{lanes}>"
    )


def _integers(array: Attribute) -> tuple[int, ...]:
    assert isinstance(array, DenseArrayBase)
    return tuple(int(value) for value in array.get_values())


def _position(op: Operation) -> str:
    return "".join([f", {index}" for index in _integers(op.properties["position"])])


def _extract_value(emitter: Emitter, op: Operation) -> None:
    result = emitter.define(op.results[0])
    emitter.lines.append(f"{result} = extractvalue {emitter.typed(op.operands[0])}{_position(op)}")


def _insert_value(emitter: Emitter, op: Operation) -> None:
    container, value = op.operands
    emitter.lines.append(
        f"{emitter.define(op.results[0])} = insertvalue {emitter.typed(container)}, {emitter.typed(value)}"
        f"{_position(op)}"
    )


def _call(emitter: Emitter, op: Operation) -> None:
    """A direct call, or an indirect one, whose first operand is the callee."""
    callee, arguments = op.properties.get("callee"), list(op.operands)
    bundles = _integers(op.properties["op_bundle_sizes"]) if "op_bundle_sizes" in op.properties else ()
    if bundles:
        arguments = arguments[: len(arguments) - sum(bundles)]
    if isinstance(callee, SymbolRefAttr):
        target = emitter.refer(callee.root_reference.data)
    else:
        target = emitter.use(arguments.pop(0))
    kind = op.properties.get("var_callee_type")
    if isinstance(kind, LLVMFunctionType):
        signature = emitter.type(kind)
    else:
        signature = emitter.type(op.results[0].type) if op.results else "void"
    emit_call(
        emitter, op, f"{_call_prefix(op)}{fastmath(op) if op.results else ''}", signature, target, arguments
    )


def emit_call(
    emitter: Emitter, op: Operation, prefix: str, signature: str, target: str, arguments: list[SSAValue]
) -> None:
    """A call instruction, with a result where the operation has one."""
    result = f"{emitter.define(op.results[0])} = " if op.results else ""
    emitter.lines.append(
        f"{result}{prefix}{_convention(op)} {signature} {target}"
        f"({emitter.typed_list(arguments)}){_call_attributes(op)}"
    )


def _call_prefix(op: Operation) -> str:
    kind = getattr(op.properties.get("TailCallKind"), "data", "none")
    return "call" if str(kind) == "none" else f"{kind} call"


def _convention(op: Operation) -> str:
    convention = op.properties.get("CConv")
    name = getattr(getattr(convention, "convention", None), "data", "ccc")
    return "" if name == "ccc" else f" {name}"


def _call_attributes(op: Operation) -> str:
    words = "".join([f" {word}" for name, word in FUNCTION_WORDS.items() if attribute(op, name) is not None])
    effects = attribute(op, "memory_effects") or attribute(op, "memory")
    return words if effects is None else f"{words} {memory_effects(effects)}"


def _inline_asm(emitter: Emitter, op: Operation) -> None:
    words = [("has_side_effects", "sideeffect"), ("is_align_stack", "alignstack")]
    modifiers = "".join([f" {word}" for name, word in words if attribute(op, name) is not None])
    if integer(op, "asm_dialect") == 1:
        modifiers += " inteldialect"
    text, constraints = op.properties["asm_string"], op.properties["constraints"]
    assert isinstance(text, StringAttr) and isinstance(constraints, StringAttr)
    result = f"{emitter.define(op.results[0])} = " if op.results else ""
    signature = emitter.type(op.results[0].type) if op.results else "void"
    arguments = emitter.typed_list(list(op.operands))
    emitter.lines.append(
        f"{result}call {signature} asm{modifiers} {quoted(text.data)}, {quoted(constraints.data)}"
        f"({arguments})"
    )


def _return(emitter: Emitter, op: Operation) -> None:
    emitter.lines.append(f"ret {emitter.typed(op.operands[0])}" if op.operands else "ret void")


def _branch(emitter: Emitter, op: Operation) -> None:
    emitter.lines.append(f"br label %{emitter.target(op, 0)}{branch_metadata(emitter, op)}")


def _conditional_branch(emitter: Emitter, op: Operation) -> None:
    emitter.lines.append(
        f"br {emitter.typed(op.operands[0])}, label %{emitter.target(op, 0)}, label %{emitter.target(op, 1)}"
        f"{branch_metadata(emitter, op)}"
    )


def _switch(emitter: Emitter, op: Operation) -> None:
    from lamina.dialects.core.constants import as_array

    selector = op.operands[0]
    kind = emitter.type(selector.type)
    values = op.properties.get("case_values")
    cases = as_array(values).reshape(-1).tolist() if values is not None else []
    targets = [f"{kind} {int(v)}, label %{emitter.target(op, i + 1)}" for i, v in enumerate(cases)]
    emitter.lines.append(
        f"switch {kind} {emitter.use(selector)}, label %{emitter.target(op, 0)} [{' '.join(targets)}]"
        f"{branch_metadata(emitter, op)}"
    )


def _unreachable(emitter: Emitter, op: Operation) -> None:
    emitter.lines.append("unreachable")


exact, disjoint, non_negative = (
    flag("isExact", "exact"),
    flag("isDisjoint", "disjoint"),
    flag("nonNeg", "nneg"),
)

INSTRUCTIONS: dict[str, Instruction] = {
    **{f"llvm.{name}": binary(name, overflow) for name in ("add", "sub", "mul", "shl")},
    **{f"llvm.{name}": binary(name, exact) for name in ("udiv", "sdiv", "lshr", "ashr")},
    **{f"llvm.{name}": binary(name) for name in ("urem", "srem", "and", "xor")},
    "llvm.or": binary("or", disjoint),
    **{f"llvm.{name}": binary(name, fastmath) for name in ("fadd", "fsub", "fmul", "fdiv", "frem")},
    "llvm.fneg": unary("fneg", fastmath),
    "llvm.freeze": unary("freeze"),
    "llvm.icmp": compare("icmp", ICMP_PREDICATES),
    "llvm.fcmp": compare("fcmp", FCMP_PREDICATES),
    "llvm.trunc": cast("trunc", overflow),
    "llvm.zext": cast("zext", non_negative),
    "llvm.uitofp": cast("uitofp", non_negative),
    **{
        f"llvm.{name}": cast(name)
        for name in ("sext", "fptosi", "fptoui", "sitofp", "bitcast", "addrspacecast")
    },
    **{f"llvm.{name}": cast(name, fastmath) for name in ("fpext", "fptrunc")},
    **{f"llvm.{name}": cast(name) for name in ("ptrtoint", "inttoptr")},
    "llvm.select": operands_list("select", fastmath),
    "llvm.extractelement": operands_list("extractelement"),
    "llvm.insertelement": _insert_element,
    "llvm.shufflevector": _shuffle,
    "llvm.extractvalue": _extract_value,
    "llvm.insertvalue": _insert_value,
    "llvm.call": _call,
    "llvm.inline_asm": _inline_asm,
    "llvm.return": _return,
    "llvm.br": _branch,
    "llvm.cond_br": _conditional_branch,
    "llvm.switch": _switch,
    "llvm.unreachable": _unreachable,
}
