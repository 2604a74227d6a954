"""The balance of the design, for any number of items."""

from collections import Counter
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from listenbench.design import Axes, cells

AXES = st.builds(
    Axes,
    choices=st.just(("same", "different")),
    rungs=st.integers(1, 5).map(lambda n: tuple(range(n))),
    factors=st.integers(1, 5).map(lambda n: tuple(f"factor {i}" for i in range(n))),
    wordings=st.integers(1, 9),
    letter_orders=st.sampled_from([(False,), (False, True)]),
    soundfonts=st.sampled_from([("one",), ("one", "two")]),
)
SEEDS = st.integers(0, 2**64 - 1)


def spread(counter, values):
    counts = [counter[value] for value in values]
    return max(counts) - min(counts)


@given(AXES, SEEDS, st.integers(1, 130))
def test_every_prefix_is_balanced(axes, seed, number):
    drawn = list(islice(cells(axes, seed, "split", "task"), number))
    answers = Counter(cell.choice for cell in drawn)
    assert spread(answers, axes.choices) <= number % 2
    crossed = Counter((cell.choice, cell.rung, cell.factor) for cell in drawn)
    combinations = [(c, r, f) for c in axes.choices for r in axes.rungs for f in axes.factors]
    assert spread(crossed, combinations) <= 1
    for choice in axes.choices:
        of_choice = [cell for cell in drawn if cell.choice == choice]
        assert spread(Counter(c.rung for c in of_choice), axes.rungs) <= 1 + len(of_choice) // (
            len(axes.rungs) * len(axes.factors)
        )


@given(AXES, SEEDS, st.integers(1, 40))
def test_pairs_share_everything_but_the_answer(axes, seed, pairs):
    drawn = list(islice(cells(axes, seed, "split", "task"), 2 * pairs))
    for first, second in zip(drawn[::2], drawn[1::2], strict=True):
        assert {first.choice, second.choice} == set(axes.choices)
        assert (first.wording, first.swapped, first.soundfont) == (
            second.wording,
            second.swapped,
            second.soundfont,
        )


@given(AXES, SEEDS)
def test_wordings_letters_and_soundfonts_are_used_evenly(axes, seed):
    for values, name in (
        (range(axes.wordings), "wording"),
        (axes.letter_orders, "swapped"),
        (axes.soundfonts, "soundfont"),
        (axes.textures, "texture"),
    ):
        block = 2 * len(values) * -(-16 // len(values))
        drawn = list(islice(cells(axes, seed, "split", "task"), 3 * block))
        assert spread(Counter(getattr(cell, name) for cell in drawn), values) == 0


def test_the_order_of_answers_is_not_fixed():
    axes = Axes(("same", "different"), (1, 2), ("a", "b"), 3, (False,), ("one",))
    drawn = list(islice(cells(axes, 0, "split", "task"), 2000))
    firsts = Counter(cell.choice for cell in drawn[::2])
    assert firsts["same"] == pytest.approx(500, abs=75)
    repeats = sum(a.choice == b.choice for a, b in zip(drawn[1::2], drawn[2::2], strict=False))
    assert repeats == pytest.approx(500, abs=75)
