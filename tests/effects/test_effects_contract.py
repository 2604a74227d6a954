"""What every effect must do, checked over the whole registry."""

from __future__ import annotations

import json
import math
import os
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from listenbench.attributes import ATTRIBUTES
from listenbench.audio import SAMPLE_RATE
from listenbench.effects import EFFECTS, AudioEffect, ClipEffect, Stage, apply_chain, get_effect
from listenbench.effects.base import TASKS, Effect
from listenbench.errors import SpecError
from listenbench.items import Change
from listenbench.music import Clip

AUDIO = {name: effect for name, effect in EFFECTS.items() if isinstance(effect, AudioEffect)}
DRAWS = 20
OPTIONS: dict[str, dict[str, Any]] = {"soundfont": {"candidates": ["fluidr3-gm", "timgm6mb"]}}
"""Options of the effects that have nothing to draw by default."""


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(seed))


def drawn(name: str, seed: int = 0) -> dict[str, Any]:
    effect = EFFECTS[name]
    return effect.draw(rng(seed), effect.options(OPTIONS.get(name)))


def short_noise(count: int = 22_050, seed: int = 1) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    return (0.1 * (2 * rng(seed).random(count) - 1)).astype(np.float32)


@pytest.fixture(params=EFFECTS)
def effect(request: pytest.FixtureRequest) -> Effect[Any, Any]:
    return EFFECTS[request.param]


@pytest.fixture(params=AUDIO)
def audio_effect(request: pytest.FixtureRequest) -> AudioEffect[Any, Any]:
    return AUDIO[request.param]


def test_says_what_it_is(effect: Effect[Any, Any]) -> None:
    assert get_effect(effect.name) is effect
    assert effect.name.isidentifier()
    assert effect.title
    assert effect.keeps
    assert effect.keeps <= TASKS
    assert effect.alters <= set(ATTRIBUTES)
    # An attribute bears the name of the task that asks about it.
    assert not effect.alters & effect.keeps
    assert isinstance(effect, AudioEffect) == (effect.stage is Stage.AUDIO)
    assert isinstance(effect, ClipEffect) == (effect.stage is Stage.CLIP)
    if effect.stage is Stage.AUDIO:
        assert not effect.alters


def test_an_unknown_name_is_refused_with_those_known() -> None:
    with pytest.raises(SpecError, match=r"unknown effect 'rooom': choose from room, eq, hiss"):
        get_effect("rooom")


def test_draws_are_plain_data_and_repeat(effect: Effect[Any, Any]) -> None:
    for seed in range(DRAWS):
        parameters = drawn(effect.name, seed)
        assert json.loads(json.dumps(parameters)) == parameters
        assert drawn(effect.name, seed) == parameters
        effect.check(parameters)


def test_options_are_the_draw_s_only_source(effect: Effect[Any, Any]) -> None:
    default = effect.options()
    assert effect.options(default.model_dump(mode="json")) == default
    with pytest.raises(SpecError, match=f"effects.{effect.name}: colour: unknown name"):
        effect.options({"colour": 1})
    with pytest.raises(SpecError, match=f"effects.{effect.name}: not plain data"):
        effect.options({"colour": object()})


def wrong_values(value: Any) -> list[Any]:
    """Return values that no parameter with such a value may have."""
    if isinstance(value, str):
        return ["", 7]
    if isinstance(value, int):
        return [10**12, -(10**12), 0.5, "1"]
    if isinstance(value, float):
        return [1e12, -1e12, "1", True]
    if isinstance(value, list):
        return [[], "1", *([wrong, *value[1:]] for wrong in wrong_values(value[0]))]
    raise NotImplementedError(f"no wrong values are known for {value!r}")


def test_wrong_parameters_are_refused_by_name_and_value(effect: Effect[Any, Any]) -> None:
    parameters = drawn(effect.name)
    with pytest.raises(SpecError, match="colour: unknown name"):
        effect.check({**parameters, "colour": 1})
    for name, value in parameters.items():
        for wrong in wrong_values(value):
            with pytest.raises(
                SpecError, match=rf"effect {effect.name}: {name}.*(, got |: missing)"
            ) as error:
                effect.check({**parameters, name: wrong})
            assert "\n" not in str(error.value)


def test_numbers_out_of_range_are_refused_with_the_range(effect: Effect[Any, Any]) -> None:
    parameters = drawn(effect.name)
    for name, value in parameters.items():
        if isinstance(value, (int, float)):
            for wrong in (1e12, -1e12):
                with pytest.raises(
                    SpecError, match=rf"{name}: .*(be |above |below |least |most )-?\d.*, got"
                ):
                    effect.check({**parameters, name: type(value)(wrong)})
            for wrong in (math.nan, math.inf):
                with pytest.raises(SpecError, match=f"{name}: .* got {wrong}"):
                    effect.check({**parameters, name: wrong})


def test_missing_parameters_are_refused_by_name(effect: Effect[Any, Any]) -> None:
    defaults = {name for name, field in effect.Parameters.model_fields.items() if not field.is_required()}
    parameters = drawn(effect.name)
    for name in set(parameters) - defaults:
        rest = {key: value for key, value in parameters.items() if key != name}
        with pytest.raises(SpecError, match=f"effect {effect.name}: {name}: missing"):
            effect.check(rest)


