"""Reading what a soundfont plays: its presets, and which keys and velocities select which samples.

SF2 and SF3 files are read alike: SF3 differs in the sample data only, which is never touched here.

References
----------
.. [1] SoundFont Technical Specification 2.04, E-mu Systems, 2006: section 7 (the pdta-list chunk),
   section 8.1.2 (generators), section 9.4 (how the ranges of presets and instruments combine).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from listenbench.errors import RenderError
from listenbench.soundfonts.riff import BrokenSoundfontError, Chunk, chunks_of

Range = tuple[int, int]
"""Lowest and highest value, both included."""

EVERYTHING: Final[Range] = (0, 127)
"""The range of a zone that names none (section 8.1.2, keyRange and velRange)."""

_INSTRUMENT, _KEY_RANGE, _VELOCITY_RANGE, _SAMPLE = 41, 43, 44, 53  # section 8.1.2
_RECORDS: Final = {  # sections 7.2, 7.3, 7.5, 7.6, 7.7, 7.9, 7.10
    "phdr": "<20sHHHIII",
    "pbag": "<HH",
    "pgen": "<HH",
    "inst": "<20sH",
    "ibag": "<HH",
    "igen": "<HH",
    "shdr": "<20sIIIIIBbHH",
}


@dataclass(frozen=True, slots=True)
class Zone:
    """A sample, and the keys and velocities that play it.

    Attributes
    ----------
    keys, velocities : (int, int)
        Ranges, ends included.
    sample : str
        Name of the sample.
    """

    keys: Range
    velocities: Range
    sample: str

    def sounds_at(self, key: int, velocity: int) -> bool:
        """Return whether a note plays this sample."""
        return _within(key, self.keys) and _within(velocity, self.velocities)


@dataclass(frozen=True, slots=True)
class Preset:
    """A preset: bank and program, its name, and all its zones."""

    bank: int
    program: int
    name: str
    zones: tuple[Zone, ...]

    @property
    def sounding_keys(self) -> tuple[int, ...]:
        """The keys for which the preset has samples, in rising order."""
        return tuple(key for key in range(128) if any(_within(key, zone.keys) for zone in self.zones))

    def samples_at(self, key: int, velocity: int) -> frozenset[str]:
        """Return the names of the samples that a note plays."""
        return frozenset(zone.sample for zone in self.zones if zone.sounds_at(key, velocity))

    def velocity_layers(self, key: int) -> tuple[int, ...]:
        """Return the lowest velocity of each layer at a key, in rising order, the first of them 1.

        Within a layer all velocities play the same zones, so that only level and brightness vary, and
        steadily. At a boundary the samples change, or their settings do. A key without samples has one
        layer.
        """
        zones = [zone for zone in self.zones if _within(key, zone.keys)]
        edges = {1} | {zone.velocities[0] for zone in zones} | {zone.velocities[1] + 1 for zone in zones}
        layers: list[int] = []
        playing: object = None
        for velocity in sorted(edge for edge in edges if 1 <= edge <= 127):
            now = [_within(velocity, zone.velocities) for zone in zones]
            if now != playing:
                layers.append(velocity)
                playing = now
        return tuple(layers)

    def velocity_layer(self, key: int, velocity: int) -> Range:
        """Return the lowest and the highest velocity that play the same samples as this one."""
        layers = (*self.velocity_layers(key), 128)
        return next((low, high - 1) for low, high in pairwise(layers) if low <= velocity < high)


@dataclass(frozen=True, slots=True)
class SoundfontFile:
    """The contents of a soundfont.

    Attributes
    ----------
    path : Path
        The file.
    presets : mapping of (int, int) to Preset
        By bank and program, in rising order.
    """

    path: Path
    presets: Mapping[tuple[int, int], Preset]

    def preset(self, bank: int, program: int) -> Preset:
        """Return one preset.

        Raises
        ------
        RenderError
            If the soundfont lacks it.
        """
        try:
            return self.presets[bank, program]
        except KeyError:
            raise RenderError(
                f"{self.path}: the soundfont has no preset with bank {bank}, program {program}"
            ) from None

    def velocity_layers(self, bank: int, program: int) -> Mapping[int, tuple[int, ...]]:
        """Return the lowest velocity of each layer, by key, for all keys that have samples.

        Raises
        ------
        RenderError
            If the soundfont lacks the preset.
        """
        preset = self.preset(bank, program)
        return MappingProxyType({key: preset.velocity_layers(key) for key in preset.sounding_keys})


def read_soundfont(path: Path) -> SoundfontFile:
    """Read the presets of an SF2 or SF3 file.

    Raises
    ------
    BrokenSoundfontError
        If the file is no soundfont, truncated or damaged.
    RenderError
        If it can't be read.
    """
    tables = _tables(path, chunks_of(path))
    try:
        instruments = _instruments(tables)
        presets = {(p.bank, p.program): p for p in reversed(list(_presets(tables, instruments)))}
    except IndexError:
        raise BrokenSoundfontError(
            f"{path}: an index points outside of its table: the file is damaged"
        ) from None
    return SoundfontFile(path, MappingProxyType(dict(sorted(presets.items()))))


Table = Sequence[tuple[Any, ...]]


def _tables(path: Path, chunks: Mapping[str, Chunk]) -> dict[str, Table]:
    """Read the tables of the pdta list and check that the samples lie inside the sample data."""
    tables: dict[str, Table] = {}
    with path.open("rb") as file:
        for name, layout in _RECORDS.items():
            chunk = chunks.get(name, Chunk(0, 0))
            if chunk.size == 0 or chunk.size % struct.calcsize(layout):
                raise BrokenSoundfontError(f"{path}: the chunk {name!r} is missing or damaged")
            file.seek(chunk.start)
            tables[name] = list(struct.iter_unpack(layout, file.read(chunk.size)))
    _check_samples(path, tables["shdr"], chunks.get("smpl", Chunk(0, 0)).size)
    return tables


_COMPRESSED: Final = 0x10
"""Bit of a sample's type that marks Ogg Vorbis data, the extension that makes an SF3 file."""

