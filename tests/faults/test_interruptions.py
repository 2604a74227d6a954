"""Kills, Ctrl-C, two runs at once: never half a data set, and the same one after all."""

import contextlib
import os
import random
import shutil
import signal
import time

import pytest

from listenbench.dataset import read_description
from listenbench.verify import verify


def assert_resumed(run, kept):
    """Check that what the journal had is still the same files."""
    again = {path.stem: path.stat().st_ino for path in (run.out / "audio").iterdir()}
    assert kept.items() <= again.items()


def test_killed_twice_and_resumed(tmp_path, start, assert_whole):
    for count in (1, 24):
        run = start(tmp_path / "data")
        run.until(lambda run=run, count=count: len(run.journal()) >= count)
        run.kill().wait().leaves_no_process()
        assert not run.out.exists()
    kept = run.recordings()
    assert len(kept) >= 24
    assert_resumed(start(tmp_path / "data").succeeds(), kept)
    assert_whole(tmp_path / "data")


@pytest.mark.slow
def test_killed_at_random_moments(tmp_path, start, assert_whole):
    moments = random.Random(7)
    began = time.monotonic()
    start(tmp_path / "undisturbed" / "data").succeeds()
    duration, rounds = time.monotonic() - began, 0
    while rounds < 20:
        out = tmp_path / str(rounds) / "data"
        for _ in range(3):
            run = start(out)
            time.sleep(moments.uniform(0, duration))
            finished = run.process.poll() is not None
            os.killpg(
                run.process.pid, signal.SIGKILL
            ) if moments.random() < 0.5 and not finished else run.kill()
            run.wait().leaves_no_process()
            rounds += not finished
            assert out.exists() <= (out / "dataset.json").exists()
        kept = {} if out.exists() else run.recordings()
        assert_resumed(start(out).succeeds(), kept)
        assert_whole(out)


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


@pytest.mark.parametrize("whole_group", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_control_c(tmp_path, start, assert_whole, whole_group):
    run = start(tmp_path / "data", items=12)
    run.until(run.journal)
    pressed = time.monotonic()
    if whole_group:
        os.killpg(run.process.pid, signal.SIGINT)
    else:
        run.kill(signal.SIGINT)
    run.wait()
    run.leaves_no_process(2 - (time.monotonic() - pressed))
    assert (run.process.returncode, run.stderr.strip()) == (130, "listenbench: interrupted")
    kept = run.recordings()
    assert kept
    assert_resumed(start(tmp_path / "data", items=12).succeeds(), kept)
    assert_whole(tmp_path / "data", items=12)


@pytest.mark.slow
def test_control_c_at_random_moments(tmp_path, start, assert_whole):
    moments = random.Random(8)
    rounds = 0
    while rounds < 8:
        # Each time a new place, whose workplace tells that Python itself has started.
        shutil.rmtree(tmp_path / "round", ignore_errors=True)
        out = tmp_path / "round" / "data"
        run = start(out, items=40)
        run.until(run.partial.exists)
        time.sleep(moments.uniform(0, 2.5))
        pressed = time.monotonic()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(run.process.pid, signal.SIGINT)
        run.wait()
        run.leaves_no_process(2 - (time.monotonic() - pressed))
        if run.process.returncode != 0:
            assert (run.process.returncode, run.stderr.strip()) == (130, "listenbench: interrupted")
            rounds += 1
    start(out, items=40).succeeds()
    assert_whole(out, items=40)


def test_asked_to_end(tmp_path, start, assert_whole):
    run = start(tmp_path / "data", items=12)
    run.until(run.journal)
    run.kill(signal.SIGTERM).wait().leaves_no_process()
    assert (run.process.returncode, run.stderr) == (143, "")
    assert run.recordings()
    start(tmp_path / "data", items=12).succeeds()
    assert_whole(tmp_path / "data", items=12)


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
    assert_resumed(start(tmp_path / "data").succeeds(), kept)
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
