"""What ``mlir-opt`` says of a text, remembered in a cache folder, since it is asked the same thing often."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

FLAGS = ("--allow-unregistered-dialect", "--mlir-print-op-generic")


def executable() -> str | None:
    """``mlir-opt`` of MLIR 22, or None."""
    return shutil.which("mlir-opt-22") or shutil.which("mlir-opt")


class Reference:
    """Generic forms of texts as ``mlir-opt`` gives them (None for a text that it refuses)."""

    def __init__(self, flags: Sequence[str] = FLAGS) -> None:
        home = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
        self.folder = Path(
            os.environ.get("LAMINA_CONFORMANCE_CACHE") or Path(home) / "lamina" / "conformance"
        )
        self.folder.mkdir(parents=True, exist_ok=True)
        self.flags = tuple(flags)
        self.tool = executable()

    def generic(self, texts: Sequence[str]) -> list[str | None]:
        """The generic form of each text. Those that are not remembered are asked for in batches."""
        found = [self._remembered(text) for text in texts]
        missing = [number for number, (known, _) in enumerate(found) if not known]
        for start in range(0, len(missing), 50):
            batch = missing[start : start + 50]
            for number, answer in zip(batch, self._ask([texts[n] for n in batch]), strict=True):
                self._remember(texts[number], answer)
                found[number] = (True, answer)
        return [answer for _, answer in found]

    def _file(self, text: str) -> Path:
        digest = hashlib.sha256("\0".join((*self.flags, text)).encode("utf-8", "surrogateescape")).hexdigest()
        return self.folder / digest[:2] / digest

    def _remembered(self, text: str) -> tuple[bool, str | None]:
        file = self._file(text)
        return (True, json.loads(file.read_text())) if file.is_file() else (False, None)

    def _remember(self, text: str, answer: str | None) -> None:
        file = self._file(text)
        file.parent.mkdir(exist_ok=True)
        part = file.with_suffix(f".{os.getpid()}")
        part.write_text(json.dumps(answer))
        part.replace(file)

    def _ask(self, texts: Sequence[str]) -> list[str | None]:
        if len(texts) > 1 and not any("// -----" in text for text in texts):
            status, output = self._run("\n// -----\n".join(texts), ("--split-input-file",))
            parts = output.split("// -----\n")
            if status == 0 and len(parts) == len(texts):
                return [part.strip() for part in parts]
            half = len(texts) // 2
            return [*self._ask(texts[:half]), *self._ask(texts[half:])]
        answers: list[str | None] = []
        for text in texts:
            status, output = self._run(text)
            answers.append(output.strip() if status == 0 else None)
        return answers

    def _run(self, text: str, more: Sequence[str] = ()) -> tuple[int, str]:
        assert self.tool is not None, "mlir-opt is needed"
        try:
            done = subprocess.run(
                [self.tool, *self.flags, *more],
                input=text.encode("utf-8", "surrogateescape"),
                capture_output=True,
                timeout=60,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return 1, ""
        return done.returncode, done.stdout.decode("utf-8", "replace")
