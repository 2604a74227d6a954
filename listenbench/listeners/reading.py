"""Reading a question: what is asked, and what each letter means."""

from __future__ import annotations

import re
from dataclasses import dataclass

from listenbench.dataset import DatasetItem
from listenbench.errors import DataError

SAME, DIFFERENT = "same", "different"
FIRST, SECOND = "first", "second"

_SUBJECTS = (
    ("rhythm", r"\b(faster|slower|quick(er|ly)|tempo)\b"),
    ("harmony", r"\b(harmony|chords?)\b"),
    ("melody", r"\b(melod(y|ies|ic)|tunes?)\b"),
    ("timbre", r"\binstruments?\b"),
)
_SLOWER = re.compile(r"\b(slower|less quickly|lower)\b")
_FASTER = re.compile(r"\b(faster|more quickly|quicker|higher)\b")


@dataclass(frozen=True, slots=True)
class Request:
    """A question as understood.

    Attributes
    ----------
    subject : str
        'melody', 'harmony', 'timbre' or 'rhythm'.
    choices : tuple of str
        What the letters mean, A first.
    wants_slower : bool
        Whether a question about rhythm asks for the slower clip.
    """

    subject: str
    choices: tuple[str, ...]
    wants_slower: bool = False

    @property
    def is_comparison(self) -> bool:
        """Whether the answer is 'same' or 'different'."""
        return SAME in self.choices

    def letter(self, choice: str) -> str:
        """Return the letter that means a choice."""
        return "AB"[self.choices.index(choice)]

    def letter_for(self, *, changed: bool) -> str:
        """Return the letter for a finding: clip B is different, or, asked for rhythm, faster."""
        if self.is_comparison:
            return self.letter(DIFFERENT if changed else SAME)
        return self.letter(SECOND if changed != self.wants_slower else FIRST)


def read(item: DatasetItem) -> Request:
    """Read a question.

    Raises
    ------
    DataError
        If its subject or its choices are none of the known ones.
    """
    text = item.question.lower().split(" answer a if ")[0]
    subject = next((name for name, words in _SUBJECTS if re.search(words, text)), None)
    if subject is None or set(item.choices) not in ({SAME, DIFFERENT}, {FIRST, SECOND}):
        raise DataError(f"item {item.id}: the listener doesn't understand its question: {item.question!r}")
    if SAME in item.choices:
        return Request(subject, item.choices)
    slower = bool(_SLOWER.search(text))
    if slower == bool(_FASTER.search(text)):
        raise DataError(f"item {item.id}: the question asks for neither the faster nor the slower clip")
    return Request(subject, item.choices, slower)
