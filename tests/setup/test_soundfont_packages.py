"""`./run` sets up the soundfonts that the splits of the project render with."""

from __future__ import annotations

from pathlib import Path

import pytest

from listenbench.soundfonts import entry_of
from listenbench.splits import load_split

SCRIPT = (Path(__file__).resolve().parents[2] / "run").read_text()


@pytest.mark.parametrize("split", ["test", "train"])
def test_each_soundfont_of_a_split_is_set_up(split: str) -> None:
    entries = [entry_of(name) for name in load_split(split).soundfonts]
    packaged = [entry for entry in entries if not entry.python_package]
    assert packaged
    for entry in packaged:
        assert f"package_is_installed {entry.debian_package} || soundfont_is_found {entry.name} " in SCRIPT
