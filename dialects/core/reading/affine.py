"""Reading affine maps and sets, with names or with SSA values as dimensions and symbols."""

from __future__ import annotations

import re
from collections.abc import Callable

from xdsl.dialects.builtin import AffineMapAttr, AffineSetAttr
from xdsl.ir.affine import (
    AffineConstantExpr,
    AffineConstraintExpr,
    AffineConstraintKind,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
    AffineSet,
    AffineSymExpr,
)

from lamina.dialects.core import affine
from lamina.dialects.core.later import regex
from lamina.dialects.core.making import unchecked
from lamina.dialects.core.reading.cursor import WORD, Cursor

_ZERO = AffineConstantExpr(0)
_LARGEST = (1 << 63) - 1
_DECIMAL = regex(r"0x[0-9A-Fa-f]++|[0-9]++")
_SSA_NAME = regex(r"%(?:[0-9]++|[A-Za-z$._\-][\w$.\-]*+)(?:\#[0-9]++)?", re.ASCII)
_PRODUCT = regex(r"\*|(?:floordiv|ceildiv|mod)(?![\w$.])")
_MOST_NESTED = 200
"""Parentheses and signs in an expression that may be open at once."""
Names = dict[str, AffineExpr]
BUILD: dict[str, Callable[[AffineExpr, AffineExpr], AffineExpr]] = {
    "*": affine.multiply,
    "floordiv": affine.floor_divide,
    "ceildiv": affine.ceil_divide,
    "mod": affine.modulo,
}


