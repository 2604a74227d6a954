"""Data sets on disk: repeatable to the byte, whole or not there, and scored as they must be."""

import hashlib
import json
import os
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import listenbench
from listenbench.dataset import load
from listenbench.errors import DataError, SpecError
from listenbench.generation import generate
from listenbench.listeners import predict, write_predictions
from listenbench.splits import Split, load_split
from listenbench.verify import verify

CONDITIONS = ["clean", "flip", "stay", "both"]


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """Eight items a task in every condition."""
    return generate("test", 0, tmp_path_factory.mktemp("data") / "small", items=8, variants=CONDITIONS)


@pytest.fixture(scope="module")
def key(small):
    return small.gold()


def hashes(folder):
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def run(*arguments, cwd=None, **environment):
    return subprocess.run(
        [sys.executable, "-m", "listenbench", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        cwd=cwd,
        env={**os.environ, **environment},
    )


def test_two_workers_and_another_hash_seed_give_the_same_bytes(small, tmp_path):
    arguments = ("--split", "test", "--seed", 0, "--items", 8, "--variants", ",".join(CONDITIONS))
    result = run(
        "generate", *arguments, "--workers", 2, "--out", tmp_path / "again", "--json", PYTHONHASHSEED="4242"
    )
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["fingerprint"] == small.description["fingerprint"]
    assert hashes(tmp_path / "again") == hashes(small.folder)


def test_fewer_items_are_a_prefix(small, tmp_path):
    short = generate("test", 0, tmp_path / "short", items=3, variants=CONDITIONS)
    long_hashes, short_hashes = hashes(small.folder), hashes(short.folder)
    audio = [name for name in short_hashes if name.startswith("audio")]
    assert len(audio) == 3 * 4 * 4
    assert all(long_hashes[name] == short_hashes[name] for name in audio)


def test_seeds_give_other_recordings(small, tmp_path):
    other = generate("test", 1, tmp_path / "other", items=8)
    first = {row["sha256"] for row in small.manifest().values()}
    assert not first & {row["sha256"] for row in other.manifest().values()}


def test_every_recording_is_distinct(small):
    digests = [row["sha256"] for row in small.manifest().values()]
    assert len(set(digests)) == len(digests) == 8 * 4 * 4


def test_no_file_gives_anything_away(small, key):
    rows = [json.loads(line) for line in (small.folder / "metadata.jsonl").read_text().splitlines()]
    assert [row["id"] for row in rows] == sorted(row["id"] for row in rows)
    for row in rows:
        assert set(row) == {"file_name", "id", "question", "choices"}
    items = {}
    for item in small:
        items.setdefault(key[item.id]["item"], []).append(item)
    for variants in items.values():
        assert len({(v.question, v.choices) for v in variants}) == 1
    for task, window in (("melody", 2.5), ("harmony", 2.0), ("timbre", 2.5), ("rhythm", 4.0)):
        sizes = {i.path.stat().st_size for i in small if key[i.id]["task"] == task}
        assert sizes == {44 + 2 * round((2 * window + 1) * 44_100)}


def test_times_of_modification_tell_nothing(small):
    assert len({path.stat().st_mtime_ns for path in small.folder.rglob("*") if path.is_file()}) == 1


def test_headers_are_plain(small):
    for item in small:
        header = item.path.read_bytes()[:44]
        fields = struct.unpack("<4sI4s4sIHHIIHH4sI", header)
        assert (fields[0], fields[2], fields[3], fields[11]) == (b"RIFF", b"WAVE", b"fmt ", b"data")
        assert fields[5:11] == (1, 1, 44_100, 88_200, 2, 16)
        assert fields[12] == item.path.stat().st_size - 44


def test_answers_are_balanced_in_every_condition(key):
    for task in ("melody", "harmony", "timbre", "rhythm"):
        for condition in CONDITIONS:
            answers = [r["answer"] for r in key.values() if (r["task"], r["condition"]) == (task, condition)]
            assert answers.count("A") == answers.count("B") == 4


@pytest.mark.parametrize("name", ["always-a", "always-b"])
def test_a_constant_answer_scores_fifty_everywhere(small, tmp_path, name):
    write_predictions(tmp_path / "answers.jsonl", name, predict(name, small))
    result = run("score", tmp_path / "answers.jsonl", "--data", small.folder, "--json")
    assert result.returncode == 0, result.stderr
    groups = json.loads(result.stdout)["groups"]
    kinds = {tuple(group["by"]) for group in groups}
    assert {(), ("task",), ("task", "rung"), ("stay_factor",)} <= kinds
    for group in groups:
        assert group["figures"]["acc_fs"]["value"] == 50
        assert group["figures"]["miss_rate"]["value"] + group["figures"]["false_flip_rate"]["value"] == 100
        if group["by"] in ([], ["task"]):
            assert group["figures"]["clean_accuracy"]["value"] == 50


def test_the_audio_api(small):
    item = next(iter(small))
    assert item.audio.dtype == np.float32
    assert np.abs(item.audio).max() < 1
    assert item.sample_rate == 44_100
    assert not hasattr(item, "answer")
    assert listenbench.load(small.folder) == small


def test_streaming_gives_what_generate_writes(small):
    key, recordings = small.gold(), {item.id: item for item in small}
    samples = listenbench.stream("test", 0, variants=CONDITIONS)
    for _ in range(2 * 4 * 4):
        sample = next(samples)
        assert sample.answer == key[sample.id]["answer"]
        assert sample.condition == key[sample.id]["condition"]
        assert sample.question == recordings[sample.id].question
        np.testing.assert_array_equal(sample.audio, recordings[sample.id].audio)


def test_the_same_request_again_changes_nothing(small):
    before = {p: p.stat().st_mtime_ns for p in small.folder.rglob("*")}
    again = generate("test", 0, small.folder, items=8, variants=CONDITIONS)
    assert again == small
    assert {p: p.stat().st_mtime_ns for p in small.folder.rglob("*")} == before


def test_another_data_set_is_not_replaced_unless_told(tmp_path):
    target = tmp_path / "data"
    generate("test", 0, target, items=1, tasks=["melody"])
    before = hashes(target)
    with pytest.raises(DataError, match="--overwrite"):
        generate("test", 1, target, items=1, tasks=["melody"])
    assert hashes(target) == before
    generate("test", 1, target, items=1, tasks=["melody"], overwrite=True)
    assert load(target).description["seed"] == 1
    assert [p.name for p in tmp_path.iterdir()] == ["data"]


def test_a_folder_with_other_things_is_never_replaced(tmp_path):
    (tmp_path / "thesis.txt").write_text("ten years of work")
    with pytest.raises(DataError, match="only a data set is ever replaced"):
        generate("test", 0, tmp_path, items=1, tasks=["melody"], overwrite=True)
    assert (tmp_path / "thesis.txt").read_text() == "ten years of work"


def test_an_altered_data_set_is_made_again(tmp_path):
    dataset = generate("test", 0, tmp_path / "data", items=1, tasks=["melody"])
    (dataset.folder / "gold.jsonl").write_text("{}\n")
    with pytest.raises(DataError, match="--overwrite"):
        generate("test", 0, tmp_path / "data", items=1, tasks=["melody"])


def test_a_request_that_cannot_be_met_leaves_nothing_behind(tmp_path):
    table = load_split("test").model_dump(mode="json")
    harmony = table["tasks"]["harmony"]
    harmony |= {"pitches": [[60, 78]], "programs": [0], "options": {"broken": 0, "progression": 0}}
    split = Split.model_validate({**table, "tasks": {"harmony": harmony}, "content_lot": [0, 64]})
    with pytest.raises(SpecError, match=r"no new content was found after [1-9]"):
        generate(split, 0, tmp_path / "data", items=1000, variants=["clean"])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"split": "nosuch"}, "known splits"),
        ({"split": "nosuch.toml"}, "nosuch.toml"),
        ({"seed": -1}, "seed"),
        ({"seed": 0.5}, "seed"),
        ({"items": 0}, "items"),
        ({"items": 2.5}, "items"),
        ({"tasks": ["melody", "opera"]}, "opera"),
        ({"tasks": []}, "tasks"),
        ({"variants": ["clean", "dirty"]}, "dirty"),
        ({"workers": 0}, "workers"),
    ],
)
def test_wrong_requests_are_refused(tmp_path, changes, message):
    request = {"split": "test", "seed": 0, "out": tmp_path / "data", **changes}
    with pytest.raises(SpecError, match=message):
        generate(**request)
    assert list(tmp_path.iterdir()) == []


