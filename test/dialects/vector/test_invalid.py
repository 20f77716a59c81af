"""What the verifiers of the vector ops refuse."""

from __future__ import annotations

import pytest

import lamina

_MAPS = "[affine_map<(m) -> (m)>, affine_map<(m) -> (m)>, affine_map<(m) -> (m)>]"
_CASES = {
    '"vector.transpose"(%c) {permutation = array<i64: 1, 1>} : (vector<6x16xf32>) -> vector<16x6xf32>': (
        "duplicate position index: 1"
    ),
    "vector.shape_cast %c : vector<6x16xf32> to vector<95xf32>": (
        "has different number of elements at source (96) and result (95)"
    ),
    "vector.multi_reduction <add>, %c, %x [0] : vector<6x16xf32> to vector<6xf32>": (
        "destination type 'vector<6xf32>' is incompatible with source type 'vector<6x16xf32>'"
    ),
    f"vector.contract {{indexing_maps = {_MAPS}, iterator_types = ['parallel'], kind = #vector.kind<add>}} "
    "%x, %x, %x : vector<6xf32>, vector<6xf32> into vector<6xf32>": (
        "expected at least one contracting dimension pair"
    ),
    "vector.extract_strided_slice %c {offsets = [5, 4], sizes = [2, 8], strides = [1, 1]} "
    ": vector<6x16xf32> to vector<2x8xf32>": (
        "expected sum(offsets, sizes) dimension 0 to be confined to [1, 7)"
    ),
    "vector.from_elements %s, %s : vector<3xf32>": "number of operands and types do not match",
}


@pytest.mark.parametrize("text", _CASES)
def test_verifier_names_what_is_wrong(text: str) -> None:
    op = text.replace("['parallel']", '["parallel"]')
    arguments = "%c: vector<6x16xf32>, %x: vector<6xf32>, %s: f32"
    with pytest.raises(lamina.LaminaError) as caught:
        lamina.parse(f"func.func @f({arguments}) {{\n  %0 = {op}\n  return\n}}")
    assert _CASES[text] in str(caught.value)
    assert "<text>:2:" in str(caught.value)
