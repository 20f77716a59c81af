"""Function boundaries: which arguments a function reads, writes and returns, and its signature on buffers."""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, FunctionType, ModuleOp
from xdsl.ir import BlockArgument, Operation, SSAValue

from lamina.dialects.core.diagnostics import error
from lamina.lowering.buffers._accesses import Access, has_tensors, is_tensor
from lamina.lowering.buffers._analysis import Decisions
from lamina.lowering.buffers._control_flow_rules import replace_operands, retype
from lamina.lowering.buffers._layouts import is_identity, memref_of
from lamina.lowering.buffers._rewriting import Buffers


@dataclass
class Summary:
    """What a caller has to know about a function."""

    function: func.FuncOp
    reads: set[int] = field(default_factory=set)
    writes: set[int] = field(default_factory=set)
    equivalent: dict[int, int] = field(default_factory=dict)
    """Results that are an argument's buffer."""
    drops: bool = False
    """Such results are left out of the signature on buffers."""

    @property
    def kept_results(self) -> list[int]:
        """The results that remain."""
        count = len(self.function.function_type.outputs)
        return [n for n in range(count) if not (self.drops and n in self.equivalent)]

    def accesses(self, call: Operation) -> list[Access]:
        """The accesses of a call's operands."""
        results = {argument: result for result, argument in reversed(self.equivalent.items())}
        return [
            Access(n, reads=n in self.reads, writes=n in self.writes, result=results.get(n))
            for n, value in enumerate(call.operands)
            if is_tensor(value)
        ]


def unknown_summary(function: func.FuncOp) -> Summary:
    """The worst case: every tensor is read, and written where the function may do so."""
    tensors = {n for n, kind in enumerate(function.function_type.inputs) if kind.name == "tensor"}
    return Summary(function, reads=tensors, writes=set(tensors))


def is_public(function: func.FuncOp) -> bool:
    """Whether code outside the module may call a function."""
    return function.sym_visibility is None or function.sym_visibility.data == "public"


def summarise(function: func.FuncOp, decisions: Decisions) -> Summary:
    """Read off the analysis what callers have to know."""
    aliases = decisions.aliases
    summary = Summary(function, drops=not is_public(function))
    arguments = [a for a in function.body.block.args if is_tensor(a)]
    for argument in arguments:
        found = aliases.set_of(argument)
        if aliases.is_read(argument):
            summary.reads.add(argument.index)
        if found.last_write >= 0:
            summary.writes.add(argument.index)
    leaders = {aliases.identity(a): a.index for a in reversed(arguments)}
    taken: set[int] = set()
    for number, value in enumerate(_terminator(function).operands):
        if is_tensor(value):
            argument = leaders.get(aliases.identity(value))
            if argument is not None and argument not in taken:
                summary.equivalent[number] = argument
                taken.add(argument)
    return summary


def _terminator(function: func.FuncOp) -> Operation:
    last = function.body.block.last_op
    if last is None:
        raise error("has a body without a terminator", function)
    return last


def order_of_calls(module: ModuleOp, *, recursion: bool = False) -> list[func.FuncOp]:
    """The functions of a module, callees before callers.

    Functions that call each other on tensors are an error, unless ``recursion`` allows any order for them.
    """
    functions = {op.sym_name.data: op for op in module.ops if isinstance(op, func.FuncOp)}
    done: dict[str, bool] = {}
    ordered: list[func.FuncOp] = []

    def visit(name: str, caller: Operation | None) -> None:
        if name not in functions or done.get(name):
            return
        if name in done:
            if recursion or caller is None or not has_tensors(caller):
                return
            raise error(
                f"calls '@{name}' recursively on tensors, which bufferisation does not follow", caller
            )
        done[name] = False
        for op in functions[name].walk():
            if isinstance(op, func.CallOp):
                visit(op.callee.string_value(), op)
        done[name] = True
        ordered.append(functions[name])

    for name in functions:
        visit(name, None)
    return ordered


