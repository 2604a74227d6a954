"""The catalogue: complete, consistent, and true of the files that are on this machine."""

from __future__ import annotations

import hashlib
import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from listenbench.errors import SpecError
from listenbench.soundfonts import catalog, entry_of, find
from listenbench.soundfonts.entries import entries_in

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


# ---- Entries of one's own

MINE = """
[mine]
title = "Mine"
licence = "MIT"
file_names = ["Mine.sf2"]
"""


def test_an_entry_needs_no_more_than_title_licence_and_file_names():
    entry = entries_in(MINE)["mine"]
    assert (entry.file_names, entry.known, entry.download) == (("Mine.sf2",), (), None)
    assert entry.install_commands() == {}
    assert "Mine.sf2" in entry.how_to_get()
    assert "LISTENBENCH_SOUNDFONTS" in entry.how_to_get()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (MINE.replace('title = "Mine"', ""), "mine: title is missing"),
        (MINE.replace('file_names = ["Mine.sf2"]', ""), "mine: file_names is missing"),
        (MINE.replace('["Mine.sf2"]', '"Mine.sf2"'), "mine: file_names must be a list"),
        (MINE.replace('["Mine.sf2"]', "[]"), "mine: file_names must be a list"),
        (MINE.replace('"MIT"', "1"), "mine: licence: must be text"),
        (MINE.replace("licence", "license"), "mine: license: unknown name"),
        (f'{MINE}known = "ab"', "mine: known must be tables"),
        (f'{MINE}[[mine.known]]\nsha256 = "ab"', "mine: known: note is missing"),
        (f'{MINE}[mine.download]\naddress = "https://example.org"', "mine: download: host is missing"),
        (f"{MINE}download = 1", "mine: download: must be a table"),
        ("mine = 1", "mine: must be a table"),
        ("[mine", "not TOML"),
    ],
)
def test_a_wrong_entry_is_told_in_one_line(text, message):
    with pytest.raises(SpecError) as caught:
        entries_in(text)
    assert str(caught.value).startswith(f"catalog.toml: {message}")
    assert "\n" not in str(caught.value)
