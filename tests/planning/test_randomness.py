"""Random streams: repeatable, and unrelated to one another."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from listenbench.errors import SpecError
from listenbench.randomness import checked_seed, pick_weighted, shuffled, stream


def test_a_stream_is_pinned():
    assert stream(0, "test", "melody", 3, "music").integers(1000, size=4).tolist() == [78, 837, 373, 522]


@given(st.integers(0, 2**64 - 1), st.integers(0, 10**6))
def test_streams_repeat_and_neighbours_differ(seed, index):
    here = stream(seed, "test", "melody", index, "music").integers(2**62, size=4).tolist()
    assert here == stream(seed, "test", "melody", index, "music").integers(2**62, size=4).tolist()
    neighbours = [
        stream(seed, "test", "melody", index + 1, "music"),
        stream(seed, "test", "melody", index, "take"),
        stream(seed, "test", "harmony", index, "music"),
        stream(seed, "train", "melody", index, "music"),
        stream((seed + 1) % 2**64, "test", "melody", index, "music"),
    ]
    for neighbour in neighbours:
        assert not set(here) & set(neighbour.integers(2**62, size=4).tolist())


def test_seeds_are_not_added_to_indices():
    """Seed s at index i + 1 must not be seed s + 1 at index i."""
    of_seed_0 = {stream(0, "test", "melody", i).integers(2**62) for i in range(500)}
    of_seed_1 = {stream(1, "test", "melody", i).integers(2**62) for i in range(500)}
    assert len(of_seed_0) == len(of_seed_1) == 500
    assert not of_seed_0 & of_seed_1


@pytest.mark.parametrize("seed", [-1, 2**64, 1.5, "0", True, None])
def test_wrong_seeds_are_refused(seed):
    with pytest.raises(SpecError, match="seed"):
        checked_seed(seed)


@pytest.mark.parametrize("seed", [0, 2**64 - 1, np.int64(5)])
def test_right_seeds_are_taken(seed):
    assert checked_seed(seed) == int(seed)


@given(st.integers(0, 1000), st.lists(st.integers(), max_size=20))
def test_shuffling_loses_nothing(seed, values):
    assert sorted(shuffled(stream(seed, "x"), values)) == sorted(values)


def test_weights_are_respected():
    generator = stream(0, "weights")
    drawn = [pick_weighted(generator, ("a", "b", "c"), (1, 0, 3)) for _ in range(4000)]
    assert drawn.count("b") == 0
    assert drawn.count("c") == pytest.approx(3000, abs=120)
