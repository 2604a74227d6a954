"""The catalogue: complete, consistent, and true of the files that are on this machine."""

from __future__ import annotations

import hashlib
import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from listenbench.errors import SpecError
from listenbench.soundfonts import catalog, entry_of, find

ENTRIES = list(catalog().values())


def test_the_catalogue_has_the_five_soundfonts():
    assert set(catalog()) == {"fluidr3-gm", "musescore-general", "timgm6mb", "generaluser-gs", "fluidr3-mono"}


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_an_entry_is_complete(entry):
    assert catalog()[entry.name] is entry
    assert entry.title
    assert entry.licence
    assert entry.file_names
    assert entry.known
    for known in entry.known:
        assert re.fullmatch(r"[0-9a-f]{64}", known.sha256)
        assert known.note
    commands = entry.install_commands()
    assert set(commands) == {"debian", "macos", "other"}
    assert all(command in entry.how_to_get() for command in (commands["debian"], commands["macos"]))


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_a_download_leads_to_a_known_file_that_the_search_finds(entry):
    if entry.download is None:
        assert entry.python_package
        return
    assert entry.download.address.startswith("https://")
    assert entry.download.file_name in entry.file_names
    assert entry.known_file(entry.download.sha256) is not None


def test_no_hash_belongs_to_two_files():
    hashes = [known.sha256 for entry in ENTRIES for known in entry.known]
    assert len(set(hashes)) == len(hashes)


@pytest.mark.parametrize("name", ["fluidr3-gm", "musescore-general", "timgm6mb"])
def test_the_packaged_soundfonts_have_their_hashes(name):
    found = find(name)
    assert found.sha256() == hashlib.sha256(found.path.read_bytes()).hexdigest()
    assert found.known_file() is not None
    assert found.warning() is None


def test_the_wheel_of_pretty_midi_has_its_hash():
    path = Path(find_spec("pretty_midi").origin).parent / "TimGM6mb.sf2"
    known = entry_of("timgm6mb").known_file(hashlib.sha256(path.read_bytes()).hexdigest())
    assert "pretty_midi" in known.note


def test_an_unknown_name_is_answered_with_the_known_ones():
    with pytest.raises(SpecError, match=r"'no-such-font' .*musescore-general, fluidr3-gm, timgm6mb"):
        entry_of("no-such-font")
