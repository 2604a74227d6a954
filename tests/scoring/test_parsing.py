"""Reading answers in free text: what counts, and above all what doesn't."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from listenbench.scoring import parse_answer
from listenbench.scoring.answers import LETTERS
from listenbench.scoring.parsing import read_reply

SAME = ("same", "different")
FIRST = ("first", "second")

ANSWERED = [
    *(
        (text, "B")
        for text in ("B", "b", "B.", "B)", "(B)", '"B"', "'B'", "**B**", "`B`", "[B]", "{B}", " B\n")
    ),
    *(
        (text, "B")
        for text in ("$\\boxed{B}$", "\\boxed{\\text{B}}", "\\(\\boxed{B}\\)", "\uff22", "\u201cB\u201d")
    ),
    ("The answer is B.", "B"),
    ("Answer: B", "B"),
    ("answer: b", "B"),
    ("**Answer:** A", "A"),
    ("**Answer: A**", "A"),
    ("Final answer: (B)", "B"),
    ("answer = 'B'", "B"),
    ("The answer is:\n\nB", "B"),
    ('{"answer": "B"}', "B"),
    ('{"answer": "B"} {"answer": "B"}', "B"),
    ('```json\n{"answer": "B"}\n```', "B"),
    ('{"explanation": "A is unlike it", "answer": "B"}', "B"),
    ("<answer>B</answer>", "B"),
    ("B<|im_end|>", "B"),
    ("<think>Is it A? Maybe A or B.</think>\nB", "B"),
    ("so the two are alike</think> A", "A"),
    ("B) different", "B"),
    ("B. The melody changes at the second note.", "B"),
    ("A\n\nThe clips are the same.", "A"),
    ("Answer: B (different)", "B"),
    ("(A) same\n(B) different\nAnswer: B", "B"),
    ("The answer is B because the third note is higher.", "B"),
    ("Listening to clip A and clip B, the third note moved. The answer is B.", "B"),
    ("Therefore, the answer is $\\boxed{B}$.", "B"),
    ("The correct option is **B**", "B"),
    ("So I think **B**", "B"),
    ("I choose B.", "B"),
    ("I'd go with option A.", "A"),
    ("It's B.", "B"),
    ("So I think it's B.", "B"),
    ("Option B", "B"),
    ("Answer: B) different", "B"),
    ("<b>B</b>", "B"),
    ("Answer: B<eos>", "B"),
    ("The notes move.\n- **B**", "B"),
    ("B.\n\nExplanation: clip A has C-E-G; clip B has C-Eb-G.", "B"),
    ("Neither clip changes. Answer: A", "A"),
    ("They are the same (A).", "A"),
    ("Answer: different", "B"),
    ('{"answer": "different"}', "B"),
    ("I can't hear any difference. Answer: A", "A"),
    ("The chords differ, so (B)", "B"),
    ("same", "A"),
    ("Different!", "B"),
    ("They are different.", "B"),
    ("The two clips are the same.", "A"),
    ("The melodies are different because the last note is lower.", "B"),
]

UNREADABLE = [
    *(
        "",
        " \n",
        "C",
        "The answer is C",
        "AB",
        "AAAA",
        "Apple",
        "Because",
        "Bb",
        "A#",
        "B\u266d",
        "B-flat",
        "\u00c5",
        "\u00c0",
    ),
    *(
        "A or B",
        "A and B",
        "A/B",
        "Both",
        "Neither",
        "Either A or B",
        "The answer is A or B",
        "Answer: A, B",
        "A, B",
    ),
    *("not the same", "same or different?", "They're the same, except one note", "no difference"),
    "Answer: A. Wait, Answer: B",
    "The answer is B, not A.",
    "A: 120 bpm, B: 132 bpm",
    '["A","B"]',
    '{"answer": "A", "choice": "B"}',
    '{"answer": "A", "answer": "B"}',
    '{"answer": "A"} {"answer": "B"}',
    '{"answer": "A"}\n{"answer": "B"}',
    '{"answer": 1}',
    '{"answer": "A or B"}',
    "I'm sorry, I can't listen to audio. A",
    "As an AI, I pick B.",
    "I cannot process audio files. The answer is B.",
    "There is no audio attached. Answer: A",
    "Cannot tell",
    "I'm not sure, but the answer is B.",
    "I guess B",
    "Maybe B",
    "It could be B.",
    "The answer is B?",
    "Is the answer B?",
    "If they differ, the answer is B.",
    "The answer is not B",
    "I don't think the answer is B.",
    "The wrong answer is B",
    "A melody is played twice.",
    "The answer is a melody",
    "The answer is A minor chord",
    "A major",
    'The first note is "A"',
    "I hear clip (B) louder",
    "Something new is in clip B.",
    "Answer A if they are the same or B if they are different. Reply with the letter only.",
    "They have the same tempo but the tune changes",
    "The two clips are different recordings.",
    "B) same",
    "Answer: A) different",
    "A is different",
    "The answer is A or (B)",
    "A or B? **B**",
    "The answer is B. I can't be sure.",
    "The root is A. It is A.",
    "The first clip plays in A. The second in B.",
    "A... no wait, B",
    "Not A. B.",
    "I pick clip B",
    "B B",
    "A\nB",
    "The answer is A: different",
    "<think>so the answer is B",
]


@pytest.mark.parametrize(("text", "letter"), ANSWERED)
def test_answers_that_are_read(text: str, letter: str) -> None:
    assert parse_answer(text, SAME) == letter


@pytest.mark.parametrize("text", UNREADABLE)
def test_replies_without_one_plain_answer(text: str) -> None:
    assert parse_answer(text, SAME) is None


@pytest.mark.parametrize(
    ("text", "letter"),
    [
        ("second", "B"),
        ("The second clip.", "B"),
        ("It is the first one", "A"),
        ("not the first", None),
        ("first or second", None),
        ("The second clip is slower", None),
        ("The first is faster than the second", None),
    ],
)
def test_words_of_a_position(text: str, letter: str | None) -> None:
    assert parse_answer(text, FIRST) == letter


def test_words_follow_the_choices() -> None:
    assert parse_answer("They are different.", {"A": "different", "B": "same"}) == "A"
    assert parse_answer("They are different.") is None
    assert parse_answer("B", None) == "B"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty reply"),
        ("hm", "no answer named"),
        ("A or B: **A**, **B**", "more than one answer named"),
        ("I'm sorry, but I can't help with that.", "refusal"),
        ("It might be B. Answer: maybe (B)", "hedge, condition or question"),
        ("That is not (B)", "answer denied"),
        ("B) same", "letter and words disagree"),
    ],
)
def test_reasons_are_told_apart(text: str, reason: str) -> None:
    assert read_reply(text, SAME).reason == reason


@given(st.text(alphabet="ABCDEFGHabcdefgh", min_size=2, max_size=30))
def test_no_credit_for_a_letter_inside_a_word(word: str) -> None:
    assert parse_answer(word, SAME) is None
    assert parse_answer(f"The answer is {word}.", SAME) is None


@given(st.text(max_size=300))
def test_any_text_is_read_as_a_letter_or_nothing(text: str) -> None:
    assert parse_answer(text, SAME) in (None, *LETTERS)


@given(
    st.sampled_from([(text, letter) for text, letter in ANSWERED if "{" not in text]),
    st.sampled_from(["A", "B"]),
)
def test_a_second_statement_of_the_other_letter_undoes_the_first(case: tuple[str, str], other: str) -> None:
    text, letter = case
    if other != letter:
        assert parse_answer(f"{text}\nAnswer: {other}\nAnswer: {letter}", SAME) is None


@pytest.mark.parametrize(
    "piece", ["(", "answer: A or ", "I ", "\n", "can't a ", "$", "{", '"A" "B" ', "*", "<think>", "not a "]
)
def test_long_hostile_text_names_nothing(piece: str) -> None:
    assert parse_answer(piece * 20_000, SAME) is None
