"""The command line: one group, whose commands are imported only when they are called."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from types import MappingProxyType
from typing import Any, Final

import click

from listenbench._version import __version__
from listenbench.errors import ListenbenchError

COMMANDS: Final = MappingProxyType(
    {
        "generate": "Make a data set.",
        "merge": "Join the parts that generate --shard makes.",
        "export": "Pack a data set into tar or Parquet files.",
        "verify": "Check that a data set is whole and unchanged.",
        "browse": "Look at and listen to the items of a data set.",
        "show": "Show an item as notes and chords; export it as MIDI or MusicXML.",
        "splits": "Show the splits, and check that two of them are apart.",
        "soundfonts": "Show which soundfonts are here, and how to get the others.",
        "audit": "Check that nothing but hearing answers a data set.",
        "baseline": "Write the predictions of a reference listener.",
        "run": "Ask a model about every recording.",
        "lmms-eval": "Write a task folder for the harness lmms-eval.",
        "score": "Score a predictions file.",
        "compare": "Compare two predictions files.",
        "report": "Write scores, plots and the worst items as a page.",
        "leaderboard": "Rank a folder of submissions.",
        "listen": "Serve a listening test for people.",
        "agreement": "Measure how well listeners agree.",
        "effects": "Show the effects of the augmentation chain.",
    }
)
"""Commands with their short help, which stands here so that `--help` imports none of them."""

FAILED: Final = 2
INTERRUPTED: Final = 130


STATUS: Final = "listenbench.status"
"""Key of a context's `meta`: the exit status that is known before anything is printed."""


class _ReaderGoneError(Exception):
    """Nobody reads the output any more.

    Attributes
    ----------
    status : int
        The exit status.
    """

    def __init__(self, status: int) -> None:
        super().__init__()
        self.status = status


class LazyGroup(click.Group):
    """A group whose commands are modules of `listenbench.commands`, each with a `command`."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; of a closed pipe click would make status 1, with which `verify` says 'altered'."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise _ReaderGoneError(ctx.meta.get(STATUS, 0)) from error

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """Return the names of all commands, in the order of a user's work."""
        return [*COMMANDS]

    def get_command(self, _ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command."""
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"listenbench.commands.{cmd_name.replace('-', '_')}")
        command: click.Command = module.command
        return command

    def format_commands(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands with their short help."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=LazyGroup, no_args_is_help=False, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="listenbench")
def cli() -> None:
    """Make music-listening tests whose answers are known exactly, and score models on them.

    \b
    Example:
      listenbench generate --split test --seed 0
      listenbench baseline always-a --data data/test-0 --out always-a.jsonl
      listenbench score always-a.jsonl --data data/test-0
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; every expected error is one line on standard error and exit status 2."""
    _open_standard_files()
    sys.exit(run(arguments))


def _open_standard_files() -> None:
    """Have a standard file that is closed lead nowhere: its number would go to the next file that is opened.

    What a library writes to standard error would then end in a recording.
    """
    for number, mode in ((0, "r"), (1, "w"), (2, "w")):
        try:
            os.fstat(number)
        except OSError:
            # The lowest free number is taken, which is this one.
            os.set_inheritable(os.open(os.devnull, os.O_RDONLY if mode == "r" else os.O_WRONLY), True)
            file = open(number, mode, encoding="utf-8", closefd=False)  # noqa: SIM115
            setattr(sys, ("stdin", "stdout", "stderr")[number], file)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run a command line and return its exit status."""
    try:
        result: Any = cli.main(args=arguments, prog_name="listenbench", standalone_mode=False)
        return result if isinstance(result, int) else 0
    except click.exceptions.Exit as request:
        return request.exit_code
    except (click.Abort, KeyboardInterrupt):
        _forget_interruption()
        return _fail("interrupted", INTERRUPTED)
    except _ReaderGoneError as gone:
        # Whoever read the output has seen enough; the interpreter would complain when it flushes.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return gone.status
    except MemoryError:
        return _fail("there is not enough memory: close other programs, or raise the limit (ulimit -v)")
    except (click.ClickException, ListenbenchError, ImportError, OSError) as error:
        return _fail(_message(error))


def _forget_interruption() -> None:
    """Have Python end with our status, whatever Ctrl-C interrupted.

    Where that was source text being executed (as dataclasses do), `python -m` remembers it although it was
    caught, and ends the process by SIGINT; the next text that is executed makes it forget.
    """
    exec("")


def _message(error: Exception) -> str:
    match error:
        case click.UsageError():
            place = error.ctx.command_path if error.ctx else "listenbench"
            return f"{error.format_message()} See '{place} --help'."
        case click.ClickException():
            return error.format_message()
        case ImportError():
            return f"a library that this command needs can't be loaded: {error}: see docs/setup.md"
        case OSError():
            # Where no command says more: a name too long for the file system, a folder that is closed.
            return ": ".join(str(part) for part in (error.filename, error.strerror or error) if part)
        case _:
            return str(error)


def _fail(message: str, status: int = FAILED) -> int:
    line = " ".join(message.split())
    # Where standard error is a full disk or a closed pipe, the status alone has to tell.
    with contextlib.suppress(OSError):
        click.echo(f"listenbench: {line}", err=True)
    return status
