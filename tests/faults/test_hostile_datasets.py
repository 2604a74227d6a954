"""Data sets made to lead out of their folder are refused; nothing outside of it is read."""

import json
import math
import os
import shutil

import numpy as np
import pytest

from listenbench.audit.evidence import read_evidence
from listenbench.audit.sound import measure_all
from listenbench.cli import run
from listenbench.dataset import load
from listenbench.effects import get_effect
from listenbench.errors import DataError, SpecError
from listenbench.generation import generate
from listenbench.listeners import predict
from listenbench.models.note_table import item_table
from listenbench.models.presentation import pause_samples, shown_recording
from listenbench.scoring import score
from listenbench.stored_items import find_item
from listenbench.verify import verify

TABLES = ["dataset.json", "metadata.jsonl", "gold.jsonl", "manifest.jsonl"]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return generate("test", 0, tmp_path_factory.mktemp("made") / "data", items=1, tasks=["harmony"]).folder


@pytest.fixture
def folder(made, tmp_path):
    return shutil.copytree(made, tmp_path / "data")


def rewrite(path, change):
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    change(rows[0])
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


@pytest.mark.parametrize(
    ("identifier", "file_name"),
    [
        ("../secret", "audio/../secret.wav"),
        ("/etc/passwd", "/etc/passwd"),
        ("..", "audio/...wav"),
        ("a/b", "audio/a/b.wav"),
        ("a\\b", "audio/a\\b.wav"),
        ("a\x00b", "audio/a\x00b.wav"),
        ("\ud800", "audio/\ud800.wav"),
        ("a" * 5000, f"audio/{'a' * 5000}.wav"),
        ("ok", "../ok.wav"),
        (10**400, "audio/ok.wav"),
        (None, None),
    ],
)
def test_names_that_lead_elsewhere(folder, identifier, file_name):
    rewrite(folder / "metadata.jsonl", lambda row: row.update(id=identifier, file_name=file_name))
    rewrite(folder / "manifest.jsonl", lambda row: row.update(id=identifier))
    with pytest.raises(DataError, match=r"metadata\.jsonl:1:"):
        load(folder)
    if identifier != "ok":
        assert any("manifest.jsonl:1:" in problem for problem in verify(folder))


@pytest.mark.parametrize("name", [*TABLES, "audio"])
def test_links_in_place_of_tables_and_folders(folder, tmp_path, name):
    (folder / name).rename(tmp_path / "elsewhere")
    (folder / name).symlink_to(tmp_path / "elsewhere")
    for function in (load, verify):
        with pytest.raises(DataError, match="a link"):
            function(folder)


def test_a_link_in_place_of_a_recording(folder, tmp_path):
    item = next(iter(load(folder)))
    item.path.rename(tmp_path / "elsewhere.wav")
    item.path.symlink_to(tmp_path / "elsewhere.wav")
    (problem,) = verify(folder)
    assert item.path.name in problem
    assert "a link" in problem
    with pytest.raises(DataError, match="a link"):
        item.audio  # noqa: B018 # reading the attribute reads the file


def test_a_folder_in_place_of_a_recording(folder):
    item = next(iter(load(folder)))
    item.path.unlink()
    item.path.mkdir()
    assert any("missing" in problem for problem in verify(folder))
    with pytest.raises(DataError, match=item.path.name):
        item.audio  # noqa: B018 # reading the attribute reads the file


def test_a_recording_whose_header_promises_more_than_there_is(folder):
    item = next(iter(load(folder)))
    contents = bytearray(item.path.read_bytes())
    contents[16:20] = (2**31).to_bytes(4, "little")  # the length of the chunk 'fmt '
    item.path.write_bytes(contents)
    assert any(item.path.name in problem for problem in verify(folder))
    with pytest.raises(DataError, match=item.path.name):
        item.audio  # noqa: B018 # reading the attribute reads the file


