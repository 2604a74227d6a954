"""Rooms: reverberation time, alignment, positions, and the cache of responses."""

from __future__ import annotations

import math
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyroomacoustics
import pytest
from acoustics import decay_seconds
from hypothesis import given
from hypothesis import strategies as st

from listenbench.audio import SAMPLE_RATE
from listenbench.effects import get_audio_effect
from listenbench.effects.shoebox import (
    Room,
    compute_impulse_response,
    eyring_absorption,
    impulse_response,
    reverberation_time,
)
from listenbench.errors import RenderError, SpecError

FloatArray = npt.NDArray[np.floating[Any]]

ROOM = get_audio_effect("room")
TARGETS = (0.2, 0.5, 1.0)


def rooms(count: int, seed: int, **options: Any) -> list[Room]:
    rng = np.random.Generator(np.random.PCG64(seed))
    return [as_room(ROOM.draw(rng, ROOM.options(options))) for _ in range(count)]


def as_room(parameters: Mapping[str, Any]) -> Room:
    fields: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in parameters.items()}
    return Room(**fields)


def assert_reverberation(response: FloatArray, target: float) -> None:
    assert reverberation_time(response, SAMPLE_RATE) == pytest.approx(target, rel=0.006)
    # pyroomacoustics' own measure takes the two ends of the range in place of a line through all of it.
    independent = pyroomacoustics.experimental.measure_rt60(response, fs=SAMPLE_RATE, decay_db=20)
    assert independent == pytest.approx(target, rel=0.15)


@pytest.mark.parametrize("target", TARGETS)
def test_every_response_has_its_reverberation_time(target: float) -> None:
    for room in rooms(8, seed=1, rt60_s=[target]):
        assert_reverberation(impulse_response(room, SAMPLE_RATE), target)


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
def test_many_responses_have_their_reverberation_time(target: float) -> None:
    for room in rooms(20, seed=2, rt60_s=[target]):
        assert_reverberation(impulse_response(room, SAMPLE_RATE), target)


@pytest.mark.parametrize("rt60", [0.3, 0.7, 2.0])
def test_the_measure_finds_the_time_of_an_exponential(rt60: float) -> None:
    seconds = np.arange(int(rt60 * SAMPLE_RATE)) / SAMPLE_RATE
    noise = np.random.Generator(np.random.PCG64(3)).uniform(-1, 1, seconds.size)
    for response in (10 ** (-3 * seconds / rt60), noise * 10 ** (-3 * seconds / rt60)):
        assert reverberation_time(response, SAMPLE_RATE) == pytest.approx(rt60, rel=0.02)
        assert decay_seconds(response) == pytest.approx(rt60, rel=0.05)


def test_eyring_s_formula_against_a_calculation_by_hand() -> None:
    # V = 90 m3, S = 126 m2, T = 0.5 s: 0.1611 * 90 / (126 * 0.5) = 0.2301 = -ln(1 - a), a = 0.2056.
    assert eyring_absorption((6, 5, 3), 0.5) == pytest.approx(0.2056, abs=2e-4)


@pytest.mark.parametrize(
    ("dimensions", "rt60"),
    [([3.0, 2.5, 2.4], 0.3), ([10.0, 3.0, 2.5], 0.3), ([12.0, 8.0, 4.0], 0.8), ([25.0, 15.0, 9.0], 2.0)],
)
def test_rooms_of_other_sizes(dimensions: list[float], rt60: float) -> None:
    for room in rooms(3, seed=4, dimensions_m=dimensions, rt60_s=[rt60]):
        assert_reverberation(compute_impulse_response(room, SAMPLE_RATE), rt60)


def test_the_direct_sound_is_one_sample_at_the_start() -> None:
    for room in rooms(6, seed=5):
        response = impulse_response(room, SAMPLE_RATE)
        # The nearest reflection is the floor's or a wall's, at least 0.7 ms later.
        quiet = response[1:20]
        assert response[0] > 0
        assert np.max(np.abs(quiet)) < 0.05 * response[0]
        assert np.sum(response.astype(np.float64) ** 2) == pytest.approx(1, rel=1e-5)
        assert response.size == round(room.rt60_s * SAMPLE_RATE)


def test_the_nearest_reflection_arrives_when_geometry_says() -> None:
    # 1.5 m above the floor, 4 m apart: the floor's image is 5 m away, so it comes 1 m or 2.9 ms later.
    room = Room((6.0, 5.0, 3.4), 0.5, (1.0, 2.5, 1.5), (5.0, 2.5, 1.5), 1)
    response = np.abs(impulse_response(room, SAMPLE_RATE))
    arrival = 1 + np.argmax(response[1 : round(0.004 * SAMPLE_RATE)])
    assert arrival == pytest.approx((5 - 4) / 343 * SAMPLE_RATE, abs=2)


def test_a_click_comes_out_where_it_went_in() -> None:
    for seed in range(3):
        click = np.zeros(20_000, dtype=np.float32)
        click[7_000] = 0.5
        parameters = ROOM.draw(np.random.Generator(np.random.PCG64(seed)))
        echoed = ROOM.apply(click, SAMPLE_RATE, parameters)
        response = impulse_response(as_room(parameters), SAMPLE_RATE)
        assert np.max(np.abs(echoed[:7_000])) < 1e-6
        np.testing.assert_allclose(echoed[7_000 : 7_000 + response.size], 0.5 * response[:13_000], atol=1e-6)


