"""Data movement against index arithmetic in plain Python."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.builtin import StringAttr, f64, i64

from lamina.dialects.nn.base import ShapeError


def numbered(*shape: int, dtype: Any = np.int32) -> np.ndarray:
    return np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)


@pytest.mark.parametrize(
    ("shape", "wanted", "expected"),
    [
        ((2, 6), (3, 4), (3, 4)),
        ((2, 6), (-1,), (12,)),
        ((2, 6), (4, -1), (4, 3)),
        ((), (1, 1), (1, 1)),
        ((0, 3), (3, 0), (3, 0)),
        ((0, 3), (-1, 5), (0, 5)),
    ],
)
def test_reshape(run: Callable[..., Any], shape: Any, wanted: Any, expected: Any) -> None:
    x = numbered(*shape)
    got = run("nn.reshape", x, shape=wanted)
    assert got.shape == expected
    assert got.ravel().tolist() == x.ravel().tolist()


@pytest.mark.parametrize("permutation", [*itertools.permutations(range(3))])
def test_transpose(run: Callable[..., Any], permutation: Any) -> None:
    x = numbered(2, 3, 4)
    got = run("nn.transpose", x, permutation=permutation)
    for place in np.ndindex(*x.shape):
        assert got[tuple(place[p] for p in permutation)] == x[place]


def test_concat(run: Callable[..., Any]) -> None:
    parts = [numbered(2, n) for n in (3, 0, 1)]
    got = run("nn.concat", *parts, axis=-1)
    assert got.tolist() == [[v for p in parts for v in p[i].tolist()] for i in range(2)]


@pytest.mark.parametrize("dtype", [np.bool_, np.float16, ml_dtypes.bfloat16, np.uint64])
def test_element_types(run: Callable[..., Any], dtype: Any) -> None:
    x = numbered(2, 3, dtype=dtype)
    assert run("nn.transpose", x, permutation=[1, 0]).dtype == dtype
    assert run("nn.pad", x, low=[1, 1], high=[0, 0]).dtype == dtype
    assert run("nn.gather", x, np.array([0]), axis=0).dtype == dtype
    assert run("nn.concat", x, x, axis=0).dtype == dtype


def onnx_slice(start: int, end: int, step: int, extent: int) -> list[int]:
    """The indices of an ONNX slice, straight from the operator's text."""
    if extent == 0:
        return []
    start, end = (b + extent if b < 0 else b for b in (start, end))
    if step > 0:
        start, end = min(max(start, 0), extent), min(max(end, 0), extent)
    else:
        start, end = min(max(start, 0), extent - 1), min(max(end, -1), extent - 1)
    return list(range(start, end, step))


BOUND = st.one_of(st.integers(-9, 9), st.sampled_from([2**63 - 1, -(2**63)]))


@given(extent=st.integers(0, 6), start=BOUND, end=BOUND, step=st.integers(-4, 4).filter(bool))
def test_slice(run: Callable[..., Any], extent: int, start: int, end: int, step: int) -> None:
    x = numbered(extent, 2)
    got = run("nn.slice", x, starts=[start, 0], ends=[end, 2], steps=[step, 1])
    assert got.tolist() == [x[i].tolist() for i in onnx_slice(start, end, step, extent)]


@pytest.mark.parametrize("start", [-6, -1, 0, 2, 9])
@pytest.mark.parametrize("end", [-(2**31), -2, 0, 4, 2**31])
@pytest.mark.parametrize("step", [-2, -1, 1, 3])
def test_slice_agrees_with_onnx_runtime(run: Callable[..., Any], start: int, end: int, step: int) -> None:
    onnxruntime = pytest.importorskip("onnxruntime")
    from onnx import TensorProto, helper

    x = numbered(5)
    node = helper.make_node("Slice", ["x", "s", "e", "a", "t"], ["y"])
    constants = [
        helper.make_tensor(name, TensorProto.INT64, [1], [value])
        for name, value in (("s", start), ("e", end), ("a", 0), ("t", step))
    ]
    inputs = [helper.make_tensor_value_info("x", TensorProto.INT32, [5])]
    outputs = [helper.make_tensor_value_info("y", TensorProto.INT32, [None])]
    graph = helper.make_graph([node], "g", inputs, outputs, constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)], ir_version=9)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    expected = session.run(None, {"x": x})[0]
    got = run("nn.slice", x, starts=[start], ends=[end], steps=[step])
    np.testing.assert_array_equal(got, expected)


def test_pad_constant(run: Callable[..., Any]) -> None:
    x = numbered(1, 2, dtype=np.uint8)
    got = run("nn.pad", x, low=[1, 0], high=[0, 2], value=7)
    assert got.tolist() == [[7, 7, 7, 7], [0, 1, 7, 7]]
    assert run("nn.pad", x.astype(np.float32), low=[0, 1], high=[0, 0]).tolist() == [[0, 0, 1]]
    assert (
        run("nn.pad", np.empty((0, 2), np.float32), low=[1, 0], high=[1, 0], value=0.5).tolist()
        == [[0.5] * 2] * 2
    )


