"""The vocabulary by which free text is read; `listenbench.scoring.parsing` applies it.

All patterns have bounded repetitions, so that the time is linear in the length of the text.
"""

from __future__ import annotations

import re
from typing import Final

REASONING: Final = re.compile(r"<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
"""What a reasoning model says before its answer, closed or broken off."""

REASONING_END: Final = re.compile(r"</(?:think|thinking|reasoning)>", re.IGNORECASE)
"""The end of a reasoning block whose beginning was part of the prompt."""

CONTROL_TOKENS: Final = re.compile(
    r"<\|[^|<>]{1,30}\|>|<(?:/?s|eos|end_of_turn|/answer|/?(?:b|strong|i|em|p|br))\s?/?>", re.IGNORECASE
)
"""Tokens and tags that frame a reply or a letter."""

LATEX: Final = re.compile(
    r"\\(?:boxed|fbox|text|textbf|textrm|mathrm|mathbf|mathsf)(?![A-Za-z])|\\[()\[\]]|\$"
)
"""LaTeX commands around an answer; the braces stay and count as brackets."""

_HEARD: Final = (
    r"(?:clip|recording|audio|sample|sound|track|excerpt|segment|section|part|file|passage|phrase"
    r"|note|pitch|tone|key|chord)"
)

NAMES_SOUND: Final = re.compile(rf"{_HEARD}s?\s{{0,3}}[\"'`(\[{{*_]{{0,4}}\Z", re.IGNORECASE)
"""'clip' right before a letter: it names a sound, not an answer."""

NAMES_NOTE: Final = re.compile(
    r"\b(?:notes?|pitch(?:es)?|tones?|keys?|chords?|scales?|strings?)\b", re.IGNORECASE
)
"""Words in whose clause a letter in quotes or brackets may be the name of a note."""

_CANNOT: Final = (
    r"\b(?:can(?:not|'t| not)|could(?:n't| not)|unable to|not able to|won't|will not|not capable of"
    r"|do(?:n't| not) have the ability to)\s(?:\w{1,12}\s){0,3}?"
)
_REFUSED_ACTS: Final = (
    r"(?:answer|listen\w{0,3}|process|access|play|determin\w{1,3}|tell|provide|assist|help|comply|analy[sz]\w{1,3}"
    r"|decide|judge|compare|know"
    r"|hear (?:the |any |your |an |these |those |this )?(?:audio|clips?|recordings?|sounds?|files?|music))\b"
)
_NO_SOUND: Final = r"no (?:audio|sound|recording|clip|file)s?\b"

REFUSAL: Final = re.compile(
    rf"{_CANNOT}{_REFUSED_ACTS}"
    r"|\bas an? (?:AI|language model|text-based)\b|\b(?:I'm|I am) (?:sorry|afraid)\b"
    r"|^\s{0,9}sorry\b|\bapologi[sz]e\b"
    rf"|\b{_NO_SOUND}(?: \w{{1,12}})? (?:was|were|is|are|has|have|provided|attached|included)\b"
    rf"|\b(?:is|are|was|were|see|had?|have|receive|received|contains?) {_NO_SOUND}(?! (?:difference|change))"
    r"|\b(?:do|did)(?:n't| not) (?:have access|receive|hear (?:any|the) audio)\b|\bhave no access\b",
    re.IGNORECASE | re.MULTILINE,
)
"""A refusal, or a reply that says that nothing was heard."""

UNCERTAIN: Final = re.compile(
    r"\b(?:(?:not|can't|cannot) (?:\w{1,12} )?(?:sure|certain|clear)|unsure|uncertain|unclear"
    r"|(?:hard|difficult) to (?:say|tell)"
    r"|impossible to|guess\w{0,3}|no idea|(?:do|does)(?:n't| not) know|toss-up|ambiguous"
    r"|either (?:one|answer|is)"
    r"|both (?:answers|options|A and B|are (?:possible|correct)))\b",
    re.IGNORECASE,
)
"""Words that take back an answer wherever they stand."""

HEDGE: Final = re.compile(
    r"\b(?:if|unless|whether|either|maybe|perhaps|possibl[ey]|probabl[ey]|presumably|likely|might|may|could"
    r"|seems?|appears?|supposed?|depends?|lean\w{0,3})\b|\?",
    re.IGNORECASE,
)
"""Words that take back an answer in the sentence that they stand in."""

DENIAL: Final = re.compile(
    r"\b(?:not|never|no|nor|neither|none|nothing|cannot|hardly|barely|wrong|incorrect|false|doubt|unlikely|without"
    r"|except|excluding|rather than|instead of)\b|n't\b",
    re.IGNORECASE,
)
"""Words that turn a statement round."""

REJECTED: Final = re.compile(r"\b(?:wrong|incorrect|false|untrue)\b", re.IGNORECASE)
"""Words after an answer that reject it."""

JSON_FIELDS: Final = frozenset({"answer", "final_answer", "finalanswer", "choice", "letter", "option"})
"""Keys under which a JSON object has its answer, in lower case."""

CARRIERS: Final = frozenset(
    {"clip", "clips", "recording", "recordings", "audio", "sound", "sounds", "sample", "samples"}
    | {"track", "tracks", "excerpt", "excerpts"}
)
"""What carries the music: 'different recordings' doesn't speak about it, 'the recordings differ' would."""

POSITIONS: Final = frozenset({"first", "second"})
"""Choices that name a clip, so that 'clip' may follow them."""

NEUTRAL_WORDS: Final = CARRIERS | frozenset(
    {"all", "am", "and", "answer", "are", "be", "believe", "both", "choice", "clear", "clearly"}
    | {
        "conclude",
        "correct",
        "definitely",
        "each",
        "exactly",
        "final",
        "finally",
        "for",
        "has",
        "have",
        "hear",
    }
    | {"i", "i'd", "i'm", "in", "is", "it", "it's", "its", "my", "of", "on", "one", "ones", "option", "pair"}
    | {"say", "so", "that", "the", "their", "them", "therefore", "these", "they", "they're", "think", "this"}
    | {"those", "thus", "to", "two", "was", "we", "were", "melody", "melodies", "tune", "tunes", "harmony"}
    | {"harmonies", "chord", "chords", "instrument", "instruments"}
)
"""Words beside which the words of a choice keep their plain meaning."""
