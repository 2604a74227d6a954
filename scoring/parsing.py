"""Reading an answer in free text, by a rule that would rather read nothing than something not said.

In this order; the first step that finds a letter decides, and contradictions end the reading:

1. Reasoning blocks (`<think>...</think>`) and control tokens are left out.
2. A refusal, or a word such as 'unsure' or 'guess', anywhere: no answer.
3. The whole reply is one letter, in either case, with any quotes, brackets, bold, full stop or LaTeX box.
4. A JSON object with a field such as `answer`: what that field says. Several have to agree.
5. Statements: 'answer: B', 'the answer is **B**', 'I choose B', 'It's B.' All must name one letter.
6. Marked letters: a line of its own, 'B)', 'B.' or 'B:' at the start of a line, a letter in quotes, brackets,
   bold or a box, unless the clause is about notes or chords or the letter names a clip.
7. The words of a choice ('different', 'the second clip') where the reply says nothing else: exactly one
   choice named, and only neutral words around it.

In steps 5 and 6 a sentence that asks, hedges ('maybe', 'if', 'could') or denies makes the reply unreadable,
and so does another letter in the place of an answer (in step 5: after the first statement). A letter inside
a word and the article 'a' never count.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Final

from listenbench.scoring import reply_words as words
from listenbench.scoring.answers import (
    INVALID,
    LETTER_READINGS,
    LETTERS,
    Choices,
    Reading,
    checked_choices,
    letters_of,
)
from listenbench.scoring.letter_patterns import LetterPatterns, patterns_for

EMPTY: Final = Reading(INVALID, "empty reply")
NOTHING: Final = Reading(INVALID, "no answer named")
SEVERAL: Final = Reading(INVALID, "more than one answer named")
REFUSED: Final = Reading(INVALID, "refusal")
HEDGED: Final = Reading(INVALID, "hedge, condition or question")
DENIED: Final = Reading(INVALID, "answer denied")
CONTRADICTED: Final = Reading(INVALID, "letter and words disagree")

_CONTEXT: Final = 300
_MAXIMUM_PLACES: Final = 100
_SENTENCE_END: Final = re.compile(r"[.!;](?=\s|$)|\n|(?<=\?)")
_CLAUSE_END: Final = re.compile(r"[.!?;:,\n]")
_WORD: Final = re.compile(r"[^\W_]+(?:'[^\W_]+)?")


def parse_answer(text: str, choices: Sequence[str] | Mapping[str, str] | None = None) -> str | None:
    """Return the letter that a reply answers with.

    Parameters
    ----------
    text : str
        What the model generated.
    choices : sequence of str, or mapping of str to str, optional
        What the letters mean, in their order or by letter, such as ("same", "different"); there are as many
        letters as choices. Without it, the letters are A and B, and words are not read.

    Returns
    -------
    str or None
        A letter of the question; None if no single answer is plainly given.
    """
    reading = read_reply(text, checked_choices(choices) or ())
    return LETTERS[reading.code] if reading.code < len(LETTERS) else None


def read_reply(text: str, choices: Choices = ()) -> Reading:
    """Return what `parse_answer` reads, with the reason where it is nothing."""
    reply = _prepared(text)
    if not reply:
        return EMPTY
    patterns = _patterns(choices)
    whole = patterns.whole.fullmatch(reply)
    if whole:
        return LETTER_READINGS[whole["letter"].upper()]
    if words.REFUSAL.search(reply):
        return REFUSED
    if words.UNCERTAIN.search(reply):
        return HEDGED
    in_json = _read_json(reply, choices)
    if in_json is not None:
        return in_json
    return _read_statements(reply, choices) or _read_marks(reply, choices) or _read_words(reply, choices)


def _patterns(choices: Choices) -> LetterPatterns:
    return patterns_for(len(letters_of(choices)))


def _prepared(text: str) -> str:
    """Return the reply without reasoning, control tokens and typographic variants."""
    reply = unicodedata.normalize("NFKC", text)
    reply = "".join(c for c in reply if unicodedata.category(c) != "Cf") if not reply.isascii() else reply
    reply = reply.translate(
        {0x2018: "'", 0x2019: "'", 0x201C: '"', 0x201D: '"', 0xAB: '"', 0xBB: '"', 0x0D: "\n", 0xFE0F: None}
    )
    reply = words.REASONING.sub("\n", reply)
    reply = words.REASONING_END.split(reply)[-1]
    reply = words.CONTROL_TOKENS.sub("\n", reply).replace("<answer>", "\nanswer: ")
    reply = words.LATEX.sub("", reply).strip()
    return _unfenced(reply)


def _unfenced(reply: str) -> str:
    """Return what is inside of a reply that is one fenced block of code, or the reply itself."""
    first, _, rest = reply.partition("\n")
    if rest.endswith("```") and first.startswith("```") and rest.count("```") == 1:
        return rest.removesuffix("```").strip()
    return reply


def _read_json(reply: str, choices: Choices) -> Reading | None:
    """Read a reply that is a JSON object, or several that agree; None if it is none."""
    if not (reply.startswith("{") and reply.endswith("}")):
        return None
    objects = _json_objects(reply)
    if objects is None:
        return None
    readings = {_read_object(pairs, choices) for pairs in objects}
    return SEVERAL if len(readings) > 1 else readings.pop()


def _json_objects(reply: str) -> list[list[tuple[str, object]]] | None:
    """Return the names and values of one or more JSON objects, names that come twice included."""
    decoder = json.JSONDecoder(object_pairs_hook=list)
    objects: list[list[tuple[str, object]]] = []
    position = 0
    try:
        while position < len(reply):
            if len(objects) == _MAXIMUM_PLACES or reply[position] != "{":
                return None
            value, position = decoder.raw_decode(reply, position)
            objects.append(value)
            position += len(reply[position:]) - len(reply[position:].lstrip())
    except (ValueError, RecursionError):
        return None
    return objects


def _read_object(pairs: list[tuple[str, object]], choices: Choices) -> Reading:
    answers = [value for name, value in pairs if name.lower() in words.JSON_FIELDS]
    if len(answers) != 1 or not isinstance(answers[0], str):
        return SEVERAL if len(answers) > 1 else NOTHING
    whole = _patterns(choices).whole.fullmatch(answers[0].strip())
    return LETTER_READINGS[whole["letter"].upper()] if whole else _read_words(answers[0], choices)


def _read_statements(reply: str, choices: Choices) -> Reading | None:
    patterns = _patterns(choices)
    kinds = (patterns.statement, patterns.choice, patterns.plain)
    matches = (match for pattern in kinds for match in islice(pattern.finditer(reply), _MAXIMUM_PLACES))
    found = {match.start("letter"): match.start() for match in matches}
    return _judged(reply, found, min(found, default=0), choices)


def _read_marks(reply: str, choices: Choices) -> Reading | None:
    found: dict[int, int] = {}
    patterns = _patterns(choices)
    for pattern in (patterns.label, patterns.own_line):
        places = (match.start("letter") for match in islice(pattern.finditer(reply), _MAXIMUM_PLACES))
        found.update({place: place for place in places})
    for match in islice(patterns.marked.finditer(reply), _MAXIMUM_PLACES):
        group = match.lastgroup or ""
        position = match.start(group)
        if _names_sound(reply, match.start()) or (
            not _is_strong(group) and _names_note(reply, match.start())
        ):
            continue
        found.setdefault(position, match.start())
    return _judged(reply, found, 0, choices)


def _is_strong(group: str) -> bool:
    """Whether a mark is a box or bold, which nobody puts around the name of a note."""
    return group in "fgh"


def _names_sound(reply: str, position: int) -> bool:
    """Whether a letter is the name of a clip or the like."""
    return words.NAMES_SOUND.search(reply[max(0, position - 20) : position]) is not None


def _names_note(reply: str, position: int) -> bool:
    """Whether a letter stands in a clause about notes or chords."""
    return words.NAMES_NOTE.search(_clause(reply, position)) is not None


def _clause(reply: str, position: int) -> str:
    """Return what stands before a place in its clause."""
    return _CLAUSE_END.split(reply[max(0, position - _CONTEXT) : position])[-1]


def _judged(reply: str, found: Mapping[int, int], start: int, choices: Choices) -> Reading | None:
    """Return the one letter that stands at the found places, if nothing speaks against it.

    Parameters
    ----------
    reply : str
        The text.
    found : mapping of int to int
        Where the letters stand, to where their statements begin.
    start : int
        Where the part begins in which no other letter may stand as an answer.
    choices : Choices
        What the letters mean.
    """
    if not found:
        return None
    letters = {reply[position].upper() for position in found}
    if len(letters) > 1 or len(found) >= _MAXIMUM_PLACES:
        return SEVERAL
    letter = letters.pop()
    for position, beginning in found.items():
        objection = _objection(reply, beginning, position)
        if objection is not None:
            return objection
    if _names_other(reply, letter, start, choices):
        return SEVERAL
    if _words_contradict(reply[max(found) + 1 : max(found) + _CONTEXT], letter, choices):
        return CONTRADICTED
    return LETTER_READINGS[letter]


def _objection(reply: str, start: int, position: int) -> Reading | None:
    if words.DENIAL.search(_clause(reply, start)):
        return DENIED
    sentence = _sentence(reply, position)
    if words.HEDGE.search(sentence):
        return HEDGED
    after = _SENTENCE_END.split(reply[position + 1 : position + _CONTEXT], maxsplit=1)[0]
    return DENIED if words.REJECTED.search(after) else None


def _names_other(reply: str, letter: str, start: int, choices: Choices) -> bool:
    """Whether another letter stands in the place of an answer, from a position on."""
    for match in _patterns(choices).ending.finditer(reply, start):
        if match["letter"] != letter and not _names_sound(reply, match.start()):
            return True
    return False


def _words_contradict(after: str, letter: str, choices: Choices) -> bool:
    """Whether the words right after the letter are those of another choice."""
    named = after.lstrip(" \t\"'`)]}*_.:;,(-\u2013\u2014").lower()
    others = [word.lower() for other, word in zip(LETTERS, choices, strict=False) if other != letter]
    return any(re.match(rf"{re.escape(word)}\b", named) for word in others)


def _sentence(reply: str, position: int) -> str:
    """Return the sentence around a place, looking no further than `_CONTEXT` characters."""
    before = _SENTENCE_END.split(reply[max(0, position - _CONTEXT) : position])[-1]
    after = _SENTENCE_END.split(reply[position : position + _CONTEXT], maxsplit=1)[0]
    return before + after


def _read_words(reply: str, choices: Choices) -> Reading:
    if not choices:
        return NOTHING
    tokens = _WORD.findall(reply.lower())
    phrases = [_WORD.findall(choice.lower()) for choice in choices]
    counts = [_occurrences(tokens, phrase) for phrase in phrases]
    named = [letter for letter, count in zip(LETTERS, counts, strict=False) if count]
    if len(named) > 1:
        return SEVERAL
    if not named:
        return NOTHING
    if words.DENIAL.search(reply):
        return DENIED
    if words.HEDGE.search(reply):
        return HEDGED
    stated = tokens[: tokens.index("because")] if "because" in tokens else tokens
    return LETTER_READINGS[named[0]] if _is_plain(stated, phrases[LETTERS.index(named[0])]) else NOTHING


def _is_plain(tokens: list[str], phrase: list[str]) -> bool:
    """Whether a reply names a choice once and says nothing beside it that could turn its meaning."""
    if _occurrences(tokens, phrase) != 1 or not words.NEUTRAL_WORDS.issuperset(set(tokens) - set(phrase)):
        return False
    following = tokens[tokens.index(phrase[-1]) + 1 :]
    return words.POSITIONS.issuperset(phrase) or words.CARRIERS.isdisjoint(following)


def _occurrences(tokens: list[str], phrase: list[str]) -> int:
    width = len(phrase)
    return (
        sum(tokens[start : start + width] == phrase for start in range(len(tokens) - width + 1))
        if width
        else 0
    )
