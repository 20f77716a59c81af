"""Types that become more precise from operands to results, through calls and structured control flow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from xdsl.dialects.builtin import FunctionType, ModuleOp, StringAttr, SymbolRefAttr, TensorType
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.dialects.scf import ForOp, IfOp, WhileOp
from xdsl.dialects.tensor import CastOp, DimOp, InsertSliceOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriterListener
from xdsl.rewriter import Rewriter
from xdsl.traits import SymbolTable

from lamina.dialects.core.diagnostics import error
from lamina.dialects.nn.base import DYNAMIC, NnOp, ShapeError, canonicalization
from lamina.passes.nn._tensor_refinement import refine_dim, refine_insert_slice
from lamina.passes.nn.nn_constant_fold import fold_op, replace_by_constants

_MAX_SPECIALIZATION_DEPTH = 64
_FOLLOWS_SHAPES = ("nn.shape_of", "nn.dynamic_reshape", "nn.dynamic_broadcast_to", "nn.dynamic_slice")
"""The ops whose canonicalisation turns shapes that are known into types."""
LoopT = TypeVar("LoopT", ForOp, WhileOp)


def merged(a: Attribute, b: Attribute) -> Attribute:
    """A type with the extents that either of two types knows; the first where they cannot be of one value."""
    if not isinstance(a, TensorType) or not isinstance(b, TensorType) or a == b:
        return a
    if a.element_type != b.element_type or a.get_num_dims() != b.get_num_dims():
        return a
    pairs = zip(a.get_shape(), b.get_shape(), strict=True)
    return TensorType(a.element_type, [n if m == DYNAMIC else m for m, n in pairs], a.encoding)


def joined(a: Attribute, b: Attribute) -> Attribute:
    """A type with only the extents in which two types agree."""
    if not isinstance(a, TensorType) or not isinstance(b, TensorType) or a.get_num_dims() != b.get_num_dims():
        return a
    pairs = zip(a.get_shape(), b.get_shape(), strict=True)
    return TensorType(a.element_type, [m if m == n else DYNAMIC for m, n in pairs], a.encoding)


class Refinement:
    """Re-infers result types in program order, folding what shapes are computed with on the way."""

    def __init__(self, module: ModuleOp) -> None:
        self._module = module
        self._depth = 0
        self._made: dict[tuple[str, tuple[Attribute, ...]], FuncOp] = {}

    def function(self, function: FuncOp, types: Sequence[Attribute]) -> None:
        """Give a function argument types, refine its body, and make its signature follow."""
        for argument, kind in zip(list(function.body.block.args), types, strict=True):
            set_type(argument, kind)
        function.function_type = FunctionType.from_lists(types, function.function_type.outputs.data)
        self.block(function.body.block)
        last = function.body.block.last_op
        results = [v.type for v in last.operands] if isinstance(last, ReturnOp) else []
        function.function_type = FunctionType.from_lists(types, results)

    def block(self, block: Block) -> None:
        """Refine the ops of a block, in order; ops that patterns insert on the way come next."""
        op = block.first_op
        while op is not None:
            op = self._step(op)

    def _step(self, op: Operation) -> Operation | None:
        """Refine one op; returns the next one to look at."""
        following = op.next_op
        match op:
            case NnOp():
                return self._nn(op)
            case CallOp():
                self._call(op)
            case IfOp():
                for region in op.regions:
                    self._region(region)
                if op.results:
                    self._results(op, _terminator_types(op.true_region), _terminator_types(op.false_region))
                    for region in op.regions:
                        _cast_operands(_terminator(region), 0, [r.type for r in op.results])
            case ForOp():
                self._loop(op, 1, [v.type for v in op.iter_args], self._for)
                self._results(op, [a.type for a in op.body.block.args[1:]])
            case WhileOp():
                self._loop(op, 0, [v.type for v in op.arguments], self._while)
                self._results(op, _terminator_types(op.before_region)[1:])
            case DimOp():
                refine_dim(op)
            case InsertSliceOp():
                refine_insert_slice(op)
            case CastOp():
                set_type(op.dest, merged(op.dest.type, op.source.type))
            case _:
                for region in op.regions:
                    self._region(region)
        return following

    def _region(self, region: Region) -> None:
        for block in region.blocks:
            self.block(block)

    def _nn(self, op: NnOp) -> Operation | None:
        """Infer, then fold, else let the op's patterns have a look; what they insert is refined next."""
        try:
            inferred = op.infer()
        except ShapeError as problem:
            raise error(f"does not fit the given shapes: {problem}", op) from None
        for result, kind in zip(list(op.results), inferred, strict=True):
            set_type(result, merged(kind, result.type))
        following, values = op.next_op, fold_op(op)
        if values is not None:
            replace_by_constants(op, values)
            return following
        return _rewritten(op) or following

    def _results(self, op: Operation, *ways: Sequence[Attribute]) -> None:
        """Give an op's results the extents in which all ways that lead to them agree."""
        for i, result in enumerate(list(op.results)):
            kind = ways[0][i]
            for way in ways[1:]:
                kind = joined(kind, way[i])
            set_type(result, merged(kind, result.type))

    def _for(self, op: ForOp) -> list[Attribute]:
        """Refine a loop's body; returns what it yields."""
        self._region(op.body)
        return _terminator_types(op.body)

    def _while(self, op: WhileOp) -> list[Attribute]:
        """Refine a loop's condition and body; returns what the body yields."""
        self._region(op.before_region)
        passed = _terminator_types(op.before_region)[1:]
        for argument, kind in zip(list(op.after_region.block.args), passed, strict=True):
            set_type(argument, kind)
        self._region(op.after_region)
        return _terminator_types(op.after_region)

    def _loop(
        self, op: LoopT, first: int, start: Sequence[Attribute], body: Callable[[LoopT], list[Attribute]]
    ) -> None:
        """Refine a loop whose first block's arguments from ``first`` on are carried from round to round.

        They take the extents in which their start and what the body yields agree: those of the start are
        assumed, and given up where a trial on a copy of the loop does not keep them.
        """
        kinds = list(start)
        carried = op.regions[0].block.args
        while kinds != [a.type for a in carried[first:]]:
            for argument, kind in zip(list(carried[first:]), kinds, strict=True):
                set_type(argument, kind)
            trial = op.clone()
            kinds = [joined(k, y) for k, y in zip(kinds, body(trial), strict=True)]
            trial.erase()
            carried = op.regions[0].block.args
        body(op)
        _cast_operands(op, first and len(op.operands) - len(kinds), kinds)
        _cast_operands(_terminator(op.regions[-1]), 0, kinds)

    def _call(self, op: CallOp) -> None:
        """A callee takes the types of its call; one that is called from elsewhere too is cloned first."""
        callee = SymbolTable.lookup_symbol(self._module, op.callee)
        inside = _is_inside(op, self._module)  # not so on trial, where nothing outside may change
        if not inside or not isinstance(callee, FuncOp) or not callee.body.blocks:
            return
        wanted = tuple(v.type for v in op.operands)
        if wanted != callee.function_type.inputs.data:
            callee = self._specialised(callee, wanted, op)
            op.callee = SymbolRefAttr(callee.sym_name.data)
        for result, kind in zip(list(op.results), callee.function_type.outputs, strict=True):
            set_type(result, kind)

    def _specialised(self, callee: FuncOp, wanted: tuple[Attribute, ...], call: CallOp) -> FuncOp:
        """The form of a function for argument types, made at its first call with them."""
        key = callee.sym_name.data, wanted
        if key not in self._made:
            self._depth += 1
            if self._depth > _MAX_SPECIALIZATION_DEPTH:
                raise error("recurses with shapes that keep changing", call)
            made = self._clone(callee) if len(_calls(self._module, callee)) > 1 else callee
            self._made[key] = made  # before its body is refined, which may call it again
            self.function(made, wanted)
            self._depth -= 1
        return self._made[key]

    def _clone(self, function: FuncOp) -> FuncOp:
        """A private copy of a function under a name that is free."""
        taken = {op.sym_name.data for op in self._module.walk() if isinstance(op, FuncOp)}
        name = next(n for i in range(len(taken) + 1) if (n := f"{function.sym_name.data}_{i}") not in taken)
        copy = function.clone()
        copy.sym_name = StringAttr(name)
        copy.sym_visibility = StringAttr("private")
        assert function.parent is not None
        function.parent.insert_op_after(copy, function)
        return copy