@pytest.mark.parametrize("note", [[], [60], None, "60"])
def test_notes_of_other_kinds(folder, note):
    rows = [json.loads(line) for line in (folder / "manifest.jsonl").read_text().splitlines()]
    rows[0]["clip_a"]["clip"]["parts"][0]["notes"][0] = note
    (folder / "manifest.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(DataError, match="damaged"):
        read_evidence(folder)
    with pytest.raises(DataError, match="damaged"):
        find_item(folder, rows[0]["item"])
    with pytest.raises(DataError, match="damaged"):
        item_table(rows[0])


@pytest.mark.parametrize("parameters", ["loud", [], None])
def test_parameters_of_other_kinds(folder, parameters):
    rows = [json.loads(line) for line in (folder / "manifest.jsonl").read_text().splitlines()]
    rows[0]["clip_b"]["changes"] = [{"effect": "hiss", "parameters": parameters}]
    (folder / "manifest.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(DataError, match="damaged"):
        find_item(folder, rows[0]["item"])
    with pytest.raises(SpecError, match="effect hiss"):
        get_effect("hiss").apply(np.zeros(44_100, np.float32), 44_100, parameters)


@pytest.mark.parametrize("name", TABLES)
def test_a_link_is_not_scored(folder, tmp_path, name):
    predictions = tmp_path / "predictions.jsonl"
    predictions.write_text(
        "".join(json.dumps({"id": item.id, "answer": "A"}) + "\n" for item in load(folder))
    )
    score(predictions, folder)
    (folder / name).rename(tmp_path / "elsewhere")
    (folder / name).symlink_to(tmp_path / "elsewhere")
    if name == "manifest.jsonl":
        score(predictions, folder)  # which doesn't read it
        return
    with pytest.raises(DataError, match="a link"):
        score(predictions, folder)


def test_nothing_behind_a_link_is_heard_or_sent(folder, tmp_path):
    item = next(iter(load(folder)))
    item.path.rename(tmp_path / "elsewhere.wav")
    item.path.symlink_to(tmp_path / "elsewhere.wav")
    with pytest.raises(DataError, match="a link"):
        list(predict("dsp", [item]))
    for condition in ("audio", "swapped", "noise"):
        with pytest.raises(DataError, match="a link"):
            shown_recording(item, condition, 44_100)
    _, problems = measure_all({item.id: item.path}, 1.0, 1, progress=False)
    assert "a link" in problems[item.id]


@pytest.mark.parametrize(
    "number", [10**400, -(10**400), 1e308, math.inf, math.nan, -101], ids=lambda n: str(n)[:6]
)
@pytest.mark.parametrize(
    "place",
    [
        ("window",),
        ("beat",),
        ("tuning_cents",),
        ("parts", 0, "program"),
        ("parts", 0, "notes", 0, 0),
        ("parts", 0, "notes", 0, 1),
        ("parts", 0, "notes", 0, 2),
        ("parts", 0, "notes", 0, 3),
    ],
    ids=lambda place: "-".join(map(str, place)),
)
def test_numbers_that_no_clip_has(folder, place, number):
    def change(row):
        value = row["clip_a"]["clip"]
        for key in place[:-1]:
            value = value[key]
        value[place[-1]] = number
        changed.append(row["item"])

    changed = []
    rewrite(folder / "manifest.jsonl", change)
    with pytest.raises(DataError):
        find_item(folder, changed[0])
    with pytest.raises(DataError):
        read_evidence(folder)
    assert verify(folder)


@pytest.mark.parametrize("number", [10**400, 1e308, math.inf, math.nan, -1, 0], ids=lambda n: str(n)[:6])
def test_numbers_that_no_description_has(folder, number):
    path = folder / "dataset.json"
    description = json.loads(path.read_text())
    description["split"]["silence_seconds"] = number
    description["counts"]["recordings"] = number
    path.write_text(json.dumps(description))
    with pytest.raises(DataError, match="silence_seconds"):
        pause_samples(load(folder))
    with pytest.raises(DataError):
        read_evidence(folder)
    assert any("3 rows" in problem for problem in verify(folder))


@pytest.mark.parametrize("value", [[], {}, None, 5, "x" * 100])
def test_ids_of_other_kinds(folder, value):
    for name in ("metadata.jsonl", "gold.jsonl", "manifest.jsonl"):
        rewrite(folder / name, lambda row: row.update(id=value))
    assert any("fingerprint" in problem for problem in verify(folder))
    with pytest.raises(DataError):
        load(folder)


@pytest.mark.parametrize("value", [[], None, 5, "many"])
def test_descriptions_of_other_kinds(folder, value):
    path = folder / "dataset.json"
    description = json.loads(path.read_text())
    path.write_text(json.dumps({**description, "counts": value}))
    assert any("3 rows" in problem for problem in verify(folder))


@pytest.mark.parametrize("name", TABLES[1:])
def test_a_table_that_is_missing(folder, name):
    (folder / name).unlink()
    assert any(name in problem for problem in verify(folder))


@pytest.mark.parametrize("name", TABLES)
def test_a_pipe_in_place_of_a_table(folder, name):
    """Nobody writes into it, so that reading it would never end."""
    (folder / name).unlink()
    os.mkfifo(folder / name)
    for function in (load, verify):
        with pytest.raises(DataError, match=f"{name}: neither a file nor a folder"):
            function(folder)


@pytest.mark.parametrize("value", [[], None, 5, "many"])
def test_the_command_tells_of_descriptions_of_other_kinds(folder, capsys, value):
    path = folder / "dataset.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "counts": value}))
    assert run(["verify", str(folder)]) == 1
    assert "3 rows" in capsys.readouterr().out


def test_ids_that_come_twice_or_stand_elsewhere(folder):
    path = folder / "gold.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join([lines[0], *lines]))
    problems = verify(folder)
    assert f"{path}: the id {json.loads(lines[0])['id']} stands there more than once" in problems
    assert f"{path}: its ids are not those of metadata.jsonl" in problems
    path.write_text("".join(reversed(lines)))
    assert f"{path}: its ids are not those of metadata.jsonl" in verify(folder)


def test_a_data_set_behind_a_link_is_fine(folder, tmp_path):
    (tmp_path / "link").symlink_to(folder)
    assert verify(tmp_path / "link") == []
    assert len(load(tmp_path / "link")) == 3
