"""`listenbench show` on a data set: what it prints is what the plan drew, and what it writes reads back."""

import json
import shutil
from xml.etree import ElementTree

import matplotlib
import numpy as np
import pretty_midi
import pytest
from PIL import Image

from listenbench import generate
from listenbench.attributes import differing
from listenbench.cli import run
from listenbench.export import clips_from_midi
from listenbench.plan import plan
from listenbench.splits import load_split
from listenbench.stored_items import find_item
from listenbench.tasks import TASKS

SPLIT = """
name = "shown"
items = 4
variants = ["clean", "flip", "stay"]
texture = ["solo", "accompanied"]
soundfonts = ["timgm6mb"]
silence_seconds = 0.5

[tasks.melody]
window_seconds = 2.5
rungs = [400]
stay = ["transposition"]
pitches = [[58, 79]]

[tasks.harmony]
window_seconds = 2.0
rungs = [1, 2]
stay = ["transposition+hiss"]
pitches = [[58, 79]]

[tasks.timbre]
window_seconds = 2.5
rungs = ["far"]
stay = ["redraw"]
pitches = [[62, 77]]

[tasks.rhythm]
window_seconds = 4.0
rungs = [1.5]
stay = ["hiss"]
"""


@pytest.fixture(scope="module")
def split(tmp_path_factory):
    path = tmp_path_factory.mktemp("split") / "shown.toml"
    path.write_text(SPLIT, "utf-8")
    return load_split(path)


@pytest.fixture(scope="module")
def data(split, tmp_path_factory):
    folder = tmp_path_factory.mktemp("shown") / "data"
    generate(split, 4, folder)
    return folder


@pytest.fixture(scope="module")
def items(split):
    return {item.name: item for item in plan(split, 4)}


def shown(capsys, *arguments):
    assert run(["show", *map(str, arguments)]) == 0
    return capsys.readouterr().out


def test_stored_items_are_those_of_the_plan(data, items):
    for name, item in items.items():
        stored = find_item(data, name)
        assert stored == item
        assert all(find_item(data, variant.id) == item for variant in item.variants)


@pytest.mark.parametrize("task", sorted(TASKS))
def test_the_text_says_what_the_item_is(task, data, items, capsys):
    for index in range(4):
        item = items[f"{task}-{index:06d}"]
        text = shown(capsys, item.name, "--data", data)
        assert " ".join(item.question.split()) in " ".join(text.split())
        assert item.texture in text.splitlines()[0]
        answers = next(line for line in text.splitlines() if line.startswith("answer"))
        expected = [f"{v.answer} ({item.choices['AB'.index(v.answer)]})" for v in item.variants]
        assert answers.split("  ")[-1].strip() == expected[-1]
        assert [answers.count(f"{letter} (") for letter in "AB"] == [
            sum(entry.startswith(letter) for entry in expected) for letter in "AB"
        ]
        assert all(variant.id in text for variant in item.variants)
        assert any(line.startswith("with  ") for line in text.splitlines()) == (item.texture == "accompanied")


def test_only_what_differs_is_marked(data, items, capsys):
    for item in items.values():
        text = shown(capsys, item.name, "--data", data, "--condition", "flip")
        (flip,) = (variant for variant in item.variants if variant.condition == "flip")
        differs = differing(item.clip_a.clip, flip.clip_b.clip)
        if not differs:
            assert "*" not in text
            continue
        marked = {"melody": 1, "timbre": 1, "rhythm": 2}
        if item.task == "harmony":
            edit = next(v.difference for v in item.variants if v.difference is not None)
            # The moved tone and the chord's name, wherever the chord is struck.
            marked["harmony"] = 2 * len(edit.note_indices)
        assert text.count("*") == marked[item.task]


def test_a_file_id_shows_that_file_alone(data, items, capsys):
    item = items["melody-000001"]
    text = shown(capsys, item.variants[2].id, "--data", data)
    assert "clip B, stay" in text
    assert "clip B, clean" not in text


def test_json_has_the_clips_in_full(data, items, capsys):
    for item in items.values():
        told = json.loads(shown(capsys, item.name, "--data", data, "--json"))
        assert told["clip_a"]["clip"] == item.clip_a.clip.to_dict()
        assert [v["clip_b"]["clip"] for v in told["variants"]] == [
            v.clip_b.clip.to_dict() for v in item.variants
        ]
        assert [v["choice"] for v in told["variants"]] == [
            item.choices["AB".index(v.answer)] for v in item.variants
        ]
        chords = [told["clip_a"]["chords"], *(v["clip_b"]["chords"] for v in told["variants"])]
        assert all(chords) == (item.task == "harmony")
        assert None not in [symbol for symbols in chords for symbol in symbols]


