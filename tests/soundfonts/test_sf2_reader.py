"""Reading soundfonts: structure, presets and velocity layers, crafted and real."""

from __future__ import annotations

import ctypes
import struct
from pathlib import Path

import numpy as np
import pytest
from crafted_soundfont import PresetSpec, ZoneSpec, soundfont_bytes
from hypothesis import given
from hypothesis import strategies as st

from listenbench.errors import RenderError
from listenbench.fluidsynth import Synth, library
from listenbench.music import Clip, Instrument, Note, part_of
from listenbench.render import Renderer
from listenbench.soundfonts import (
    BrokenSoundfontError,
    Preset,
    Zone,
    check_whole,
    find,
    read_soundfont,
)

INSTALLED = ["musescore-general", "fluidr3-gm", "timgm6mb"]


def written(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


# ---- Structure


def test_a_whole_file_passes(tmp_path, tiny):
    check_whole(written(tmp_path / "whole.sf2", tiny))


@given(data=st.data())
def test_a_file_cut_anywhere_is_broken(tmp_path_factory, data):
    whole = soundfont_bytes([PresetSpec(0, 0, "sine")])
    length = data.draw(st.integers(0, len(whole) - 1))
    path = written(tmp_path_factory.getbasetemp() / "cut.sf2", whole[:length])
    with pytest.raises(BrokenSoundfontError):
        check_whole(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"<!DOCTYPE html><html></html>", "web page"),
        (b"\n  <html>", "web page"),
        (b"RIFF\x24\0\0\0WAVEfmt ", "not a soundfont"),
        (b"ID3\x04" + bytes(100), "not a soundfont"),
        (b"RIFF\xff\xff\0\0sfbk", "truncated: 12 bytes instead of 65,543"),
        (b"RIFF\x04\0\0\0sfbk", "no 'INFO' list"),
    ],
)
def test_other_content_is_named(tmp_path, content, message):
    with pytest.raises(BrokenSoundfontError, match=message):
        check_whole(written(tmp_path / "other.sf2", content))


@pytest.mark.parametrize("name", ["nothing.sf2", "."])
def test_what_is_no_file_is_an_error(tmp_path, name):
    with pytest.raises(RenderError, match="can't read this soundfont"):
        read_soundfont(tmp_path / name)


def test_a_chunk_that_outgrows_its_list_is_found(tmp_path, tiny):
    place = tiny.index(b"smpl") + 4
    broken = tiny[:place] + struct.pack("<I", len(tiny)) + tiny[place + 4 :]
    with pytest.raises(BrokenSoundfontError, match=r"'smpl' at byte .* is longer than what contains it"):
        check_whole(written(tmp_path / "broken.sf2", broken))


def test_a_sample_beyond_the_data_is_found(tmp_path, tiny):
    place = tiny.rindex(b"shdr") + 8 + 24
    broken = tiny[:place] + struct.pack("<I", 9_999) + tiny[place + 4 :]
    with pytest.raises(BrokenSoundfontError, match="'sine' ends at byte 19,998 of"):
        read_soundfont(written(tmp_path / "broken.sf2", broken))


@pytest.mark.parametrize(("table", "offset"), [(b"phdr", 8 + 24), (b"pbag", 8), (b"ibag", 8 + 4)])
def test_an_index_beyond_its_table_is_found(tmp_path, tiny, table, offset):
    place = tiny.rindex(table) + offset + (38 if table == b"phdr" else 0)
    broken = tiny[:place] + struct.pack("<H", 60_000) + tiny[place + 2 :]
    with pytest.raises(BrokenSoundfontError, match="index points outside of its table"):
        read_soundfont(written(tmp_path / "broken.sf2", broken))


@pytest.mark.parametrize("padded", [True, False])
def test_sample_data_of_odd_size_may_lack_its_padding(tmp_path, padded):
    content = soundfont_bytes([PresetSpec(0, 7, "odd")], extra_sample_bytes=1, padded=padded)
    assert read_soundfont(written(tmp_path / "odd.sf3", content)).preset(0, 7).name == "odd"


