"""Fewer, longer loops: neighbouring loops over contiguous elements become one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod

from xdsl.dialects import func, tensor
from xdsl.dialects.builtin import AffineMapAttr, TensorType
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.dialects.linalg.ops import FillOp, GenericOp, IndexOp
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr, AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from lamina.dialects.core.reshapes import groups_attribute
from lamina.dialects.core.slices import mixed
from lamina.lowering.vector._access import Access, Linear, Structured
from lamina.lowering.vector._groups import Group, erase_dead, form_groups
from lamina.lowering.vector._winograd import transform_of
from lamina.passes.framework.passes import Pass, PassContext


@dataclass(frozen=True)
class LinalgCollapseLoops(Pass):
    """Collapse neighbouring loops that run through contiguous elements of all operands into one loop.

    Rows and columns of a 1x1 convolution become one loop over pixels, an elementwise operation becomes one
    loop: tiles fit better into few long loops. Reductions over one iteration are dropped. Operands are
    viewed through ``tensor.collapse_shape``, results through ``tensor.expand_shape``; an operation and its
    elementwise consumers are collapsed together, or not at all.

    ```mlir
    func.func @double(%x: tensor<3x7xf32>, %out: tensor<3x7xf32>) -> tensor<3x7xf32> {
      %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
        iterator_types = ["parallel", "parallel"]} ins(%x : tensor<3x7xf32>) outs(%out : tensor<3x7xf32>) {
      ^bb0(%a: f32, %o: f32):
        %s = arith.addf %a, %a : f32
        linalg.yield %s : f32
      } -> tensor<3x7xf32>
      return %r : tensor<3x7xf32>
    }
    ```

    ```mlir
    func.func @double(%x: tensor<3x7xf32>, %out: tensor<3x7xf32>) -> tensor<3x7xf32> {
      %0 = tensor.collapse_shape %x [[0 : i64, 1 : i64]] : tensor<3x7xf32> into tensor<21xf32>
      %1 = tensor.collapse_shape %out [[0 : i64, 1 : i64]] : tensor<3x7xf32> into tensor<21xf32>
      %2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
        iterator_types = ["parallel"]} ins(%0 : tensor<21xf32>) outs(%1 : tensor<21xf32>) {
      ^bb0(%a: f32, %o: f32):
        %s = arith.addf %a, %a : f32
        linalg.yield %s : f32
      } -> tensor<21xf32>
      %r = tensor.expand_shape %2 [[0 : i64, 1 : i64]] output_shape [3, 7]
        : tensor<21xf32> into tensor<3x7xf32>
      return %r : tensor<3x7xf32>
    }
    ```
    """

    name = "linalg-collapse-loops"
    statistics = {"collapsed": "groups whose loops were collapsed"}

    def run(self, op: Operation, ctx: PassContext) -> None:
        for function in op.walk():
            if isinstance(function, func.FuncOp) and not function.is_declaration:
                ctx.count("collapsed", collapse_loops(function))


def collapse_loops(function: func.FuncOp) -> int:
    """Collapse the loops of the groups of a function; returns the number of groups that changed."""
    changed = 0
    for block in function.body.blocks:
        for group in reversed(form_groups(block)):
            sets = loop_sets(group)
            if any(sum(group.root.sizes[loop] > 1 for loop in loops) > 1 for loops in sets):
                _Collapse(group, sets).run()
                changed += 1
    return changed


def loop_sets(group: Group) -> list[list[int]]:
    """The root's loops as sets of neighbours that can become one loop each, in order.

    Reduction loops of one iteration are left out, but for one where there are no others.
    """
    root = group.root
    indexed = any(isinstance(op, IndexOp) for member in group.members for op in member.body.ops)
    if indexed or transform_of(root.op) is not None:
        return []
    kept = [loop for loop in root.loops if loop not in root.reductions or root.sizes[loop] > 1]
    if root.reductions and not any(loop in root.reductions for loop in kept):
        kept = sorted([*kept, min(root.reductions)])
    accesses = [_without(a, kept) for member in group.members for a in member.accesses]
    apart = _loops_apart(group)
    sets: list[list[int]] = []
    for loop in kept:
        before = sets[-1][-1] if sets else None
        alike = before is not None and (before in root.reductions) == (loop in root.reductions)
        if before is None or not alike or loop in apart:
            sets.append([loop])
        elif all(_are_neighbours(access, before, loop) for access in accesses):
            sets[-1].append(loop)
        else:
            sets.append([loop])
    return sets


def _loops_apart(group: Group) -> set[int]:
    """The loops over a result that becomes part of a larger tensor, with padding around it: collapsed, it
    would have to be copied there."""
    found: set[int] = set()
    for member, i in group.live_results():
        uses = [use for use in member.op.results[i].uses if use.index == 0]
        inserts = [use.operation for use in uses if isinstance(use.operation, tensor.InsertSliceOp)]
        if any(mixed(insert, "sizes") != list(_shape(insert.dest)) for insert in inserts):
            found.update(loop for e in member.output_accesses[i] for loop, _ in e.coefficients)
    return found


def _shape(value: SSAValue) -> Sequence[int]:
    return value.type.get_shape() if isinstance(value.type, TensorType) else ()


def _without(access: Access, kept: Sequence[int]) -> Access:
    """An access where the loops that are not kept stand at 0."""
    return tuple(Linear(e.constant, tuple((d, c) for d, c in e.coefficients if d in kept)) for e in access)


def _are_neighbours(access: Access, first: int, second: int) -> bool:
    """Whether two loops are two neighbouring dimensions of an operand, or both none of its."""
    places = [i for i, e in enumerate(access) if e.coefficient(first) or e.coefficient(second)]
    if not places:
        return True
    loops = [access[i].is_loop() for i in places]
    return loops == [first, second] and places[1] == places[0] + 1


@dataclass
class _Collapse:
    """Rewrites the members of a group over sets of loops."""

    group: Group
    sets: list[list[int]]
    values: dict[SSAValue, SSAValue] = field(default_factory=dict)
    """What was made of the results of members."""

    def run(self) -> None:
        live = self.group.live_results()
        for member in self.group.members:
            self._member(member)
        for member, i in live:
            result = member.op.results[i]
            value = self.values[result]
            expanded = self._expand(value, result.type, self._dims(member.output_accesses[i]))
            Rewriter.insert_op(expanded, InsertPoint.before(self.group.members[-1].op))
            expanded.result.name_hint = result.name_hint
            result.replace_all_uses_with(expanded.result)
        erase_dead([member.op for member in reversed(self.group.members)])

    def _dims(self, access: Access) -> list[list[int]]:
        """The dimensions of an operand, in sets that become one dimension each."""
        kept = [loop for loops in self.sets for loop in loops]
        groups: list[list[int]] = []
        previous: list[int] | None = None
        for i, expression in enumerate(_without(access, kept)):
            loop = expression.is_loop()
            current = next((loops for loops in self.sets if loop in loops), None)
            if current is not None and current is previous:
                groups[-1].append(i)
            else:
                groups.append([i])
            previous = current
        return groups

    def _member(self, of: Structured) -> None:
        point = InsertPoint.before(of.op)
        inputs = [
            self._operand(value, access, point)
            for value, access in zip(of.inputs, of.input_accesses, strict=True)
        ]
        outputs = [
            self._destination(value, access, point)
            for value, access in zip(of.outputs, of.output_accesses, strict=True)
        ]
        order = [i for i, loops in enumerate(self.sets) if any(loop in of.names for loop in loops)]
        region = of.body.parent
        assert region is not None
        new = GenericOp(
            inputs,
            outputs,
            of.op.detach_region(region),
            [AffineMapAttr(self._map(access, order)) for access in of.accesses],
            [
                IteratorTypeAttr.reduction()
                if self.sets[i][0] in of.reductions
                else IteratorTypeAttr.parallel()
                for i in order
            ],
            [value.type for value in outputs],
        )
        new.location = of.op.location
        Rewriter.insert_op(new, point)
        self.values.update(zip(of.op.results, new.results, strict=True))

    def _map(self, access: Access, order: Sequence[int]) -> AffineMap:
        kept = [loop for loops in self.sets for loop in loops]
        names = {loop: order.index(i) for i, loops in enumerate(self.sets) for loop in loops if i in order}
        results: list[AffineExpr] = []
        for dims in self._dims(access):
            expression = _without(access, kept)[dims[0]]
            total: AffineExpr = AffineConstantExpr(expression.constant)
            for loop, coefficient in expression.coefficients:
                total = total + AffineDimExpr(names[loop]) * coefficient
            results.append(total)
        return AffineMap(len(order), 0, tuple(results))

    def _operand(self, value: SSAValue, access: Access, point: InsertPoint) -> SSAValue:
        if value in self.values:
            return self.values[value]
        groups = self._dims(access)
        if all(len(group) == 1 for group in groups) or not isinstance(value.type, TensorType):
            return value
        kind = _collapsed(value.type, groups)
        collapse = tensor.CollapseShapeOp(
            operands=[value], result_types=[kind], properties={"reassociation": groups_attribute(groups)}
        )
        Rewriter.insert_op(collapse, point)
        return collapse.result

    def _destination(self, value: SSAValue, access: Access, point: InsertPoint) -> SSAValue:
        """A destination of the new shape: fills and empty tensors are made anew."""
        made_by = value.owner
        groups = self._dims(access)
        assert isinstance(value.type, TensorType)
        if isinstance(made_by, FillOp):
            into = self._destination(made_by.outputs[0], access, point)
            fill = FillOp(made_by.inputs, [into])
            Rewriter.insert_op(fill, point)
            return fill.results[0]
        if isinstance(made_by, tensor.EmptyOp) and not made_by.operands:
            empty = tensor.EmptyOp([], _collapsed(value.type, groups))
            Rewriter.insert_op(empty, point)
            return empty.tensor
        return self._operand(value, access, point)

    @staticmethod
    def _expand(value: SSAValue, kind: object, groups: list[list[int]]) -> tensor.ExpandShapeOp:
        assert isinstance(kind, TensorType)
        return tensor.ExpandShapeOp(value, [], groups_attribute(groups), kind.get_shape(), kind)


def _iterator(reduces: bool) -> IteratorTypeAttr:
    return IteratorTypeAttr.reduction() if reduces else IteratorTypeAttr.parallel()


def _collapsed(kind: TensorType, groups: list[list[int]]) -> TensorType:
    shape = kind.get_shape()
    return TensorType(kind.element_type, [prod(shape[i] for i in group) for group in groups])
