"""A Dask cluster: real schedulers and workers, and what happens when they die."""

import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from listenbench import cluster as module
from listenbench.cli import run
from listenbench.errors import RenderError
from listenbench.generation import generate
from listenbench.plan import plan
from listenbench.recording import Job, record
from listenbench.request import make_request
from listenbench.soundfonts import find

OPTIONS = ["generate", "--split=test", "--items=1", "--tasks=rhythm"]


class Cluster:
    """A scheduler and workers on this machine, each a process of its own."""

    def __init__(self, folder):
        self.folder = folder
        self.processes = []
        self.scheduler = self._start("scheduler", "--host", "127.0.0.1", "--port", "0")
        self.address = self._says(self.scheduler, r"Scheduler at:\s+(tcp://\S+)")

    def add_worker(self):
        local = self.folder / str(len(self.processes))
        options = ("--nthreads", "1", "--no-nanny", "--local-directory", str(local))
        worker = self._start("worker", self.address, *options)
        self._says(worker, "Registered to:")
        return worker

    def _start(self, kind, *options):
        command = [sys.executable, "-m", f"distributed.cli.dask_{kind}", "--no-dashboard", *options]
        log = (self.folder / f"{len(self.processes)}.log").open("wb")
        with log:
            process = subprocess.Popen(command, stdout=log, stderr=log)
        process.log = self.folder / f"{len(self.processes)}.log"
        self.processes.append(process)
        return process

    def _says(self, process, pattern):
        end = time.monotonic() + 60
        while not (match := re.search(pattern, process.log.read_text())):
            assert process.poll() is None, process.log.read_text()
            assert time.monotonic() < end, "waited in vain"
            time.sleep(0.05)
        return match[match.re.groups]

    def stop(self):
        for process in self.processes:
            process.kill()
            process.wait()


@pytest.fixture
def cluster(tmp_path_factory):
    running = Cluster(tmp_path_factory.mktemp("cluster"))
    yield running
    running.stop()


def stopped_at_work(run, workers):
    """Stop the worker that is next seen at an item, so that it can't go on before it dies; return it."""
    while True:
        process = run.until(lambda: next((w for w in workers if w.pid in run.at_work()), None))
        process.send_signal(signal.SIGSTOP)
        if run.at_work().get(process.pid):
            return process
        process.send_signal(signal.SIGCONT)


@pytest.mark.slow
def test_a_worker_killed_half_way(tmp_path, start, cluster, assert_whole):
    workers = cluster.add_worker(), cluster.add_worker()
    run = start(tmp_path / "data", "--scheduler", cluster.address, items=8, workers=None)
    run.until(run.journal)
    lost = stopped_at_work(run, workers)
    assert len(run.journal()) < 48
    lost.kill()
    run.succeeds()
    assert sorted(worker.poll() is None for worker in workers) == [False, True]
    assert_whole(tmp_path / "data", items=8)


@pytest.mark.slow
def test_a_scheduler_that_goes_away(tmp_path, start, cluster, assert_whole):
    cluster.add_worker()
    run = start(tmp_path / "data", "--scheduler", cluster.address, items=8, workers=None)
    run.until(run.journal)
    cluster.scheduler.kill()
    run.fails(f"the scheduler at {cluster.address} went away", "the same command goes on")
    assert run.journal()
    start(tmp_path / "data", items=8, workers=1).succeeds()
    assert_whole(tmp_path / "data", items=8)


@pytest.mark.slow
def test_a_scheduler_without_workers(tmp_path, cluster, monkeypatch, capsys):
    monkeypatch.setattr(module, "_SECONDS_FOR_WORKERS", 0.5)
    assert run([*OPTIONS, "--out", str(tmp_path / "data"), "--scheduler", cluster.address]) == 2
    assert f"it has no workers: start one with 'dask worker {cluster.address}'" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("tcp://127.0.0.1:9", "can't be reached"),
        ("nope://127.0.0.1:9", "unknown address scheme"),
        ("a scheduler", "missing port"),
        ("", "missing port"),
    ],
)
def test_wrong_addresses(tmp_path, monkeypatch, capsys, address, message):
    monkeypatch.setattr(module, "_SECONDS_TO_CONNECT", 0.5)
    assert run([*OPTIONS, "--out", str(tmp_path / "data"), "--scheduler", address]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert message in error
    assert list(tmp_path.iterdir()) == []


def test_a_missing_extra(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert run([*OPTIONS, "--out", str(tmp_path / "data"), "--scheduler", "tcp://127.0.0.1:9"]) == 2
    assert "pip install --editable '.[dask]'" in capsys.readouterr().err


def test_two_kinds_of_workers(tmp_path, capsys):
    options = ["--out", str(tmp_path / "data"), "--workers=2", "--scheduler=tcp://127.0.0.1:9"]
    assert run([*OPTIONS, *options]) == 2
    assert "give one of them" in capsys.readouterr().err


def test_threads_give_the_same_bytes(tmp_path, fingerprint):
    with ThreadPoolExecutor(4) as threads:
        data = generate("test", 0, tmp_path / "data", items=6, tasks=["harmony", "rhythm"], workers=threads)
    assert data.description["fingerprint"] == fingerprint(0, 6)


def test_workers_with_other_versions_or_soundfonts_are_refused(tmp_path):
    request = make_request("test", 0, ["rhythm"], 1)
    split = request.split
    fonts = tuple((name, str(find(name).path)) for name in split.soundfonts)
    job = Job(split.model_dump_json(), fonts, str(tmp_path), str(tmp_path), "wav")
    item = next(plan(split, 0))
    with pytest.raises(RenderError, match=r"worker on .*: it has numpy .* made with 0\.1: give all"):
        record(replace(job, versions=(("numpy", "0.1"),)), [item])
    with pytest.raises(RenderError, match="another file than that of this machine"):
        record(replace(job, sha256s=tuple((name, "0" * 64) for name, _ in fonts)), [item])
    assert list(tmp_path.iterdir()) == []
