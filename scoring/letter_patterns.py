"""The patterns by which the letter of an answer is found in free text, for each number of choices.

All patterns have bounded repetitions, so that the time is linear in the length of the text. Each has a group
`letter`, but for `marked`, which has one a kind of mark.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Final

from listenbench.scoring.answers import LETTERS

_OPEN: Final = r"[\s\"'`(\[{*_]{0,8}"
_CLOSE: Final = r"[\"'`)\]}*_]{0,8}"
_END: Final = r"(?=\s{0,3}(?:$|\n|[.,:;!](?!\w)|\(|[\u2013\u2014]|-\s|-$)|\s{1,3}(?:because|since|as)\b)"
_STOP: Final = rf"(?:{_CLOSE}{_END}|\)(?=\s))"
_NOUN: Final = r"(?:option|choice|letter|answer)"


@dataclass(frozen=True, slots=True)
class LetterPatterns:
    """How letters stand in replies.

    Attributes
    ----------
    whole : re.Pattern
        A reply that is a letter and nothing else but marks, or 'option B' and the like.
    statement : re.Pattern
        'answer: B', 'the answer is (B)', '"answer": "B"', 'the correct option is **B**'.
    choice : re.Pattern
        'I choose B', 'I'd go with option A'.
    plain : re.Pattern
        'It's B.' as the first words, or after 'so', 'therefore' or 'I think'.
    label : re.Pattern
        A line that starts with 'B.', 'B)', '(B)', 'B:', 'B -'.
    own_line : re.Pattern
        A line that is a letter with or without marks.
    marked : re.Pattern
        A letter within a line in quotes, brackets, bold or a box.
    ending : re.Pattern
        A capital letter that ends a phrase, so that it is no article.
    """

    whole: re.Pattern[str]
    statement: re.Pattern[str]
    choice: re.Pattern[str]
    plain: re.Pattern[str]
    label: re.Pattern[str]
    own_line: re.Pattern[str]
    marked: re.Pattern[str]
    ending: re.Pattern[str]


@cache
def patterns_for(letters: int) -> LetterPatterns:
    """Return the patterns for questions with so many letters, the first of the alphabet."""
    one = f"[{''.join(LETTERS[:letters])}]"
    letter = f"(?P<letter>{one})"
    return LetterPatterns(
        whole=re.compile(
            rf"{_OPEN}(?:{_NOUN}{_CLOSE}\s{{0,3}}[:=]?\s{{0,3}})?"
            rf"{_OPEN}{letter}[\s\"'`)\]}}*_.:;!,]{{0,12}}",
            re.IGNORECASE,
        ),
        statement=re.compile(
            rf"(?:\b(?:answer|verdict|conclusion)\b|\b(?:correct|right|best|my|final|chosen)\s{{1,3}}{_NOUN}\b)"
            rf"{_CLOSE}\s{{0,3}}(?:is\b|was\b|must\s{{1,3}}be\b|should\s{{1,3}}be\b|:|=|-{{1,2}}>|\u2192)"
            rf"{_CLOSE}\s{{0,3}}:?{_OPEN}(?:{_NOUN}\s{{1,3}})?{_OPEN}{letter}{_STOP}",
            re.IGNORECASE,
        ),
        choice=re.compile(
            r"\bI(?:'d|'ll|\swould|\swill|\smust)?\s{1,3}"
            r"(?:choose|chose|pick|picked|select|selected|answer|say|go\swith|went\swith|vote\sfor)\s{1,3}"
            rf"(?:{_NOUN}\s{{1,3}})?{_OPEN}{letter}{_STOP}"
        ),
        plain=re.compile(
            r"(?:\A|\b(?:[Ss]o|[Tt]hus|[Hh]ence|[Tt]herefore|I think|I believe),?\s{1,3})"
            rf"(?:[Ii]t\sis|[Ii]t's)\s{{1,3}}(?:{_NOUN}\s{{1,3}})?{_OPEN}{letter}{_STOP}"
        ),
        label=re.compile(
            rf"^[ \t\"'`(\[{{*_]{{0,8}}{letter}"
            rf"(?:{_CLOSE}[.:;,)]{_CLOSE}(?=\s|$)|{_CLOSE}\s{{1,3}}[-\u2013\u2014]\s|[\"'`)\]}}*_]{{1,8}}(?=\s))",
            re.MULTILINE,
        ),
        own_line=re.compile(rf"^[ \t\"'`(\[{{*_]{{0,8}}{letter}[ \t\"'`)\]}}*_.:!]{{0,8}}$", re.MULTILINE),
        marked=re.compile(
            rf"(?<!\w)(?:\"\s?(?P<a>{one})\.?\s?\"|'(?P<b>{one})\.?'|`(?P<c>{one})`|\((?P<d>{one})\)|\[(?P<e>{one})\]"
            rf"|\{{{{1,2}}\s?\(?(?P<f>{one})\)?\s?\}}{{1,2}}|\*{{1,3}}\s?\(?(?P<g>{one})[.):]{{0,2}}\s?\*{{1,3}}"
            rf"|__(?P<h>{one})__)(?!\w)"
        ),
        ending=re.compile(
            rf"(?<![\w'\u2019.#-]){letter}(?=\s{{0,3}}(?:[.,:;!?)\]}}\"*'/]|$|\n|(?:and|or|nor|vs)\b))"
        ),
    )