def test_keeps_length_and_leaves_its_input_alone(audio_effect: AudioEffect[Any, Any]) -> None:
    for count in (0, 1, 2, 64, 1000, 22_050):
        samples = short_noise(count)
        before = samples.copy()
        changed = audio_effect.apply(samples, SAMPLE_RATE, drawn(audio_effect.name))
        assert changed.shape == samples.shape
        assert changed.dtype == np.float32
        assert np.isfinite(changed).all()
        assert not np.shares_memory(changed, samples)
        np.testing.assert_array_equal(samples, before)


def test_changes_the_sound(audio_effect: AudioEffect[Any, Any]) -> None:
    samples = short_noise()
    for seed in range(4):
        changed = audio_effect.apply(samples, SAMPLE_RATE, drawn(audio_effect.name, seed))
        assert np.max(np.abs(changed - samples)) > 1e-3


def test_silence_stays_finite_and_faint(audio_effect: AudioEffect[Any, Any]) -> None:
    silence = np.zeros(22_050, dtype=np.float32)
    changed = audio_effect.apply(silence, SAMPLE_RATE, drawn(audio_effect.name))
    assert np.isfinite(changed).all()
    assert np.max(np.abs(changed)) < 0.01


def test_replays_from_its_parameters(audio_effect: AudioEffect[Any, Any]) -> None:
    samples = short_noise()
    parameters = drawn(audio_effect.name)
    first = audio_effect.apply(samples, SAMPLE_RATE, parameters)
    audio_effect.apply(short_noise(seed=2), SAMPLE_RATE, drawn(audio_effect.name, 3))
    planned = Change(audio_effect.name, json.loads(json.dumps(parameters)))
    copy, change = pickle.loads(pickle.dumps((audio_effect, planned)))
    np.testing.assert_array_equal(copy.apply(samples, SAMPLE_RATE, change.parameters), first)


def test_refuses_what_is_no_channel_of_samples(audio_effect: AudioEffect[Any, Any]) -> None:
    parameters = drawn(audio_effect.name)
    samples = short_noise(100)
    unfinite = samples.copy()
    unfinite[3] = np.nan
    for wrong in (samples[np.newaxis], samples.astype(np.float64), unfinite):
        with pytest.raises(SpecError, match="samples: expected"):
            audio_effect.apply(wrong, SAMPLE_RATE, parameters)  # type: ignore[arg-type]
    with pytest.raises(SpecError, match="sample_rate: expected 8000 to 192000 Hz, got 44"):
        audio_effect.apply(samples, 44, parameters)


_DIGESTS = """
import hashlib, sys
sys.path.insert(0, sys.argv[1])
from test_effects_contract import AUDIO, SAMPLE_RATE, drawn, short_noise
for name, effect in AUDIO.items():
    for seed in range(3):
        changed = effect.apply(short_noise(), SAMPLE_RATE, drawn(name, seed))
        print(name, seed, hashlib.sha256(changed.tobytes()).hexdigest())
"""


def test_bytes_are_the_same_in_every_process(tmp_path: Any, request: pytest.FixtureRequest) -> None:
    outputs = []
    for number in (1, 4):
        environment = {
            **os.environ,
            "PYTHONHASHSEED": str(number),
            "PRA_NUM_THREADS": str(number),
            "OMP_NUM_THREADS": str(number),
            "LISTENBENCH_CACHE": str(tmp_path / str(number)),
        }
        command = [sys.executable, "-c", _DIGESTS, str(request.path.parent)]
        outputs.append(subprocess.run(command, env=environment, check=True, capture_output=True).stdout)
    assert outputs[0]
    assert outputs[0] == outputs[1]


def test_a_chain_is_one_effect_after_the_other() -> None:
    samples = short_noise()
    chain = [(name, drawn(name)) for name in ("eq", "room", "hiss")]
    expected = samples
    for name, parameters in chain:
        expected = AUDIO[name].apply(expected, SAMPLE_RATE, parameters)
    np.testing.assert_array_equal(apply_chain(samples, SAMPLE_RATE, chain), expected)
    np.testing.assert_array_equal(apply_chain(samples, SAMPLE_RATE, []), samples)


def test_a_chain_takes_effects_on_samples_only() -> None:
    with pytest.raises(SpecError, match="effect transposition acts on the clip"):
        apply_chain(short_noise(), SAMPLE_RATE, [("transposition", {"cents": 50})])


def test_soundfonts_are_drawn_from_the_candidates() -> None:
    swap = EFFECTS["soundfont"]
    names = {drawn("soundfont", seed)["soundfont"] for seed in range(DRAWS)}
    assert names == {"fluidr3-gm", "timgm6mb"}
    with pytest.raises(SpecError, match="no candidates"):
        swap.draw(rng())


def test_clips_come_back_as_clips(effect: Effect[Any, Any], a_clip: Clip) -> None:
    if isinstance(effect, ClipEffect):
        changed = effect.apply_to_clip(a_clip, drawn(effect.name))
        assert changed != a_clip
        assert changed.window == a_clip.window
