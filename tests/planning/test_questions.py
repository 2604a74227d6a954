"""The instruction at the end of a question."""

import pytest

from listenbench.questions import MELODY, prompt


@pytest.mark.parametrize(
    ("choices", "instruction"),
    [
        (("same", "different"), "Answer A if they are the same or B if they are different."),
        (("second", "first"), "Answer A if it is the second clip or B if it is the first clip."),
        (
            ("major", "minor", "diminished", "augmented"),
            "Answer A if it is major, B if it is minor, C if it is diminished or D if it is augmented.",
        ),
    ],
)
def test_the_instruction_says_what_each_letter_means(choices, instruction):
    question = MELODY[0]
    assert prompt(question, choices) == f"{question.text} {instruction} Reply with the letter only."
