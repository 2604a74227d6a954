"""Splits on the command line: listed, resolved, and checked for what two of them share."""

import json
import tomllib
from itertools import islice

import pytest
import tomlkit

from listenbench.cli import run
from listenbench.effects import EFFECTS
from listenbench.plan import TaskPlanner
from listenbench.splits import CONDITIONS, Split, load_split, split_names
from listenbench.splits.disjoint import families, overlaps, sounding_pitches
from listenbench.splits.writer import resolved

MINIMAL = """
name = "mine"
items = 2
variants = ["flip", "clean"]
soundfonts = ["generaluser-gs", "fluidr3-gm"]

[tasks.melody]
window_seconds = 3.0
rungs = [100]
stay = ["gain", "lowpass+hum", "soundfont"]
pitches = [[80, 108]]

[effects.hum]
mains_hz = [60]
"""


def changed(name, **changes):
    return Split.model_validate({**load_split(name).model_dump(mode="json"), **changes})


def with_pitches(name, task, pitches):
    tasks = load_split(name).model_dump(mode="json")["tasks"]
    tasks[task]["pitches"] = pitches
    return changed(name, tasks=tasks)


@pytest.fixture
def minimal(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(MINIMAL, "utf-8")
    return path


def test_the_list_names_every_split(capsys):
    assert run(["splits"]) == 0
    text = capsys.readouterr().out
    assert all(f"{name} " in text for name in split_names())
    assert "250 items a task, clean, flip, stay: 3,000 recordings" in text
    assert run(["splits", "--json"]) == 0
    listed = {entry["name"]: entry for entry in json.loads(capsys.readouterr().out)}
    assert set(listed) == {load_split(name).name for name in split_names()}
    assert listed["train"]["recordings"] == 10_000


@pytest.mark.parametrize("name", split_names())
def test_what_show_prints_reads_back_equal(name, tmp_path, capsys):
    assert run(["splits", "show", name]) == 0
    path = tmp_path / "again.toml"
    path.write_text(capsys.readouterr().out, "utf-8")
    split, again = load_split(name), load_split(path)
    assert again == resolved(split) == resolved(again)
    assert again.model_copy(update={"tasks": split.tasks, "effects": split.effects}) == split
    for task in split.tasks:
        assert again.task_options(task) == split.task_options(task)
    for effect in EFFECTS.values():
        assert again.effect_options(effect) == split.effect_options(effect)
    for task in split.tasks:
        # The same split means the same items.
        drawn = [list(islice(TaskPlanner(s, 3, task, CONDITIONS), 8)) for s in (split, again)]
        assert drawn[0] == drawn[1]


def test_show_fills_in_what_a_file_leaves_out(minimal, capsys):
    assert run(["splits", "show", str(minimal)]) == 0
    table = tomllib.loads(capsys.readouterr().out)
    assert table["variants"] == ["clean", "flip"]
    assert table["loudness_lufs"] == -23.0
    assert table["content_lot"] == [0, 1]
    assert table["tasks"]["melody"]["options"]["notes"] == [4, 8]
    assert list(table["effects"]) == ["gain", "lowpass", "hum", "soundfont"]
    assert table["effects"]["hum"]["mains_hz"] == [60]
    assert table["effects"]["hum"]["snr_db"] == [20.0, 30.0]
    assert run(["splits", "show", str(minimal), "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert Split.model_validate(shown) == resolved(load_split(minimal))


def test_the_splits_that_come_along_are_apart(capsys):
    assert run(["splits", "check", "test", "train"]) == 0
    assert run(["splits", "check", "train", "test", "--json"]) == 0
    assert capsys.readouterr().out.endswith("[]\n")


@pytest.mark.parametrize(
    ("train", "kinds"),
    [
        (changed("train", soundfonts=["timgm6mb", "musescore-general"]), ["soundfont"]),
        (changed("train", content_lot=[0, 2]), ["content lot"]),
        (changed("train", content_lot=[1, 3]), ["content lot"]),
        (changed("train", content_lot=[3, 4]), []),
        (changed("train", content_lot=[2, 4]), ["content lot"]),
        (with_pitches("train", "melody", [[38, 58]]), ["sounding pitch"]),
        (with_pitches("train", "harmony", [[79, 96]]), ["sounding pitch"]),
        (with_pitches("train", "timbre", [[50, 64]]), []),
    ],
)
def test_each_overlap_is_found_alone(train, kinds):
    for pair in ((load_split("test"), train), (train, load_split("test"))):
        assert [overlap.kind for overlap in overlaps(*pair)] == kinds


def test_a_family_counts_in_a_chain_and_in_another_task():
    tasks = load_split("train").model_dump(mode="json")["tasks"]
    tasks["rhythm"]["stay"] = ["codec+hiss"]
    train = changed("train", tasks=tasks)
    assert families(train) == {"soundfont", "codec", "redraw", "hiss"}
    (overlap,) = overlaps(load_split("test"), train)
    assert str(overlap) == "STAY family: hiss: keep each effect to one of the splits"


def test_a_lot_matters_where_a_task_is_common():
    test, train = load_split("test"), load_split("train")
    kept = {"rhythm": train.tasks["rhythm"].model_dump(mode="json")}
    other = changed("train", tasks=kept, content_lot=[0, 1])
    assert [overlap.where for overlap in overlaps(test, other)] == ["rhythm"]
    only_melody = changed("test", tasks={"melody": test.tasks["melody"].model_dump(mode="json")})
    assert overlaps(only_melody, other) == ()


@pytest.mark.parametrize("name", split_names())
def test_what_sounds_is_within_what_is_checked(name):
    split = load_split(name)
    if not name.startswith("paper-"):
        split = split.model_copy(update={"texture": ("solo", "accompanied")})
    for task in ("melody", "harmony"):
        for item in islice(TaskPlanner(split, 11, task, CONDITIONS), 60):
            clips = [item.clip_a.clip, *(variant.clip_b.clip for variant in item.variants)]
            assert frozenset().union(*(c.sounding_pitches() for c in clips)) <= sounding_pitches(split, task)


def test_check_prints_a_line_for_each_overlap_and_ends_with_one(capsys):
    assert run(["splits", "check", "test", "test"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0].split(" (")[0] for line in lines] == [
        "soundfont",
        "STAY family",
        "sounding pitch",
        "sounding pitch",
        "content lot",
    ]
    assert "58-79" in lines[2]
    assert run(["splits", "check", "test", "test", "--json"]) == 1
    assert [entry["where"] for entry in json.loads(capsys.readouterr().out)][2:4] == ["melody", "harmony"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["splits", "show", "nope"],
        ["splits", "check", "test", "nope"],
        ["splits", "check", "missing.toml", "train"],
        ["splits", "check", "test"],
        ["splits", "nope"],
    ],
)
def test_wrong_input_is_one_line_and_status_two(arguments, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert captured.err.startswith("listenbench: ")


@pytest.mark.parametrize(
    ("task", "option", "value", "said"),
    [
        ("melody", "notes", [2, 8], "3"),
        ("melody", "notes", [4, 13], "12"),
        ("timbre", "notes", [8, 4], "ends below its start"),
        ("harmony", "chords", [1, 4], "2"),
        ("harmony", "chords", [4, 3], "ends below its start"),
        ("rhythm", "rates", [100, 200], "2.25 times"),
        ("rhythm", "rates", [0, 200], "30"),
        ("rhythm", "sounds", ["gong"], "'gong' is not one of high floor tom"),
    ],
)
def test_options_of_tasks_are_checked(task, option, value, said, tmp_path, capsys):
    path = tmp_path / "mine.toml"
    table = load_split("test").model_dump(mode="json")
    table["tasks"][task]["options"] = {option: value}
    path.write_text(tomlkit.dumps(table), "utf-8")
    assert run(["splits", "show", str(path)]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert f"tasks.{task}.options" in error
    assert option in error
    assert said in error


ALL_EFFECTS = "room, eq, hiss, transposition, soundfont, codec, redraw"
WRONG_SPLITS = [
    ({"texture": "both"}, "texture: must be 'solo' or 'accompanied', or a list of them, got 'both'"),
    ({"texture": ["solo", "both"]}, "texture[1]: must be 'solo' or 'accompanied', got 'both'"),
    ({"texture": []}, "texture: needs 1 or more entries, got []"),
    (
        {"name": "My Split"},
        "name: must be 1 to 40 lower-case letters, digits and hyphens, and start with a letter or digit, "
        "got 'My Split'",
    ),
    ({"name": 3}, "name: must be text in quotes, got 3"),
    ({"items": 0}, "items: must be at least 1, got 0"),
    ({"items": True}, "items: must be a whole number, got True"),
    ({"items": "2"}, "items: must be a whole number, got '2'"),
    ({"variants": "clean"}, "variants: must be a list in brackets, got 'clean'"),
    ({"variants": ["clean", "flop"]}, "variants[1]: must be 'clean', 'flip', 'stay' or 'both', got 'flop'"),
    ({"content_lot": [1]}, "content_lot[1]: missing"),
    ({"content_lot": [0, 1, 2]}, "content_lot: takes 2 entries at most, got [0, 1, 2]"),
    ({"tasks": 3}, "tasks: must be a table, got 3"),
    ({"itmes": 3}, "itmes: unknown name; known: name, title, items, variants"),
    (
        {"soundfonts": ["timgm6mb", "nope"]},
        "soundfonts: soundfont 'nope' is not in the catalogue; known soundfonts: musescore-general, ",
    ),
    ({"effects": {"echo": {}}}, f"effects.echo: unknown effect 'echo': choose from {ALL_EFFECTS}"),
    ({"effects": {"hiss": {"level": 3}}}, "effects.hiss: level: unknown name; known: level_dbfs\n"),
    ({"effects": {"hiss": 1}}, "effects.hiss: must be a table, got 1"),
]
WRONG_TASKS = [
    ({"windows": 2}, "windows: unknown name; known: window_seconds, rungs, stay, pitches, programs, options"),
    ({"window_seconds": 20}, "window_seconds: must be at most 10.0, got 20"),
    ({"window_seconds": "2"}, "window_seconds: must be a number, got '2'"),
    ({"rungs": [[1]]}, "rungs[0]: must be a number or text, got [1]"),
    ({"rungs": [201]}, "rungs: 201 is not one of 100, 200, 400, 700 cents"),
    ({"stay": ["room+hisss"]}, f"stay: unknown effect 'hisss': choose from {ALL_EFFECTS}"),
    ({"pitches": [[58, 179]]}, "pitches[0][1]: must be at most 108, got 179"),
    ({"pitches": [58, 79]}, "pitches[0]: must be a list in brackets, got 58; "),
    ({"options": {"note": [4, 8]}}, "options: note: unknown name; known: notes, published_pool\n"),
]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        *WRONG_SPLITS,
        *(({"tasks": {"melody": change}}, f"tasks.melody.{said}") for change, said in WRONG_TASKS),
        ({"tasks": {"rythm": {}}}, "tasks.rythm: task 'rythm' is not known; known tasks: melody, harmony, "),
    ],
    ids=str,
)
def test_a_wrong_split_says_file_key_value_and_what_is_allowed(change, said, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    table = {**load_split("test").model_dump(mode="json"), **change}
    if "tasks" in change and isinstance(change["tasks"], dict):
        melody = load_split("test").model_dump(mode="json")["tasks"]["melody"]
        table["tasks"] = {name: {**melody, **changes} for name, changes in change["tasks"].items()}
    (tmp_path / "my.toml").write_text(tomlkit.dumps(table), "utf-8")
    assert run(["generate", "--split", "my.toml"]) == 2
    captured = capsys.readouterr()
    assert captured.err.startswith(f"listenbench: my.toml: {said}")
    assert captured.err.count("\n") == 1
    assert captured.out == ""
    assert [path.name for path in tmp_path.iterdir()] == ["my.toml"]


def test_harmony_needs_some_form(tmp_path, capsys):
    path = tmp_path / "mine.toml"
    table = load_split("test").model_dump(mode="json")
    table["tasks"]["harmony"]["options"] = {"block": 0, "broken": 0, "progression": 0}
    path.write_text(tomlkit.dumps(table), "utf-8")
    assert run(["splits", "show", str(path)]) == 2
    assert "block, broken, progression has to be above 0" in capsys.readouterr().err
