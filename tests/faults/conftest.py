"""Runs of `listenbench generate` that something happens to."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

TIMEOUT = 120
TASKS = ["harmony", "rhythm"]
LAUNCHER = """
import os, resource, signal, sys
limit, *command = sys.argv[1:]
if limit != "none":
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit), int(limit)))
# A test run in the background hands on that Ctrl-C is ignored.
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.executable, [sys.executable, *command])
"""


class Run:
    """A run in a process group of its own."""

    def __init__(
        self, out, *arguments, items=6, seed=0, workers=1, split="test", largest_file="none", **environment
    ):
        self.out = Path(out)
        self.partial = self.out.parent / f".{self.out.name}.partial"
        options = {"--split": split, "--seed": seed, "--items": items, "--workers": workers, "--out": out}
        if split == "test":
            options["--tasks"] = ",".join(TASKS)
        words = [word for pair in options.items() if pair[1] is not None for word in pair]
        launcher = [sys.executable, "-c", LAUNCHER, largest_file]
        command = [*launcher, "-m", "listenbench", "generate", *words, *arguments]
        self.process = subprocess.Popen(
            [str(word) for word in command],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            env={**os.environ, **environment},
        )

    def wait(self):
        self.stdout, self.stderr = self.process.communicate(timeout=TIMEOUT)
        return self

    def succeeds(self):
        self.wait()
        assert self.process.returncode == 0, self.stderr
        return self

    def fails(self, *words):
        """Wait for the end; it must be one line on standard error and status 2."""
        self.wait()
        assert self.process.returncode == 2, (self.process.returncode, self.stderr)
        assert self.stderr.count("\n") == 1, self.stderr
        assert self.stderr.startswith("listenbench: ")
        for word in words:
            assert word in self.stderr
        return self

    def journal(self):
        """Return the lines of the journal so far; a line is complete when its line feed is there."""
        for path in self.partial.glob("*/journal"):
            return path.read_text().splitlines(keepends=True)
        return []

    def at_work(self):
        """Return the process ids of the workers, and the items that they are at."""
        notes = {}
        for path in self.partial.glob("*/at-work/*"):
            with contextlib.suppress(FileNotFoundError):
                notes[int(path.name)] = path.read_text()
        return notes

    def recordings(self):
        """Return the inodes of the recordings in the journal; writing one again gives it another."""
        ids = [line.split("\t")[0] for line in self.journal() if line.endswith("\n")]
        files = {path.stem: path.stat().st_ino for path in self.partial.glob("*/data/audio/*")}
        return {identifier: files[identifier] for identifier in ids}

    def keeps(self, recordings):
        """Check that recordings of earlier runs, as `recordings` gave them, are still the same files."""
        now = {path.stem: path.stat().st_ino for path in (self.out / "audio").iterdir()}
        assert recordings.items() <= now.items()
        return self

    def until(self, condition):
        """Wait until something has happened."""
        end = time.monotonic() + TIMEOUT
        while not (value := condition()):
            assert self.process.poll() is None, self.wait().stderr
            assert time.monotonic() < end, "waited in vain"
            time.sleep(0.005)
        return value

    def kill(self, number=signal.SIGKILL):
        """Send a signal to the main process alone."""
        self.process.send_signal(number)
        return self

    def leaves_no_process(self, seconds=2):
        """Wait for every process of the group to end."""
        end = time.monotonic() + seconds
        while group_lives(self.process.pid):
            assert time.monotonic() < end, "processes are left"
            time.sleep(0.01)
        return self


def group_lives(group):
    """Return whether a process of the group runs; one that is dead and not reaped does not."""
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[2]) == group and fields[0] not in "ZX":
            return True
    return False


@pytest.fixture
def start():
    """Start runs; whatever of them is still there is ended after the test."""
    runs = []

    def begin(*arguments, **options):
        runs.append(Run(*arguments, **options))
        return runs[-1]

    yield begin
    for run in runs:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(run.process.pid, signal.SIGKILL)
        run.process.communicate()


@pytest.fixture(scope="session")
def fingerprint(tmp_path_factory):
    """Give the fingerprint of an undisturbed run with the same options, made once a session."""
    from listenbench.generation import generate

    known = {}

    def of(seed, items):
        if (seed, items) not in known:
            folder = tmp_path_factory.mktemp("undisturbed") / "data"
            data = generate("test", seed, folder, items=items, tasks=TASKS)
            known[seed, items] = data.description["fingerprint"]
        return known[seed, items]

    return of


@pytest.fixture
def assert_whole(fingerprint):
    """Check that a data set is whole, the one that was asked for, and alone in its folder."""
    from listenbench.dataset import load
    from listenbench.verify import verify

    def check(folder, seed=0, items=6):
        assert verify(folder) == []
        assert load(folder).description["fingerprint"] == fingerprint(seed, items)
        assert [path.name for path in folder.parent.iterdir()] == [folder.name]

    return check
