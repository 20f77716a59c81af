"""Making the function that computes a gradient: a copy of a function, continued by its backward pass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import SupportsIndex

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FunctionType, ModuleOp, StringAttr, TensorType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.transforms.dead_code_elimination import region_dce

from lamina.dialects.core.diagnostics import error
from lamina.dialects.nn.base import derivative, expansion
from lamina.dialects.nn.derivatives._terms import Term
from lamina.passes.general._symbols import symbols_of
from lamina.passes.general.inline import inline_calls
from lamina.passes.nn._activity import is_differentiable, varied
from lamina.passes.nn._control_flow import CUSTOM_GRADIENT
from lamina.passes.nn._reverse import Backward, active_values, check_rules
from lamina.passes.nn.nn_expand import expand
from lamina.passes.nn.nn_set_shapes import argument_names, find_function


@dataclass
class Draft:
    """A copy of a function that is about to become a derivative's."""

    function: FuncOp
    arguments: list[SSAValue]
    """The arguments of the function that is differentiated."""
    inputs: list[SSAValue]
    """Those by which it is differentiated."""
    results: list[SSAValue]

    @property
    def end(self) -> ReturnOp:
        """The return."""
        end = self.function.body.block.last_op
        assert isinstance(end, ReturnOp)
        return end

    def insert(self, op: Operation) -> None:
        """Put an op in front of the return."""
        self.function.body.block.insert_op_before(op, self.end)

    def ops(self) -> list[Operation]:
        """The ops so far, but for the return."""
        return [op for op in self.function.body.block.ops if op is not self.end]


def start(module: ModuleOp, source: str, name: str, indices: Sequence[int]) -> Draft:
    """Copy a function under a new name, with calls inlined and composite ops expanded.

    ``indices`` are what :func:`check_inputs` gave. Raises :class:`LaminaError` where the name is taken.
    """
    function = find_function(module, source)
    if name in symbols_of(module):
        raise error(f"there is a function '{name}' already", hint="give another name with name=…")
    if len(function.body.blocks) > 1 or not isinstance(function.body.block.last_op, ReturnOp):
        raise error("has branches between blocks, which are not differentiated", function, hint="use scf")
    copy = function.clone()
    copy.properties["sym_name"] = StringAttr(name)
    copy.attributes.pop(CUSTOM_GRADIENT, None)
    module.body.block.insert_op_after(copy, function)
    try:
        _inline(module, copy)
        arguments: list[SSAValue] = list(copy.body.block.args)
        inputs = [arguments[i] for i in indices]
        _expand(copy, inputs)
        end = copy.body.block.last_op
        assert end is not None
        return Draft(copy, arguments, inputs, list(end.operands))
    except Exception:
        drop(copy)
        raise


def drop(function: FuncOp) -> None:
    """Remove a draft that came to nothing."""
    function.detach()
    function.erase()


def check_inputs(function: FuncOp, indices: Sequence[int] | int) -> list[int]:
    """The numbers of arguments (or of the one) that shall be differentiated by, counted from the front.

    Raises :class:`LaminaError` where one does not exist or has no derivative.
    """
    if isinstance(indices, SupportsIndex):
        indices = (int(indices),)
    if not isinstance(indices, Sequence) or isinstance(indices, str):
        raise error(f"takes several arguments' numbers, and {indices!r} is not", function, hint="write (0,)")
    return [check_input(function, i) for i in indices]


def check_input(function: FuncOp, index: int) -> int:
    """An argument's number, counted from the front; it must be differentiable."""
    arguments = function.body.blocks[0].args
    if not isinstance(index, SupportsIndex):
        raise error(f"{index!r} is not the number of an argument", function, hint="they count from 0")
    index = int(index)
    if not -len(arguments) <= index < len(arguments):
        hint = f"it has the arguments 0 to {len(arguments) - 1}" if arguments else "it has no arguments"
        raise error(f"has no argument {index} to differentiate by", function, hint=hint)
    index %= len(arguments)
    kind, name = arguments[index].type, argument_names(function)[index]
    if not is_differentiable(kind):
        what = f"argument {index}" + (f" ('{name}')" if name else "")
        hint = "only tensors of floating-point numbers have derivatives: leave it out of wrt"
        raise error(f"{what} has type {kind}, which has no derivative", function, hint=hint)
    return index


