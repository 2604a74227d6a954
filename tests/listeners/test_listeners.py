"""The listeners on data sets whose cues are planted, and on one that listenbench makes."""

import json

import numpy as np
import pytest
from handmade_dataset import make

from listenbench import generate
from listenbench.cli import run
from listenbench.errors import DataError, SpecError
from listenbench.listeners import NAMES, predict


def accuracy(predictions, dataset):
    gold = dataset.gold()
    return np.mean([answer == gold[identifier]["answer"] for identifier, answer in predictions.items()])


def noise(generator, level=0.1):
    return level * generator.normal(size=22_050)


def loud_second(generator, different):
    return noise(generator), noise(generator, 0.2 if different else 0.1)


def loud_first(generator, different):
    return noise(generator, 0.2 if different else 0.1), noise(generator)


def equal(generator, different):
    first = noise(generator)
    return first, noise(generator) if different else first


@pytest.fixture(scope="module")
def planted(tmp_path_factory):
    folder = tmp_path_factory.mktemp("planted")
    cues = {"a": loud_first, "b": loud_second, "equal": equal}
    return {
        (name, part): make(folder / f"{name}-{part}", 24, cue, seed)
        for name, cue in cues.items()
        for seed, part in enumerate(("train", "test"))
    }


@pytest.mark.parametrize(
    ("listener", "cue", "expected"),
    [
        ("clip-a", "a", 1.0),
        ("clip-b", "b", 1.0),
        ("spectrum", "equal", 1.0),
        ("equality", "equal", 1.0),
        ("equality", "b", 0.5),
        ("always-a", "b", 0.5),
        ("always-b", "b", 0.5),
    ],
)
def test_a_listener_finds_its_own_cue(planted, listener, cue, expected):
    train, test = planted[cue, "train"], planted[cue, "test"]
    assert accuracy(predict(listener, test, train=train), test) == expected


@pytest.mark.parametrize(("listener", "cue"), [("clip-a", "b"), ("clip-b", "a"), ("text-only", "b")])
def test_a_listener_does_not_find_what_it_is_not_given(planted, listener, cue):
    train, test = planted[cue, "train"], planted[cue, "test"]
    assert accuracy(predict(listener, test, train=train), test) < 0.85


def test_random_answers_depend_on_seed_and_id_alone(planted):
    test = planted["b", "test"]
    assert predict("random", test, 1) == predict("random", test, 1)
    assert predict("random", test, 1) != predict("random", test, 2)


@pytest.mark.parametrize("name", ["text-only", "clip-a", "clip-b", "spectrum"])
def test_a_listener_that_learns_asks_for_a_train_set(planted, name):
    with pytest.raises(SpecError, match="--train"):
        predict(name, planted["b", "test"])


def test_an_unknown_listener_is_refused_with_the_known_ones(planted):
    with pytest.raises(SpecError, match=r"always-c.*dsp"):
        predict("always-c", planted["b", "test"])


def test_a_missing_recording_is_named(tmp_path):
    dataset = make(tmp_path / "set", 2, loud_second)
    dataset.items[0].path.unlink()
    with pytest.raises(DataError, match=dataset.items[0].id):
        predict("dsp", dataset)


def test_the_command_knows_every_listener():
    from listenbench.commands.baseline import NAMES as OFFERED

    assert OFFERED == NAMES


def test_the_command_writes_what_was_learned_from(planted, tmp_path, capsys):
    out = tmp_path / "clip-b.jsonl"
    folders = [str(planted["b", part].folder) for part in ("train", "test")]
    assert run(["baseline", "clip-b", "--train", folders[0], "--data", folders[1], "--out", str(out)]) == 0
    assert "24 answers" in capsys.readouterr().out
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert rows[0]["meta"]["used_training_split"] == "handmade"
    assert [row["id"] for row in rows[1:]] == [item.id for item in planted["b", "test"]]


@pytest.mark.slow
def test_the_dsp_listener_hears_what_the_generator_plays(tmp_path):
    dataset = generate("test", seed=20_011, out=tmp_path / "set", items=3)
    assert accuracy(predict("dsp", dataset), dataset) >= 0.95
