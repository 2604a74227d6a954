"""Full disks, dead workers, changed soundfonts: one line, and the work is not lost."""

import os
import shutil
import signal
import struct
import subprocess
from pathlib import Path

import pytest

from listenbench import generation
from listenbench.cli import run as run_here
from listenbench.errors import RenderError
from listenbench.soundfonts import find

BETWEEN_HARMONY_AND_RHYTHM = 600_000
OWN_SPLIT = """
name = "own"
items = 4
variants = ["clean"]
soundfonts = ["timgm6mb"]
[tasks.rhythm]
window_seconds = 4.0
rungs = [1.5]
stay = ["hiss"]
"""


def kept(run):
    files = {path.stem: path.stat().st_ino for path in (run.out / "audio").iterdir()}
    return set(files.items())


def test_a_file_size_limit_leaves_nothing_where_nothing_was_made(tmp_path, start):
    start(tmp_path / "data", largest_file=100_000).fails("File too large")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("workers", [1, 2])
def test_a_file_size_limit_keeps_what_was_made(tmp_path, start, assert_whole, workers):
    run = start(tmp_path / "data", largest_file=BETWEEN_HARMONY_AND_RHYTHM, workers=workers)
    run.fails("File too large", "the same command goes on from there")
    assert not run.out.exists()
    made = set(run.recordings().items())
    assert 12 <= len(made) <= 18
    assert made <= kept(start(tmp_path / "data").succeeds())
    assert_whole(tmp_path / "data")


@pytest.fixture
def small_disk(tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=14m", "tmpfs", str(disk)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("mounting a small disk takes root")
    yield disk
    subprocess.run(["umount", "--lazy", str(disk)], check=True)


def test_a_full_disk(small_disk, start, assert_whole):
    out = small_disk / "data"
    run = start(out, workers=1).fails("No space left on device", "the same command goes on from there")
    assert not run.out.exists()
    made = set(run.recordings().items())
    assert made
    start(out).fails("No space left on device")
    subprocess.run(["mount", "-o", "remount,size=200m", str(small_disk)], check=True)
    assert made <= kept(start(out).succeeds())
    assert_whole(out)


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a folder in which nobody may write")
def test_a_folder_in_which_nobody_may_write(start):
    start("/proc/listenbench/data").fails("/proc/listenbench/data", "can't write")


@pytest.mark.parametrize("place", ["empty", "nowhere", "itself"])
def test_a_link_is_refused_before_any_work(tmp_path, start, place):
    (tmp_path / "empty").mkdir()
    (tmp_path / "itself").symlink_to("itself")
    out = tmp_path / "link"
    out.symlink_to(tmp_path / place)
    run = start(out).fails(str(out), "this is a link")
    assert not run.partial.exists()


def test_a_link_is_not_replaced(tmp_path, start):
    start(tmp_path / "data", seed=1, items=1).succeeds()
    (tmp_path / "link").symlink_to("data")
    start(tmp_path / "link", "--overwrite", items=1).fails("this is a link")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "link"]
    start(tmp_path / "link", seed=1, items=1).succeeds()


def test_the_place_of_another_disk_is_refused_before_any_work(small_disk, start):
    run = start(small_disk).fails("another disk is mounted here")
    assert not run.partial.exists()
    start(small_disk / "data", items=1).succeeds()


@pytest.mark.parametrize("arguments", [[], ["--overwrite"]])
def test_the_folder_that_it_was_started_in_is_not_replaced(tmp_path, capsys, monkeypatch, arguments):
    options = ["generate", "--split=test", "--tasks=rhythm", "--items=1", "--workers=1"]
    (tmp_path / "data" / "audio").mkdir(parents=True)
    if arguments:
        (tmp_path / "data" / "dataset.json").write_text("{}")
    else:
        (tmp_path / "data" / "audio").rmdir()
    monkeypatch.chdir(tmp_path / "data")
    assert run_here([*options, "--out=.", *arguments]) == 2
    assert "this was started in the folder that would be replaced" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["data"]


def test_a_folder_that_is_gone(tmp_path, capsys, monkeypatch):
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert run_here(["generate", "--split=test", "--items=1", "--workers=1", "--out=data"]) == 2
    assert "the folder that this was started in is gone" in capsys.readouterr().err


def test_no_more_workers_than_there_is_work(tmp_path, start):
    run = start(tmp_path / "data", items=2, workers=64)
    run.until(run.at_work)
    assert run.succeeds().stderr.count("\n") == 1


@pytest.mark.parametrize("workers", [0, 10**6, 10**30])
def test_numbers_of_workers_that_no_machine_has(tmp_path, start, workers):
    start(tmp_path / "data", workers=workers).fails("workers: ", "1 to 4,096")


def test_no_process_for_a_worker(tmp_path, capsys, monkeypatch):
    def no_process(*_arguments, **_options):
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr("concurrent.futures.ProcessPoolExecutor.submit", no_process)
    options = ["generate", "--split=test", "--tasks=rhythm", "--items=1", "--workers=1"]
    assert run_here([*options, f"--out={tmp_path / 'data'}"]) == 2
    assert "can't start worker processes (Resource temporarily unavailable)" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("workers", [1, 2])
def test_a_worker_that_dies_is_told_with_its_item(tmp_path, start, workers):
    run = start(tmp_path / "data", items=60, workers=workers)
    run.until(run.journal)
    while True:
        process = run.until(lambda: next(iter(run.at_work()), None))
        # Stopped, it can't go on to another item before it dies.
        os.kill(process, signal.SIGSTOP)
        item = run.at_work().get(process)
        if item:
            break
        os.kill(process, signal.SIGCONT)
    os.kill(process, signal.SIGKILL)
    run.fails(f"item {item}: a worker process died of signal 9 (SIGKILL)", "the same command goes on")
    run.leaves_no_process()
    assert run.recordings()