_ROM: Final = 0x8000
"""Bit of a sample's type for data that lies in a sound card (section 7.10)."""


def _check_samples(path: Path, headers: Table, available: int) -> None:
    """Check each sample's end: in bytes for compressed samples, else in sample points of two bytes."""
    for name, _, end, *_, kind in headers[:-1]:
        needed = end if kind & _COMPRESSED else 2 * end
        if needed > available and not kind & _ROM:
            raise BrokenSoundfontError(
                f"{path}: the sample {_text(name)!r} ends at byte {needed:,} of {available:,}: "
                "the file is damaged; get it again"
            )


def _instruments(tables: Mapping[str, Table]) -> list[tuple[Zone, ...]]:
    """Return the zones of every instrument (sections 7.6, 7.7, 7.9)."""
    headers = [header[-1] for header in tables["inst"]]
    samples = [_text(header[0]) for header in tables["shdr"]]
    return [
        tuple(
            Zone(keys, velocities, samples[index])
            for keys, velocities, index in _zones(tables["ibag"], tables["igen"], first, last, _SAMPLE)
        )
        for first, last in pairwise(headers)
    ]


def _presets(tables: Mapping[str, Table], instruments: Sequence[tuple[Zone, ...]]) -> Iterator[Preset]:
    """Yield the presets (sections 7.2, 7.3, 7.5)."""
    headers = tables["phdr"]
    for header, following in pairwise(headers):
        name, program, bank, first = header[:4]
        zones = [
            Zone(keys, velocities, zone.sample)
            for own_keys, own_velocities, index in _zones(
                tables["pbag"], tables["pgen"], first, following[3], _INSTRUMENT
            )
            for zone in instruments[index]
            # A note sounds if it lies in the ranges of both levels (section 9.4).
            if (keys := _common(own_keys, zone.keys))
            and (velocities := _common(own_velocities, zone.velocities))
        ]
        yield Preset(bank, program, _text(name), tuple(zones))


def _zones(
    bags: Table, generators: Table, first: int, last: int, terminal: int
) -> Iterator[tuple[Range, Range, int]]:
    """Yield keys, velocities and target of each zone from bag `first` to before bag `last`.

    The target is the amount of the terminal generator, which ends a zone. The first zone, if it has none,
    is global: its ranges hold for zones that name none of their own. Others without one are ignored
    (sections 7.3 and 7.7).
    """
    defaults = EVERYTHING, EVERYTHING
    if first > last:
        raise IndexError  # indices never fall (sections 7.2 and 7.6)
    for index in range(first, last):
        start, end = bags[index][0], bags[index + 1][0]
        if start > end:
            raise IndexError  # nor do these (sections 7.3 and 7.7)
        keys, velocities, target = _zone([generators[i] for i in range(start, end)], terminal)
        if target is not None:
            yield keys or defaults[0], velocities or defaults[1], target
        elif index == first and last - first > 1:
            defaults = keys or EVERYTHING, velocities or EVERYTHING


def _zone(
    generators: Sequence[tuple[Any, ...]], terminal: int
) -> tuple[Range | None, Range | None, int | None]:
    """Return a zone's own ranges and target; ranges in the wrong place don't count (section 8.1.2)."""
    keys = velocities = target = None
    for index, (kind, amount) in enumerate(generators):
        if kind == _KEY_RANGE and index == 0:
            keys = amount & 0xFF, amount >> 8
        elif kind == _VELOCITY_RANGE and (index == 0 or (index == 1 and keys is not None)):
            velocities = amount & 0xFF, amount >> 8
        elif kind == terminal:
            target = amount
            break
    return keys, velocities, target


def _common(first: Range, second: Range) -> Range | None:
    low, high = max(first[0], second[0]), min(first[1], second[1])
    return (low, high) if low <= high else None


def _within(value: int, span: Range) -> bool:
    return span[0] <= value <= span[1]


def _text(raw: bytes) -> str:
    """Decode a name: ASCII, ended by the first zero byte (section 7.2)."""
    return raw.partition(b"\0")[0].decode("latin-1").strip()
