"""Fixtures of the tests of soundfonts."""

from __future__ import annotations

from pathlib import Path

import pytest
from crafted_soundfont import PresetSpec, soundfont_bytes

from listenbench.soundfonts import find


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give the test a home of its own, without soundfonts in data folder and environment."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_DATA_HOME", str(home / "data"))
    monkeypatch.setenv("LISTENBENCH_CACHE", str(home / "cache"))
    monkeypatch.delenv("LISTENBENCH_SOUNDFONTS", raising=False)
    return home


@pytest.fixture
def tiny() -> bytes:
    """Return a whole soundfont of a few kilobytes."""
    return soundfont_bytes([PresetSpec(0, 0, "sine")])


@pytest.fixture
def large_musescore() -> Path:
    """Return Debian's MuseScore_General_Full.sf3."""
    path = find("musescore-general").path
    if path.name != "MuseScore_General_Full.sf3":
        pytest.skip("needs the large version of MuseScore General")
    return path