def set_type(value: SSAValue, kind: Attribute) -> None:
    """Change the type of a value in place."""
    if value.type != kind:
        Rewriter.replace_value_with_new_type(value, kind)


def _terminator(region: Region) -> Operation:
    """The last op of a region of one block."""
    last = region.block.last_op
    assert last is not None
    return last


def _terminator_types(region: Region) -> list[Attribute]:
    return [v.type for v in _terminator(region).operands]


def _cast_operands(op: Operation, first: int, kinds: Sequence[Attribute]) -> None:
    """Give the operands from ``first`` on exactly these types, by casts that forget extents where needed."""
    for i, kind in enumerate(kinds, first):
        if op.operands[i].type != kind and isinstance(kind, TensorType):
            assert op.parent is not None
            cast = CastOp(op.operands[i], kind)
            cast.location = op.location
            op.parent.insert_op_before(cast, op)
            op.operands[i] = cast.dest


def _is_inside(op: Operation, root: Operation) -> bool:
    ancestor: Operation | None = op
    while ancestor is not None and ancestor is not root:
        ancestor = ancestor.parent_op()
    return ancestor is root


def _calls(module: ModuleOp, function: FuncOp) -> list[CallOp]:
    name = function.sym_name.data
    return [op for op in module.walk() if isinstance(op, CallOp) and op.callee.root_reference.data == name]


def _rewritten(op: NnOp) -> Operation | None:
    """Apply the first canonicalisation pattern that matches; returns the op to go on with if one did."""
    rule = canonicalization.get(op.name) if op.name in _FOLLOWS_SHAPES else None
    for pattern in rule() if rule is not None else ():
        inserted: list[Operation] = []
        rewriter = PatternRewriter(op)
        rewriter.extend_from_listener(PatternRewriterListener(operation_insertion_handler=[inserted.append]))
        following = op.next_op
        pattern.match_and_rewrite(op, rewriter)
        if rewriter.has_done_action:
            for made in inserted:
                made.location = op.location
            return inserted[0] if inserted else following
    return None
