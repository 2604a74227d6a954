"""From planned items to samples: a pure function of the item, the split and the soundfonts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from listenbench.audio import SAMPLE_RATE, FloatArray, Samples, from_stored, quantised, stored
from listenbench.effects import get_effect
from listenbench.effects.base import AudioEffect
from listenbench.errors import RenderError
from listenbench.items import Item, Performance, Variant
from listenbench.loudness import normalised
from listenbench.music import Clip
from listenbench.render import Renderer
from listenbench.splits import Split
from listenbench.takes import Take, perform
from listenbench.true_peak import peak_dbfs

FADE_SECONDS: Final = 0.01
"""Length of the fade at the end of each clip, where its window cuts off what still rings."""

_FADE_PHASE: Final = np.linspace(0, np.pi, round(FADE_SECONDS * SAMPLE_RATE) + 1)[1:]
_FADE: Final = (0.5 + 0.5 * np.cos(_FADE_PHASE)).astype(np.float32)


@dataclass(frozen=True, slots=True)
class Recording:
    """One audio file in memory.

    Attributes
    ----------
    variant : Variant
        What it was made from.
    start : bytes
        Clip A and the silence as they stand in a WAV file; all recordings of an item have the same object.
    clip_b : ndarray of int16, shape (n,)
        What follows them.
    peaks_dbfs : (float, float)
        Sample peaks of clip A and clip B.
    """

    variant: Variant
    start: bytes
    clip_b: Samples
    peaks_dbfs: tuple[float, float]

    def __len__(self) -> int:
        """Return the number of samples."""
        return len(from_stored(self.start)) + len(self.clip_b)

    @property
    def samples(self) -> Samples:
        """Clip A, silence, clip B: one channel at `SAMPLE_RATE`, shape (n,)."""
        return np.concatenate([from_stored(self.start), self.clip_b])


class Studio:
    """Realises items; keeps the soundfonts loaded.

    Parameters
    ----------
    split : Split
        Gives loudness and silence.
    soundfonts : mapping of str to Path
        The file of each soundfont that the split names.
    """

    def __init__(self, split: Split, soundfonts: Mapping[str, Path]) -> None:
        self._split = split
        self._soundfonts = dict(soundfonts)
        self._renderer = Renderer()

    def realise(self, item: Item) -> Iterator[Recording]:
        """Yield one recording for each variant of an item.

        Raises
        ------
        RenderError
            Naming the item, if a clip comes out silent or can't reach its loudness.
        """
        dry: dict[tuple[Clip, Take, str], FloatArray] = {}
        try:
            clip_a = self._sound(item.clip_a, dry)
            peak_a, start = round(peak_dbfs(clip_a), 2), self._with_silence(clip_a)
            for variant in item.variants:
                clip_b = self._sound(variant.clip_b, dry)
                peaks = (peak_a, round(peak_dbfs(clip_b), 2))
                yield Recording(variant, start, quantised(clip_b), peaks)
        except RenderError as error:
            raise RenderError(f"item {item.name}: {error}") from None

    def close(self) -> None:
        """Free the soundfonts."""
        self._renderer.close()

    def _sound(self, performance: Performance, dry: dict[tuple[Clip, Take, str], FloatArray]) -> FloatArray:
        """Return the samples of one clip; `dry` keeps what an item's variants have in common."""
        key = (performance.clip, performance.take, performance.soundfont)
        if key not in dry:
            path = self._soundfonts[performance.soundfont]
            raw = self._renderer.render(perform(performance.clip, performance.take), path)
            dry[key] = self._levelled(raw)
        samples, dry_samples = dry[key], dry[key]
        for change in performance.changes:
            effect = get_effect(change.effect)
            if isinstance(effect, AudioEffect):
                samples = effect.apply(samples, SAMPLE_RATE, change.parameters)
        return samples if samples is dry_samples else self._levelled(samples)

    def _levelled(self, samples: FloatArray) -> FloatArray:
        return normalised(faded(samples), SAMPLE_RATE, self._split.loudness_lufs)

    def _with_silence(self, clip_a: FloatArray) -> bytes:
        silence = np.zeros(round(self._split.silence_seconds * SAMPLE_RATE), dtype=np.int16)
        return stored(quantised(clip_a)) + stored(silence)


def faded(samples: FloatArray) -> FloatArray:
    """Return the samples with a half-cosine fade over their last `FADE_SECONDS`."""
    result = samples.copy()
    result[-_FADE.size :] *= _FADE
    return result
