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


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("softmax", "did you mean 'nn.softmax' or 'linalg.softmax'?"),
        ("canonicalise", "did you mean 'canonicalize'?"),
        ("arith.addd", "did you mean 'arith.addi'?"),
        ("aritth.addi", "did you mean 'arith'?"),
    ],
)
def test_what_may_be_meant_is_proposed(name: str, hint: str) -> None:
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