@given(noise=st.binary(max_size=300))
def test_garbage_after_a_right_header_never_ends_in_anything_but_the_error(tmp_path_factory, noise):
    content = b"RIFF" + struct.pack("<I", 4 + len(noise)) + b"sfbk" + noise
    with pytest.raises(BrokenSoundfontError):
        read_soundfont(written(tmp_path_factory.getbasetemp() / "noise.sf2", content))


@given(data=st.data())
def test_a_damaged_byte_is_harmless_or_ends_in_the_error(tmp_path_factory, data):
    content = bytearray(soundfont_bytes([PresetSpec(0, 0, "x", [ZoneSpec((0, 60), (1, 64)), ZoneSpec()])]))
    tables = content.index(b"pdta")
    place = data.draw(st.one_of(st.integers(0, 100), st.integers(tables, len(content) - 1)))
    content[place] ^= data.draw(st.integers(1, 255))
    path = written(tmp_path_factory.getbasetemp() / "damaged.sf2", bytes(content))
    try:
        presets = read_soundfont(path).presets
    except BrokenSoundfontError:
        return
    for preset in presets.values():
        for key in range(128):
            assert preset.velocity_layers(key)[0] == 1


# ---- Presets and zones


def test_presets_are_listed_by_bank_and_program(tmp_path):
    specs = [PresetSpec(128, 0, "drums"), PresetSpec(0, 40, "violin"), PresetSpec(0, 0, "piano")]
    contents = read_soundfont(written(tmp_path / "three.sf2", soundfont_bytes(specs)))
    assert {key: preset.name for key, preset in contents.presets.items()} == {
        (0, 0): "piano",
        (0, 40): "violin",
        (128, 0): "drums",
    }
    assert list(contents.presets) == [(0, 0), (0, 40), (128, 0)]
    with pytest.raises(RenderError, match="no preset with bank 0, program 1"):
        contents.preset(0, 1)


def test_ranges_of_preset_and_instrument_intersect(tmp_path):
    instrument = [ZoneSpec((0, 60), (1, 63)), ZoneSpec((0, 60), (64, 127)), ZoneSpec((61, 127), None)]
    preset = PresetSpec(0, 0, "piano", [ZoneSpec((36, 96), (20, 100))])
    path = written(tmp_path / "ranges.sf2", soundfont_bytes([preset], [instrument]))
    contents = read_soundfont(path)
    assert contents.preset(0, 0).zones == (
        Zone((36, 60), (20, 63), "sine"),
        Zone((36, 60), (64, 100), "sine"),
        Zone((61, 96), (20, 100), "sine"),
    )
    layers = contents.velocity_layers(0, 0)
    assert list(layers) == list(range(36, 97))
    assert layers[36] == (1, 20, 64, 101)
    assert layers[61] == (1, 20, 101)
    assert contents.preset(0, 0).velocity_layer(60, 80) == (64, 100)
    assert contents.preset(0, 0).velocity_layer(60, 127) == (101, 127)
    assert contents.preset(0, 0).velocity_layer(60, 1) == (1, 19)


def test_a_global_zone_holds_for_zones_without_ranges_of_their_own(tmp_path):
    instrument = [
        ZoneSpec((48, 72), (1, 90), target=None),
        ZoneSpec(),
        ZoneSpec((60, 127), None),
        ZoneSpec((0, 10), (3, 4), target=None),  # only the first zone can be global; this one is void
        ZoneSpec(None, (50, 60)),
    ]
    path = written(tmp_path / "global.sf2", soundfont_bytes([PresetSpec(0, 0, "x")], [instrument]))
    assert [(zone.keys, zone.velocities) for zone in read_soundfont(path).preset(0, 0).zones] == [
        ((48, 72), (1, 90)),
        ((60, 127), (1, 90)),
        ((48, 72), (50, 60)),
    ]


