"""Maps applied to values: composition with the maps behind the values, constants, and unused values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import AffineMapAttr
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr, AffineMap, AffineSymExpr
from xdsl.ir.affine.affine_expr import AffineBinaryOpExpr

from lamina.dialects.affine.simplify.expressions import simplify
from lamina.dialects.core.folding import defining_op, int_of

_MOST_ROUNDS = 64


def replaced(expression: AffineExpr, dims: Sequence[AffineExpr], symbols: Sequence[AffineExpr]) -> AffineExpr:
    """An expression with others for its dimensions and symbols, semi-affine ones too."""
    if isinstance(expression, AffineDimExpr):
        return dims[expression.position]
    if isinstance(expression, AffineSymExpr):
        return symbols[expression.position]
    if isinstance(expression, AffineBinaryOpExpr):
        left = replaced(expression.lhs, dims, symbols)
        return AffineBinaryOpExpr(expression.kind, left, replaced(expression.rhs, dims, symbols))
    return expression


@dataclass(frozen=True)
class Applied:
    """Expressions over values: those of the dimensions, then those of the symbols."""

    expressions: tuple[AffineExpr, ...]
    dims: tuple[SSAValue, ...]
    symbols: tuple[SSAValue, ...]

    @staticmethod
    def of(map: AffineMap, operands: Sequence[SSAValue]) -> Applied:
        """A map and its operands."""
        values = tuple(operands)
        return Applied(tuple(map.results), values[: map.num_dims], values[map.num_dims :])

    @property
    def operands(self) -> tuple[SSAValue, ...]:
        """The values, as an op lists them."""
        return self.dims + self.symbols

    def attribute(self) -> AffineMapAttr:
        """The map."""
        return AffineMapAttr(AffineMap(len(self.dims), len(self.symbols), self.expressions))

    def composed(self) -> Applied:
        """The same values from what does not come out of an affine.apply, as simple as is known."""
        current = self
        for _ in range(_MOST_ROUNDS):
            following = current._one_step_back()
            if following is None:
                break
            current = following
        return current._tidy()._joined()

    def _one_step_back(self) -> Applied | None:
        """Replace all operands that are an affine.apply by what that computes."""
        dims: list[SSAValue] = []
        symbols: list[SSAValue] = []
        changed = False

        def of_operand(value: SSAValue, *, is_symbol: bool) -> AffineExpr:
            nonlocal changed
            apply = defining_op(value, "affine.apply")
            attribute = apply.get_attr_or_prop("map") if apply is not None else None
            if apply is None or not isinstance(attribute, AffineMapAttr):
                return _variable(value, symbols if is_symbol else dims, is_symbol=is_symbol)
            changed = True
            inner = Applied.of(attribute.data, apply.operands)
            return replaced(
                inner.expressions[0],
                [_variable(v, symbols if is_symbol else dims, is_symbol=is_symbol) for v in inner.dims],
                [_variable(v, symbols, is_symbol=True) for v in inner.symbols],
            )

        new_dims = [of_operand(value, is_symbol=False) for value in self.dims]
        new_symbols = [of_operand(value, is_symbol=True) for value in self.symbols]
        if not changed:
            return None
        expressions = tuple(simplify(replaced(e, new_dims, new_symbols)) for e in self.expressions)
        return Applied(expressions, tuple(dims), tuple(symbols))

    def _joined(self) -> Applied:
        """Where a linear index is put together from its parts again, it stands itself.

        The last part is the linear index less the others: if no part is left after that, this is better.
        """
        for value in self.operands:
            parts = _parts_of(value)
            if parts is None or not all(part in self.operands for part, _ in parts[1]):
                continue
            gone = (value, *(part for part, _ in parts[1]))
            better = self._without_last(value, *parts)._tidy()
            if not any(part in better.operands for part in gone):
                return better._joined()
        return self

    def _without_last(self, last: SSAValue, index: SSAValue, others: list[tuple[SSAValue, int]]) -> Applied:
        """``last`` as the linear index less the other parts."""
        is_symbol = last in self.symbols
        dims = self.dims if is_symbol else (*self.dims, index)
        symbols = (*self.symbols, index) if is_symbol else self.symbols
        variables: dict[SSAValue, AffineExpr] = {value: AffineDimExpr(i) for i, value in enumerate(dims)}
        variables |= {value: AffineSymExpr(i) for i, value in enumerate(symbols)}
        rest: AffineExpr = AffineSymExpr(len(self.symbols)) if is_symbol else AffineDimExpr(len(self.dims))
        for part, stride in others:
            rest = rest - variables[part] * stride
        new_dims: list[AffineExpr] = [AffineDimExpr(i) for i in range(len(dims))]
        new_symbols: list[AffineExpr] = [AffineSymExpr(i) for i in range(len(symbols))]
        if is_symbol:
            new_symbols[symbols.index(last)] = rest
        else:
            new_dims[dims.index(last)] = rest
        expressions = tuple(simplify(replaced(e, new_dims, new_symbols)) for e in self.expressions)
        return Applied(expressions, dims, symbols)

    def _tidy(self) -> Applied:
        """Constants become numbers; each value stands once; values that are not needed are gone."""
        dims: list[SSAValue] = []
        symbols: list[SSAValue] = []
        of_symbols = [_constant_or(value, symbols, is_symbol=True) for value in self.symbols]
        of_dims = [
            _variable(value, symbols, is_symbol=True)
            if value in symbols
            else _constant_or(value, dims, is_symbol=False)
            for value in self.dims
        ]
        expressions = [simplify(replaced(e, of_dims, of_symbols)) for e in self.expressions]
        used = {node for e in expressions for node in e.dfs()}
        kept_dims = [i for i in range(len(dims)) if AffineDimExpr(i) in used]
        kept_symbols = [i for i in range(len(symbols)) if AffineSymExpr(i) in used]
        new_dims: list[AffineExpr] = [AffineConstantExpr(0)] * len(dims)
        new_symbols: list[AffineExpr] = [AffineConstantExpr(0)] * len(symbols)
        for position, i in enumerate(kept_dims):
            new_dims[i] = AffineDimExpr(position)
        for position, i in enumerate(kept_symbols):
            new_symbols[i] = AffineSymExpr(position)
        return Applied(
            tuple(replaced(e, new_dims, new_symbols) for e in expressions),
            tuple(dims[i] for i in kept_dims),
            tuple(symbols[i] for i in kept_symbols),
        )


def _variable(value: SSAValue, values: list[SSAValue], *, is_symbol: bool) -> AffineExpr:
    """The dimension or symbol of a value, which joins the list if it is not in it."""
    if value not in values:
        values.append(value)
    position = values.index(value)
    return AffineSymExpr(position) if is_symbol else AffineDimExpr(position)


def _constant_or(value: SSAValue, values: list[SSAValue], *, is_symbol: bool) -> AffineExpr:
    number = int_of(value)
    return _variable(value, values, is_symbol=is_symbol) if number is None else AffineConstantExpr(number)


def _parts_of(value: SSAValue) -> tuple[SSAValue, list[tuple[SSAValue, int]]] | None:
    """For the last part of a linear index: that index, and the other parts with their strides."""
    from lamina.dialects.affine.simplify.linear_indices import Layout

    split = defining_op(value, "affine.delinearize_index")
    if split is None or len(split.results) < 2 or split.results[-1] is not value:
        return None
    strides = Layout.of(split).strides()
    if strides is None:
        return None
    others: list[tuple[SSAValue, int]] = list(zip(split.results, strides, strict=True))
    return split.operands[0], others[:-1]