def _inline(module: ModuleOp, function: FuncOp) -> None:
    """Inline calls, but for those of functions with a rule of their own."""
    callees = {n: op for n, op in symbols_of(module).items() if CUSTOM_GRADIENT not in op.attributes}
    while inline_calls(function, callees):
        pass


def _expand(function: FuncOp, inputs: Sequence[SSAValue]) -> None:
    """Replace composite ops on the way, inside of regions too, by the simpler ones that have rules."""
    touched = varied(function.body.block.ops, inputs)
    for op in list(function.walk()):
        if (
            op.name in derivative
            or op.name not in expansion
            or (op.parent is function.body.block and not any(v in touched for v in op.operands))
        ):
            continue
        expand(op)


def one(draft: Draft) -> list[Term | None]:
    """The cotangent 1 for the first result, none for the others."""
    first = Term(draft.results[0], draft.insert)
    return [first.splat(1.0), *[None] * (len(draft.results) - 1)]


def backward(draft: Draft, seeds: Sequence[Term | None]) -> list[SSAValue]:
    """The cotangents of the draft's inputs for cotangents of its results."""
    ops = draft.ops()
    seeded = [r for r, seed in zip(draft.results, seeds, strict=True) if seed is not None]
    active = active_values(ops, draft.inputs, seeded)
    check_rules(ops, active)
    pass_ = Backward(draft.insert, active)
    for result, seed in zip(draft.results, seeds, strict=True):
        pass_.accumulate(result, seed)
    pass_.run(ops)
    return [(pass_.cotangent(v) or pass_.zeros(v)).value for v in draft.inputs]


def add_arguments(draft: Draft, kinds: Sequence[Attribute], names: Sequence[str | None]) -> list[SSAValue]:
    """Give the draft more arguments, behind those it has."""
    function = draft.function
    block = function.body.block
    given = list(function.arg_attrs.data) if function.arg_attrs is not None else []
    given += [DictionaryAttr({})] * (len(block.args) - len(given))
    added: list[SSAValue] = []
    for kind, name in zip(kinds, names, strict=True):
        added.append(block.insert_arg(kind, len(block.args)))
        given.append(DictionaryAttr({"nn.name": StringAttr(name)} if name else {}))
    if any(attributes.data for attributes in given):
        function.properties["arg_attrs"] = ArrayAttr(given)
    return added


def finish(draft: Draft, results: Sequence[SSAValue], names: Sequence[str | None]) -> None:
    """Let the draft return these values, under names; what no result depends on goes."""
    function, end = draft.function, draft.end
    block = function.body.block
    new_end = ReturnOp(*results)
    new_end.location = end.location
    block.insert_op_before(new_end, end)
    block.erase_op(end)
    function.properties["function_type"] = FunctionType.from_lists(
        [a.type for a in block.args], [r.type for r in results]
    )
    function.properties.pop("res_attrs", None)
    if any(names):
        attributes = [DictionaryAttr({"nn.name": StringAttr(n)} if n else {}) for n in names]
        function.properties["res_attrs"] = ArrayAttr(attributes)
    region_dce(function.body)


def result_names(function: FuncOp) -> list[str | None]:
    """The ``nn.name`` of each result, None where it has none."""
    given = function.res_attrs.data if function.res_attrs is not None else ()
    found = [attributes.data.get("nn.name") for attributes in given]
    found += [None] * (len(function.function_type.outputs) - len(found))
    return [n.data if isinstance(n, StringAttr) else None for n in found]


def gradient_names(function: FuncOp, wrt: Sequence[int], suffix: str = "_grad") -> list[str | None]:
    """Names of gradients: those of the arguments with a suffix."""
    names = argument_names(function)
    return [None if names[i] is None else f"{names[i]}{suffix}" for i in wrt]


def is_scalar(kind: Attribute) -> bool:
    """Whether a type is that of one floating-point number in a tensor."""
    return is_differentiable(kind) and isinstance(kind, TensorType) and all(n == 1 for n in kind.get_shape())
