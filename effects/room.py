"""Room: the clip as played in a room, by convolution with an impulse response."""

from __future__ import annotations

import math
from typing import Annotated, Any, ClassVar, Final, TypeAlias

import numpy as np
import numpy.typing as npt
from pydantic import Field, model_validator

from listenbench.effects.base import TASKS, AudioEffect, FloatArray, Settings, one_of
from listenbench.effects.noise import Seed, draw_seed
from listenbench.effects.shoebox import Room, eyring_absorption, impulse_response
from listenbench.errors import SpecError

Metres = Annotated[float, Field(ge=0, le=30)]
Side = Annotated[float, Field(ge=2, le=30)]
Seconds = Annotated[float, Field(ge=0.1, le=3)]
Position: TypeAlias = tuple[Metres, Metres, Metres]
Dimensions: TypeAlias = tuple[Side, Side, Side]

_ATTEMPTS: Final = 1000
_DECIMALS: Final = 3
_LEAST_DISTANCE: Final = 0.1
_ABSORPTION: Final = (0.01, 0.9)
_LARGEST_VOLUME: Final = 5000


class RoomOptions(Settings):
    """What may be drawn.

    Attributes
    ----------
    dimensions_m : tuple of three floats
        Length, width and height.
    rt60_s : tuple of float
        Reverberation times, one of which is taken.
    wall_distance_m : float
        Least distance of source and microphone from every wall, floor and ceiling.
    distance_m : float
        Least distance between source and microphone.
    """

    dimensions_m: Dimensions = (6.0, 5.0, 3.0)
    rt60_s: Annotated[tuple[Seconds, ...], Field(min_length=1)] = (0.2, 0.5, 1.0)
    wall_distance_m: Annotated[float, Field(ge=0.1, le=10)] = 0.5
    distance_m: Annotated[float, Field(ge=_LEAST_DISTANCE, le=20)] = 1.0

    @model_validator(mode="after")
    def _possible(self) -> RoomOptions:
        for rt60_s in self.rt60_s:
            _check_size(self.dimensions_m, rt60_s)
        if min(self.dimensions_m) <= 2 * self.wall_distance_m:
            raise ValueError(
                f"wall_distance_m: the room must be wider than twice the distance, got {self.wall_distance_m}"
            )
        return self


class RoomParameters(Settings):
    """What was drawn: the room, both positions, and the seed of the diffuse sound."""

    dimensions_m: Dimensions
    rt60_s: Seconds
    source_m: Position
    microphone_m: Position
    seed: Seed

    @model_validator(mode="after")
    def _possible(self) -> RoomParameters:
        _check_size(self.dimensions_m, self.rt60_s)
        for name in ("source_m", "microphone_m"):
            position = getattr(self, name)
            if not all(0 < p < d for p, d in zip(position, self.dimensions_m, strict=True)):
                raise ValueError(f"{name}: expected a point inside the room, got {list(position)}")
        if math.dist(self.source_m, self.microphone_m) < _LEAST_DISTANCE:
            raise ValueError(
                f"microphone_m: expected at least {_LEAST_DISTANCE} m from source_m, "
                f"got {list(self.microphone_m)}"
            )
        return self


class RoomEcho(AudioEffect[RoomOptions, RoomParameters]):
    """Convolves with the response of a shoebox room; the direct sound stays where the clip's sound is."""

    name = "room"
    title = "echo of a room"
    keeps = TASKS
    Options: ClassVar[type[Settings]] = RoomOptions
    Parameters: ClassVar[type[Settings]] = RoomParameters

    def _draw(self, rng: np.random.Generator, options: RoomOptions) -> RoomParameters:
        rt60_s = one_of(rng, options.rt60_s)
        source, microphone = _draw_positions(rng, options)
        return RoomParameters(
            dimensions_m=options.dimensions_m,
            rt60_s=rt60_s,
            source_m=source,
            microphone_m=microphone,
            seed=draw_seed(rng),
        )

    def _apply(
        self, samples: FloatArray, sample_rate: int, parameters: RoomParameters
    ) -> npt.NDArray[np.floating[Any]]:
        from scipy.signal import fftconvolve

        response = impulse_response(Room(**parameters.model_dump()), sample_rate)
        convolved: npt.NDArray[np.float64] = fftconvolve(
            samples.astype(np.float64), response[: samples.size]
        )[: samples.size]
        return convolved


def _draw_positions(
    rng: np.random.Generator, options: RoomOptions
) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
    low = np.full(3, options.wall_distance_m)
    high = np.array(options.dimensions_m) - options.wall_distance_m
    for _ in range(_ATTEMPTS):
        source, microphone = (_point(rng.uniform(low, high)) for _ in range(2))
        if math.dist(source, microphone) >= options.distance_m:
            return source, microphone
    raise SpecError(
        f"effect room: {_ATTEMPTS} draws found no two points {options.distance_m} m apart (distance_m): "
        "choose a larger room or a smaller distance"
    )


def _point(values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> tuple[float, float, float]:
    x, y, z = (round(float(value), _DECIMALS) for value in values)
    return x, y, z


def _check_size(dimensions_m: tuple[float, float, float], rt60_s: float) -> None:
    volume = math.prod(dimensions_m)
    if volume > _LARGEST_VOLUME:
        raise ValueError(f"dimensions_m: expected at most {_LARGEST_VOLUME} cubic metres, got {volume:.0f}")
    low, high = _ABSORPTION
    absorption = eyring_absorption(dimensions_m, rt60_s)
    if not low <= absorption <= high:
        raise ValueError(
            f"rt60_s: expected a time for which the walls absorb {low} to {high} of the energy, "
            f"got {rt60_s} s, which in {list(dimensions_m)} m takes {absorption:.3f}"
        )
