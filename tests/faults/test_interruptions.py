"""Kills, two runs at once: never half a data set, and the same one after all."""

import contextlib
import os
import random
import signal
import subprocess
import time

import pytest

from listenbench.dataset import read_description
from listenbench.verify import verify


def test_killed_twice_and_resumed(tmp_path, start, assert_whole):
    for count in (1, 24):
        run = start(tmp_path / "data", workers=2)
        run.until(lambda run=run, count=count: len(run.journal()) >= count)
        run.kill().wait().leaves_no_process()
        assert not run.out.exists()
    kept = run.recordings()
    assert len(kept) >= 24
    start(tmp_path / "data", workers=2).succeeds().keeps(kept)
    assert_whole(tmp_path / "data")


@pytest.mark.slow
def test_killed_at_random_moments(tmp_path, start, assert_whole):
    moments = random.Random(7)
    began = time.monotonic()
    start(tmp_path / "undisturbed" / "data", items=4).succeeds()
    duration, rounds = time.monotonic() - began, 0
    while rounds < 20:
        out = tmp_path / str(rounds) / "data"
        for _ in range(5):
            run = start(out, items=4, workers=moments.choice([1, 2]))
            with contextlib.suppress(subprocess.TimeoutExpired):
                run.process.wait(moments.uniform(0, duration))
            if run.process.poll() is not None:
                break
            if moments.random() < 0.5:
                os.killpg(run.process.pid, signal.SIGKILL)
            else:
                run.kill()
            run.wait().leaves_no_process()
            rounds += 1
            assert out.exists() <= (out / "dataset.json").exists()
        kept = {} if out.exists() else run.recordings()
        start(out, items=4).succeeds().keeps(kept)
        assert_whole(out, items=4)


@pytest.mark.slow
def test_a_damaged_recording_of_a_killed_run_is_made_again(tmp_path, start, assert_whole):
    run = start(tmp_path / "data")
    run.until(lambda: len(run.journal()) >= 24)
    run.kill().wait().leaves_no_process()
    kept = list(run.recordings())
    recording = next(run.partial.glob(f"*/data/audio/{kept[12]}.wav"))
    recording.write_bytes(recording.read_bytes()[:1000])
    journal = next(run.partial.glob("*/journal"))
    journal.write_text(journal.read_text() + "half a li")
    start(tmp_path / "data").succeeds()
    assert_whole(tmp_path / "data")


def other_answer(lines):
    first = lines[0].replace('"answer": "A"', '"answer": "C"').replace('"answer": "B"', '"answer": "C"')
    return [first, *lines[1:]]


@pytest.mark.parametrize(
    "change",
    [
        other_answer,
        pytest.param(lambda lines: lines[3:], id="first_item_dropped"),
        pytest.param(lambda lines: lines[3:6] + lines[:3] + lines[6:], id="items_swapped"),
        pytest.param(lambda lines: lines[:3] + lines, id="item_doubled"),
    ],
)
def test_a_journal_that_was_altered_is_not_gone_on_from(tmp_path, start, assert_whole, change):
    run = start(tmp_path / "data")
    run.until(lambda: len(run.journal()) >= 12)
    run.kill().wait().leaves_no_process()
    before = run.journal()
    changed = change(before)
    assert changed != before
    next(run.partial.glob("*/journal")).write_text("".join(changed))
    start(tmp_path / "data").succeeds()
    assert_whole(tmp_path / "data")


def test_a_link_in_place_of_a_kept_recording_is_replaced(tmp_path, start):
    run = start(tmp_path / "out" / "data")
    run.until(lambda: len(run.journal()) >= 12)
    run.kill().wait().leaves_no_process()
    recording = next(run.partial.glob(f"*/data/audio/{next(iter(run.recordings()))}.wav"))
    recording.rename(tmp_path / "elsewhere.wav")
    recording.symlink_to(tmp_path / "elsewhere.wav")
    start(tmp_path / "out" / "data").succeeds()
    assert verify(run.out) == []


def test_a_second_run_in_the_same_place_is_refused(tmp_path, start, assert_whole):
    first = start(tmp_path / "data")
    first.until(first.journal)
    first.kill(signal.SIGSTOP)
    start(tmp_path / "data").fails("another run", str(first.process.pid))
    start(tmp_path / "data", seed=1).fails("another run")
    first.kill(signal.SIGCONT).succeeds()
    assert_whole(tmp_path / "data")


@pytest.mark.slow
def test_another_request_discards_the_work(tmp_path, start, assert_whole):
    run = start(tmp_path / "data")
    run.until(run.journal)
    run.kill().wait().leaves_no_process()
    start(tmp_path / "data", seed=1).succeeds()
    assert_whole(tmp_path / "data", seed=1)


@pytest.mark.slow
def test_work_is_kept_by_a_run_of_another_number_of_workers(tmp_path, start, assert_whole):
    run = start(tmp_path / "data", workers=1)
    run.until(run.journal)
    run.kill().wait()
    kept = run.recordings()
    start(tmp_path / "data", workers=2).succeeds().keeps(kept)
    assert_whole(tmp_path / "data")


@pytest.mark.slow
def test_a_data_set_whose_replacement_was_killed_gets_its_place_again(tmp_path, start, assert_whole):
    start(tmp_path / "data", seed=1).succeeds()
    # Between two renames: the old data set has left its place, the new one has not taken it.
    (tmp_path / ".data.partial").mkdir()
    (tmp_path / "data").rename(tmp_path / ".data.partial" / "replaced")
    start(tmp_path / "data", seed=0).fails("something else")
    assert_whole(tmp_path / "data", seed=1)
    start(tmp_path / "data", "--overwrite", seed=0).succeeds()
    assert_whole(tmp_path / "data")


@pytest.mark.slow
def test_killed_while_shards_are_packed(tmp_path, start, fingerprint):
    options = ("--shards", "webdataset", "--shard-bytes", "2000000")
    run = start(tmp_path / "data", *options)
    run.until(lambda: list(run.partial.glob("*/packed/data/*")))
    run.kill().wait().leaves_no_process()
    assert not run.out.exists()
    assert len(run.recordings()) == 36
    start(tmp_path / "data", *options).succeeds()
    assert verify(run.out) == []
    assert read_description(run.out)["fingerprint"] == fingerprint(0, 6)
    assert [path.name for path in tmp_path.iterdir()] == ["data"]
