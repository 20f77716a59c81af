"""cf to llvm: branches, and the types of the block arguments they feed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import cf, llvm
from xdsl.ir import Attribute, Block, Operation, SSAValue

from lamina.dialects.core.constants import as_array
from lamina.dialects.llvm.control import SwitchOp
from lamina.lowering.llvm._symbols import declare_function
from lamina.lowering.llvm._types import convert_type
from lamina.passes.framework.conditions import no_dialect
from lamina.passes.framework.conversion import (
    ConversionRewriter,
    ConversionTarget,
    TypeConverter,
    apply_partial_conversion,
)
from lamina.passes.framework.conversion.patterns import Convert
from lamina.passes.framework.passes import Pass, PassContext
from lamina.passes.framework.walk import operations_named


def convert_cf_to_llvm(root: Operation) -> int:
    """Turn the cf operations under ``root`` into llvm's; returns how many there were."""
    asserts = operations_named(root, ("cf.assert",))
    for op in reversed(asserts):
        assert isinstance(op, cf.AssertOp)
        lower_assert(op)
    if asserts:
        declare_function(root, "abort", [], llvm.LLVMVoidType())
    target = ConversionTarget().illegal_dialect("cf")
    return len(asserts) + apply_partial_conversion(root, target, RULES, TypeConverter(convert_type))


def lower_assert(op: cf.AssertOp) -> None:
    """Branch over the rest of the block to a call of ``abort`` where the condition is false."""
    block, condition = op.parent, op.arg
    assert block is not None
    following = op.next_op
    assert following is not None
    rest = block.split_before(following)
    call = llvm.CallOp("abort")
    failure = Block([call, llvm.UnreachableOp.create()])
    region = block.parent
    assert region is not None
    region.add_block(failure)
    block.erase_op(op)
    branch = llvm.CondBrOp(condition, rest, [], failure, [])
    block.add_op(branch)
    for new in (call, branch):
        new.location = op.location


def _branch(op: Operation, operands: Sequence[SSAValue], rewriter: ConversionRewriter) -> tuple[()]:
    _convert_targets(op, rewriter)
    rewriter.insert(llvm.BrOp.create(operands=operands, successors=op.successors, attributes=_attributes(op)))
    return ()


def _conditional_branch(
    op: Operation, operands: Sequence[SSAValue], rewriter: ConversionRewriter
) -> tuple[()]:
    _convert_targets(op, rewriter)
    rewriter.insert(
        llvm.CondBrOp.create(
            operands=operands,
            successors=op.successors,
            properties={"operandSegmentSizes": op.properties["operandSegmentSizes"]},
            attributes=_attributes(op),
        )
    )
    return ()


def _convert_targets(op: Operation, rewriter: ConversionRewriter) -> None:
    """Give the blocks branched to arguments of the types that they are passed."""
    for block in op.successors:
        rewriter.convert_block_types(block)


def _attributes(op: Operation) -> dict[str, Attribute]:
    """A branch's attributes; what stood for a loop becomes the branch's own hint."""
    return {name.removeprefix("llvm."): value for name, value in op.attributes.items()}


def _switch(op: Operation, operands: Sequence[SSAValue], rewriter: ConversionRewriter) -> tuple[()]:
    assert isinstance(op, cf.SwitchOp)
    _convert_targets(op, rewriter)
    values = [] if op.case_values is None else as_array(op.case_values).tolist()
    cases = [
        (value, block, rewriter.values(operands))
        for value, block, operands in zip(values, op.case_blocks, op.case_operand, strict=True)
    ]
    default = (op.default_block, rewriter.values(op.default_operands))
    rewriter.insert(SwitchOp.build_switch(rewriter.value(op.flag), default, cases))
    return ()


RULES: dict[str, Convert] = {
    "cf.br": _branch,
    "cf.cond_br": _conditional_branch,
    "cf.switch": _switch,
}


@dataclass(frozen=True)
class ConvertCfToLLVM(Pass):
    """Convert branches of the cf dialect to the llvm dialect.

    The arguments of the blocks branched to get converted types; `cf.assert` calls `abort` where it fails.

    ```mlir
    func.func @f(%c: i1, %i: index) {
      cf.cond_br %c, ^bb1(%i : index), ^bb2
    ^bb1(%j: index):
      cf.br ^bb2
    ^bb2:
      return
    }
    ```

    ```mlir
    builtin.module {
      func.func @f(%c: i1, %i: index) {
        %i_1 = builtin.unrealized_conversion_cast %i : index to i64
        llvm.cond_br %c, ^bb0(%i_1 : i64), ^bb1
      ^bb0(%j: i64):
        llvm.br ^bb1
      ^bb1:
        func.return
      }
    }
    ```
    """

    name = "convert-cf-to-llvm"
    anchor = "any"
    ensures = (no_dialect("cf"),)
    statistics = {"converted": "operations converted"}

    def run(self, op: Operation, ctx: PassContext) -> None:
        ctx.count("converted", convert_cf_to_llvm(op))
