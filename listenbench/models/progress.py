"""What a run hears of its requests, so that replies are kept at once and nothing is asked in vain."""

from __future__ import annotations

from typing import Protocol

from tqdm import tqdm

from listenbench.errors import DataError
from listenbench.models.journal import Journal
from listenbench.models.replies import Reply


class Watcher(Protocol):
    """Is told what becomes of each recording."""

    def before(self) -> None:
        """Hear that a question is about to be asked; raise an error if none may be."""

    def replied(self, reply: Reply) -> None:
        """Take a reply as soon as it is there."""

    def failed(self, words: str) -> None:
        """Take what an error says, where there is no reply."""


class JournalWriter:
    """Writes replies to a journal, and lets nothing more be asked once that is impossible.

    Parameters
    ----------
    journal : Journal
        Where replies go.
    bar : tqdm
        What moves on with each.

    Attributes
    ----------
    failures : list of str
        What errors have said.
    broken : DataError or None
        Why the journal can't be written any more.
    """

    def __init__(self, journal: Journal, bar: tqdm[None]) -> None:
        self.failures: list[str] = []
        self.broken: DataError | None = None
        self._journal = journal
        self._bar = bar

    def before(self) -> None:
        """Raise the error that ended the journal, if one did."""
        if self.broken is not None:
            raise self.broken

    def replied(self, reply: Reply) -> None:
        """Write a reply."""
        self.before()
        try:
            self._journal.add(reply.line())
        except DataError as error:
            self.broken = error
            raise
        self._bar.update()

    def failed(self, words: str) -> None:
        """Remember what an error says."""
        self.failures.append(words)
