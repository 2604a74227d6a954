"""Ctrl-C and SIGTERM: an end at once, without a traceback, and nothing is lost."""

import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import time

import pytest


@pytest.mark.parametrize("whole_group", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_control_c(tmp_path, start, assert_whole, whole_group):
    run = start(tmp_path / "data", items=12, workers=2)
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
    start(tmp_path / "data", items=12).succeeds().keeps(kept)
    assert_whole(tmp_path / "data", items=12)


@pytest.mark.slow
def test_control_c_at_random_moments(tmp_path, start, assert_whole):
    moments = random.Random(8)
    rounds = 0
    while rounds < 8:
        # Each time a new place, whose workplace tells that Python itself has started.
        shutil.rmtree(tmp_path / "round", ignore_errors=True)
        out = tmp_path / "round" / "data"
        run = start(out, items=40, workers=2)
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


def test_control_c_while_source_text_is_executed(tmp_path):
    # As dataclasses and named tuples do while a library is imported.
    interrupted = """
from listenbench import cli

def interrupted(**_):
    exec("raise KeyboardInterrupt")

cli.cli.main = interrupted
cli.main()
"""
    (tmp_path / "interrupted_program.py").write_text(interrupted)
    ended = subprocess.run(
        [sys.executable, "-m", "interrupted_program"],
        check=False,
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert (ended.returncode, ended.stderr) == (130, "listenbench: interrupted\n")


def test_asked_to_end(tmp_path, start, assert_whole):
    run = start(tmp_path / "data", items=12, workers=2)
    run.until(run.journal)
    run.kill(signal.SIGTERM).wait().leaves_no_process()
    assert (run.process.returncode, run.stderr) == (143, "")
    assert run.recordings()
    start(tmp_path / "data", items=12).succeeds()
    assert_whole(tmp_path / "data", items=12)
