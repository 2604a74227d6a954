"""The questions, and the fixed instruction at their end that says what each letter means.

Every wording says what to ignore: two melodies are the same when their sequence of intervals and their
rhythm are, whatever the pitch level, the instrument or the recording.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from listenbench.scoring.answers import LETTERS

_SAME_DIFFERENT: Final = MappingProxyType({"same": "same", "different": "different"})
_FASTER: Final = MappingProxyType({"slower": "first", "faster": "second"})
_SLOWER: Final = MappingProxyType({"faster": "first", "slower": "second"})

_MEANINGS: Final = MappingProxyType(
    {
        "same": "they are the same",
        "different": "they are different",
        "first": "it is the first clip",
        "second": "it is the second clip",
    }
)


@dataclass(frozen=True, slots=True)
class Question:
    """One wording.

    Attributes
    ----------
    text : str
        The question without the answer instruction.
    choices : tuple of (str, str)
        The two possible answers, in the order in which fixed letters name them.
    answers : mapping of str to str
        Relation of clip B to clip A, to the choice that is right then.
    """

    text: str
    choices: tuple[str, str]
    answers: Mapping[str, str]

    def relation_for(self, choice: str) -> str:
        """Return the relation that makes a choice the right one."""
        return next(relation for relation, right in self.answers.items() if right == choice)


def prompt(question: Question, choices: tuple[str, ...]) -> str:
    """Return the whole text that a model is given.

    Parameters
    ----------
    question : Question
        The wording.
    choices : tuple of str
        Its choices in the order of the letters, of which the first are used.
    """
    meanings = [
        f"{letter} if {_MEANINGS.get(choice, f'it is {choice}')}"
        for letter, choice in zip(LETTERS, choices, strict=False)
    ]
    listed = f"{', '.join(meanings[:-1])} or {meanings[-1]}"
    return f"{question.text} Answer {listed}. Reply with the letter only."


def _same_different(*texts: str) -> tuple[Question, ...]:
    return tuple(Question(text, ("same", "different"), _SAME_DIFFERENT) for text in texts)


def _which(answers: Mapping[str, str], *texts: str) -> tuple[Question, ...]:
    return tuple(Question(text, ("first", "second"), answers) for text in texts)


MELODY: Final = _same_different(
    "You hear two clips with a pause between them. Do they play the same melody? The melody is the "
    "sequence of intervals and note values; ignore how high it lies, the instrument and the recording.",
    "Listen to both clips. Is the tune of the second one the tune of the first? A tune that is moved up "
    "or down as a whole is still the same; so is one with another sound quality.",
    "Compare the melodies of the two clips, step by step. Are they the same? Leave the key, the room and "
    "the noise out of account.",
    "Two short melodies, one second apart: the same or different? Transposing all notes together, echo, "
    "hiss and tone colour make no difference.",
    "Does every interval of the melody in clip one come back in clip two? Only the intervals and the "
    "rhythm count, not the pitch level and not the sound of the recording.",
    "Is the melody the same in both clips? Count a single altered note as different. Don't count a change "
    "of key, loudness, echo or brightness.",
    "A melody is played, then there is silence, then a melody is played again. Are the two the same "
    "succession of pitches, whatever note they start from and however they were recorded?",
    "Judge only the melodic line: does the second clip repeat the line of the first? A shift of the whole "
    "line and differences in recording quality are to be ignored.",
)

HARMONY: Final = _same_different(
    "You hear two clips with a pause between them. Is the harmony the same in both? Harmony means the "
    "kinds of chords and their succession; ignore the pitch level, the sound and the recording.",
    "Listen to the chords of both clips. Are they the same chords, apart from the key that they are in "
    "and the way they were recorded?",
    "Compare the chords of the two clips. Is every chord of the same quality in both? Moving all of them "
    "up or down together, echo and noise don't count.",
    "Same or different harmony? One changed tone inside a chord makes it different; a transposition of "
    "everything, or another room or tone colour, doesn't.",
    "Do the two clips have the same chord or chords? Pay attention to the tones within each chord, and "
    "not to the key, the hiss or the brightness of the sound.",
    "A chord or a few chords are played, and after a second of silence they come again. Is the harmony "
    "unchanged, whatever the pitch level and the recording?",
    "Judge the harmony alone: does the second clip keep the chord types of the first? Ignore a shift of "
    "the whole, the acoustics and the recording quality.",
    "Do all chords stay what they are from the first clip to the second? Only the make-up of the chords "
    "counts, not their common pitch level and not how the recording sounds.",
)

TIMBRE: Final = _same_different(
    "You hear two clips with a pause between them. Are they played on the same instrument? Ignore the "
    "notes, the room, the noise and the quality of the recording.",
    "Listen to both clips. Is it the same kind of instrument in both, whatever it plays and however "
    "it was recorded?",
    "Compare the instruments of the two clips. Are they the same? Other notes, echo, hiss and a darker "
    "or brighter recording don't make another instrument.",
    "Same instrument or different instruments? Judge who is playing, not what is played, and not where "
    "or how it was recorded.",
    "Does the second clip use the instrument of the first? Leave out of account the notes, the echo, the "
    "background noise and the tone controls.",
    "One instrument plays, then there is silence, then an instrument plays again. Is it the same one, "
    "whatever the music, the acoustics and the recording?",
    "Judge the instrument alone: is it unchanged from the first clip to the second? Differences in notes, "
    "room, noise and equalisation are to be ignored.",
    "Does the instrument stay the same from the first clip to the second? Only the instrument counts, not "
    "the music and not the sound of the recording.",
)

RHYTHM: Final = (
    *_which(
        _FASTER,
        "You hear two clips with a pause between them. Which one has the faster beat? Ignore the sound, "
        "the room and the recording.",
        "Listen to both clips. In which of them do the beats follow one another more quickly? Loudness, "
        "echo and tone colour don't count.",
        "Compare the tempo of the two clips. Which tempo is higher? The way the clips were recorded "
        "makes no difference.",
        "The same rhythm is played at two speeds. Which clip is the quicker one? Leave noise and echo "
        "out of account.",
    ),
    *_which(
        _SLOWER,
        "You hear two clips with a pause between them. Which one has the slower beat? Ignore the sound, "
        "the room and the recording.",
        "Listen to both clips. In which of them do the beats follow one another less quickly? Loudness, "
        "echo and tone colour don't count.",
        "Compare the tempo of the two clips. Which tempo is lower? The way the clips were recorded "
        "makes no difference.",
        "The same rhythm is played at two speeds. Which clip is the slower one? Leave noise and echo "
        "out of account.",
    ),
)