def test_verify_names_what_was_altered(tmp_path):
    folder = generate("test", 0, tmp_path / "data", items=2, tasks=["rhythm"]).folder
    assert verify(folder) == []
    recordings = sorted((folder / "audio").iterdir())
    data = bytearray(recordings[0].read_bytes())
    data[5000] ^= 1
    recordings[0].write_bytes(data)
    recordings[1].unlink()
    (folder / "audio" / "extra.wav").write_bytes(b"")
    (folder / "beside.wav").write_bytes(b"")
    (folder / "more").mkdir()
    problems = verify(folder)
    assert any(recordings[0].name in p and "changed" in p for p in problems)
    assert any(recordings[1].name in p and "missing" in p for p in problems)
    for name in ("audio/extra.wav", "beside.wav", "more"):
        assert f"{folder / name}: not part of the data set" in problems
    assert len(problems) == 5


def test_verify_finds_a_swapped_label(tmp_path):
    folder = generate("test", 0, tmp_path / "data", items=2, tasks=["rhythm"]).folder
    gold = folder / "gold.jsonl"
    gold.write_text(gold.read_text().replace('"answer": "A"', '"answer": "B"', 1))
    problems = verify(folder)
    assert any("fingerprint" in p for p in problems)
    assert any("answer" in p for p in problems)


@pytest.mark.slow
def test_train_and_test_share_nothing(tmp_path):
    test = generate("test", 0, tmp_path / "test", items=12, variants=CONDITIONS)
    train = generate("train", 0, tmp_path / "train", items=12, variants=CONDITIONS)
    rows = {name: list(d.manifest().values()) for name, d in (("test", test), ("train", train))}

    def used(name, pick):
        return {value for row in rows[name] for value in pick(row)}

    for pick in (
        lambda row: [row["clip_a"]["soundfont"], row["clip_b"]["soundfont"]],
        lambda row: [change["effect"] for change in row["clip_b"]["changes"]],
        lambda row: [(row["task"], row["content"])],
        lambda row: [row["sha256"]],
        lambda row: [
            (row["task"], note[0])
            for side in ("clip_a", "clip_b")
            for part in row[side]["clip"]["parts"]
            for note in part["notes"]
            if row["task"] in ("melody", "harmony")
        ],
    ):
        assert used("test", pick)
        assert not used("test", pick) & used("train", pick)


def test_the_default_folder_is_named_after_split_and_seed(tmp_path):
    result = run("generate", "--split", "test", "--seed", 3, "--items", 1, "--tasks", "melody", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert (tmp_path / "data" / "test-3" / "dataset.json").is_file()
    assert Path(result.stdout.split(":")[0]) == Path("data/test-3")
