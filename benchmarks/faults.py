"""Do to real runs what may happen to them, and print what they said and left.

    python -m benchmarks.faults [--items N]

Each row is a run of its own of `listenbench` with two workers. The last column says what the same command
made of it afterwards, with the cause gone: the fingerprint is compared with that of an undisturbed run. The
tests in `tests/faults` do the same and more; this prints what they check. Linux only; the rows about small
disks take root and are left out without.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import click

from listenbench.soundfonts import find

TASKS = "harmony,rhythm"
COMMAND = (sys.executable, "-m", "listenbench")
LARGEST_FILE = 600_000
SMALL_DISK = "size=14m"
OWN_SPLIT = """\
name = "own"
items = 60
variants = ["clean"]
soundfonts = ["timgm6mb"]
[tasks.rhythm]
window_seconds = 4.0
rungs = [1.5]
stay = ["hiss"]
"""
TIMEOUT = 300


@dataclass(frozen=True)
class End:
    """How a command ended.

    Attributes
    ----------
    status : int
        Its exit status, minus the number of the signal that ended it.
    output, said : str
        Standard output, and the last line of standard error.
    """

    status: int
    output: str
    said: str


def begun(*arguments: str | Path, largest_file: int | None = None) -> subprocess.Popen[str]:
    """Start a command in a process group of its own."""

    def prepare() -> None:
        # A run in the background hands on that Ctrl-C is ignored.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        if largest_file is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file, largest_file))

    return subprocess.Popen(
        [*COMMAND, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=prepare,  # noqa: PLW1509 # this program has one thread
    )


def ended(process: subprocess.Popen[str]) -> End:
    """Wait for the end."""
    output, errors = process.communicate(timeout=TIMEOUT)
    return End(process.returncode, output, errors.strip().rpartition("\n")[2])


class Bench:
    """Runs that something happens to, in a folder of their own.

    Parameters
    ----------
    folder : Path
        An empty folder.
    options : str or Path
        Which data set is made.
    """

    def __init__(self, folder: Path, *options: str | Path) -> None:
        self.folder = folder
        self.options = (*options, "--workers", "2", "--json")
        self.expected = self.fingerprint(folder / "undisturbed")

    def generate(self, out: Path, *more: str) -> tuple[str | Path, ...]:
        """Return the arguments that make the data set in a folder."""
        return ("generate", *self.options, "--out", out, *more)

    def fingerprint(self, out: Path) -> str:
        """Make the data set, or finish it, and return its fingerprint."""
        end = ended(begun(*self.generate(out)))
        return str(json.loads(end.output)["fingerprint"]) if end.status == 0 else f"none: {end.said}"

    def print_row(self, name: str, end: End, out: Path | None = None) -> None:
        """Print what happened, how the command ended, and whether it can be finished."""
        then = "" if out is None else self.then(out)
        said = end.said.replace(f"{self.folder}/", "")
        click.echo(f"| {name} | {end.status} | {f'`{said}`' if said else 'nothing'} | {then} |")

    def then(self, out: Path) -> str:
        """Return what the same command makes of what is left."""
        whole = "a whole data set, " if out.exists() else ""
        return f"{whole}{'same bytes' if self.fingerprint(out) == self.expected else 'OTHER BYTES'}"

    def at_work(self, out: Path) -> int:
        """Return the process id of a worker, as soon as one is at an item and another item is finished."""
        partial = out.parent / f".{out.name}.partial"
        give_up = time.monotonic() + TIMEOUT
        while time.monotonic() < give_up:
            noted = list(partial.glob("*/at-work/*"))
            if noted and any(path.stat().st_size for path in partial.glob("*/journal")):
                return int(noted[0].name)
            time.sleep(0.002)
        raise click.ClickException(f"{out}: no worker came to work")

    def disturbed(self, name: str, disturb: Callable[[subprocess.Popen[str], int], None]) -> None:
        """Do something to a run, or to one of its workers, when it is at work."""
        out = self.folder / name.replace(" ", "-")
        process = begun(*self.generate(out))
        disturb(process, self.at_work(out))
        self.print_row(name, ended(process), out)


def interruptions(bench: Bench) -> None:
    """Send signals to a run, or to a worker."""
    bench.disturbed("SIGKILL", lambda run, _: run.kill())
    bench.disturbed("SIGTERM", lambda run, _: run.terminate())
    bench.disturbed("Ctrl-C", lambda run, _: os.killpg(run.pid, signal.SIGINT))
    bench.disturbed("a worker gets SIGKILL", lambda _, worker: os.kill(worker, signal.SIGKILL))
    bench.disturbed("a worker gets SIGSEGV", lambda _, worker: os.kill(worker, signal.SIGSEGV))


def second_run(bench: Bench) -> None:
    """Start a run where another one works."""
    out = bench.folder / "shared"
    first = begun(*bench.generate(out))
    bench.at_work(out)
    second = ended(begun(*bench.generate(out)))
    ended(first)
    bench.print_row("a second run in the same place", second, out)


@contextmanager
def mounted(folder: Path, options: str) -> Iterator[None]:
    """Mount a small disk on a folder."""
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def disks(bench: Bench) -> None:
    """Run where there is no room, or where nobody may write."""
    out = bench.folder / "limited"
    bench.print_row("a file-size limit", ended(begun(*bench.generate(out), largest_file=LARGEST_FILE)), out)
    out = Path("/proc/data")
    bench.print_row("a folder in which nobody may write", ended(begun(*bench.generate(out))))
    if os.geteuid() != 0:
        return
    disk = bench.folder / "disk"
    with mounted(disk, SMALL_DISK):
        end = ended(begun(*bench.generate(disk / "data")))
        subprocess.run(["mount", "-o", "remount,size=1g", str(disk)], check=True)
        bench.print_row("a full disk", end, disk / "data")
    with mounted(bench.folder / "read-only", "ro"):
        end = ended(begun(*bench.generate(bench.folder / "read-only" / "data")))
        bench.print_row("a disk for reading only", end)


def soundfonts(folder: Path) -> None:
    """Cut a soundfont off, and change one while it is in use."""
    (folder / "soundfonts").mkdir()
    file = Path(shutil.copy(find("timgm6mb").path, folder / "soundfonts"))
    os.environ["LISTENBENCH_SOUNDFONTS"] = str(file.parent)
    (folder / "own.toml").write_text(OWN_SPLIT, "utf-8")
    bench = Bench(folder, "--split", folder / "own.toml")
    whole, out = file.read_bytes(), folder / "data"
    file.write_bytes(whole[:-1000])
    end = ended(begun(*bench.generate(out)))
    file.write_bytes(whole)
    bench.print_row("a truncated soundfont", end, out)
    out = folder / "more"
    process = begun(*bench.generate(out))
    bench.at_work(out)
    changed = bytearray(whole)
    changed[changed.index(b"INAM") + 8] ^= 1
    file.write_bytes(changed)
    end = ended(process)
    file.write_bytes(whole)
    bench.print_row("a soundfont that changes during a run", end, out)
    del os.environ["LISTENBENCH_SOUNDFONTS"]


def data_sets(bench: Bench) -> None:
    """Alter data sets and predictions, or make them lead elsewhere."""
    whole = bench.folder / "undisturbed"
    recording = sorted((whole / "audio").iterdir())[0].name

    def verified(name: str, change: Callable[[Path], None]) -> None:
        folder = bench.folder / "copy"
        shutil.copytree(whole, folder)
        change(folder)
        end = ended(begun("verify", folder))
        bench.print_row(name, End(end.status, end.output, end.said or end.output.strip().partition("\n")[0]))
        shutil.rmtree(folder)

    def alter(folder: Path) -> None:
        path = folder / "audio" / recording
        data = bytearray(path.read_bytes())
        data[1000] ^= 1
        path.write_bytes(data)

    def lead_elsewhere(folder: Path) -> None:
        path = folder / "metadata.jsonl"
        path.write_text(path.read_text("utf-8").replace("audio/", "../", 1), "utf-8")

    def link(folder: Path) -> None:
        path = folder / "audio" / recording
        path.unlink()
        path.symlink_to("/etc/hostname")

    verified("one bit of a recording altered", alter)
    verified("a recording deleted", lambda folder: (folder / "audio" / recording).unlink())
    verified("a file added", lambda folder: (folder / "audio" / "extra.wav").write_bytes(b""))
    verified("a name with `..` in it", lead_elsewhere)
    verified("a link in place of a recording", link)
    for name, line in (
        ("an answer to `../../etc/passwd`", '{"id": "../../etc/passwd", "answer": "A"}'),
        ("an answer of 5,000 digits", f'{{"id": "x", "answer": {"9" * 5000}}}'),
    ):
        path = bench.folder / "answers.jsonl"
        path.write_text(f"{line}\n", "utf-8")
        bench.print_row(name, ended(begun("score", path, "--data", whole)))


@click.command()
@click.option("--items", type=click.IntRange(4), default=12, show_default=True, help="Items a task.")
def main(items: int) -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as name:
        bench = Bench(Path(name), "--split", "test", "--tasks", TASKS, "--items", str(items))
        click.echo("| what happens | status | what it says | the same command, later |\n|---|---|---|---|")
        for part in (interruptions, second_run, disks, data_sets):
            part(bench)
        (bench.folder / "own").mkdir()
        soundfonts(bench.folder / "own")


if __name__ == "__main__":
    main()
