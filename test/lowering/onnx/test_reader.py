"""Reading ONNX models into the `onnx` dialect."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp, NameLoc
from xdsl.dialects.func import FuncOp

from lamina.dialects.core.constants import as_array
from lamina.dialects.core.diagnostics import LaminaError
from lamina.dialects.core.text import parse, to_text
from lamina.dialects.core.verifier import verify
from lamina.lowering.formats.onnx_reader import load_onnx
from lamina.lowering.onnx.convert_onnx_to_nn import import_onnx

onnx = pytest.importorskip("onnx")
helper, numpy_helper, TensorProto = onnx.helper, onnx.numpy_helper, onnx.TensorProto


def _value(name: str, shape: Any = (2, 2), kind: int = TensorProto.FLOAT) -> Any:
    return helper.make_tensor_value_info(name, kind, shape)


def _model(nodes: list[Any], opset: int = 13, **fields: Any) -> Any:
    inputs = fields.pop("inputs", [_value("x")])
    outputs = fields.pop("outputs", [_value("y", None)])
    graph = helper.make_graph(nodes, "g", inputs, outputs, **fields)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def _main(module: ModuleOp) -> FuncOp:
    function = module.body.block.first_op
    assert isinstance(function, FuncOp)
    return function


def _ops(module: ModuleOp, name: str) -> list[Any]:
    return [op for op in module.walk() if op.name == name]


RELU = helper.make_node("Relu", ["x"], ["y"], name="layer/relu:0")


def test_names_and_symbolic_extents_stand_in_the_signature() -> None:
    model = _model([RELU], inputs=[_value("x", ["batch", 4])], outputs=[_value("y", ["batch", 4])])
    text = to_text(load_onnx(model))
    signature = '(%x: tensor<?x4xf32> {nn.dims = ["batch", ""], nn.name = "x"})'
    assert f"@main{signature} -> (tensor<?x4xf32> {{nn.dims = " in text
    assert "onnx.opset = {ai.onnx = 13 : i64}" in text


def test_locations_are_node_names() -> None:
    module = load_onnx(_model([RELU]))
    [op] = _ops(module, "onnx.Relu")
    assert isinstance(op.location, NameLoc)
    assert op.location.desc.data == "layer/relu:0"


def test_an_initialiser_that_is_listed_as_an_input_is_a_constant() -> None:
    weights = np.arange(4, dtype=np.float32).reshape(2, 2)
    node = helper.make_node("Add", ["x", "w"], ["y"])
    model = _model(
        [node], inputs=[_value("x"), _value("w")], initializer=[numpy_helper.from_array(weights, "w")]
    )
    module = load_onnx(model)
    assert len(_main(module).args) == 1
    [constant] = _ops(module, "onnx.Constant")
    np.testing.assert_array_equal(as_array(constant.attributes["value"]), weights)


@pytest.mark.parametrize("dtype", ["f4", "f8", "f2", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "?"])
def test_element_types(dtype: str) -> None:
    array = np.array([0, 1, 3], dtype=dtype)
    node = helper.make_node("Identity", ["w"], ["y"])
    module = load_onnx(_model([node], inputs=[], initializer=[numpy_helper.from_array(array, "w")]))
    [constant] = _ops(module, "onnx.Constant")
    read = as_array(constant.attributes["value"])
    assert read.dtype == array.dtype
    np.testing.assert_array_equal(read, array)


def test_attributes_of_every_kind() -> None:
    node = helper.make_node(
        "Foo",
        ["x", "", "x"],
        ["y"],
        domain="com.example",
        i=7,
        f=0.5,
        s="text",
        ints=[1, 2],
        floats=[0.5, 1.0],
        strings=["a", "b"],
        t=numpy_helper.from_array(np.array([1, 2], np.int8)),
    )
    module = load_onnx(_model([node]))
    [op] = _ops(module, "onnx.Custom")
    assert (op.domain, op.op_type) == ("com.example", "Foo")
    text = to_text(module)
    for part in (
        "i = 7 : i64",
        "f = 5.000000e-01 : f32",
        's = "text"',
        "ints = array<i64: 1, 2>",
        "floats = array<f32: 5.000000e-01, 1.000000e+00>",
        'strings = ["a", "b"]',
        "t = dense<[1, 2]> : tensor<2xi8>",
    ):
        assert part in text
    assert "onnx.NoValue" in text


def test_subgraphs_become_regions_that_see_outer_values() -> None:
    branch = helper.make_graph([helper.make_node("Neg", ["x"], ["n"])], "b", [], [_value("n")])
    other = helper.make_graph([helper.make_node("Abs", ["x"], ["a"])], "c", [], [_value("a")])
    node = helper.make_node("If", ["c"], ["y"], then_branch=branch, else_branch=other)
    inputs = [_value("x"), _value("c", [], TensorProto.BOOL)]
    module = load_onnx(_model([node], inputs=inputs))
    verify(module)
    [op] = _ops(module, "onnx.If")
    assert [region.block.first_op.name for region in op.regions] == ["onnx.Abs", "onnx.Neg"]
    assert to_text(parse(to_text(module))) == to_text(module)


def test_types_are_inferred_where_the_file_does_not_state_them() -> None:
    nodes = [
        helper.make_node("Shape", ["x"], ["s"]),
        helper.make_node("Cast", ["s"], ["y"], to=TensorProto.INT32),
    ]
    module = load_onnx(_model(nodes, outputs=[onnx.ValueInfoProto(name="y")]))
    [op] = _ops(module, "onnx.Shape")
    assert str(op.results[0].type) == "tensor<2xi64>"


def test_functions_of_the_model_are_inlined() -> None:
    body = [helper.make_node("Relu", ["a"], ["t"]), helper.make_node("Neg", ["t"], ["b"])]
    function = helper.make_function("local", "F", ["a"], ["b"], body, [helper.make_opsetid("", 13)])
    model = _model([helper.make_node("F", ["x"], ["y"], domain="local")])
    model.functions.append(function)
    model.opset_import.append(helper.make_opsetid("local", 1))
    names = [op.name for op in _main(load_onnx(model)).body.block.ops]
    assert names == ["onnx.Relu", "onnx.Neg", "func.return"]


@pytest.fixture
def external(tmp_path: Path) -> Callable[..., Path]:
    """A model whose one weight lies in a file beside it."""

    def write(**overrides: str) -> Path:
        weights = np.arange(4, dtype=np.float32)
        (tmp_path / "w.bin").write_bytes(b"\0" * 8 + weights.tobytes())
        tensor = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[2, 2])
        tensor.data_location = TensorProto.EXTERNAL
        entries = {"location": "w.bin", "offset": "8", "length": "16"} | overrides
        for key, value in entries.items():
            tensor.external_data.add(key=key, value=value)
        model = _model([helper.make_node("Add", ["x", "w"], ["y"])], initializer=[tensor])
        path = tmp_path / "m.onnx"
        path.write_bytes(model.SerializeToString())
        return path

    return write


def test_external_data(external: Callable[..., Path]) -> None:
    [constant] = _ops(load_onnx(external()), "onnx.Constant")
    np.testing.assert_array_equal(as_array(constant.attributes["value"]), [[0, 1], [2, 3]])


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        ({"location": "missing.bin"}, "missing.bin' cannot be read: No such file"),
        ({"length": "32"}, "at offset 8, 16 found"),
        ({"location": "../w.bin"}, "outside the model's folder"),
        ({"location": "/etc/passwd"}, "outside the model's folder"),
        ({"offset": "x"}, "is no number"),
        ({"length": "8"}, "does not fit the type and shape"),
    ],
)
def test_external_data_that_cannot_be_read(
    external: Callable[..., Path], overrides: dict[str, str], message: str
) -> None:
    with pytest.raises(LaminaError) as caught:
        load_onnx(external(**overrides))
    assert message in str(caught.value)
    assert "the initialiser 'w'" in str(caught.value)


def test_external_data_of_bytes_has_no_folder(external: Callable[..., Path]) -> None:
    with pytest.raises(LaminaError, match="relative to the model"):
        load_onnx(external().read_bytes())


def _with_initialiser(**fields: Any) -> Any:
    tensor = TensorProto(name="w", **fields)
    return _model([helper.make_node("Add", ["x", "w"], ["y"])], initializer=[tensor])


def _sparse() -> Any:
    model = _model([RELU])
    values = numpy_helper.from_array(np.ones(1, np.float32), "w")
    indices = numpy_helper.from_array(np.zeros(1, np.int64))
    model.graph.sparse_initializer.append(helper.make_sparse_tensor(values, indices, [4]))
    return model


BROKEN: list[tuple[Callable[[], Any], str]] = [
    (lambda: b"", "holds no ONNX graph"),
    (lambda: b"\x00\xff garbage that is no protobuf", "is no ONNX model"),
    (lambda: _model([RELU]).SerializeToString()[:-9], "ONNX"),
    (
        lambda: _model([helper.make_node("Relu", ["nowhere"], ["y"])]),
        "'nowhere', which nothing before it gives",
    ),
    (lambda: _model([RELU], outputs=[_value("z")]), "the graph's outputs uses the value 'z'"),
    (lambda: _model([RELU, RELU]), "gives the value 'y', which something before it gives already"),
    (lambda: _model([RELU], inputs=[_value("x"), _value("x")]), "two inputs named 'x'"),
    (lambda: _with_initialiser(data_type=99, dims=[1]), "tensor element type 99 is none of ONNX's"),
    (lambda: _with_initialiser(data_type=1, dims=[3], raw_data=b"12"), "does not fit the type and shape [3]"),
    (lambda: _with_initialiser(data_type=1, dims=[-3], raw_data=b""), "a negative extent"),
    (_sparse, "the initialiser 'w' is sparse"),
]


@pytest.mark.parametrize(("make", "message"), BROKEN)
def test_broken_models_are_one_error(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(LaminaError) as caught:
        load_onnx(make())
    assert message in str(caught.value)
    assert len(caught.value.diagnostics) == 1
    assert str(caught.value).startswith("<onnx model>: error:")


def test_missing_file_is_an_error() -> None:
    with pytest.raises(LaminaError, match=r"no/such\.onnx: error: cannot be read: No such file"):
        load_onnx("no/such.onnx")


def test_damaged_files_are_errors_or_models() -> None:
    nodes = [RELU, helper.make_node("Conv", ["y", "w"], ["z"], pads=[1, 1], auto_pad="NOTSET")]
    weights = numpy_helper.from_array(np.ones((2, 2, 3), np.float32), "w")
    inputs, outputs = [_value("x", ["n", 2, 9])], [_value("z", None)]
    data = _model(nodes, inputs=inputs, outputs=outputs, initializer=[weights]).SerializeToString()
    rng = np.random.default_rng(0)
    for _ in range(200):
        damaged = bytearray(data[: rng.integers(len(data) // 2, len(data) + 1)])
        for place in rng.integers(0, len(damaged), rng.integers(0, 4)):
            damaged[place] = rng.integers(256)
        try:
            import_onnx(bytes(damaged))
        except LaminaError as problem:
            assert len(problem.diagnostics) == 1
