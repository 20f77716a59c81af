"""LLVM IR text of functions: signature, attributes, blocks, and phi nodes for block arguments."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, StringAttr, UnitAttr
from xdsl.dialects.llvm import LLVMFunctionType, LLVMVoidType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from lamina.dialects.core.diagnostics import error, op_name
from lamina.dialects.core.verifying.groups import static_values
from lamina.lowering.codegen.llvm_emitter import LITERALS, Emitter, attribute, integer, quoted, symbol
from lamina.lowering.codegen.llvm_instructions import FUNCTION_WORDS, INSTRUCTIONS
from lamina.lowering.codegen.llvm_intrinsics import emit_call_intrinsic, emit_intrinsic
from lamina.lowering.codegen.llvm_memory import MEMORY_INSTRUCTIONS
from lamina.lowering.codegen.llvm_metadata import memory_effects

EMITTERS = {**INSTRUCTIONS, **MEMORY_INSTRUCTIONS, "llvm.call_intrinsic": emit_call_intrinsic}

_PARAMETER_WORDS = (
    *("noalias", "nonnull", "readonly", "writeonly", "readnone", "noundef", "nofree", "returned", "nest"),
    *("signext", "zeroext", "inreg", "allocalign", "allocptr", "dead_on_unwind", "writable", "swiftself"),
)
_FUNCTION_STRINGS = {
    "target_cpu": "target-cpu",
    "tune_cpu": "tune-cpu",
    "no_infs_fp_math": "no-infs-fp-math",
    "no_nans_fp_math": "no-nans-fp-math",
    "no_signed_zeros_fp_math": "no-signed-zeros-fp-math",
    "denormal_fp_math": "denormal-fp-math",
    "fp_contract": "fp-contract",
}


def parameter_attributes(emitter: Emitter, attributes: Mapping[str, Attribute]) -> str:
    """The attributes of a parameter or result, each with a blank in front; other dialects' are dropped."""
    text = ""
    for name, value in attributes.items():
        word = name.removeprefix("llvm.")
        if word == name:
            continue
        if word in _PARAMETER_WORDS and isinstance(value, UnitAttr):
            text += f" {word}"
        elif word == "nocapture":
            text += " captures(none)"
        elif isinstance(value, IntegerAttr) and word == "align":
            text += f" align {value.value.data}"
        elif isinstance(value, IntegerAttr) and word in ("dereferenceable", "dereferenceable_or_null"):
            text += f" {word}({value.value.data})"
        elif word in ("byval", "sret", "byref", "elementtype", "inalloca", "preallocated"):
            text += f" {word}({emitter.type(value)})"
    return text


def function_attributes(op: Operation) -> str:
    """The attributes after a function's parameter list, each with a blank in front."""
    text = "".join([f" {word}" for name, word in FUNCTION_WORDS.items() if attribute(op, name) is not None])
    if (effects := attribute(op, "memory_effects")) is not None:
        text += f" {memory_effects(effects)}"
    for name, key in _FUNCTION_STRINGS.items():
        value = attribute(op, name)
        if isinstance(value, StringAttr):
            text += f' "{key}"={quoted(value.data)}'
        elif isinstance(value, IntegerAttr):
            text += f' "{key}"="{"true" if value.value.data else "false"}"'
    features = getattr(attribute(op, "target_features"), "features", None)
    if isinstance(features, ArrayAttr):
        text += f' "target-features"={quoted(",".join(getattr(f, "data", "") for f in features.data))}'
    kind = getattr(attribute(op, "frame_pointer"), "data", None)
    if kind is not None:
        text += f' "frame-pointer"="{kind}"'
    text += _passthrough(attribute(op, "passthrough"))
    section, align = attribute(op, "section"), integer(op, "alignment")
    text += f" section {quoted(section.data)}" if isinstance(section, StringAttr) else ""
    return f"{text} align {align}" if align else text