@pytest.mark.slow
def test_a_worker_that_crashes_does_not_hang_the_pool(tmp_path, start):
    run = start(tmp_path / "data", items=40, workers=2)
    run.until(lambda: run.journal() and run.at_work())
    os.kill(next(iter(run.at_work())), signal.SIGSEGV)
    run.fails("a worker process died of signal 11 (SIGSEGV)").leaves_no_process()


@pytest.fixture
def own_soundfont(tmp_path):
    """Make a split with a soundfont of its own, in a file that a test may change."""
    folder = tmp_path / "soundfonts"
    folder.mkdir()
    file = Path(shutil.copy(find("timgm6mb").path, folder / "TimGM6mb.sf2"))
    (tmp_path / "own.toml").write_text(OWN_SPLIT)
    (tmp_path / "out").mkdir()
    return file, {"split": tmp_path / "own.toml", "LISTENBENCH_SOUNDFONTS": str(folder)}


def rename_soundfont(file):
    """Change a soundfont's name inside the file, so that it stays a whole soundfont with other bytes."""
    data = bytearray(file.read_bytes())
    data[data.index(b"INAM") + 8] ^= 1
    file.write_bytes(data)


FLUTE_AFTER_RHYTHM = (
    OWN_SPLIT
    + """
[tasks.melody]
window_seconds = 2.5
pitches = [[58, 79]]
programs = [73]
rungs = [200]
stay = ["hiss"]
"""
)
PRESET_BYTES = 38


def move_preset(file, program):
    """Give a preset of bank 0 another bank: `phdr` has the program after 20 bytes of name, then the bank."""
    data = bytearray(file.read_bytes())
    start = data.index(b"phdr") + 8
    size = int.from_bytes(data[start - 4 : start], "little")
    for place in range(start + 20, start + size, PRESET_BYTES):
        if struct.unpack_from("<HH", data, place) == (program, 0):
            struct.pack_into("<H", data, place + 2, 99)
    file.write_bytes(data)


@pytest.mark.parametrize("workers", [2, pytest.param(1, marks=pytest.mark.slow)])
def test_a_worker_that_raises_is_told_with_its_item(tmp_path, start, own_soundfont, workers):
    """The soundfont is whole, but one of its presets is missing."""
    file, options = own_soundfont
    move_preset(file, 73)
    options["split"].write_text(FLUTE_AFTER_RHYTHM)
    run = start(tmp_path / "out" / "data", workers=workers, **options).wait()
    *_, line = run.stderr.splitlines()
    assert run.process.returncode == 2
    assert "item melody-000000: " in line
    assert "no preset with bank 0, program 73" in line
    assert line.endswith("what is finished is kept: the same command goes on from there")
    assert "Traceback" not in run.stderr
    assert len(run.recordings()) == 4
    run.leaves_no_process()


def test_a_soundfont_changed_between_runs(tmp_path, start, own_soundfont):
    file, options = own_soundfont
    run = start(tmp_path / "out" / "data", items=30, **options)
    run.until(run.journal)
    run.kill().wait().leaves_no_process()
    made = set(run.recordings().items())
    rename_soundfont(file)
    again = start(tmp_path / "out" / "data", items=30, **options).wait()
    assert again.process.returncode == 0
    assert not made & kept(again)
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["data"]


@pytest.mark.slow
def test_a_soundfont_changed_during_a_run(tmp_path, start, own_soundfont):
    file, options = own_soundfont
    run = start(tmp_path / "out" / "data", items=60, **options)
    run.until(run.journal)
    rename_soundfont(file)
    run.wait()
    assert run.process.returncode == 2
    assert "the soundfont changed while it was in use" in run.stderr
    assert list((tmp_path / "out").iterdir()) == []


@pytest.mark.parametrize("failure", [RenderError("a worker died"), OSError(28, "full"), KeyboardInterrupt()])
def test_a_soundfont_changed_during_a_run_that_fails(tmp_path, monkeypatch, own_soundfont, failure):
    """With the old file back, the same request would go on from recordings of the changed one."""
    file, options = own_soundfont
    recorded = generation.record

    def once_changed(job, items):
        entries = recorded(job, items)
        if not changed:
            changed.append(rename_soundfont(file))
            return entries
        raise failure

    changed = []
    monkeypatch.setenv("LISTENBENCH_SOUNDFONTS", options["LISTENBENCH_SOUNDFONTS"])
    monkeypatch.setattr(generation, "record", once_changed)
    with pytest.raises(RenderError, match="the soundfont changed while it was in use"):
        generation.generate(options["split"], 0, tmp_path / "out" / "data", items=8)
    assert list((tmp_path / "out").iterdir()) == []


def test_a_truncated_soundfont(tmp_path, start, own_soundfont):
    file, options = own_soundfont
    file.write_bytes(file.read_bytes()[:-1000])
    start(tmp_path / "out" / "data", **options).fails("TimGM6mb.sf2")
    assert list((tmp_path / "out").iterdir()) == []


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs a file that nobody can read")
def test_an_unreadable_soundfont(tmp_path, start, own_soundfont):
    file, options = own_soundfont
    file.unlink()
    # A file, but nobody can read it, root neither: nothing is mapped at address 0.
    file.symlink_to("/proc/self/mem")
    start(tmp_path / "out" / "data", **options).fails("TimGM6mb.sf2", "can't read")
    assert list((tmp_path / "out").iterdir()) == []
