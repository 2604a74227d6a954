"""Rhythmic figures: no two sound alike at whatever rates, and items keep their distance."""

import math
from collections import defaultdict
from fractions import Fraction
from itertools import combinations, pairwise

import pytest

from listenbench.compose.figures import FIGURES, PULSE, STROKE, Figure
from listenbench.compose.rhythm import NEAR_RATES
from listenbench.plan import plan
from listenbench.splits import load_split
from listenbench.splits.model import Split


def shape(pattern):
    """Intervals between the strokes of a repeated figure, whatever its rate: the shortest period, scaled."""
    places = [place for place, sign in enumerate(pattern + STROKE) if sign == STROKE]
    gaps = [b - a for a, b in pairwise(places)]
    period = next(n for n in range(1, len(gaps) + 1) if gaps == (gaps[:n] * len(gaps))[: len(gaps)])
    if len(gaps) % period:
        period = len(gaps)
    return tuple(Fraction(gap, sum(gaps[:period])) for gap in gaps[:period])


def rhythm_items(name, items, **options):
    table = load_split(name).model_dump()
    rhythm = table["tasks"]["rhythm"]
    table["tasks"] = {"rhythm": {**rhythm, "options": {**rhythm["options"], **options}}}
    return list(plan(Split.model_validate(table), 3, items=items))


def rates_by_family(items):
    families = defaultdict(list)
    for item in items:
        families[item.material["sound"], item.material["figure"]].append(60 / item.clip_a.clip.beat)
    return families


def test_a_figure_is_read_from_its_notation():
    assert (Figure("x.xx").onsets, Figure("x.xx").beats) == ((0, 1, 1.5), 2)
    assert (Figure("xx..x.").onsets, Figure("xx..x.").beats) == ((0, 0.5, 2), 3)


def test_the_repertoire_by_hand():
    two_beats = {"x.x.", "xx..", "x..x", "xxx.", "xx.x", "x.xx"}
    assert {name for name in FIGURES if FIGURES[name].beats == 2} == two_beats
    # Two more strokes in five half beats: ten ways, but for x.x.x.; three more: ten ways; four more: five.
    assert len(FIGURES) == len(two_beats) + 9 + 10 + 5
    assert all(name.startswith(STROKE) and FIGURES[name].pattern == name for name in FIGURES)


def test_no_figure_is_another_one_at_another_rate():
    shapes = {name: shape(name) for name in FIGURES}
    assert len(set(shapes.values())) == len(FIGURES)
    assert [name for name, intervals in shapes.items() if len(set(intervals)) == 1] == [PULSE]


def test_test_and_train_split_share_no_figure():
    lots = [set(load_split(name).tasks["rhythm"].options["figures"]) for name in ("test", "train")]
    assert lots[0] & lots[1] == set()
    assert lots[0] | lots[1] == set(FIGURES)


@pytest.mark.parametrize(("split", "items"), [("test", 250), ("train", 2500)])
def test_one_figure_on_one_sound_has_rates_apart(split, items):
    families = rates_by_family(rhythm_items(split, items))
    assert sum(map(len, families.values())) == items
    for rates in families.values():
        assert all(abs(math.log(a / b)) > NEAR_RATES for a, b in combinations(rates, 2))


def test_where_there_is_no_room_new_contents_are_enough():
    items = rhythm_items("test", 300, figures=("x.xx",), sounds=("low conga",))
    (rates,) = rates_by_family(items).values()
    assert len(set(rates)) == 300
    near = sum(abs(math.log(a / b)) <= NEAR_RATES for a, b in combinations(rates, 2))
    assert near > 0


def test_a_clip_tells_the_length_of_its_figure():
    for item in rhythm_items("train", 40):
        for performance in (item.clip_a, *(variant.clip_b for variant in item.variants)):
            clip, figure = performance.clip, FIGURES[item.material["figure"]]
            assert clip.cycle_beats == figure.beats
            start = clip.lead.notes[0].onset
            first = [(note.onset - start) / clip.beat for note in clip.lead.notes[: len(figure.onsets)]]
            assert first == pytest.approx(figure.onsets, abs=1e-4)
