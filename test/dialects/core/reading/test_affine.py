"""Affine maps and sets: simplified as upstream simplifies them, semi-affine ones included."""

from __future__ import annotations

import random

import pytest
from attribute_texts import MLIR_OPT, as_op, by_mlir_opt, failure, read, written
from xdsl.ir.affine import AffineMap, AffineSet

from lamina.dialects.core.context import make_context
from lamina.dialects.core.reader import Reader

MAPS = [
    "affine_map<() -> ()>",
    "affine_map<()[s0] -> (s0)>",
    "affine_map<(i, j)[N] -> (i * N + j * 2 * N, (i + N) mod N, i + N * 2 - 1)>",
    "affine_map<(d0)[s0] -> (d0 * s0, s0 * d0, d0 floordiv s0, d0 mod s0, d0 ceildiv s0, s0 + d0, s0 * s0)>",
    "affine_map<(d0) -> (-d0 * 2, -(d0 + 3), d0 - 3, 2 - d0, - - d0, 4 + d0, 4 * d0)>",
    "affine_map<(d0) -> (d0 floordiv 0, d0 mod 0, d0 mod -4, d0 floordiv -2)>",
    "affine_map<(d0) -> (7 floordiv -2, 7 mod 4, 7 ceildiv 2)>",
    "affine_map<(d0) -> ((d0 * 128) floordiv 64, (d0 * 128) mod 64, (d0 * 8 + 3) mod 4, (d0 mod 8) mod 4)>",
    "affine_map<(d0) -> (d0 - (d0 floordiv 4) * 4, d0 + d0, 3 * d0 + d0, (d0 + 2) + d0 + 3, d0 * 0)>",
    "affine_map<(d0)[s0] -> (d0 - s0 * (d0 floordiv s0), d0 - (d0 floordiv s0) * s0)>",
    "affine_map<(d0, d1) -> ((d0 + d1) * 2, (d0 + 1) * 3, (d0 + 1) + (d1 + 2), d0 + d0 mod 3 * 2 ceildiv 5)>",
    "affine_map<(mod, i32)[size] -> (mod + i32 * size, 0x10)>",
    "affine_set<(d0) : ()>",
    "affine_set<(d0)[s0] : (d0 >= 0, d0 <= 10, d0 == s0, d0 + 1 >= d0 - 2, d0 * s0 <= d0 * s0)>",
]


def random_expression(chance: random.Random, depth: int) -> str:
    """A text of an expression over d0, d1, s0 and numbers."""
    if depth == 0 or chance.random() < 0.2:
        return chance.choice(["d0", "d1", "s0", str(chance.randint(-9, 9)), "-d0"])
    left = random_expression(chance, depth - 1)
    right = random_expression(chance, depth - 1)
    match chance.choice(["+", "-", "*", "floordiv", "ceildiv", "mod"]):
        case "+" | "-" as operator:
            return f"({left} {operator} {right})"
        case operator:
            return f"({left} {operator} {chance.choice(['s0', str(chance.randint(1, 16))])})"


def random_maps(seed: int, count: int) -> list[str]:
    """Texts of maps with results drawn at random."""
    chance = random.Random(seed)
    return [
        f"affine_map<(d0, d1)[s0] -> ({', '.join(random_expression(chance, 3) for _ in range(4))})>"
        for _ in range(count)
    ]


@pytest.mark.skipif(MLIR_OPT is None, reason="needs mlir-opt")
def test_expressions_are_simplified_as_upstream_does() -> None:
    texts = [*MAPS, *random_maps(1, 60)]
    for text, theirs in zip(texts, by_mlir_opt(tuple(map(as_op, texts))), strict=True):
        ours = written(text)
        assert ours.split("\n")[0] == theirs.split("\n")[0], text


def test_values_do_not_change() -> None:
    """The simplified map computes what the text says, by Python's own arithmetic."""
    for text in random_maps(2, 40):
        results = text[text.index("->") + 3 : -1].removeprefix("(").removesuffix(")")
        found = read(text).data  # pyright: ignore[reportAttributeAccessIssue]
        assert isinstance(found, AffineMap)
        names = {"d0": 7, "d1": -5, "s0": 3}
        python = results.replace("floordiv", "//").replace("mod", "%")
        if "ceildiv" in python:
            continue
        assert found.eval([7, -5], [3]) == eval(f"({python},)", names)


def test_a_constraint_is_one_against_zero() -> None:
    found = read("affine_set<(d0)[s0] : (d0 <= s0, d0 == 3)>").data  # pyright: ignore[reportAttributeAccessIssue]
    assert isinstance(found, AffineSet)
    assert [str(c) for c in found.constraints] == ["((d0 * -1) + s0) >= 0", "(d0 + -3) == 0"]


def test_values_as_dimensions_and_symbols() -> None:
    reader = Reader(make_context(), "%i + %j * 4, symbol(%n#1) - %i]", "t", {})
    found, dims, symbols = reader.affine_map_of_values()
    assert str(found) == "(d0, d1)[s0] -> ((d0 + (d1 * 4)), ((d0 * -1) + s0))"
    assert [name for name, _ in dims] == ["%i", "%j"]
    assert symbols == [("%n#1", 20)]
    assert reader.sees("]")


WRONG = [
    ("(d0, d1) -> (d0 * d1)", "non-affine expression: at least one of the multiply operands", 28),
    ("(d0, d1) -> (d0 floordiv d1)", "non-affine expression: right operand of floordiv has to be", 28),
    ("(d0, d1) -> (d0 mod d1)", "non-affine expression: right operand of mod has to be", 28),
    ("(d0) -> (d1)", "use of undeclared identifier", 21),
    ("(d0, d0) -> (d0)", "redefinition of identifier 'd0'", 17),
    ("(d0) -> (d0 + )", "missing right operand of binary operator", 26),
    ("(d0) -> (* d0)", "missing left operand of binary operator", 21),
    ("(d0) -> (())", "no expression inside parentheses", 22),
    ("(d0) -> (-)", "expected affine expression", 22),
    ("(d0) -> (d0 d0)", "expected ')' in affine map range", 24),
    ("(d0) -> d0", "expected '(' in affine map range", 20),
    ("(d0) (d0)", "expected '->' or ':'", 17),
    ("(d0) : (d0 >= 0)", "expected AffineMap, but got IntegerSet", 12),
    ("d0 -> (d0)", "expected '(' in dimensional identifier list", 12),
    ("(d0, 1) -> (d0)", "expected bare identifier", 17),
    ("(d0) -> (d0 + 9223372036854775808)", "constant too large for index", 26),
    ("(d0) -> (" + "(" * 300, "more than 200 nested parentheses in an affine expression", 221),
]


@pytest.mark.parametrize(("text", "message", "column"), WRONG)
def test_what_is_wrong_is_said_at_its_place(text: str, message: str, column: int) -> None:
    found, place = failure(f"affine_map<{text}>")
    assert found.startswith(message)
    assert place == column
