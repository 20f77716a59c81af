"""Code that is found again: what has to be the same for it, and that results are the same bit for bit."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cached_model import X, is_found, layer

import lamina
from lamina.lowering.cache import keys
from lamina.passes.framework import registry
from lamina.passes.framework.passes import Pass

ROWS = """
func.func @main(%x: tensor<?x3xf32> {nn.name = "x"}) -> (tensor<?xf32> {nn.name = "sum"}) {
  %0 = nn.exp %x : (tensor<?x3xf32>) -> tensor<?x3xf32>
  %1 = nn.reduce_sum %0 {axes = array<i64: 1>, keepdims = false} : (tensor<?x3xf32>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}
"""
STEP = """
func.func @main(%w: tensor<300xf32> {nn.name = "w"}, %g: tensor<300xf32> {nn.name = "g"})
    -> (tensor<300xf32> {nn.name = "w"}) {
  %0 = nn.sub %w, %g : (tensor<300xf32>, tensor<300xf32>) -> tensor<300xf32>
  return %0 : tensor<300xf32>
}
"""
Compiled = Callable[..., Any]


def _expected() -> np.ndarray:
    weights = (np.arange(64 * 32, dtype=np.float32) * np.float32(0.001) - 1).reshape(64, 32)
    return np.exp(X.astype(np.float64) @ weights)


def test_a_file_is_found_and_gives_the_same_bits(compiled: Compiled, model: Path) -> None:
    plain: Any = lamina.compile(model, cache=False)
    first, second = compiled(model), compiled(model)
    assert [is_found(exe) for exe in (plain, first, second)] == [False, False, True]
    np.testing.assert_allclose(plain(X), _expected(), rtol=1e-5)
    assert first(X).tobytes() == plain(X).tobytes() == second(X).tobytes()
    assert (second.inputs, second.outputs, second.memory()) == (plain.inputs, plain.outputs, plain.memory())
    assert second.llvm_ir() == plain.llvm_ir() and second.asm() == plain.asm()
    assert second.object_bytes() == plain.object_bytes()
    assert [kernel.name for kernel in second.profile(X, calls=1).kernels]


def test_a_module_is_found_whatever_its_values_are_named(compiled: Compiled, model: Path) -> None:
    assert not is_found(compiled(lamina.load(model)))
    renamed = lamina.parse(layer().replace("%0", "%product").replace("%x", "%input"))
    assert is_found(compiled(renamed))
    changed = lamina.parse(layer().replace("nn.exp", "nn.tanh"))
    assert not is_found(compiled(changed))
    assert not is_found(compiled(lamina.parse(layer(0.002))))  # the same text, other weights


def test_code_of_the_llvm_dialect_is_found(compiled: Compiled, model: Path) -> None:
    lowered = lamina.run_pipeline(lamina.load(model), "lower-to-llvm")
    first, second = compiled(lowered), compiled(lowered)
    assert is_found(second) and first(X).tobytes() == second(X).tobytes()


def test_another_request_is_another_compilation(compiled: Compiled, model: Path) -> None:
    compiled(model, threads=1)
    assert is_found(compiled(model, threads=1))
    assert not is_found(compiled(model, threads=2))
    assert not is_found(compiled(model, "other", threads=1))
    assert not is_found(compiled(model, "other", threads=1, donate=[0]))
    model.write_text(layer(0.002))
    assert not is_found(compiled(model, threads=1))
    other_format = model.with_suffix(".txt")
    other_format.write_text(layer())
    assert not is_found(compiled(other_format, threads=1))


@pytest.mark.parametrize(
    "part", ["format", "lamina", "libraries", "python", "llvm", "machine", "flags", "target"]
)
def test_another_machine_or_version_is_another_compilation(
    compiled: Compiled, model: Path, part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled(model)
    known = keys.environment()
    assert part in known
    monkeypatch.setattr(keys, "environment", lambda: {**known, part: "other"})
    assert not is_found(compiled(model))


def test_an_edited_pass_is_another_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for layer_name in ("dialects", "passes", "lowering/cache"):
        (tmp_path / layer_name).mkdir(parents=True)
    source = tmp_path / "passes" / "fold.py"
    source.write_text("one")
    monkeypatch.setattr(keys, "__file__", str(tmp_path / "lowering" / "cache" / "keys.py"))
    before = keys.source_digest.__wrapped__()
    assert keys.source_digest.__wrapped__() == before
    source.write_text("three")
    assert keys.source_digest.__wrapped__() != before


def test_nothing_is_kept_while_passes_of_others_are_known(
    compiled: Compiled, model: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    foreign = type("Foreign", (Pass,), {"name": "foreign", "__module__": "their.passes"})
    monkeypatch.setitem(registry._loaded, "foreign", foreign)
    compiled(model)
    assert not is_found(compiled(model)) and not folder.exists()


def test_open_shapes_are_found_one_by_one(compiled: Compiled, tmp_path: Path) -> None:
    path = tmp_path / "rows.mlir"
    path.write_text(ROWS)
    for source in (path, lamina.parse(ROWS)):
        rows = [np.random.default_rng(n).random((n, 3), np.float32) for n in (1, 7)]
        first, second = compiled(source), compiled(source)
        assert (second.inputs, second.outputs) == (first.inputs, first.outputs)
        assert not is_found(first.executable_for(rows[0]))
        assert is_found(second.executable_for(rows[0]))
        assert not is_found(second.executable_for(rows[1]))
        for x in rows:
            assert first(x).tobytes() == second(x).tobytes()
            np.testing.assert_allclose(second(x), np.exp(x).sum(axis=1), rtol=1e-5)


def test_a_file_that_changed_before_new_shapes_came_is_an_error(compiled: Compiled, tmp_path: Path) -> None:
    path = tmp_path / "rows.mlir"
    path.write_text(ROWS)
    compiled(path)
    found = compiled(path)
    path.write_text(ROWS.replace("exp", "tanh"))
    with pytest.raises(lamina.LaminaError, match="has changed since it was compiled for other shapes"):
        found(np.zeros((2, 3), np.float32))


def test_a_donated_argument_is_updated_in_place(compiled: Compiled) -> None:
    module = lamina.parse(STEP)
    compiled(module, donate=["w"])
    found = compiled(module, donate=["w"])
    assert is_found(found) and found.inputs[0].donated
    w = np.arange(300, dtype=np.float32)
    assert found(w, np.ones(300, np.float32)) is w
    np.testing.assert_array_equal(w, np.arange(300, dtype=np.float32) - 1)


@pytest.mark.parametrize("kind", ["bf16", "f16", "i1", "ui8", "i64"])
def test_element_types_are_kept(compiled: Compiled, kind: str) -> None:
    text = f"""
    func.func @main(%x: tensor<5x{kind}>) -> tensor<5x1x{kind}> {{
      %0 = nn.reshape %x {{shape = array<i64: 5, 1>}} : (tensor<5x{kind}>) -> tensor<5x1x{kind}>
      return %0 : tensor<5x1x{kind}>
    }}"""
    first, second = compiled(lamina.parse(text)), compiled(lamina.parse(text))
    x = np.ones(5, second.inputs[0].dtype)
    assert is_found(second) and second.inputs == first.inputs
    np.testing.assert_array_equal(second(x), x.reshape(5, 1))


def test_data_beside_an_onnx_model_belongs_to_it(compiled: Compiled, tmp_path: Path) -> None:
    onnx = pytest.importorskip("onnx")
    weights = onnx.numpy_helper.from_array(np.full((3, 2), 0.5, np.float32), "w")
    graph = onnx.helper.make_graph(
        [onnx.helper.make_node("MatMul", ["x", "w"], ["y"])],
        "g",
        [onnx.helper.make_tensor_value_info("x", 1, [2, 3])],
        [onnx.helper.make_tensor_value_info("y", 1, [2, 2])],
        [weights],
    )
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)])
    model.ir_version = 9
    onnx.external_data_helper.convert_model_to_external_data(model, location="data.bin", size_threshold=0)
    path, data = tmp_path / "model.onnx", tmp_path / "data.bin"
    onnx.save(model, path)
    x = np.ones((2, 3), np.float32)
    compiled(path)
    assert is_found(compiled(path))
    data.write_bytes(np.full((3, 2), 2.0, np.float32).tobytes())
    changed = compiled(path)
    assert not is_found(changed)
    np.testing.assert_array_equal(changed(x), np.full((2, 2), 6.0, np.float32))
    assert is_found(compiled(path))


def test_a_start_from_the_cache_does_without_the_compiler(
    compiled: Compiled, model: Path, folder: Path
) -> None:
    compiled(model)
    script = (
        "import sys, numpy as np, lamina\n"
        f"exe = lamina.compile({str(model)!r}, cache={str(folder)!r})\n"
        "exe(np.zeros((4, 64), np.float32))\n"
        "assert 'cache' in exe.timings\n"
        "print([name for name in sys.modules if name.split('.')[0] in ('xdsl', 'onnx', 'ml_dtypes')])\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]" and not done.stderr
