"""The public Python API: load, parse, to_text, run_pipeline, compile, interpret, and calls of the results."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lamina
from lamina.lowering.specialized import Specialized

LAYER = """
func.func @main(%x: tensor<2x3xf32> {nn.name = "x"}, %w: tensor<3x2xf32> {nn.name = "the weights"})
    -> (tensor<2x2xf32> {nn.name = "product"}) {
  %0 = nn.matmul %x, %w : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
func.func @twice(%x: tensor<3xi32>) -> tensor<3xi32> {
  %0 = nn.add %x, %x : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
}
func.func private @hidden(%x: tensor<3xi32>) -> tensor<3xi32> {
  return %x : tensor<3xi32>
}
"""

SEVERAL = """
func.func @main(%x: tensor<?x3xf32> {nn.name = "x"}, %flag: tensor<i1> {nn.name = "flag"})
    -> (tensor<?x3xf32> {nn.name = "kept"}, tensor<f32> {nn.name = "sum"},
        tensor<?x3xi1> {nn.name = "positive"}) {
  %zero = nn.constant dense<0.0> : tensor<f32>
  %kept = nn.select %flag, %x, %zero : (tensor<i1>, tensor<?x3xf32>, tensor<f32>) -> tensor<?x3xf32>
  %sum = nn.reduce_sum %kept {axes = array<i64: 0, 1>, keepdims = false} : (tensor<?x3xf32>) -> tensor<f32>
  %positive = nn.greater %x, %zero : (tensor<?x3xf32>, tensor<f32>) -> tensor<?x3xi1>
  return %kept, %sum, %positive : tensor<?x3xf32>, tensor<f32>, tensor<?x3xi1>
}
"""

RNG = np.random.default_rng(0)
X = RNG.standard_normal((2, 3)).astype(np.float32)
W = RNG.standard_normal((3, 2)).astype(np.float32)


@pytest.fixture(scope="module")
def layer() -> Any:
    return lamina.compile(lamina.parse(LAYER))


@pytest.fixture(scope="module")
def several() -> Any:
    return lamina.compile(lamina.parse(SEVERAL))


def _close(result: Any, expected: np.ndarray) -> None:
    assert isinstance(result, np.ndarray)
    assert result.dtype == expected.dtype and result.shape == expected.shape
    np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-6)


CALLS: dict[str, Callable[[Any], Any]] = {
    "by position": lambda f: f(X, W),
    "by name": lambda f: f(**{"the weights": W, "x": X}),
    "by position and name": lambda f: f(X, **{"the weights": W}),
    "from a dict": lambda f: f.run({"the weights": W, "x": X}),
    "lists": lambda f: f(X.tolist(), W.tolist()),
}


@pytest.mark.parametrize("form", CALLS)
def test_inputs_by_position_name_or_dict(layer: Any, form: str) -> None:
    _close(CALLS[form](layer), X @ W)


@pytest.mark.parametrize("form", [f for f in CALLS if f not in ("from a dict", "lists")])
def test_interpret_takes_inputs_as_a_compiled_model_does(form: str) -> None:
    module = lamina.parse(LAYER)
    _close(CALLS[form](lambda *args, **named: lamina.interpret(module, *args, **named)), X @ W)


def test_out_receives_the_result(layer: Any) -> None:
    out = np.full((2, 2), np.nan, np.float32)
    assert layer(X, W, out=out) is out
    _close(out, X @ W)
    by_name = {"product": np.zeros((2, 2), np.float32)}
    layer.run({"x": X, "the weights": W}, out=by_name)
    _close(by_name["product"], X @ W)


def test_several_results_are_a_tuple_in_their_order(several: Any) -> None:
    for rows in (1, 4):
        x = RNG.standard_normal((rows, 3)).astype(np.float32)
        for flag in (True, False):
            kept = x if flag else np.zeros_like(x)
            results = several(x, np.array(flag))
            assert isinstance(results, tuple)
            for result, expected in zip(results, (kept, kept.sum(), x > 0), strict=True):
                _close(result, np.asarray(expected))


def test_several_results_go_to_several_arrays(several: Any) -> None:
    out = (np.zeros((2, 3), np.float32), np.zeros((), np.float32), np.zeros((2, 3), np.bool_))
    results = several(X, True, out=out)
    assert all(result is array for result, array in zip(results, out, strict=True))
    _close(out[1], X.sum())
    named = {name: np.zeros_like(a) for name, a in zip(("kept", "sum", "positive"), out, strict=True)}
    several.run({"x": X, "flag": True}, out=named)
    assert np.array_equal(named["positive"], X > 0)


def test_scalars_are_arrays_of_rank_zero_or_python_numbers() -> None:
    exe = lamina.compile(
        lamina.parse("""
func.func @main(%a: tensor<f64>, %n: tensor<i64>) -> (tensor<f64>, tensor<i64>) {
  %0 = nn.exp %a : (tensor<f64>) -> tensor<f64>
  %1 = nn.mul %n, %n : (tensor<i64>, tensor<i64>) -> tensor<i64>
  return %0, %1 : tensor<f64>, tensor<i64>
}""")
    )
    for a, n in ((0.5, 3), (np.array(0.5), np.array(3))):
        power, square = exe(a, n)
        assert power.shape == square.shape == () and square.dtype == np.int64
        assert (float(power), int(square)) == (pytest.approx(np.exp(0.5), rel=1e-14), 9)
    with pytest.raises(lamina.LaminaError, match="input 'arg1' must hold int64, not float64"):
        exe(0.5, 3.0)


def test_arrays_without_elements(several: Any) -> None:
    kept, total, positive = several(np.zeros((0, 3), np.float32), True)
    assert kept.shape == positive.shape == (0, 3) and positive.dtype == np.bool_
    assert float(total) == 0


BAD_CALLS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "dtype": (
        lambda f: f(X.astype(np.float64), W),
        "error: input 'x' must have dtype float32, not float64\n  hint: convert it: `x.astype(np.float32)`",
    ),
    "shape": (lambda f: f(X, W.T), "error: input 'the weights' must have shape [3, 2], not [2, 3]"),
    "missing": (
        lambda f: f(X),
        "error: takes 2 inputs; missing: the weights\n  hint: x: float32[2, 3], the weights: float32[3, 2]",
    ),
    "too many": (
        lambda f: f(X, W, W),
        "error: takes 2 inputs, not 3\n  hint: x: float32[2, 3], the weights: float32[3, 2]",
    ),
    "name": (
        lambda f: f.run({"x": X, "weights": W}),
        "error: has no input 'weights'\n  hint: did you mean 'the weights'?",
    ),
}


@pytest.mark.parametrize("mistake", BAD_CALLS)
@pytest.mark.parametrize("way", ["compiled", "interpreted"])
def test_bad_calls_say_what_is_wrong(layer: Any, mistake: str, way: str) -> None:
    call, message = BAD_CALLS[mistake]
    module = lamina.parse(LAYER)

    class Interpreted:
        def __call__(self, *args: Any, **named: Any) -> Any:
            return lamina.interpret(module, *args, **named)

        def run(self, inputs: dict[str, Any]) -> Any:
            return lamina.interpret(module, **inputs)

    with pytest.raises(lamina.LaminaError) as caught:
        call(layer if way == "compiled" else Interpreted())
    assert str(caught.value) == message


def test_bad_outputs_say_what_is_wrong(layer: Any, several: Any) -> None:
    with pytest.raises(lamina.LaminaError) as caught:
        layer(X, W, out=np.zeros((2, 2)))
    assert str(caught.value) == "error: `out` for 'product' must be float32[2, 2], not float64[2, 2]"
    with pytest.raises(lamina.LaminaError) as caught:
        several(X, True, out=(X,))
    assert str(caught.value).startswith("error: gives 3 results, but `out` has 1\n  hint: kept: float32")
    square = np.eye(2, 3, dtype=np.float32)
    with pytest.raises(lamina.LaminaError, match="`out` for 'kept' shares memory with input 'x'"):
        several(square, True, out=(square, np.zeros((), np.float32), np.zeros((2, 3), np.bool_)))


def test_dynamic_shapes_are_checked_and_described(several: Any) -> None:
    assert isinstance(several, Specialized)
    assert [str(info) for info in several.inputs] == ["x: float32[?, 3]", "flag: bool[]"]
    assert [str(info) for info in several.outputs] == [
        "kept: float32[?, 3]",
        "sum: float32[]",
        "positive: bool[?, 3]",
    ]
    with pytest.raises(lamina.LaminaError) as caught:
        several(np.zeros((5, 4), np.float32), True)
    assert str(caught.value) == "error: input 'x' must have shape [?, 3], not [5, 4]"


def test_compile_and_interpret_take_a_file_name(tmp_path: Path) -> None:
    path = tmp_path / "layer.mlir"
    path.write_text(LAYER)
    _close(lamina.compile(path)(X, W), X @ W)
    _close(lamina.compile(str(path))(X, W), X @ W)
    _close(lamina.interpret(path, X, W), X @ W)


def test_compile_interpret_and_to_text_leave_the_module_alone(layer: Any) -> None:
    for text in (LAYER, SEVERAL):
        module = lamina.parse(text)
        before = lamina.to_text(module)
        lamina.compile(module)
        lamina.interpret(module, X, W if text is LAYER else True)
        assert lamina.to_text(module) == before


def test_entry_names_the_function() -> None:
    module = lamina.parse(LAYER)
    numbers = np.array([1, -2, 2**30], np.int32)
    for result in (
        lamina.compile(module, entry="twice")(numbers),
        lamina.interpret(module, numbers, entry="twice"),
    ):
        assert np.array_equal(result, numbers + numbers)
    for mistake in (lamina.compile, lamina.interpret):
        with pytest.raises(lamina.LaminaError) as caught:
            mistake(module, entry="twise")
        assert str(caught.value) == "error: there is no function '@twise'\n  hint: did you mean 'twice'?"
    with pytest.raises(lamina.LaminaError, match="is private, so it cannot be an entry"):
        lamina.compile(module, entry="hidden")


def test_text_is_custom_or_generic_and_parses_to_the_same() -> None:
    module = lamina.parse(LAYER)
    custom, generic = lamina.to_text(module), lamina.to_text(module, generic=True)
    assert "nn.matmul %x, %w :" in custom
    assert '"nn.matmul"(%x, %w) :' in generic
    assert lamina.to_text(lamina.parse(generic)) == custom == lamina.to_text(lamina.parse(custom))


def test_parse_refuses_unregistered_ops_unless_told() -> None:
    text = '"other.op"() : () -> ()'
    with pytest.raises(lamina.LaminaError, match="other"):
        lamina.parse(text)
    assert '"other.op"() : () -> ()' in lamina.to_text(lamina.parse(text, allow_unregistered=True))


def test_run_pipeline_changes_and_returns_the_module() -> None:
    module = lamina.parse(LAYER)
    assert lamina.run_pipeline(module, "canonicalize,func.func(cse),convert-nn-to-linalg") is module
    assert "linalg.matmul" in lamina.to_text(module)
    with pytest.raises(lamina.LaminaError, match="did you mean 'canonicalize'"):
        lamina.run_pipeline(module, "canonicalise")


@pytest.mark.parametrize("read", [lamina.load, lamina.compile])
def test_text_in_place_of_a_path_is_said_to_be_text(read: Callable[[str], object]) -> None:
    with pytest.raises(lamina.LaminaError, match="is text, not the path of a file\n  hint: read it with"):
        read("func.func @main() {\n  return\n}")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("model.mlir", None, "model.mlir: error: cannot be read: No such file or directory"),
        (
            "model.xyz",
            "",
            "model.xyz: error: files of type '.xyz' cannot be read\n  hint: known are .onnx and .mlir",
        ),
        ("model.mlir", "func.func @main(", "model.mlir:1:17: error: "),
    ],
)
def test_files_that_cannot_be_loaded(tmp_path: Path, name: str, content: str | None, message: str) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_text(content)
    with pytest.raises(lamina.LaminaError) as caught:
        lamina.load(path)
    assert str(caught.value).removeprefix(f"{tmp_path}/").startswith(message)


def test_compile_refuses_options_that_it_does_not_have(layer: Any) -> None:
    with pytest.raises(lamina.LaminaError, match="compile has no option 'thread'"):
        lamina.compile(lamina.parse(LAYER), thread=2)


def test_artefacts_of_a_compiled_model(layer: Any) -> None:
    assert "main" in layer.asm()
    assert "define" in layer.llvm_ir()
    assert {"convert-nn-to-linalg", "optimise"} <= set(layer.timings)