def calls_by_callee(module: ModuleOp) -> dict[str, list[func.CallOp]]:
    """All calls of a module, by the name of the function they call."""
    calls: dict[str, list[func.CallOp]] = {}
    for op in module.walk():
        if isinstance(op, func.CallOp):
            calls.setdefault(op.callee.string_value(), []).append(op)
    return calls


def rewrite_signature(buffers: Buffers, summary: Summary) -> None:
    """Turn a function's tensor arguments into buffers, and drop results that are arguments."""
    function = summary.function
    for argument in function.body.block.args if function.body.blocks else ():
        if is_tensor(argument):
            retype(buffers, argument, memref_of(argument.type))


def finish_signature(summary: Summary) -> None:
    """Set the function's type to that of its body on buffers."""
    function = summary.function
    kinds = function.function_type
    inputs = [memref_of(t) if t.name == "tensor" else t for t in kinds.inputs]
    outputs = [kinds.outputs.data[n] for n in summary.kept_results]
    outputs = [memref_of(t) if t.name == "tensor" else t for t in outputs]
    if function.res_attrs is not None:
        attributes = [function.res_attrs.data[n] for n in summary.kept_results]
        function.res_attrs = ArrayAttr(attributes) if attributes else None
    function.function_type = FunctionType.from_lists(inputs, outputs)


def rewrite_return(buffers: Buffers, op: func.ReturnOp, summary: Summary) -> None:
    """Return buffers: an own one for each result, none for a result that is an argument."""
    aliases = buffers.decisions.aliases
    arguments = [aliases.set_of(a) for a in _tensor_arguments(summary.function)]
    given: list[object] = []
    operands: list[SSAValue] = []
    for number in summary.kept_results:
        value = op.operands[number]
        if not is_tensor(value):
            operands.append(value)
            continue
        buffer, found = buffers[value], aliases.set_of(value)
        if number not in summary.equivalent:
            borrowed = not found.writable or any(found is other for other in (*arguments, *given))
            given.append(found)
            if borrowed or not is_identity(buffer.type):  # pyright: ignore[reportArgumentType]
                buffer = buffers.copy_of(buffer, op)
        operands.append(buffer)
    replace_operands(op, operands)


def _tensor_arguments(function: func.FuncOp) -> list[BlockArgument]:
    return [a for a in function.body.block.args if is_tensor(a)]


def rewrite_call(buffers: Buffers, op: func.CallOp, summary: Summary) -> None:
    """Call the function on buffers of identity layout; strided ones go through a copy."""
    operands = list(op.operands)
    results: dict[int, SSAValue] = {}
    back: list[tuple[SSAValue, SSAValue]] = []
    for access in summary.accesses(op):
        buffer, passed = _pass(buffers, op, access)
        operands[access.operand] = passed
        if access.writes and buffer is not passed:
            back.append((passed, buffer))
        if access.result is not None:
            results[access.result] = buffer
    kept = summary.kept_results
    types = [memref_of(op.results[n].type) if is_tensor(op.results[n]) else op.results[n].type for n in kept]
    new = func.CallOp(op.callee, operands, types)
    new.attributes.update(op.attributes)
    buffers.emit(new, op)
    for source, target in back:
        buffers.copy(source, target, op)
    for number, result in zip(kept, new.results, strict=True):
        results.setdefault(number, result)
        result.name_hint = op.results[number].name_hint
    buffers.replace(op, [results[number] for number in range(len(op.results))])


def _pass(buffers: Buffers, op: func.CallOp, access: Access) -> tuple[SSAValue, SSAValue]:
    """The buffer of an operand, and what the callee gets: the same, or a copy of identity layout."""
    if not access.writes:
        buffer = buffers[op.operands[access.operand]]
        return buffer, buffers.with_identity_layout(buffer, op)
    buffer = buffers.destination(op, access.operand, preserve=access.reads)
    if is_identity(buffer.type):  # pyright: ignore[reportArgumentType]
        return buffer, buffer
    return buffer, buffers.copy_of(buffer, op) if access.reads else buffers.allocate_like(buffer, op)
