"""``lamina new-pass NAME`` and ``lamina new-dialect NAME``: files that work at once, to be changed."""

from __future__ import annotations

import keyword
import re
from pathlib import Path

from lamina.dialects.core.diagnostics import error

_TEMPLATES = Path(__file__).parent / "templates"
_PASS_FILES = {
    "pass.py.txt": "{file}.py",
    "pass.mlir.txt": "test/{file}.mlir",
    "pass.md.txt": "docs/{file}.md",
    "lit.cfg.py.txt": "test/lit.cfg.py",
}
_DIALECT_FILES = {
    "dialect.py.txt": "{file}_dialect.py",
    "dialect.mlir.txt": "test/{file}.mlir",
    "dialect.md.txt": "docs/{file}.md",
    "pyproject.toml.txt": "pyproject.toml",
    "lit.cfg.py.txt": "test/lit.cfg.py",
}
_SHARED = ("pyproject.toml", "test/lit.cfg.py")
"""Files that belong to all that stands in a folder: one that exists is left as it is."""


def new_pass(name: str, folder: Path) -> str:
    """Write a pass with a test and a page; returns what was written and how to run it.

    Nothing is written where the name cannot be one, is taken, or one of the files exists:
    a :class:`LaminaError`.
    """
    from lamina.passes.framework.registry import is_pass_or_pipeline

    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name):
        hint = "lower-case words with hyphens between them, such as fold-my-op"
        raise error(f"'{name}' cannot be the name of a pass", hint=hint)
    if is_pass_or_pipeline(name):
        raise error(f"there is a pass '{name}' already", hint=f"`lamina explain {name}` shows it")
    file = name.replace("-", "_")
    _require_module_name(file)
    written = _write(_PASS_FILES, {"name": name, "file": file, "Class": _class_name(name)}, folder)
    return _told(written, f"lamina-opt --load {file}.py --{name} test/{file}.mlir")


def new_dialect(name: str, folder: Path) -> str:
    """Write a dialect with an operation, its lowering to linalg, a test, a page and a ``pyproject.toml``.

    As :func:`new_pass`.
    """
    from lamina.dialects.core.context import make_context

    if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        raise error(f"'{name}' cannot be the name of a dialect", hint="lower-case letters and digits")
    if name in make_context().registered_dialect_names:
        raise error(f"there is a dialect '{name}' already", hint="`lamina-opt --show-dialects` lists all")
    _require_module_name(name)
    written = _write(_DIALECT_FILES, {"name": name, "file": name, "Class": _class_name(name)}, folder)
    return _told(written, f"lamina-opt --load {name}_dialect.py --convert-{name}-to-linalg test/{name}.mlir")


def _require_module_name(file: str) -> None:
    if keyword.iskeyword(file):
        raise error(f"'{file}' is a word of Python and cannot be the name of a file to import")


def _class_name(name: str) -> str:
    return "".join(word.capitalize() for word in re.split("[-_]", name))


def _write(files: dict[str, str], words: dict[str, str], folder: Path) -> list[str]:
    """Fill the templates in; returns the files that were written. It writes all or none."""
    texts = {
        path.format_map(words): _filled((_TEMPLATES / template).read_text(encoding="utf-8"), words)
        for template, path in files.items()
    }
    existing = [path for path in texts if (folder / path).exists()]
    in_the_way = [path for path in existing if path not in _SHARED]
    if in_the_way:
        names = " and ".join(f"'{path}'" for path in in_the_way)
        raise error(f"{names} would be overwritten", hint="move it away, or choose another name")
    written = [path for path in texts if path not in existing]
    try:
        for path in written:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(texts[path], encoding="utf-8")
    except OSError as problem:
        raise error(f"'{problem.filename}' cannot be written: {problem.strerror}") from problem
    return written


def _filled(text: str, words: dict[str, str]) -> str:
    for word, value in words.items():
        text = text.replace(f"@{word}@", value)
    return text


def _told(written: list[str], command: str) -> str:
    lines = [f"wrote {path}" for path in written]
    return "\n".join([*lines, "", "run it:   " + command, "test it:  lit -v test"])
