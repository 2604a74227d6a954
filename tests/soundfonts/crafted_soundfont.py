"""Tiny soundfonts made to order, written by hand from the SoundFont 2.04 specification (sections 4 to 8)."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

EVERYTHING = (0, 127)
PERIOD = 100  # samples; at 44.1 kHz a sine of 441 Hz
SHARP_CENTS = 3.93  # 1200 log2(441 / 440): by so much its root key, A4, is out of tune


@dataclass(frozen=True)
class ZoneSpec:
    """A zone; a range of None writes no generator, a target of None makes it a global zone."""

    keys: tuple[int, int] | None = None
    velocities: tuple[int, int] | None = None
    target: int | None = 0
    fine_tune: int = 0


@dataclass(frozen=True)
class PresetSpec:
    """A preset with its zones, whose targets are indices of instruments."""

    bank: int
    program: int
    name: str
    zones: Sequence[ZoneSpec] = (ZoneSpec(),)


def soundfont_bytes(
    presets: Sequence[PresetSpec],
    instruments: Sequence[Sequence[ZoneSpec]] = ((ZoneSpec(),),),
    *,
    amplitude: float = 0.5,
    padded: bool = True,
    extra_sample_bytes: int = 0,
) -> bytes:
    """Return a whole SF2 file whose only sample is a looped sine."""
    sine = amplitude * 32767 * np.sin(2 * np.pi * np.arange(20 * PERIOD) / PERIOD)
    samples = np.concatenate((sine, np.zeros(46))).astype("<i2").tobytes() + b"\1" * extra_sample_bytes
    info = _list(b"INFO", _chunk(b"ifil", struct.pack("<HH", 2, 4)), _chunk(b"INAM", b"crafted\0"))
    sdta = _list(b"sdta", _chunk(b"smpl", samples, padded=padded), padded=padded)
    return _riff(info + sdta + _list(b"pdta", *_hydra(presets, instruments)))


def _hydra(presets: Sequence[PresetSpec], instruments: Sequence[Sequence[ZoneSpec]]) -> list[bytes]:
    preset_bags, preset_generators, preset_starts = _bags([p.zones for p in presets], terminal=41)
    inst_bags, inst_generators, inst_starts = _bags(instruments, terminal=53)
    phdr = b"".join(
        struct.pack("<20sHHHIII", p.name.encode(), p.program, p.bank, start, 0, 0, 0)
        for p, start in zip(presets, preset_starts, strict=False)
    ) + struct.pack("<20sHHHIII", b"EOP", 0, 0, preset_starts[-1], 0, 0, 0)
    inst = b"".join(
        struct.pack("<20sH", f"instrument {i}".encode(), start) for i, start in enumerate(inst_starts[:-1])
    ) + struct.pack("<20sH", b"EOI", inst_starts[-1])
    sine = struct.pack("<20sIIIIIBbHH", b"sine", 0, 20 * PERIOD, PERIOD, 19 * PERIOD, 44100, 69, 0, 0, 1)
    end = struct.pack("<20sIIIIIBbHH", b"EOS", 0, 0, 0, 0, 0, 0, 0, 0, 0)
    modulators = bytes(10)
    return [
        _chunk(b"phdr", phdr),
        _chunk(b"pbag", preset_bags),
        _chunk(b"pmod", modulators),
        _chunk(b"pgen", preset_generators),
        _chunk(b"inst", inst),
        _chunk(b"ibag", inst_bags),
        _chunk(b"imod", modulators),
        _chunk(b"igen", inst_generators),
        _chunk(b"shdr", sine + end),
    ]


def _bags(owners: Sequence[Sequence[ZoneSpec]], terminal: int) -> tuple[bytes, bytes, list[int]]:
    bags, generators, starts = [], [], []
    for zones in owners:
        starts.append(len(bags))
        for zone in zones:
            bags.append(len(generators))
            generators += _generators(zone, terminal)
    starts.append(len(bags))
    bags.append(len(generators))
    generators.append((0, 0))
    return (
        b"".join(struct.pack("<HH", start, 0) for start in bags),
        b"".join(struct.pack("<Hh", *generator) for generator in generators),
        starts,
    )


def _generators(zone: ZoneSpec, terminal: int) -> list[tuple[int, int]]:
    found = []
    if zone.keys is not None:
        found.append((43, zone.keys[0] | zone.keys[1] << 8))
    if zone.velocities is not None:
        found.append((44, zone.velocities[0] | zone.velocities[1] << 8))
    if zone.fine_tune:
        found.append((52, zone.fine_tune))
    if terminal == 53:
        found.append((54, 1))  # the sample loops
    if zone.target is not None:
        found.append((terminal, zone.target))
    return found


def _chunk(name: bytes, content: bytes, *, padded: bool = True) -> bytes:
    padding = b"\0" if padded and len(content) % 2 else b""
    return name + struct.pack("<I", len(content)) + content + padding


def _list(kind: bytes, *chunks: bytes, padded: bool = True) -> bytes:
    return _chunk(b"LIST", kind + b"".join(chunks), padded=padded)


def _riff(content: bytes) -> bytes:
    return b"RIFF" + struct.pack("<I", 4 + len(content)) + b"sfbk" + content