@pytest.mark.parametrize(
    ("mode", "expected"), [("edge", [1, 1, 1, 2, 3, 3]), ("reflect", [3, 2, 1, 2, 3, 2])]
)
def test_pad_from_the_border(run: Callable[..., Any], mode: str, expected: list[int]) -> None:
    assert run("nn.pad", np.array([1, 2, 3]), low=[2], high=[1], mode=mode).tolist() == expected


def test_split(run: Callable[..., Any]) -> None:
    x = numbered(2, 5)
    a, b, c = run("nn.split", x, axis=-1, sizes=[2, 0, 3])
    assert (a.tolist(), b.shape, c.tolist()) == (x[:, :2].tolist(), (2, 0), x[:, 2:].tolist())


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.int8])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_gather(run: Callable[..., Any], axis: int, dtype: Any) -> None:
    x = numbered(3, 4, 5)
    indices = np.array([[0, -1], [2, -3]], dtype)
    got = run("nn.gather", x, indices, axis=axis)
    moved = x.swapaxes(0, axis).tolist() if axis else x.tolist()
    for place in np.ndindex(2, 2):
        index = [slice(None)] * x.ndim
        index[axis : axis + 1 or None] = [place[0], place[1]]
        part = got[tuple(index)]
        expected = np.array(moved[int(indices[place])])
        assert part.tolist() == (expected if axis == 0 else np.take(x, int(indices[place]), axis)).tolist()


def test_gather_clamps_indices_that_are_out_of_range(run: Callable[..., Any]) -> None:
    x = np.array([10, 20, 30])
    assert run("nn.gather", x, np.array([-4, -9, 3, 99, -(2**63)]), axis=0).tolist() == [10, 10, 30, 30, 10]
    assert run("nn.gather", x, np.array([2**64 - 1, 1], np.uint64), axis=0).tolist() == [30, 20]


def test_broadcast_to(run: Callable[..., Any]) -> None:
    x = np.array([[1], [2]])
    assert run("nn.broadcast_to", x, shape=[2, 2, 3]).tolist() == [[[1] * 3, [2] * 3]] * 2
    assert run("nn.broadcast_to", x, shape=[-1, 3]).tolist() == [[1] * 3, [2] * 3]
    assert run("nn.broadcast_to", x, shape=[2, 0]).shape == (2, 0)


def test_squeeze_and_unsqueeze(run: Callable[..., Any]) -> None:
    x = numbered(1, 3, 1)
    assert run("nn.squeeze", x, axes=[0, -1]).tolist() == [0, 1, 2]
    assert run("nn.squeeze", x, axes=[]).shape == (1, 3, 1)
    assert run("nn.unsqueeze", np.array([1, 2]), axes=[-1, 0]).tolist() == [[[1], [2]]]


def test_tile(run: Callable[..., Any]) -> None:
    assert run("nn.tile", np.array([[1, 2]]), repeats=[2, 2]).tolist() == [[1, 2, 1, 2]] * 2
    assert run("nn.tile", np.array([[1, 2]]), repeats=[0, 1]).shape == (0, 2)


@pytest.mark.parametrize(
    ("name", "operands", "attributes", "shape"),
    [
        ("nn.reshape", [[-1, 4]], {"shape": [-1, 2, 2]}, (-1, 2, 2)),
        ("nn.reshape", [[-1, 4]], {"shape": [8, 2]}, (8, 2)),
        ("nn.transpose", [[-1, 4]], {"permutation": [1, 0]}, (4, -1)),
        ("nn.concat", [[-1, 4], [2, 5]], {"axis": 1}, (2, 9)),
        ("nn.concat", [[-1, 4], [2, 4]], {"axis": 0}, (-1, 4)),
        ("nn.slice", [[-1, 4]], {"starts": [0, 1], "ends": [2, 9], "steps": [1, 2]}, (-1, 2)),
        ("nn.pad", [[-1, 4]], {"low": [1, 1], "high": [0, 2]}, (-1, 7)),
        ("nn.pad", [[-1, 4]], {"low": [1, 1], "high": [0, 2], "mode": "reflect"}, (-1, 7)),
        ("nn.gather", [[-1, 4], ([-1, 2], i64)], {"axis": 1}, (-1, -1, 2)),
        ("nn.broadcast_to", [[-1, 1]], {"shape": [-1, 3]}, (-1, 3)),
        ("nn.broadcast_to", [[-1, 1]], {"shape": [2, 5, 3]}, (2, 5, 3)),
        ("nn.squeeze", [[-1, 1, -1]], {"axes": [1, 2]}, (-1,)),
        ("nn.unsqueeze", [[-1, 2]], {"axes": [1]}, (-1, 1, 2)),
        ("nn.tile", [[-1, 2]], {"repeats": [3, 2]}, (-1, 4)),
        ("nn.tile", [[-1, 2]], {"repeats": [0, 2]}, (0, 4)),
    ],
)
def test_unknown_extents_propagate(
    extents: Callable[..., Any],
    build: Callable[..., Any],
    name: str,
    operands: Any,
    attributes: Any,
    shape: Any,
) -> None:
    assert extents(build(name, *operands, **attributes)) == [shape]