_ENUM_ATTRIBUTES = (
    *("nofree", "norecurse", "nosync", "mustprogress", "noinline", "alwaysinline", "nounwind", "willreturn"),
    *("cold", "hot", "minsize", "optsize", "inlinehint", "naked", "noreturn", "speculatable", "nocallback"),
    *("nomerge", "noduplicate", "optnone", "noimplicitfloat", "null_pointer_is_valid"),
)


def _passthrough(entries: Attribute | None) -> str:
    """Upstream's escape for any attribute: a name, or a pair of name and value."""
    text = ""
    for entry in entries.data if isinstance(entries, ArrayAttr) else ():
        if isinstance(entry, StringAttr):
            text += f" {entry.data}" if entry.data in _ENUM_ATTRIBUTES else f" {quoted(entry.data)}"
        elif isinstance(entry, ArrayAttr):
            key, value = (part.data for part in entry.data if isinstance(part, StringAttr))
            text += (
                f" {key}({value})" if key in ("memory", "allocsize") else f" {quoted(key)}={quoted(value)}"
            )
    return text


def _dictionaries(op: Operation, name: str, count: int) -> Sequence[Mapping[str, Attribute]]:
    """Attribute dictionaries of arguments or results, empty ones where there are none."""
    found = attribute(op, name)
    if not isinstance(found, ArrayAttr):
        return [{}] * count
    return [entry.data if isinstance(entry, DictionaryAttr) else {} for entry in found.data]


_VISIBILITIES = ("", "hidden", "protected")
_UNNAMED = ("", " local_unnamed_addr", " unnamed_addr")


def linkage(op: Operation) -> str:
    """The linkage with a blank behind. A symbol that is private to its module is internal to the object."""
    word = getattr(getattr(op.properties.get("linkage"), "linkage", None), "data", "external")
    visibility = attribute(op, "sym_visibility")
    is_private = isinstance(visibility, StringAttr) and visibility.data == "private"
    if word == "external" and is_private and op.regions and op.regions[0].blocks:
        return "internal "
    return "" if word == "external" else f"{word} "


def emit_function(emitter: Emitter, op: Operation) -> str:
    """The text of an ``llvm.func``: a definition, or a declaration where it has no body."""
    emitter.start_function()
    blocks = list(op.regions[0].blocks)
    head = _signature(emitter, op, blocks[0].args if blocks else None)
    if not blocks:
        return f"declare {head}\n"
    _emit_blocks(emitter, blocks)
    lines = [line if line[-1] == ":" else f"  {line}" for line in emitter.lines]
    return f"define {head} {{\n" + "\n".join(lines) + "\n}\n"


def emit_declaration(emitter: Emitter, op: Operation) -> str:
    """The text of an ``llvm.func`` as a declaration, whether it has a body or not."""
    return f"declare {_signature(emitter, op, None)}\n"


def _signature(emitter: Emitter, op: Operation, arguments: Sequence[SSAValue] | None) -> str:
    """Linkage, convention, result, name, parameters (named where there is a body) and attributes."""
    kind, name = op.properties["function_type"], op.properties["sym_name"]
    assert isinstance(kind, LLVMFunctionType) and isinstance(name, StringAttr)
    types = kind.inputs.data
    parameters = [
        f"{emitter.type(t)}{parameter_attributes(emitter, a)}"
        for t, a in zip(types, _dictionaries(op, "arg_attrs", len(types)), strict=True)
    ]
    if arguments is not None:
        parameters = [
            f"{text} {emitter.define(arg)}" for text, arg in zip(parameters, arguments, strict=True)
        ]
    if kind.is_variadic:
        parameters.append("...")
    convention = getattr(getattr(op.properties.get("CConv"), "convention", None), "data", "ccc")
    words = [linkage(op).rstrip(), _VISIBILITIES[integer(op, "visibility_")]]
    if emitter.is_part and words[0] in ("internal", "private"):
        words = ["hidden"]  # known to all parts, but not outside the object
    words.append("" if convention == "ccc" else convention)
    if not isinstance(kind.output, LLVMVoidType):
        words.append(parameter_attributes(emitter, _dictionaries(op, "res_attrs", 1)[0]).lstrip())
    words.append(emitter.type(kind.output))
    unnamed = _UNNAMED[integer(op, "unnamed_addr")]
    head = " ".join(word for word in words if word)
    return f"{head} {symbol(name.data)}({', '.join(parameters)}){unnamed}{function_attributes(op)}"


