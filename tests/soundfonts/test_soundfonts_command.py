"""The command line of soundfonts: what it says, as text and as JSON, and how it ends."""

from __future__ import annotations

import hashlib
import http.server
import json
import threading
from dataclasses import replace

import pytest
from crafted_soundfont import PresetSpec, ZoneSpec, soundfont_bytes

from listenbench import soundfonts
from listenbench.cli import run
from listenbench.commands import soundfonts as command
from listenbench.plan import plan
from listenbench.soundfonts import Download, catalog, search
from listenbench.splits import Split, load_split, split_names
from listenbench.splits.writer import split_toml
from listenbench.tasks import TASKS

SPLIT = """
name = "mine"
items = 2
variants = ["clean"]
soundfonts = ["fluidr3-gm"]

[tasks.melody]
window_seconds = 2.5
rungs = [100]
stay = ["hiss"]
pitches = [[60, 72]]
programs = [0]
"""


@pytest.fixture
def split_file(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(SPLIT)
    return str(path)


def put_crafted(user, content: bytes) -> None:
    folder = user / "data/listenbench/soundfonts"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "FluidR3_GM.sf2").write_bytes(content)


def listing(capsys) -> dict[str, dict]:
    assert run(["soundfonts", "--json"]) == 0
    return {row["name"]: row for row in json.loads(capsys.readouterr().out)}


def test_the_list_tells_all_about_every_soundfont(user, capsys):
    content = soundfont_bytes([PresetSpec(0, 0, "x")])
    put_crafted(user, content)
    rows = listing(capsys)
    assert list(rows) == list(catalog())
    path = user / "data/listenbench/soundfonts/FluidR3_GM.sf2"
    assert rows["fluidr3-gm"] == {
        "name": "fluidr3-gm",
        "title": "Fluid (R3) General MIDI",
        "licence": "MIT",
        "found": True,
        "path": str(path),
        "resolved": str(path.resolve()),
        "size": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
        "known": None,
        "problem": None,
        "roles": rows["fluidr3-gm"]["roles"],
        "install": {
            "debian": "apt-get install fluid-soundfont-gm",
            "macos": "listenbench soundfonts fetch fluidr3-gm",
            "other": "listenbench soundfonts fetch fluidr3-gm",
        },
    }


@pytest.mark.usefixtures("user")
def test_a_known_file_is_named(monkeypatch, capsys):
    monkeypatch.setattr(search, "SYSTEM_FOLDERS", ())
    assert "in the wheel of pretty_midi" in listing(capsys)["timgm6mb"]["known"]


@pytest.mark.usefixtures("user")
def test_roles_are_those_of_the_splits(capsys):
    rows = listing(capsys)
    for split in split_names():
        users = {name for name, row in rows.items() if split in row["roles"]}
        assert users == set(load_split(split).soundfonts)


@pytest.mark.usefixtures("user")
def test_what_is_not_there_comes_with_its_command(monkeypatch, capsys):
    monkeypatch.setattr(search, "SYSTEM_FOLDERS", ())
    assert listing(capsys)["fluidr3-gm"]["found"] is False
    assert run(["soundfonts"]) == 0
    text = capsys.readouterr().out
    assert "apt-get install fluid-soundfont-gm" in text
    assert "listenbench soundfonts fetch generaluser-gs" in text


def test_unknown_and_broken_files_are_marked(user, capsys):
    whole = soundfont_bytes([PresetSpec(0, 0, "x")])
    put_crafted(user, whole)
    row = listing(capsys)["fluidr3-gm"]
    assert (row["sha256"], row["known"]) == (hashlib.sha256(whole).hexdigest(), None)
    assert run(["soundfonts"]) == 0
    assert "unknown: sounds may differ" in capsys.readouterr().out
    put_crafted(user, whole[:-1])
    row = listing(capsys)["fluidr3-gm"]
    assert "truncated" in row["problem"]
    assert row["sha256"] is None