def test_split_of_an_unknown_extent(extents: Callable[..., Any], build: Callable[..., Any]) -> None:
    op = build("nn.split", [-1, 2], axis=0, sizes=[1, 3])
    assert extents(op) == [(1, 2), (3, 2)]


REJECTED = [
    ("nn.reshape", [[2, 3]], {"shape": [4]}, "[2, 3] has 6 elements, the shape [4] has 4"),
    ("nn.reshape", [[2, 3]], {"shape": [-1, -1]}, "shape [-1, -1] has more than one -1"),
    (
        "nn.reshape",
        [[2, 3]],
        {"shape": [4, -1]},
        "the -1 of [4, -1] does not follow from the 6 elements of [2, 3]",
    ),
    (
        "nn.reshape",
        [[0, 3]],
        {"shape": [0, -1]},
        "the -1 of [0, -1] does not follow from the 0 elements of [0, 3]",
    ),
    (
        "nn.reshape",
        [[2]],
        {"shape": [-2]},
        "attribute 'shape' is [-2], expected entries of at least -1",
    ),
    (
        "nn.transpose",
        [[2, 3]],
        {"permutation": [0, 0]},
        "[0, 0] is no permutation of the 2 dimensions of the operand",
    ),
    ("nn.concat", [], {"axis": 0}, "has no operands, expected at least one"),
    ("nn.concat", [[2], [2, 3]], {"axis": 0}, "operand 1 has rank 2, expected 1 as operand 0 has"),
    (
        "nn.concat",
        [[2, 3], [2, 4]],
        {"axis": 0},
        "dimension 1 of operand 1 and those before it: 3 and 4 differ",
    ),
    (
        "nn.concat",
        [[2], ([2], f64)],
        {"axis": 0},
        "operand 1 has element type f64, expected f32 as operand 0 has",
    ),
    (
        "nn.slice",
        [[2]],
        {"starts": [0], "ends": [1], "steps": [0]},
        "attribute 'steps' has an entry 0, expected steps other than zero",
    ),
    (
        "nn.slice",
        [[2, 2]],
        {"starts": [0], "ends": [1], "steps": [1]},
        "attribute 'starts' has 1 entries, expected 2",
    ),
    ("nn.pad", [[2]], {"low": [-1], "high": [0]}, "attribute 'low' is [-1], expected entries of at least 0"),
    (
        "nn.pad",
        [[2]],
        {"low": [2], "high": [0], "mode": "reflect"},
        'mode "reflect" cannot add 2 to dimension 0 of extent 2',
    ),
    (
        "nn.pad",
        [[0]],
        {"low": [1], "high": [0], "mode": "edge"},
        'mode "edge" cannot add 1 to dimension 0 of extent 0',
    ),
    (
        "nn.pad",
        [[2]],
        {"low": [1], "high": [0], "mode": "wrap"},
        'attribute \'mode\' is "wrap", expected "constant" or "edge" or "reflect"',
    ),
    (
        "nn.pad",
        [[2]],
        {"low": [1], "high": [0], "value": StringAttr("x")},
        "attribute 'value' is \"x\", expected a number",
    ),
    (
        "nn.split",
        [[5]],
        {"axis": 0, "sizes": [2, 2]},
        "sizes [2, 2] add up to 4, expected 5, the extent of axis 0",
    ),
    ("nn.gather", [[5], [2]], {"axis": 0}, "indices have element type f32, expected an integer type"),
    (
        "nn.gather",
        [[0], ([2], i64)],
        {"axis": 0},
        "axis 0 of data has extent 0, there is nothing to gather",
    ),
    (
        "nn.broadcast_to",
        [[2, 3]],
        {"shape": [3]},
        "shape [3] has lower rank than the operand's [2, 3]",
    ),
    ("nn.broadcast_to", [[2, 3]], {"shape": [2, 4]}, "[2, 3] does not broadcast to [2, 4]: 3 and 4 differ"),
    ("nn.squeeze", [[2, 1]], {"axes": [0]}, "axis 0 has extent 2, expected 1"),
    ("nn.unsqueeze", [[2]], {"axes": [3]}, "attribute 'axes' names axis 3 of a tensor of rank 2"),
    ("nn.tile", [[2]], {"repeats": [1, 2]}, "attribute 'repeats' has 2 entries, expected 1"),
]


@pytest.mark.parametrize(("name", "operands", "attributes", "message"), REJECTED)
def test_rejects(build: Callable[..., Any], name: str, operands: Any, attributes: Any, message: str) -> None:
    with pytest.raises(ShapeError) as caught:
        build(name, *operands, **attributes)
    assert str(caught.value) == message