@pytest.mark.parametrize("condition", ["clean", "flip", "stay"])
def test_exports_read_back(condition, data, items, tmp_path, capsys):
    for name in ("melody-000000", "harmony-000001", "timbre-000002", "rhythm-000003"):
        item = items[name]
        midi, score = tmp_path / "item.mid", tmp_path / "item.musicxml"
        arguments = [name, "--data", data, "--condition", condition, "--midi", midi, "--musicxml", score]
        shown(capsys, *arguments)
        (variant,) = (variant for variant in item.variants if variant.condition == condition)
        pair = (item.clip_a.clip, variant.clip_b.clip)
        file = pretty_midi.PrettyMIDI(str(midi))
        # Clip B starts after clip A's window and the data set's silence.
        assert file.text_events[1].time == pytest.approx(pair[0].window + 0.5, abs=5e-5)
        read = clips_from_midi(file)
        assert differing(*read) == differing(*pair)
        assert [differing(a, b) for a, b in zip(pair, read, strict=True)] == [
            set(),
            set(),
        ]
        assert ElementTree.parse(score).findtext("work/work-title") == f"{name}, {condition}"
        assert sorted(path.name for path in tmp_path.iterdir()) == ["item.mid", "item.musicxml"]


def orange_halves(path):
    """Return whether the colour of edited notes is in the rolls of clip A and of clip B."""
    with Image.open(path) as image:
        assert (image.format, image.size) == ("PNG", (1320, 900))
        assert "Software" not in image.info
        orange = (np.asarray(image.convert("RGB")) == (230, 159, 0)).all(axis=2)
    return orange[:430, :660].any(), orange[:430, 660:].any()


def test_a_picture_marks_the_edited_notes_and_is_the_same_every_time(
    data, items, tmp_path, monkeypatch, capsys
):
    for variant in items["melody-000000"].variants[:2]:
        picture = tmp_path / f"{variant.condition}.png"
        shown(capsys, variant.id, "--data", data, "--plot", picture)
        assert orange_halves(picture) == ((True, True) if variant.difference else (False, False))
    # The user's own settings of matplotlib make no difference.
    monkeypatch.setitem(matplotlib.rcParams, "axes.facecolor", "red")
    shown(capsys, "melody-000000", "--data", data, "--plot", tmp_path / "again.png")
    assert (tmp_path / "again.png").read_bytes() == (tmp_path / "clean.png").read_bytes()
    assert matplotlib.rcParams["axes.facecolor"] == "red"


def test_percussion_with_an_accompaniment_is_drawn(data, items, tmp_path, capsys):
    assert items["rhythm-000001"].texture == "accompanied"
    shown(capsys, "rhythm-000001", "--data", data, "--plot", tmp_path / "picture.png")
    assert orange_halves(tmp_path / "picture.png") == (False, True)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["melody-000099"], "no item and no file is called 'melody-000099'"),
        (["melody-000001", "--condition", "both"], "no variant 'both' here; item melody-000001 has clean"),
        (["melody-000001", "--midi", "missing/item.mid"], "missing/item.mid: can't write this file"),
        (["melody-000001", "--plot", "missing/item.png"], "missing/item.png: can't write this file"),
    ],
)
def test_wrong_requests_are_one_line_and_status_two(arguments, words, data, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(["show", *arguments, "--data", str(data)]) == 2
    error = capsys.readouterr().err
    assert words in error
    assert error.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_a_folder_without_a_data_set_and_damaged_rows_are_refused(data, tmp_path, capsys):
    assert run(["show", "melody-000001", "--data", str(tmp_path)]) == 2
    assert "not a data set" in capsys.readouterr().err
    copy = tmp_path / "copy"
    copy.mkdir()
    for name in ("dataset.json", "metadata.jsonl", "manifest.jsonl"):
        shutil.copy(data / name, copy / name)
    rows = [json.loads(line) for line in (copy / "manifest.jsonl").read_text("utf-8").splitlines()]
    for key in ("clip_a", "condition", "choices"):
        damaged = [{k: v for k, v in row.items() if k != key} for row in rows]
        (copy / "manifest.jsonl").write_text("\n".join(map(json.dumps, damaged)) + "\n", "utf-8")
        assert run(["show", "melody-000001", "--data", str(copy)]) == 2
        error = capsys.readouterr().err
        assert f"the rows of item melody-000001 are damaged: KeyError('{key}')" in error
        assert error.count("\n") == 1