class AffineReader(Cursor):
    """Reads affine expressions, maps and sets, simplified as upstream simplifies them."""

    _affine_names: Names | None = None
    """What the names in an expression stand for; None where SSA values stand in their place."""
    _affine_values: list[tuple[str, int]]
    _affine_symbol_values: list[tuple[str, int]]
    _affine_nested = 0

    def affine_map_attribute(self) -> AffineMapAttr:
        """``affine_map<…>``, after its word."""
        if not self.accept("<"):
            self.fail("expected '<' in affine map")
        map = self.affine_map()
        if not self.accept(">"):
            self.fail("expected '>' in affine map")
        return unchecked(AffineMapAttr, data=map)

    def affine_set_attribute(self) -> AffineSetAttr:
        """``affine_set<…>``, after its word."""
        if not self.accept("<"):
            self.fail("expected '<' in integer set")
        found = self.affine_set()
        if not self.accept(">"):
            self.fail("expected '>' in integer set")
        return unchecked(AffineSetAttr, data=found)

    def affine_map(self) -> AffineMap:
        """``(d0, d1)[s0] -> (d0 + s0, …)``"""
        start = self.at
        found = self._affine_map_or_set()
        return (
            found
            if isinstance(found, AffineMap)
            else self.fail("expected AffineMap, but got IntegerSet", start)
        )

    def affine_set(self) -> AffineSet:
        """``(d0)[s0] : (d0 >= 0, …)``; each constraint is held as one against 0."""
        start = self.at
        found = self._affine_map_or_set()
        return (
            found
            if isinstance(found, AffineSet)
            else self.fail("expected IntegerSet, but got AffineMap", start)
        )

    def affine_expr(self, names: Names) -> AffineExpr:
        """An expression whose dimensions and symbols have these names."""
        outer, self._affine_names = self._affine_names, names
        expr = self._affine_sum()
        self._affine_names = outer
        return expr

    def affine_map_of_values(
        self, closing: str = "]"
    ) -> tuple[AffineMap, list[tuple[str, int]], list[tuple[str, int]]]:
        """Expressions over SSA values up to ``closing`` (which stays): the map, its dimensions, its symbols.

        ``%i + 1`` has a dimension, ``symbol(%n)`` a symbol; each value comes as its name with the sigil
        (and ``#n``) and its place in the text, once however often it occurs.
        """
        self._affine_names, self._affine_values, self._affine_symbol_values = None, [], []
        results: list[AffineExpr] = []
        if not self.text.startswith(closing, self.at):
            results.append(self._affine_sum())
            while self.accept(","):
                results.append(self._affine_sum())
        values, symbols = self._affine_values, self._affine_symbol_values
        return AffineMap(len(values), len(symbols), tuple(results)), values, symbols

    def affine_expr_of_values(
        self, values: list[tuple[str, int]], symbols: list[tuple[str, int]]
    ) -> AffineExpr:
        """One expression over SSA values; values that were not seen yet are appended to the lists."""
        self._affine_names, self._affine_values, self._affine_symbol_values = None, values, symbols
        return self._affine_sum()

    def _affine_map_or_set(self) -> AffineMap | AffineSet:
        names: Names = {}
        dims = self._affine_identifiers(names, "(", ")", "dimensional", AffineDimExpr)
        symbols = 0
        if self.text.startswith("[", self.at):
            symbols = self._affine_identifiers(names, "[", "]", "symbol", AffineSymExpr)
        outer, self._affine_names = self._affine_names, names
        if self.accept("->"):
            results = self._affine_listed("affine map range", self._affine_sum)
            found = AffineMap(dims, symbols, tuple(results))
        elif self.accept(":"):
            constraints = self._affine_listed("integer set constraint list", self._affine_constraint)
            found = AffineSet(dims, symbols, tuple(constraints or (_ALWAYS,)))
        else:
            self.fail("expected '->' or ':'")
        self._affine_names = outer
        return found

    def _affine_identifiers(self, names: Names, opening: str, closing: str, what: str, make: type) -> int:
        """A list of new names; returns how many."""
        what = f"in {what} identifier list"
        if not self.accept(opening):
            self.fail(f"expected '{opening}' {what}")
        count = 0
        while count or not self.text.startswith(closing, self.at):
            start = self.at
            name = self.word("bare identifier")
            if name in names:
                self.fail(f"redefinition of identifier '{name}'", start)
            names[name] = make(count)
            count += 1
            if not self.accept(","):
                break
        if not self.accept(closing):
            self.fail(f"expected '{closing}' {what}")
        return count

    def _affine_listed(self, what: str, read: Callable[[], object]) -> list:
        """Items in parentheses."""
        if not self.accept("("):
            self.fail(f"expected '(' in {what}")
        items: list[object] = []
        if not self.text.startswith(")", self.at):
            items.append(read())
            while self.accept(","):
                items.append(read())
        if not self.accept(")"):
            self.fail(f"expected ')' in {what}")
        return items

    def _affine_constraint(self) -> AffineConstraintExpr:
        lhs = self._affine_sum()
        operator = self.text[self.at : self.at + 2]
        if operator not in (">=", "<=", "=="):
            self.fail("expected '== affine-expr' or '>= affine-expr' at end of affine constraint")
        self.advance(self.at + 2)
        rhs = self._affine_sum()
        difference = affine.subtract(rhs, lhs) if operator == "<=" else affine.subtract(lhs, rhs)
        kind = AffineConstraintKind.eq if operator == "==" else AffineConstraintKind.ge
        return AffineConstraintExpr(kind, difference, _ZERO, canonicalize=False)

    def _affine_sum(self) -> AffineExpr:
        total = self._affine_product("expected affine expression")
        while True:
            if self.text.startswith("+", self.at):
                self.advance(self.at + 1)
                total = affine.add(total, self._affine_product(_NO_RIGHT))
            elif self.text.startswith("-", self.at) and not self.text.startswith("->", self.at):
                self.advance(self.at + 1)
                total = affine.subtract(total, self._affine_product(_NO_RIGHT))
            else:
                return total

    def _affine_product(self, missing: str) -> AffineExpr:
        result = self._affine_operand(missing)
        while (operator := _PRODUCT.match(self.text, self.at)) is not None:
            start = self.at
            self.advance(operator.end())
            rhs = self._affine_operand(_NO_RIGHT)
            name = operator.group()
            if name == "*":
                if not affine.is_symbolic(result) and not affine.is_symbolic(rhs):
                    self.fail(f"{_NON_AFFINE} at least one of the multiply operands {_MUST}", start)
            elif not affine.is_symbolic(rhs):
                self.fail(f"{_NON_AFFINE} right operand of {name} {_MUST}", start)
            result = BUILD[name](result, rhs)
        return result

    def _affine_operand(self, missing: str) -> AffineExpr:
        text, start = self.text, self.at
        number = _DECIMAL.match(text, start)
        if number is not None:
            return self._affine_number(number)
        word = WORD.match(text, start)
        if word is not None and not self._affine_is_operator(word.group()):
            return self._affine_named(word)
        match text[start : start + 1]:
            case "(":
                return self._affine_in_parentheses()
            case "-":
                self.advance(start + 1)
                self._affine_enter(start)
                expr = affine.negate(self._affine_operand("expected affine expression"))
                self._affine_nested -= 1
                return expr
            case "%" if self._affine_names is None:
                return self._affine_value(self._affine_values, AffineDimExpr)
            case character:
                if character in ("*", "+") or word is not None:
                    self.fail("missing left operand of binary operator")
                return self.fail(missing)

    def _affine_is_operator(self, word: str) -> bool:
        """Whether a word is an operator here, and not the name of a dimension."""
        return word in BUILD and not (self._affine_names and word in self._affine_names)

    def _affine_number(self, number: re.Match[str]) -> AffineExpr:
        value = int(number.group(), 0) if "x" in number.group() else int(number.group()[:40])
        if value > _LARGEST:
            self.fail("constant too large for index")
        self.advance(number.end())
        return AffineConstantExpr(value)

    def _affine_named(self, word: re.Match[str]) -> AffineExpr:
        if self._affine_names is None and word.group() == "symbol":
            self.advance(word.end())
            self.require("(")
            expr = self._affine_value(self._affine_symbol_values, AffineSymExpr)
            self.require(")")
            return expr
        expr = self._affine_names.get(word.group()) if self._affine_names is not None else None
        if expr is None:
            self.fail("use of undeclared identifier")
        self.advance(word.end())
        return expr

    def _affine_in_parentheses(self) -> AffineExpr:
        self._affine_enter(self.at)
        self.advance(self.at + 1)
        if self.text.startswith(")", self.at):
            self.fail("no expression inside parentheses")
        expr = self._affine_sum()
        if not self.accept(")"):
            self.fail("expected ')'")
        self._affine_nested -= 1
        return expr

    def _affine_enter(self, start: int) -> None:
        self._affine_nested += 1
        if self._affine_nested > _MOST_NESTED:
            self.fail(f"more than {_MOST_NESTED} nested parentheses in an affine expression", start)

    def _affine_value(self, values: list[tuple[str, int]], make: type) -> AffineExpr:
        found = _SSA_NAME.match(self.text, self.at)
        if found is None:
            self.fail("expected SSA operand")
        name = found.group()
        position = next((i for i, (known, _) in enumerate(values) if known == name), None)
        if position is None:
            position = len(values)
            values.append((name, self.at))
        self.advance(found.end())
        return make(position)


_ALWAYS = AffineConstraintExpr(AffineConstraintKind.eq, _ZERO, _ZERO, canonicalize=False)
"""What upstream makes of a set without constraints."""
_NO_RIGHT = "missing right operand of binary operator"
_NON_AFFINE = "non-affine expression:"
_MUST = "has to be either a constant or symbolic"
