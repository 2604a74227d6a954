"""Where a soundfont is looked for, and that nothing is substituted silently."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from listenbench.errors import RenderError, SpecError
from listenbench.soundfonts import BrokenSoundfontError, entry_of, find, locate, search
from listenbench.soundfonts.digest import SMALLEST_REMEMBERED, sha256_of
from listenbench.soundfonts.folders import cache_folder, data_folder


@pytest.fixture
def nothing_installed(user, monkeypatch):
    """Hide the system's folders."""
    monkeypatch.setattr(search, "SYSTEM_FOLDERS", ())
    return user


def put(path: Path, content: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


# ---- Order


def test_environment_comes_before_data_folder_before_system(user, tiny, tmp_path, monkeypatch):
    in_system = put(tmp_path / "system/FluidR3_GM.sf2", tiny)
    monkeypatch.setattr(search, "SYSTEM_FOLDERS", (in_system.parent,))
    assert find("fluidr3-gm").path == in_system
    in_data = put(user / "data/listenbench/soundfonts/FluidR3_GM.sf2", tiny)
    assert find("fluidr3-gm").path == in_data
    second = put(tmp_path / "second/FluidR3_GM.sf2", tiny)
    first = put(tmp_path / "first/FluidR3_GM.sf2", tiny)
    monkeypatch.setenv("LISTENBENCH_SOUNDFONTS", os.pathsep.join([str(first.parent), str(second)]))
    assert find("fluidr3-gm").path == first
    monkeypatch.setenv("LISTENBENCH_SOUNDFONTS", os.pathsep.join([str(second), str(first.parent)]))
    assert find("fluidr3-gm").path == second


@pytest.mark.usefixtures("user")
def test_a_better_name_counts_more_than_an_earlier_system_folder(tiny, tmp_path, monkeypatch):
    put(tmp_path / "sf2/MuseScore_General.sf2", tiny)
    better = put(tmp_path / "sf3/MuseScore_General_Full.sf3", tiny)
    monkeypatch.setattr(search, "SYSTEM_FOLDERS", (tmp_path / "sf2", tmp_path / "sf3"))
    assert find("musescore-general").path == better


@pytest.mark.usefixtures("nothing_installed")
def test_the_wheel_comes_last_and_is_not_imported():
    program = (
        "import sys; from listenbench.soundfonts import find, search; search.SYSTEM_FOLDERS = ();"
        "print(find('timgm6mb').path); print('pretty_midi' in sys.modules)"
    )
    lines = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert Path(lines[0]).parts[-2:] == ("pretty_midi", "TimGM6mb.sf2")
    assert lines[1] == "False"


def test_folders_follow_the_xdg_specification(monkeypatch):
    monkeypatch.setattr(sys, "platform", "linux")
    assert data_folder({"XDG_DATA_HOME": "/x"}) == Path("/x/listenbench/soundfonts")
    assert data_folder({"XDG_DATA_HOME": "relative"}) == Path.home() / ".local/share/listenbench/soundfonts"
    assert cache_folder({}) == Path.home() / ".cache/listenbench"
    assert cache_folder({"LISTENBENCH_CACHE": "/y", "XDG_CACHE_HOME": "/x"}) == Path("/y")
    monkeypatch.setattr(sys, "platform", "darwin")
    assert data_folder({}) == Path.home() / "Library/Application Support/listenbench/soundfonts"
    assert cache_folder({}) == Path.home() / "Library/Caches/listenbench"


# ---- What can be wrong


@pytest.mark.usefixtures("nothing_installed")
def test_a_missing_soundfont_is_an_error_that_says_how_to_get_it():
    with pytest.raises(RenderError) as caught:
        find("musescore-general")
    message = str(caught.value)
    assert "apt-get install musescore-general-soundfont" in message
    assert "listenbench soundfonts fetch musescore-general" in message
    assert "\n" not in message
    assert locate(entry_of("musescore-general")) is None


@pytest.mark.usefixtures("user")
def test_a_place_that_does_not_exist_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setenv("LISTENBENCH_SOUNDFONTS", str(tmp_path / "nowhere"))
    with pytest.raises(SpecError, match=r"LISTENBENCH_SOUNDFONTS names .*nowhere, which does not exist"):
        find("fluidr3-gm")


@pytest.mark.usefixtures("user")
def test_a_file_with_a_foreign_name_is_an_error(tiny, tmp_path, monkeypatch):
    monkeypatch.setenv("LISTENBENCH_SOUNDFONTS", str(put(tmp_path / "mine.sf2", tiny)))
    with pytest.raises(SpecError, match=r"mine\.sf2, whose file name .*FluidR3_GM\.sf2"):
        find("fluidr3-gm")


def test_a_broken_file_is_an_error_though_a_whole_one_would_follow(user, tiny):
    path = put(user / "data/listenbench/soundfonts/FluidR3_GM.sf2", tiny[:-1])
    with pytest.raises(BrokenSoundfontError, match="truncated"):
        find("fluidr3-gm")
    assert locate(entry_of("fluidr3-gm")).path == path


def test_an_unknown_hash_is_a_warning(user, tiny):
    put(user / "data/listenbench/soundfonts/FluidR3_GM.sf2", tiny)
    found = find("fluidr3-gm")
    assert found.known_file() is None
    assert hashlib.sha256(tiny).hexdigest() in found.warning()


def test_a_symbolic_link_is_resolved(user, tiny, tmp_path):
    real = put(tmp_path / "elsewhere.sf2", tiny)
    folder = user / "data/listenbench/soundfonts"
    folder.mkdir(parents=True)
    (folder / "FluidR3_GM.sf2").symlink_to(real)
    found = find("fluidr3-gm")
    assert found.path == folder / "FluidR3_GM.sf2"
    assert found.resolved == real.resolve()
    assert found.size == len(tiny)


# ---- Remembered hashes


@pytest.fixture
def large(tmp_path) -> Path:
    return put(tmp_path / "large", b"a" * SMALLEST_REMEMBERED)


def record_of(cache: Path) -> Path:
    (record,) = cache.iterdir()
    return record


def test_a_hash_is_remembered_and_forgotten_when_the_file_changes(large, tmp_path):
    cache = tmp_path / "cache"
    status = large.stat()
    right = hashlib.sha256(large.read_bytes()).hexdigest()
    assert sha256_of(large, cache) == right
    record = record_of(cache)
    record.write_text(json.dumps(json.loads(record.read_text()) | {"sha256": "0" * 64}))
    assert sha256_of(large, cache) == "0" * 64, "the remembered hash was not used"
    # Same size and same time of modification: only the inode's own time gives the change away.
    large.write_bytes(b"b" * SMALLEST_REMEMBERED)
    os.utime(large, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert sha256_of(large, cache) == hashlib.sha256(large.read_bytes()).hexdigest()


@pytest.mark.parametrize("damage", ["", "{", "[]", "{}", '{"sha256": 3}', "[" * 100_000])
def test_a_damaged_record_is_not_used(large, tmp_path, damage):
    cache = tmp_path / "cache"
    right = sha256_of(large, cache)
    record_of(cache).write_text(damage)
    assert sha256_of(large, cache) == right


def test_a_cache_that_cannot_be_written_does_no_harm(large, tmp_path):
    blocked = put(tmp_path / "file", b"")
    assert sha256_of(large, blocked / "cache") == hashlib.sha256(large.read_bytes()).hexdigest()


def test_a_small_file_is_hashed_anew(tmp_path):
    path = put(tmp_path / "small", b"a")
    sha256_of(path, tmp_path / "cache")
    assert not (tmp_path / "cache").exists()


def test_a_file_that_cannot_be_read_is_an_error(tmp_path):
    with pytest.raises(RenderError, match="can't read"):
        sha256_of(tmp_path / "nothing")
