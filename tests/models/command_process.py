"""Commands in processes of their own, which are forked from one that has imported Inspect already.

Inspect leaves streams open and calls deprecated functions of its libraries; a process of its own keeps that
away from the warnings that count as errors here.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing.process import BaseProcess
from pathlib import Path

_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(
    [
        *("listenbench.models.run", "openai", "acp", "inspect_ai.model._providers.openai_compatible"),
        "listenbench.commands.run",
    ]
)


@dataclass
class Call:
    """A running command, and what it has written so far."""

    process: BaseProcess
    folder: Path

    def wait(self, seconds: float = 120) -> int:
        self.process.join(seconds)
        assert self.process.exitcode is not None, "the command doesn't end"
        return self.process.exitcode

    @property
    def stdout(self) -> str:
        return (self.folder / "stdout").read_text("utf-8")

    @property
    def stderr(self) -> str:
        return (self.folder / "stderr").read_text("utf-8")


def start(arguments: Sequence[str], folder: Path, environment: Mapping[str, str]) -> Call:
    """Start listenbench in a folder, where its output goes to the files stdout and stderr."""
    return _started(_command, [*arguments], folder, environment)


def start_program(text: str, arguments: Sequence[str], folder: Path) -> Call:
    """Start what `python -c TEXT ARGUMENTS` does."""
    return _started(_program, [text, *arguments], folder, {})


def _started(
    work: Callable[[list[str]], None], arguments: list[str], folder: Path, environment: Mapping[str, str]
) -> Call:
    process = _CONTEXT.Process(target=_run, args=(work, arguments, folder, dict(environment)))
    process.start()
    return Call(process, folder)


def _run(
    work: Callable[[list[str]], None], arguments: list[str], folder: Path, environment: dict[str, str]
) -> None:
    # Tests that were started in the background have Ctrl-C ignored, and so would their children.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number, name in ((1, "stdout"), (2, "stderr")):
        os.dup2(os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
    os.chdir(folder)
    os.environ.update(environment)
    work(arguments)


def _command(arguments: list[str]) -> None:
    from listenbench import cli

    sys.exit(cli.run(arguments))


def _program(arguments: list[str]) -> None:
    sys.argv = ["-c", *arguments[1:]]
    exec(compile(arguments[0], "-c", "exec"), {"__name__": "__main__"})
