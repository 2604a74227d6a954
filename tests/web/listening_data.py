"""A small data set made by hand, with recordings of 0.4 s, and a server that runs a listening test on it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from listenbench.audio import SAMPLE_RATE, WAV, Samples, encoded, quantised
from listenbench.dataset import AUDIO, DESCRIPTION, FORMAT, GOLD, METADATA, write_description, write_rows

CLIP_SECONDS = 0.15
SILENCE_SECONDS = 0.1
TASKS = {"melody": (100, 700), "harmony": (1, 3), "timbre": ("near", "far"), "rhythm": (1.1, 1.5)}
CONDITIONS = ("clean", "flip", "stay")
LAUNCHER = """
import signal, sys
from listenbench import cli
# A test run in the background hands on that Ctrl-C is ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
cli.main(["listen", *sys.argv[1:]])
"""
MARKUP = "<script>alert('question')</script>"


def make_dataset(
    folder: Path,
    items: int = 4,
    *,
    conditions: Sequence[str] = CONDITIONS,
    audible: bool = True,
    audio_format: str = WAV,
) -> list[dict[str, Any]]:
    """Write a data set with `items` items a task; return the rows of its key."""
    (folder / AUDIO).mkdir(parents=True)
    metadata, gold = [], []
    for row in (row for row in key_rows(items) if row["condition"] in conditions):
        choices = ["first", "second"] if row["task"] == "rhythm" else ["same", "different"]
        question = f"{row['task'].title()} {MARKUP}: which? Answer A if it is one or B if it is the other."
        metadata.append(
            {
                "file_name": f"{AUDIO}/{row['id']}.{audio_format}",
                "id": row["id"],
                "question": question,
                "choices": choices,
            }
        )
        gold.append(row)
        content = encoded(recording(len(gold)), audio_format) if audible else b""
        (folder / AUDIO / f"{row['id']}.{audio_format}").write_bytes(content)
    write_rows(folder / METADATA, metadata)
    write_rows(folder / GOLD, gold)
    rungs = {task: {"rungs": list(values)} for task, values in TASKS.items()}
    description = {
        "format": FORMAT,
        "name": "handmade",
        "fingerprint": "f" * 64,
        "audio_format": audio_format,
        "split": {"silence_seconds": SILENCE_SECONDS, "loudness_lufs": -23.0, "tasks": rungs},
    }
    write_description(folder / DESCRIPTION, description)
    return gold


def key_rows(items: int) -> Iterator[dict[str, Any]]:
    """Yield the rows of a balanced key."""
    for task, rungs in TASKS.items():
        for index in range(items):
            answer = "AB"[index % 2]
            for place, condition in enumerate(CONDITIONS):
                yield {
                    "id": f"{len(task):02d}{index:04d}{place}{ord(task[0]):03d}",
                    "answer": answer if condition != "flip" else "BA"[index % 2],
                    "task": task,
                    "item": f"{task}-{index:06d}",
                    "condition": condition,
                    "factor": {"clean": None, "flip": "edit", "stay": ("eq", "room")[index // 2 % 2]}[
                        condition
                    ],
                    "rung": rungs[index // 2 % 2],
                }


def recording(number: int) -> Samples:
    """Return two tones with silence between them, different for each number."""
    time = np.arange(round(CLIP_SECONDS * SAMPLE_RATE)) / SAMPLE_RATE
    clips = [0.1 * np.sin(2 * np.pi * frequency * time) for frequency in (220 + number, 330 + number)]
    silence = np.zeros(round(SILENCE_SECONDS * SAMPLE_RATE))
    return quantised(np.concatenate([clips[0], silence, clips[1]]).astype(np.float32))


class Server:
    """A running `listenbench listen`."""

    def __init__(self, arguments: Sequence[str], folder: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-W", "error", "-c", LAUNCHER, *arguments],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line.startswith("http://127.0.0.1:"), (line, self.end(signal.SIGKILL))
        self.url = line.split()[0].rstrip("/")

    @property
    def port(self) -> str:
        """The port that it is bound to."""
        return self.url.rpartition(":")[2]

    def end(self, number: int = signal.SIGTERM) -> tuple[int, str, str]:
        """Send a signal; return exit status, standard output and standard error."""
        os.kill(self.process.pid, number)
        stdout, stderr = self.process.communicate(timeout=10)
        return self.process.returncode, stdout, stderr


@contextmanager
def serving(folder: Path, *options: str) -> Iterator[Server]:
    """Run a server until the end of the block; it writes `human.jsonl` in the folder."""
    server = Server(["--out", "human.jsonl", "--port", "0", *options], folder)
    try:
        yield server
    finally:
        if server.process.poll() is None:
            server.end(signal.SIGKILL)