ranges = st.tuples(st.integers(0, 127), st.integers(0, 127)).map(lambda pair: (min(pair), max(pair)))


@given(zones=st.lists(st.builds(Zone, ranges, ranges, st.just("sine")), max_size=8), key=st.integers(0, 127))
def test_layers_change_exactly_where_the_sounding_zones_change(zones, key):
    preset = Preset(0, 0, "x", tuple(zones))
    playing = {v: [zone.sounds_at(key, v) for zone in zones] for v in range(1, 128)}
    changes = [1] + [v for v in range(2, 128) if playing[v] != playing[v - 1]]
    assert list(preset.velocity_layers(key)) == changes
    for velocity in range(1, 128):
        low, high = preset.velocity_layer(key, velocity)
        assert low in changes
        assert low <= velocity <= high
        assert high == 127 or high + 1 in changes


# ---- Real soundfonts


def presets_by_fluidsynth(path: Path) -> dict[tuple[int, int], str]:
    """List the presets with FluidSynth's own reader."""
    api = library()
    for name in ("fluid_sfont_iteration_start", "fluid_sfont_iteration_next"):
        getattr(api, name).argtypes = (ctypes.c_void_p,)
    for name in ("fluid_preset_get_banknum", "fluid_preset_get_num", "fluid_preset_get_name"):
        getattr(api, name).argtypes = (ctypes.c_void_p,)
    api.fluid_sfont_iteration_start.restype = None
    api.fluid_sfont_iteration_next.restype = ctypes.c_void_p
    api.fluid_preset_get_name.restype = ctypes.c_char_p
    synth = Synth(44_100)
    found = {}
    try:
        soundfont = api.fluid_synth_get_sfont_by_id(synth._synth, synth.load(str(path)))
        api.fluid_sfont_iteration_start(soundfont)
        while preset := api.fluid_sfont_iteration_next(soundfont):
            place = api.fluid_preset_get_banknum(preset), api.fluid_preset_get_num(preset)
            found.setdefault(place, api.fluid_preset_get_name(preset).decode("latin-1").strip())
    finally:
        synth.close()
    return found


@pytest.mark.parametrize("name", INSTALLED)
def test_the_presets_are_those_that_fluidsynth_lists(name):
    path = find(name).path
    presets = {key: preset.name for key, preset in read_soundfont(path).presets.items()}
    assert len(presets) > 128
    assert presets == presets_by_fluidsynth(path)


@pytest.mark.parametrize("name", INSTALLED)
def test_a_key_without_samples_is_silent_and_one_with_samples_is_not(name):
    path = find(name).path
    contents = read_soundfont(path)
    renderer = Renderer()
    for program in (0, 43, 58, 65, 70):
        keys = contents.preset(0, program).sounding_keys
        for pitch in {21, keys[0], keys[-1], min(127, keys[-1] + 1)}:
            note = Note(pitch, 0.0, 0.3, 80)
            clip = Clip((part_of(Instrument(program), [note]),), 0.3, 0.3)
            if pitch in keys:
                assert np.any(renderer.render(clip, path))
            else:
                with pytest.raises(RenderError, match="silent"):
                    renderer.render(clip, path)


def test_velocities_of_one_layer_sound_alike_and_others_do_not(large_musescore):
    """From velocity 107 to 108 the grand piano goes from samples of MF to samples of FF."""
    preset = read_soundfont(large_musescore).preset(0, 0)
    assert preset.velocity_layer(60, 107)[1] == 107
    assert preset.velocity_layer(60, 108)[0] == 108
    renderer = Renderer()

    def rendered(velocity: int) -> np.ndarray:
        note = Note(60, 0.0, 0.5, velocity)
        return renderer.render(Clip((part_of(Instrument(0), [note]),), 0.5, 0.5), large_musescore).astype(
            float
        )

    below, first, second = rendered(107), rendered(108), rendered(109)
    assert np.corrcoef(first, second)[0, 1] > 0.999
    assert np.corrcoef(below, first)[0, 1] < 0.95