def _emit_blocks(emitter: Emitter, blocks: Sequence[Block]) -> None:
    incoming = _incoming_edges(emitter, blocks)
    for block in blocks:
        emitter.lines.append(f"{emitter.label(block)}:")
        if block is not blocks[0]:
            _emit_phis(emitter, block, incoming[block])
        for op in block.ops:
            emit = EMITTERS.get(op.name)
            if emit is not None:
                emit(emitter, op)
            elif op.name not in LITERALS:
                _emit_unusual(emitter, op)
        _emit_split_edges(emitter, block.last_op)


def _emit_unusual(emitter: Emitter, op: Operation) -> None:
    """Intrinsics, and operations that no dialect here defines, by the name they are written with."""
    name = op_name(op)
    if name.startswith("llvm.intr."):
        emit_intrinsic(emitter, op)
    elif name in EMITTERS:
        EMITTERS[name](emitter, op)
    else:
        raise error(
            "has no translation to LLVM IR", op, hint="lower it to the llvm dialect (`--lower-to-llvm`)"
        )


Edges = list[tuple[str, Sequence[SSAValue]]]


def _incoming_edges(emitter: Emitter, blocks: Sequence[Block]) -> dict[Block, Edges]:
    """For each block the labels it is entered from, with the values of its arguments.

    LLVM wants one value for a pair of blocks, so the second edge between two blocks gets a block of its own.
    """
    incoming: dict[Block, Edges] = defaultdict(list)
    for block in blocks:
        terminator = block.last_op
        if terminator is None or not terminator.successors:
            continue
        seen: set[Block] = set()
        for edge, (target, values) in enumerate(
            zip(terminator.successors, _edge_values(terminator), strict=True)
        ):
            label = emitter.label(block)
            if target in seen and values:
                label = f"{label}.{edge}"
                emitter.edge_labels[terminator, edge] = label
            seen.add(target)
            incoming[target].append((label, values))
    return incoming


def _emit_split_edges(emitter: Emitter, terminator: Operation | None) -> None:
    for edge in range(len(terminator.successors) if terminator else 0):
        if terminator and (label := emitter.edge_labels.get((terminator, edge))):
            emitter.lines.append(f"{label}:")
            emitter.lines.append(f"br label %{emitter.label(terminator.successors[edge])}")


def _emit_phis(emitter: Emitter, block: Block, edges: Edges) -> None:
    """A phi node for each argument; what a block without predecessors takes is poison."""
    for index, argument in enumerate(block.args):
        if not edges:
            emitter.set_name(argument, "poison")
            continue
        parts = [f"[ {emitter.use(values[index])}, %{label} ]" for label, values in edges]
        emitter.lines.append(
            f"{emitter.define(argument)} = phi {emitter.type(argument.type)} {', '.join(parts)}"
        )


def _edge_values(terminator: Operation) -> list[Sequence[SSAValue]]:
    """The operands that each successor gets."""
    split = _EDGE_SIZES.get(terminator.name)
    if split is None:
        return [()] * len(terminator.successors)
    skipped, sizes = split(terminator)
    operands = list(terminator.operands)[skipped:]
    values: list[Sequence[SSAValue]] = []
    for size in sizes:
        values.append(operands[:size])
        operands = operands[size:]
    return values


def _switch_sizes(op: Operation) -> tuple[int, list[int]]:
    segments = static_values(op, "operandSegmentSizes")
    return 1, [segments[1], *static_values(op, "case_operand_segments")]


_EDGE_SIZES: dict[str, Callable[[Operation], tuple[int, list[int]]]] = {
    "llvm.br": lambda op: (0, [len(op.operands)]),
    "llvm.cond_br": lambda op: (1, static_values(op, "operandSegmentSizes")[1:]),
    "llvm.switch": _switch_sizes,
}
"""How many operands come before those of the edges, and how many each edge takes."""
