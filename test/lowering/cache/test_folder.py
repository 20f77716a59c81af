"""The folder of the cache: who may write to it, what becomes of damaged files, and how large it grows."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cached_model import X, is_found

import lamina
from lamina.lowering.cache.folder import SUFFIX, Folder
from lamina.lowering.cache.settings import DEFAULT_LIMIT, cache_folder

Compiled = Callable[..., Any]


def _only(folder: Path) -> Path:
    (file,) = folder.iterdir()
    return file


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_only_the_owner_may_read_and_write(compiled: Compiled, model: Path, folder: Path) -> None:
    compiled(model)
    assert (_mode(folder), _mode(_only(folder))) == (0o700, 0o600)


@pytest.mark.parametrize("attack", ["group", "world", "link", "file", "owner"])
def test_a_folder_that_others_could_have_filled_is_not_used(
    compiled: Compiled, model: Path, folder: Path, attack: str
) -> None:
    compiled(model)
    expected = {
        "group": "can be written to by others (`chmod go-w` it)",
        "world": "can be written to by others (`chmod go-w` it)",
        "link": "is no folder, or a link",
        "file": "is no folder, or a link",
        "owner": "belongs to another user",
    }[attack]
    if attack in ("group", "world"):
        folder.chmod(0o770 if attack == "group" else 0o707)
    elif attack == "owner":
        if os.geteuid() != 0:
            pytest.skip("only root can give a folder away")
        os.chown(folder, 12345, 12345)
    else:
        elsewhere = folder.rename(folder.with_name("elsewhere"))
        folder.write_text("") if attack == "file" else folder.symlink_to(elsewhere)
    exe = compiled(model)
    assert not is_found(exe) and exe(X).shape == (4, 32)
    assert Folder(folder, DEFAULT_LIMIT).problem() == expected
    assert Folder(folder, DEFAULT_LIMIT).entries() == []


@pytest.mark.parametrize("attack", ["group", "link", "owner", "folder"])
def test_a_file_that_others_could_have_written_is_not_used(
    compiled: Compiled, model: Path, folder: Path, attack: str
) -> None:
    compiled(model)
    file = _only(folder)
    if attack == "group":
        file.chmod(0o660)
    elif attack == "link":
        file.symlink_to(file.rename(folder.with_name("moved")))
    elif attack == "folder":
        file.unlink()
        file.mkdir()
    else:
        if os.geteuid() != 0:
            pytest.skip("only root can give a file away")
        os.chown(file, 12345, 12345)
    assert not is_found(compiled(model))
    assert is_found(compiled(model)) == (attack != "folder")  # the file was replaced


def test_damaged_files_are_noticed_and_replaced(compiled: Compiled, model: Path, folder: Path) -> None:
    expected = compiled(model)(X).tobytes()
    file = _only(folder)
    whole = file.read_bytes()
    starts = range(0, len(whole), max(1, len(whole) // 40))
    flipped = [whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1 :] for at in starts if whole[at]]
    cut = [whole[:at] for at in starts]
    for damaged in (*flipped, *cut, b"", b"x", b"\0" * len(whole)):
        file.unlink()
        file.write_bytes(damaged)
        file.chmod(0o600)
        exe = compiled(model)
        assert not is_found(exe) and exe(X).tobytes() == expected
    assert is_found(compiled(model))
    file.write_bytes(whole + b"more")  # what comes after the last section is not read
    assert compiled(model)(X).tobytes() == expected


def test_large_constants_are_shared_by_all_shapes(compiled: Compiled, folder: Path) -> None:
    weights = np.random.default_rng(0).random((256, 128), np.float32)
    text = f"""
    func.func @main(%x: tensor<?x256xf32>) -> tensor<?x128xf32> {{
      %w = nn.constant dense_resource<w> : tensor<256x128xf32>
      %0 = nn.matmul %x, %w : (tensor<?x256xf32>, tensor<256x128xf32>) -> tensor<?x128xf32>
      return %0 : tensor<?x128xf32>
    }}
    {{-# dialect_resources: {{ builtin: {{ w: "0x04000000{weights.tobytes().hex()}" }} }} #-}}
    """
    module = lamina.parse(text)
    x = np.ones((9, 256), np.float32)
    expected = compiled(module)(x).tobytes()
    compiled(module)(x[:8])
    (constant,) = (file for file in folder.iterdir() if file.stat().st_size > weights.nbytes)
    sizes = [file.stat().st_size for file in folder.iterdir() if file != constant]
    assert len(sizes) == 3 and max(sizes) < 64 << 10  # what the model takes, and code for two shapes
    constant.write_bytes(constant.read_bytes()[:-100] + bytes(100))
    exe = compiled(module)
    assert not is_found(exe.executable_for(x)) and exe(x).tobytes() == expected
    found = compiled(module)
    assert is_found(found.executable_for(x)) and found(x).tobytes() == expected
    np.testing.assert_allclose(found(x), x @ weights, rtol=1e-5)


def test_processes_that_write_at_the_same_time_do_not_meet(model: Path, folder: Path) -> None:
    script = (
        "import sys, pathlib, numpy as np, lamina\n"
        f"folder = pathlib.Path({str(folder)!r})\n"
        "x = np.zeros((4, 64), np.float32)\n"
        "for _ in range(8):\n"
        f"    exe = lamina.compile({str(model)!r}, cache=folder)\n"
        "    assert (exe(x) == 1).all()\n"
        "    if '--forget' in sys.argv:\n"
        "        [file.unlink(missing_ok=True) for file in folder.iterdir()]\n"
    )
    commands = [[sys.executable, "-c", script, *more] for more in ((), ("--forget",))]
    running = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for command in commands]
    for process in running:
        _, errors = process.communicate(timeout=300)
        assert (process.returncode, errors) == (0, "")
    assert all(file.suffix == SUFFIX for file in folder.iterdir())


def test_what_was_not_used_for_longest_goes_first(folder: Path) -> None:
    cache = Folder(folder, 1000)
    for age, key in enumerate(("a", "b", "c")):
        assert cache.write(key, [bytes(200), bytes(100)])
        used = time.time() - 100 + age
        os.utime(folder / f"{key}{SUFFIX}", (used, used))
    assert cache.read("a") is not None  # used now, so b is the oldest
    assert cache.write("d", [bytes(300)])
    assert [entry.name for entry in cache.entries()] == ["c.lamina", "a.lamina", "d.lamina"]
    assert cache.write("e", [bytes(900)])
    assert [entry.name for entry in cache.entries()] == ["e.lamina"]
    assert not cache.write("f", [bytes(1001)])  # larger than all that is allowed
    assert [entry.name for entry in cache.entries()] == ["e.lamina"]


def test_files_that_a_process_did_not_finish_are_removed(folder: Path) -> None:
    cache = Folder(folder, 1000)
    cache.write("a", [b"1"])
    old, new = folder / "b.0.tmp", folder / "c.0.tmp"
    old.write_bytes(b"half")
    new.write_bytes(b"half")
    os.utime(old, (0, 0))
    cache.write("d", [b"2"])
    assert not old.exists() and new.exists()


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EDQUOT])
def test_a_full_disk_is_no_failure(
    compiled: Compiled, model: Path, folder: Path, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr("lamina.lowering.cache.folder.os.rename", refuse)
    assert compiled(model)(X).shape == (4, 32)
    assert list(folder.iterdir()) == []


def test_a_folder_that_cannot_be_made_is_no_failure(model: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert lamina.compile(model, cache=tmp_path / "file" / "cache")(X).shape == (4, 32)
    assert not is_found(lamina.compile(model, cache=tmp_path / "file" / "cache"))


def test_where_the_folder_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def place(asked: Any = None) -> Path | None:
        folder = cache_folder(asked)
        return folder and folder.path

    for word in ("off", "OFF", "0", ""):
        monkeypatch.setenv("LAMINA_CACHE", word)
        assert place() is None
    assert place(tmp_path) == tmp_path
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert place(True) == tmp_path / "lamina" / "compiled"
    monkeypatch.setenv("LAMINA_CACHE", str(tmp_path / "mine"))
    assert place() == place(True) == tmp_path / "mine"
    assert place(False) is None
    monkeypatch.delenv("LAMINA_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert place() == tmp_path / "home" / ".cache" / "lamina" / "compiled"


def test_how_large_it_may_grow(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def limit() -> int:
        folder = cache_folder(tmp_path)
        assert folder is not None
        return folder.limit

    assert limit() == 4 << 30
    for text, expected in (("500", 500), ("3k", 3 << 10), ("500M", 500 << 20), ("2GB", 2 << 30)):
        monkeypatch.setenv("LAMINA_CACHE_SIZE", text)
        assert limit() == expected
    monkeypatch.setenv("LAMINA_CACHE_SIZE", "much")
    with pytest.raises(lamina.LaminaError, match="LAMINA_CACHE_SIZE='much' is no size"):
        limit()
