"""Einstein sums, by reductions, diagonals, transposes and matrix products."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import SSAValue

from lamina.dialects.nn.base import DYNAMIC
from lamina.lowering.importing.emitter import Unsupported, rank, shape
from lamina.lowering.onnx.node import Node
from lamina.lowering.onnx.rule_table import onnx_rule
from lamina.lowering.onnx.rules.shapes import to_shape


@dataclass
class Term:
    """A tensor and the label of each of its dimensions."""

    value: SSAValue
    labels: list[str]


@onnx_rule("Einsum")
def einsum(node: Node) -> SSAValue:
    """Two terms at a time; labels that neither the result nor a later term has are summed away."""
    terms, result = _parsed(node.attribute("equation"), node.all_operands())
    terms = [_diagonal(node, term) for term in terms]
    while len(terms) > 1:
        first, second, *rest = terms
        needed = {label for term in rest for label in term.labels} | set(result)
        terms = [_product(node, first, second, needed), *rest]
    term = _summed(node, terms[0], set(result))
    missing = [label for label in result if label not in term.labels]
    if missing:
        raise Unsupported(f"its result has labels that no operand has: {', '.join(missing)}")
    return _ordered(node, term, result).value


def _parsed(equation: str, operands: Sequence[SSAValue]) -> tuple[list[Term], list[str]]:
    """The labelled operands and the result's labels; the dimensions of an ellipsis get numbers."""
    left, arrow, right = equation.replace(" ", "").partition("->")
    parts = left.split(",")
    if len(parts) != len(operands):
        raise Unsupported(f"its equation names {len(parts)} operands, it has {len(operands)}")
    counts = [rank(x) - len(p.replace("...", "")) for p, x in zip(parts, operands, strict=True)]
    widest = max((n for n, p in zip(counts, parts, strict=True) if "..." in p), default=0)
    terms: list[Term] = []
    for part, value, count in zip(parts, operands, counts, strict=True):
        labels = _labels(part, widest, count if "..." in part else 0)
        if len(labels) != rank(value):
            raise Unsupported(f"'{part}' does not fit an operand of rank {rank(value)}")
        terms.append(Term(value, labels))
    if arrow:
        return terms, _labels(right, widest, widest)
    letters = sorted(c for c in set(left) if c.isalpha() and left.count(c) == 1)
    return terms, [*_labels("..." if "..." in left else "", widest, widest), *letters]


def _labels(text: str, widest: int, count: int) -> list[str]:
    """The labels of a term; an ellipsis stands for the last ``count`` of ``widest`` numbered ones."""
    before, dots, after = text.partition("...")
    numbers = [str(n) for n in range(widest - count, widest)] if dots else []
    return [*before, *numbers, *after]


def _diagonal(node: Node, term: Term) -> Term:
    """Two dimensions of one label become their diagonal: every (n + 1)-th element of both as one."""
    for label in dict.fromkeys(term.labels):
        while term.labels.count(label) > 1:
            first = term.labels.index(label)
            second = term.labels.index(label, first + 1)
            rest = [d for d in range(len(term.labels)) if d not in (first, second)]
            value = node.emit("transpose", term.value, permutation=[*rest, first, second])
            extents = shape(value)
            n = extents[-1]
            if n == DYNAMIC:
                raise Unsupported(f"the extent of its label '{label}' is dynamic")
            value = to_shape(node, value, [*extents[:-2], n * n])
            keep = len(rest)
            value = node.emit(
                "slice",
                value,
                starts=[0] * (keep + 1),
                ends=[2**63 - 1] * (keep + 1),
                steps=[1] * keep + [n + 1],
            )
            term = Term(value, [*(term.labels[d] for d in rest), label])
    return term


def _summed(node: Node, term: Term, needed: set[str]) -> Term:
    """Without the dimensions that nothing needs."""
    axes = [d for d, label in enumerate(term.labels) if label not in needed]
    if not axes:
        return term
    value = node.emit("reduce_sum", term.value, axes=axes, keepdims=False)
    return Term(value, [label for label in term.labels if label in needed])


def _ordered(node: Node, term: Term, labels: Sequence[str]) -> Term:
    """With the dimensions in another order."""
    permutation = [term.labels.index(label) for label in labels]
    if permutation == list(range(len(permutation))):
        return term
    return Term(node.emit("transpose", term.value, permutation=permutation), list(labels))


def _product(node: Node, a: Term, b: Term, needed: set[str]) -> Term:
    """The product of two terms, summed over the labels that both have and nothing else needs."""
    a = _summed(node, a, needed | set(b.labels))
    b = _summed(node, b, needed | set(a.labels))
    shared = [label for label in a.labels if label in b.labels]
    batch = [label for label in shared if label in needed]
    inner = [label for label in shared if label not in needed]
    rows = [label for label in a.labels if label not in shared]
    columns = [label for label in b.labels if label not in shared]
    left = _ordered(node, a, [*batch, *rows, *inner])
    right = _ordered(node, b, [*batch, *inner, *columns])
    extents = dict(zip([*left.labels, *right.labels], [*shape(left.value), *shape(right.value)], strict=True))
    left_matrix = _matrix(node, left.value, len(batch), len(rows))
    right_matrix = _matrix(node, right.value, len(batch), len(inner))
    value = node.emit("matmul", left_matrix, right_matrix)
    outer = [extents[label] for label in (*rows, *columns)]
    if not (len(rows) == len(columns) == 1):
        value = to_shape(node, value, [*shape(value)[: len(batch)], *outer])
    return Term(value, [*batch, *rows, *columns])


def _matrix(node: Node, value: SSAValue, batch: int, rows: int) -> SSAValue:
    """The dimensions behind the batch as two: the first ``rows`` of them, and the others."""
    extents = shape(value)
    parts = [extents[batch : batch + rows], extents[batch + rows :]]
    if [len(part) for part in parts] == [1, 1]:
        return value
    merged = [DYNAMIC if DYNAMIC in part else math.prod(part) for part in parts]
    return to_shape(node, value, [*extents[:batch], *merged])