@given(seed=st.integers(0, 2**32 - 1))
def test_positions_keep_their_distances(seed: int) -> None:
    (room,) = rooms(1, seed)
    for position in (room.source_m, room.microphone_m):
        assert all(0.5 <= p <= d - 0.5 for p, d in zip(position, room.dimensions_m, strict=True))
    assert math.dist(room.source_m, room.microphone_m) >= 1.0
    assert room.rt60_s in TARGETS


def test_positions_and_times_vary() -> None:
    drawn = rooms(60, seed=6)
    assert {room.rt60_s for room in drawn} == set(TARGETS)
    assert len({room.source_m for room in drawn}) == len({room.seed for room in drawn}) == 60


def test_impossible_rooms_are_refused() -> None:
    with pytest.raises(SpecError, match=r"rt60_s: expected a time for which the walls absorb .* got 0.1 s"):
        ROOM.options({"dimensions_m": [20.0, 15.0, 8.0], "rt60_s": [0.1]})
    with pytest.raises(SpecError, match="wall_distance_m: the room must be wider"):
        ROOM.options({"wall_distance_m": 1.5})
    with pytest.raises(SpecError, match=r"found no two points 8\.5 m apart"):
        rooms(1, seed=0, distance_m=8.5)
    with pytest.raises(SpecError, match=r"dimensions_m: expected at most 5000 cubic metres"):
        ROOM.options({"dimensions_m": [30.0, 20.0, 10.0], "rt60_s": [2.0]})
    inside = {"dimensions_m": [6.0, 5.0, 3.0], "rt60_s": 0.5, "source_m": [1.0, 1.0, 1.0], "seed": 0}
    with pytest.raises(SpecError, match=r"microphone_m: expected a point inside .* got \[1.0, 1.0, 3.5\]"):
        ROOM.check({**inside, "microphone_m": [1.0, 1.0, 3.5]})
    with pytest.raises(SpecError, match=r"microphone_m: expected at least 0.1 m from source_m"):
        ROOM.check({**inside, "microphone_m": [1.0, 1.0, 1.05]})


def test_a_click_has_no_reverberation_time() -> None:
    click = np.zeros(1000)
    click[:50] = np.linspace(1, 0, 50)
    with pytest.raises(RenderError, match="falls from -5 to -25 dB at once"):
        reverberation_time(click, SAMPLE_RATE)


def entries(folder: Path) -> list[Path]:
    return sorted((folder / "rooms").iterdir())


def test_cached_and_fresh_responses_are_the_same_bits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LISTENBENCH_CACHE", str(tmp_path))
    for room in rooms(3, seed=7):
        fresh = impulse_response(room, SAMPLE_RATE)
        cached = impulse_response(room, SAMPLE_RATE)
        again = compute_impulse_response(room, SAMPLE_RATE)
        assert fresh.tobytes() == cached.tobytes() == again.tobytes()
    assert len(entries(tmp_path)) == 3


@pytest.mark.parametrize("damage", ["truncated", "flipped", "empty", "text"])
def test_a_damaged_entry_is_computed_again(
    damage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LISTENBENCH_CACHE", str(tmp_path))
    (room,) = rooms(1, seed=8, rt60_s=[0.2])
    response = impulse_response(room, SAMPLE_RATE)
    (entry,) = entries(tmp_path)
    whole = entry.read_bytes()
    flipped = bytearray(whole)
    flipped[-1] ^= 1
    entry.write_bytes(
        {"truncated": whole[:-4], "flipped": bytes(flipped), "empty": b"", "text": b"<html>" * 20}[damage]
    )
    assert impulse_response(room, SAMPLE_RATE).tobytes() == response.tobytes()
    assert entry.read_bytes() == whole


def test_a_folder_that_can_not_be_written_costs_time_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (room,) = rooms(1, seed=9, rt60_s=[0.2])
    expected = impulse_response(room, SAMPLE_RATE)
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("LISTENBENCH_CACHE", str(tmp_path / "file"))
    assert impulse_response(room, SAMPLE_RATE).tobytes() == expected.tobytes()


def response_bytes(room: Room) -> bytes:
    """Return a response as bytes, in a worker."""
    return impulse_response(room, SAMPLE_RATE).tobytes()


def test_processes_share_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LISTENBENCH_CACHE", str(tmp_path))
    two = rooms(2, seed=10, rt60_s=[0.2])
    with ProcessPoolExecutor(3) as pool:
        responses = list(pool.map(response_bytes, two * 6))
    assert set(responses) == {compute_impulse_response(room, SAMPLE_RATE).tobytes() for room in two}
    assert responses == responses[:2] * 6
    assert len(entries(tmp_path)) == 2  # and no unfinished file beside them


def test_every_parameter_has_a_response_of_its_own() -> None:
    (room,) = rooms(1, seed=11, rt60_s=[0.2])
    other_seed = replace(room, seed=room.seed ^ 1)
    assert response_bytes(room) != response_bytes(other_seed)
    assert impulse_response(room, 48_000).size == round(0.2 * 48_000)
