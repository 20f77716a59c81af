"""``lamina explain`` and ``lamina completion``."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from lamina.dialects.core.diagnostics import LaminaError
from lamina.tools.completion import SHELLS, completion
from lamina.tools.explain import explain


def test_a_pass_is_explained_with_anchor_conditions_options_and_example() -> None:
    text = explain("canonicalize")
    assert text.startswith("canonicalize: runs on any\n")
    assert "options:\n" in text and " (int, default " in text
    assert "before:\n  func.func @f" in text and "after:\n" in text
    assert "ensures: no ops of 'cf'" in explain("convert-cf-to-llvm")


def test_an_operation_is_explained_with_the_passes_that_convert_it() -> None:
    text = explain("cf.br")
    assert "converted by: convert-cf-to-llvm" in text


def test_an_operation_without_words_of_its_own_shows_its_form_and_not_its_base_class() -> None:
    text = explain("arith.addi")
    assert text.startswith("arith.addi\n\nAs MLIR defines it.\n\nform: $lhs, $rhs (overflow")
    assert "base class" not in text
    assert explain("arith.divsi").startswith("arith.divsi\n\nSigned integer division.")


def test_a_dialect_is_explained_with_its_operations_and_passes() -> None:
    lines = explain("arith").split("\n")
    assert lines[0] == "arith: a dialect"
    rows = {line.split()[0]: line.split(maxsplit=1)[1:] for line in lines if line.startswith("  ")}
    assert {"arith.addi", "arith.divsi", "arith.trunci", "convert-arith-to-llvm"} <= rows.keys()
    assert rows["arith.divsi"] == ["Signed integer division."]


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("softmax", "did you mean 'nn.softmax' or 'linalg.softmax'?"),
        ("canonicalise", "did you mean 'canonicalize'?"),
        ("arith.addd", "did you mean 'arith.addi'?"),
        ("aritth.addi", "did you mean 'arith'?"),
        ("aritth", "did you mean 'arith'?"),
        ("power-to-shift", None),
    ],
)
def test_what_may_be_meant_is_proposed(name: str, hint: str | None) -> None:
    with pytest.raises(LaminaError) as caught:
        explain(name)
    assert caught.value.diagnostics[0].hint == hint


@pytest.mark.parametrize("shell", SHELLS)
def test_completion_knows_options_and_passes(shell: str) -> None:
    script = completion(shell, {"opt": "run passes"})
    for word in ("mlir-print-ir-after", "canonicalize", "lower-to-linalg", "only-expected"):
        assert word in script
    if shutil.which(shell):
        subprocess.run([shell, "-n"], input=script, text=True, check=True)


def test_bash_completes(tmp_path) -> None:
    if shutil.which("bash") is None:
        pytest.skip("bash is not installed")
    script = tmp_path / "script"
    script.write_text(completion("bash", {"opt": "run passes"}))
    ask = f"source {script}; "
    ask += "COMP_WORDS=(lamina-opt --canon); COMP_CWORD=1; _lamina_opt 2>/dev/null; echo ${COMPREPLY[*]}"
    done = subprocess.run(["bash", "-c", ask], text=True, capture_output=True, check=True)
    assert "--canonicalize" in done.stdout.split()


@pytest.mark.parametrize(
    ("words", "function", "found"),
    [
        ("lamina explain nn.matm", "_lamina", "nn.matmul"),
        ("lamina explain arith.add", "_lamina", "arith.addi"),
        ("lamina explain canon", "_lamina", "canonicalize"),
        ("lamina run --rand", "_lamina", "--random-inputs="),
        ("lamina-run --emit = o", "_lamina_run", "obj"),
        ("lamina-translate --imp", "_lamina_translate", "--import-onnx"),
        ("lamina comp", "_lamina", "completion"),
    ],
)
def test_bash_completes_each_tool(tmp_path, words: str, function: str, found: str) -> None:
    if shutil.which("bash") is None:
        pytest.skip("bash is not installed")
    (tmp_path / "script").write_text(completion("bash", {"opt": "", "run": "", "completion": ""}))
    last = len(words.split()) - 1
    ask = f"source {tmp_path}/script; COMP_WORDS=({words}); COMP_CWORD={last}; {function} 2>/dev/null; "
    done = subprocess.run(
        ["bash", "-c", f"{ask} echo ${{COMPREPLY[*]}}"], text=True, capture_output=True, check=True
    )
    assert found in done.stdout.split()
