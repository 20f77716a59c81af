"""What the verifiers of the vector ops refuse."""

from __future__ import annotations

import pytest

import lamina

_MAPS = "[affine_map<(m) -> (m)>, affine_map<(m) -> (m)>, affine_map<(m) -> (m)>]"
_CASES = {
    '"vector.transpose"(%c) {permutation = array<i64: 1, 1>} : (vector<6x16xf32>) -> vector<16x6xf32>': (
        "expected a permutation of the vector's dimensions"
    ),
    "vector.shape_cast %c : vector<6x16xf32> to vector<95xf32>": (
        "expected the same number of elements in source and result"
    ),
    "vector.multi_reduction <add>, %c, %x [0] : vector<6x16xf32> to vector<6xf32>": (
        "expected accumulator and result of shape (16,)"
    ),
    f"vector.contract {{indexing_maps = {_MAPS}, iterator_types = ['parallel'], kind = #vector.kind<add>}} "
    "%x, %x, %x : vector<6xf32>, vector<6xf32> into vector<6xf32>": (
        "expected at least one contracting dimension pair"
    ),
    "vector.extract_strided_slice %c {offsets = [5, 4], sizes = [2, 8], strides = [1, 1]} "
    ": vector<6x16xf32> to vector<2x8xf32>": "expected the slice to lie inside the source",
    "vector.from_elements %s, %s : vector<3xf32>": "expected one operand for each element of the result",
}


@pytest.mark.parametrize("text", _CASES)
def test_verifier_names_what_is_wrong(text: str) -> None:
    op = text.replace("['parallel']", '["parallel"]')
    arguments = "%c: vector<6x16xf32>, %x: vector<6xf32>, %s: f32"
    with pytest.raises(lamina.LaminaError) as caught:
        lamina.parse(f"func.func @f({arguments}) {{\n  %0 = {op}\n  return\n}}")
    assert _CASES[text] in str(caught.value)
    assert "<text>:2:" in str(caught.value)