def test_a_check_passes_or_ends_with_status_1_and_a_table(user, split_file, capsys):
    put_crafted(user, soundfont_bytes([PresetSpec(0, 0, "x")]))
    assert run(["soundfonts", "--check", "--split", split_file]) == 0
    assert "13 notes of 1 preset: none silent" in capsys.readouterr().out
    zones = [ZoneSpec((0, 64)), ZoneSpec((65, 67), fine_tune=40), ZoneSpec((70, 127))]
    put_crafted(user, soundfont_bytes([PresetSpec(0, 0, "x")], [zones]))
    assert run(["soundfonts", "--check", "--split", split_file]) == 1
    text = capsys.readouterr().out
    assert "65-67   off pitch +44 to +44 cents" in text
    assert "68-69   silent" in text
    assert run(["soundfonts", "--check", "--split", split_file, "--json"]) == 1
    (result,) = json.loads(capsys.readouterr().out)
    bad = {note["pitch"]: note["problem"] for note in result["notes"] if note["problem"]}
    assert bad == {65: "off pitch", 66: "off pitch", 67: "off pitch", 68: "silent", 69: "silent"}


@pytest.mark.parametrize("task", TASKS)
def test_a_check_renders_all_that_an_accompanied_split_plays(task, tmp_path):
    test = load_split("test")
    table = {**test.model_dump(), "texture": "accompanied", "tasks": {task: test.tasks[task].model_dump()}}
    split = Split.model_validate(table)
    (tmp_path / "mine.toml").write_text(split_toml(split))
    _, sounds = command._plan(str(tmp_path / "mine.toml"))
    checked = {(sound.instrument, pitch) for sound in sounds for pitch in sound.pitches}
    performances = [p for item in plan(split, 0, items=60) for p in (item.clip_a, item.variants[0].clip_b)]
    parts = [part for performance in performances for part in performance.clip.parts]
    assert len(parts) > len(performances) > 0
    assert {(part.instrument, note.pitch) for part in parts for note in part.notes} <= checked


@pytest.mark.usefixtures("user")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["fetch", "nothing"], "'nothing' is not in the catalogue"),
        (["fetch", "timgm6mb"], "no address for it"),
        (["--split", "test"], "give both"),
        (["--check", "--split", "nothing"], "nothing"),
    ],
)
def test_wrong_input_ends_in_one_line_and_status_2(arguments, message, capsys):
    assert run(["soundfonts", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert message in captured.err


@pytest.mark.usefixtures("user")
def test_a_check_of_nothing_does_not_pass(monkeypatch, capsys):
    monkeypatch.setattr(command, "locate", lambda _entry: None)
    assert run(["soundfonts", "--check"]) == 2
    assert "no soundfont of the catalogue is here" in capsys.readouterr().err


def test_a_preset_that_is_missing_ends_in_one_line_and_status_2(user, split_file, capsys):
    put_crafted(user, soundfont_bytes([PresetSpec(0, 7, "x")]))
    assert run(["soundfonts", "--check", "--split", split_file]) == 2
    assert "no preset with bank 0, program 0" in capsys.readouterr().err


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    """Serves a folder without a word."""

    def log_message(self, *_: object) -> None:
        """Keep quiet."""


@pytest.mark.parametrize("known", [True, False])
def test_fetch_puts_the_file_where_the_search_finds_it(user, tmp_path, monkeypatch, capsys, known):
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    content = soundfont_bytes([PresetSpec(0, 0, "x")])
    served = tmp_path / "served"
    served.mkdir()
    (served / "FluidR3Mono_GM.sf3").write_bytes(content)
    digest = hashlib.sha256(content).hexdigest() if known else None
    with http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), lambda *arguments: QuietHandler(*arguments, directory=str(served))
    ) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        address = f"http://127.0.0.1:{server.server_address[1]}/FluidR3Mono_GM.sf3"
        download = Download(address, "the test", "FluidR3Mono_GM.sf3", digest)
        entry = replace(catalog()["fluidr3-mono"], download=download)
        monkeypatch.setattr(command, "entry_of", {"fluidr3-mono": entry}.__getitem__)
        status = run(["soundfonts", "fetch", "fluidr3-mono"])
        server.shutdown()
        thread.join()
    captured = capsys.readouterr()
    assert status == 0
    path = user / "data/listenbench/soundfonts/FluidR3Mono_GM.sf3"
    assert captured.out == f"{path}\n"
    assert ("no hash is known" in captured.err) == (not known)
    monkeypatch.setattr(search, "SYSTEM_FOLDERS", ())
    assert soundfonts.find("fluidr3-mono").path == path
