"""``inline``: calls replaced by what they call."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.dialects.builtin import CallSiteLoc
from xdsl.dialects.cf import BranchOp
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Attribute, Operation, SSAValue

from lamina.dialects.core.diagnostics import error
from lamina.passes.framework.effects import is_registered
from lamina.passes.framework.passes import Pass, PassContext, option
from lamina.passes.framework.pipeline import parse_pipeline
from lamina.passes.general._symbols import references_of, symbols_of, visibility

_NO_LIMIT = 2**32 - 1


@dataclass(frozen=True)
class Inline(Pass):
    """Replace calls of functions by the functions' bodies, callees first.

    Each function is then simplified by ``default-pipeline``, and private functions that nobody refers to are
    removed. Calls stay where the callee is recursive, only declared, marked ``no_inline``, holds operations
    that no dialect defines, or has several blocks where the call's place allows one. What was inlined is
    located at ``callsite(callee at caller)``.

    ```mlir
    func.func private @double(%x: i32) -> i32 {
      %0 = arith.addi %x, %x : i32
      return %0 : i32
    }
    func.func @main(%x: i32) -> i32 {
      %0 = func.call @double(%x) : (i32) -> i32
      return %0 : i32
    }
    ```

    ```mlir
    func.func @main(%x: i32) -> i32 {
      %0 = arith.addi %x, %x : i32
      func.return %0 : i32
    }
    ```
    """

    name = "inline"
    statistics = {"inlined": "calls replaced", "removed": "private functions removed"}

    default_pipeline: str = option("canonicalize", "Passes that simplify each function (empty: none)")
    inlining_threshold: int = option(
        _NO_LIMIT, "Leave callees of more operations than this percentage of the caller's"
    )

    def run(self, op: Operation, ctx: PassContext) -> None:
        passes = _function_passes(self.default_pipeline)
        for function in callees_first(op):
            ctx.count("inlined", inline_calls(function, symbols_of(op), self.inlining_threshold))
            for simplify in passes:
                simplify.run(function, PassContext(ctx.context, diagnostics=ctx.diagnostics))
        ctx.count("removed", remove_unused_functions(op))


def _function_passes(text: str) -> list[Pass]:
    items = parse_pipeline(text).items if text else []
    passes = [item for item in items if isinstance(item, Pass) and item.anchor in ("any", "func.func")]
    if len(passes) < len(items):
        raise error(
            f"default-pipeline '{text}' holds more than passes over functions", hint="e.g. canonicalize"
        )
    return passes


def _calls(root: Operation) -> list[CallOp]:
    return [op for op in root.walk() if isinstance(op, CallOp)]


def callees_first(module: Operation) -> list[FuncOp]:
    """The functions of a module such that those a function calls come before it (but for recursion)."""
    symbols = symbols_of(module)
    order: list[FuncOp] = []
    seen: set[str] = set()
    stack = [(name, False) for name in reversed(symbols)]
    while stack:
        name, is_done = stack.pop()
        function = symbols.get(name)
        if not isinstance(function, FuncOp):
            continue
        if is_done:
            order.append(function)
        elif name not in seen:
            seen.add(name)
            stack.append((name, True))
            stack += [(call.callee.root_reference.data, False) for call in reversed(_calls(function))]
    return order


def inline_calls(function: FuncOp, symbols: dict[str, Operation], threshold: int = _NO_LIMIT) -> int:
    """Inline the calls in a function whose callees allow it; returns how many.

    ``symbols`` are those of the module. The callees' own calls should have been inlined before.
    """
    inlined = 0
    for call in _calls(function):
        callee = symbols.get(call.callee.root_reference.data)
        if not isinstance(callee, FuncOp) or not _is_allowed(call, callee, symbols):
            continue
        if threshold != _NO_LIMIT and _size(callee) * 100 > threshold * _size(function):
            continue
        if len(callee.body.blocks) == 1:
            _inline_block(call, callee)
        else:
            _inline_blocks(call, callee)
        inlined += 1
    return inlined


def _size(function: FuncOp) -> int:
    return sum(1 for _ in function.walk()) - 1


def _is_allowed(call: CallOp, callee: FuncOp, symbols: dict[str, Operation]) -> bool:
    marked = any(op.get_attr_or_prop("no_inline") is not None for op in (call, callee))
    if marked or not callee.body.blocks or call.callee.nested_references.data:
        return False
    region = call.parent_region()
    if len(callee.body.blocks) > 1 and not isinstance(region.parent if region else None, FuncOp):
        return False
    if not all(is_registered(op) for op in callee.walk()):
        return False
    ends = [block.last_op for block in callee.body.blocks]
    return any(isinstance(op, ReturnOp) for op in ends) and not _reaches(callee, callee, symbols)


def _reaches(start: FuncOp, goal: FuncOp, symbols: dict[str, Operation]) -> bool:
    """Whether ``start`` calls ``goal``, directly or not."""
    pending: list[Operation] = [start]
    seen: set[Operation] = set()
    while pending:
        for call in _calls(pending.pop()):
            callee = symbols.get(call.callee.root_reference.data)
            if callee is goal:
                return True
            if callee is not None and callee not in seen:
                seen.add(callee)
                pending.append(callee)
    return False


def _locate(op: Operation, caller: Attribute) -> None:
    for inner in op.walk():
        inner.location = CallSiteLoc(inner.location, caller)


def _inline_block(call: CallOp, callee: FuncOp) -> None:
    values: dict[SSAValue, SSAValue] = dict(zip(callee.body.block.args, call.arguments, strict=True))
    assert call.parent is not None
    for op in callee.body.block.ops:
        if isinstance(op, ReturnOp):
            for result, value in zip(call.results, op.operands, strict=True):
                result.replace_all_uses_with(values.get(value, value))
            continue
        copy = op.clone(values)
        _locate(copy, call.location)
        call.parent.insert_op_before(copy, call)
    call.parent.erase_op(call)


def _inline_blocks(call: CallOp, callee: FuncOp) -> None:
    """Split the caller's block at the call; the callee's blocks go between, with branches for returns."""
    head = call.parent
    assert head is not None and head.parent is not None
    body = callee.body.clone()
    for block in body.blocks:
        for op in block.ops:
            _locate(op, call.location)
    tail = head.split_before(call, arg_types=[result.type for result in call.results])
    for block in body.blocks:
        end = block.last_op
        if isinstance(end, ReturnOp):
            branch = BranchOp(tail, *end.operands)
            branch.location = end.location
            block.erase_op(end)
            block.add_op(branch)
    for result, argument in zip(call.results, tail.args, strict=True):
        result.replace_all_uses_with(argument)
    entry = body.blocks[0]
    for argument, operand in zip(entry.args, call.arguments, strict=True):
        argument.replace_all_uses_with(operand)
    tail.erase_op(call)
    for op in list(entry.ops):
        op.detach()
        head.add_op(op)
    body.erase_block(entry)
    head.parent.insert_block_before([body.detach_block(block) for block in list(body.blocks)], tail)


def remove_unused_functions(module: Operation) -> int:
    """Remove private functions that nothing but themselves refers to, and again what that frees."""
    removed = 0
    while dead := list(_unused_functions(module)):
        for function in dead:
            function.detach()
            function.erase()
        removed += len(dead)
    return removed


def _unused_functions(module: Operation) -> Iterator[FuncOp]:
    used: set[str] = set()
    for region in module.regions:
        for block in region.blocks:
            for top in block.ops:
                names = {r.root_reference.data for op in top.walk() for r in references_of(op)}
                own = {top.sym_name.data} if isinstance(top, FuncOp) else set[str]()
                used |= names - own
    for name, op in symbols_of(module).items():
        if isinstance(op, FuncOp) and visibility(op) == "private" and name not in used:
            yield op
