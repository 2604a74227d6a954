"""The plan: labels, contract of the variants, uniqueness, prefixes and seeds."""

import re
from collections import Counter
from itertools import islice, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from listenbench.attributes import ATTRIBUTES, differing
from listenbench.effects import get_effect
from listenbench.errors import SpecError
from listenbench.plan import TaskPlanner, plan
from listenbench.splits import CONDITIONS, load_split
from listenbench.splits.model import Split
from listenbench.tasks import TASKS

SPLITS = {name: load_split(name) for name in ("test", "train")}
TEXTURED = {
    f"{name} {texture}": Split.model_validate({**split.model_dump(), "texture": texture})
    for name, split in SPLITS.items()
    for texture in ("solo", "accompanied")
}
SEEDS = st.integers(0, 2**64 - 1)
SPLIT_NAMES = st.sampled_from(sorted(TEXTURED))
TASK_NAMES = st.sampled_from(sorted(TASKS))


def planned(split, seed, task, number):
    return list(islice(TaskPlanner({**SPLITS, **TEXTURED}[split], seed, task, CONDITIONS), number))


def right_choice(item, clip_b):
    """Work the answer out again from the two clips and the wording, without the plan's labels."""
    attribute = ATTRIBUTES[TASKS[item.task].attribute]
    first, second = attribute(item.clip_a.clip), attribute(clip_b)
    if item.task != "rhythm":
        return "same" if first == second else "different"
    asks_for_fast = any(
        word in item.question for word in ("faster beat", "more quickly", "tempo is higher", "quicker")
    )
    return "second" if (second > first) == asks_for_fast else "first"


@settings(max_examples=60)
@given(SPLIT_NAMES, SEEDS, TASK_NAMES)
def test_every_label_follows_from_the_clips(split, seed, task):
    for item in planned(split, seed, task, 12):
        for variant in item.variants:
            right = right_choice(item, variant.clip_b.clip)
            assert item.choices["AB".index(variant.answer)] == right


@settings(max_examples=60)
@given(SPLIT_NAMES, SEEDS, TASK_NAMES)
def test_variants_change_what_they_say_and_nothing_else(split, seed, task):
    attribute = TASKS[task].attribute
    for item in planned(split, seed, task, 12):
        clean, flip, stay, both = item.variants
        clips = {v.condition: v.clip_b.clip for v in item.variants}
        assert differing(clips["clean"], clips["flip"]) == {attribute}
        for variant in (clean, flip):
            expected = set() if variant.difference is None else {attribute}
            assert differing(item.clip_a.clip, variant.clip_b.clip) == expected
        effects = [get_effect(change.effect) for change in stay.clip_b.changes]
        if all(effect.name != "redraw" for effect in effects):
            altered = set().union(*(effect.alters for effect in effects))
            assert differing(clips["clean"], clips["stay"]) <= altered
            assert differing(clips["flip"], clips["both"]) <= altered
        assert ATTRIBUTES[attribute](clips["clean"]) == ATTRIBUTES[attribute](clips["stay"])
        assert ATTRIBUTES[attribute](clips["flip"]) == ATTRIBUTES[attribute](clips["both"])
        assert clean.answer == stay.answer != flip.answer == both.answer
        assert stay.factor == both.factor == "+".join(e.name for e in effects)
        assert stay.clip_b.changes == both.clip_b.changes


@settings(max_examples=40)
@given(SPLIT_NAMES, SEEDS, TASK_NAMES)
def test_edits_have_the_magnitude_of_the_rung(split, seed, task):
    for item in planned(split, seed, task, 8):
        for variant in item.variants[:2]:
            if variant.difference is None:
                continue
            before, after = item.clip_a.clip, variant.clip_b.clip
            if task in ("melody", "harmony"):
                moves = [b.pitch - a.pitch for a, b in zip(before.lead.notes, after.lead.notes, strict=True)]
                (move,) = {m for m in moves if m}
                assert [i for i, m in enumerate(moves) if m] == list(variant.difference.note_indices)
                assert abs(move) * (100 if task == "melody" else 1) == item.rung
                assert variant.difference.magnitude == move * (100 if task == "melody" else 1)
            elif task == "rhythm":
                ratio = before.beat / after.beat
                assert max(ratio, 1 / ratio) == pytest.approx(item.rung, rel=1e-9)
                assert variant.difference.magnitude == pytest.approx(ratio, rel=1e-9)


@settings(max_examples=25)
@given(SEEDS, st.sampled_from(["melody", "harmony"]))
def test_pitches_stay_in_the_bands_and_the_bands_of_the_splits_apart(seed, task):
    bands = {name: SPLITS[name].tasks[task].pitches for name in SPLITS}
    for split in TEXTURED:
        for item in planned(split, seed, task, 12):
            assert item.texture == split.split()[1]
            for performance in (item.clip_a, *(v.clip_b for v in item.variants)):
                sounding = performance.clip.sounding_pitches()
                assert any(
                    low <= min(sounding) and max(sounding) <= high for low, high in bands[split.split()[0]]
                )
    pools = {name: {p for low, high in bands[name] for p in range(low, high + 1)} for name in SPLITS}
    assert not pools["test"] & pools["train"]


@pytest.mark.parametrize("task", sorted(TASKS))
def test_contents_are_unique_within_and_between_splits_and_seeds_unrelated(task):
    contents = {
        (split, seed): [item.content for item in planned(split, seed, task, 300)]
        for split in SPLITS
        for seed in (0, 1)
    }
    for drawn in contents.values():
        assert len(set(drawn)) == len(drawn)
    assert not {c for s in (0, 1) for c in contents["test", s]} & {
        c for s in (0, 1) for c in contents["train", s]
    }
    shared = set(contents["test", 0]) & set(contents["test", 1])
    # Single chords are few enough for two streams to meet by chance; nothing else is.
    assert len(shared) <= (60 if task == "harmony" else 1)


@pytest.mark.parametrize("split", sorted(SPLITS))
def test_a_shorter_data_set_is_a_prefix_of_a_longer_one(split):
    short = list(plan(SPLITS[split], 5, items=4, variants=CONDITIONS))
    long = list(plan(SPLITS[split], 5, items=9, variants=CONDITIONS))
    assert [i for i in long if i.index < 4] == short
    assert list(plan(SPLITS[split], 5, ["timbre"], 4, CONDITIONS)) == [i for i in short if i.task == "timbre"]


def test_fewer_variants_leave_the_others_as_they_are():
    everything = list(plan(SPLITS["test"], 2, items=3, variants=CONDITIONS))
    clean = list(plan(SPLITS["test"], 2, items=3, variants=["clean"]))
    assert [i.variants[0] for i in everything] == [i.variants[0] for i in clean]


def test_ids_are_opaque_and_unique():
    items = list(plan(SPLITS["test"], 0, items=40, variants=CONDITIONS))
    ids = [v.id for item in items for v in item.variants]
    assert len(set(ids)) == len(ids)
    order = sorted(range(len(ids)), key=lambda position: ids[position])
    conditions = [CONDITIONS[position % 4] for position in order]
    runs = sum(a == b for a, b in pairwise(conditions))
    assert runs == pytest.approx(len(ids) / 4, abs=40)


@pytest.mark.parametrize("task", ["melody", "harmony", "timbre"])
def test_one_clip_alone_is_as_likely_under_either_answer(task):
    """The share of 'different' among items whose clip has some property must be one half."""
    items = planned("test", 0, task, 3000)
    features = Counter()
    different = Counter()
    for item in items:
        clean = item.variants[0]
        for side, clip in (("a", item.clip_a.clip), ("b", clean.clip_b.clip)):
            lead = clip.lead
            keys = [
                (side, "program", lead.instrument.program),
                (side, "lowest", min(n.pitch for n in lead.notes)),
                (side, "highest", max(n.pitch for n in lead.notes)),
                (side, "span", max(n.pitch for n in lead.notes) - min(n.pitch for n in lead.notes)),
                (side, "notes", len(lead.notes)),
                (side, "tones", str(sorted({n.pitch % 12 for n in lead.notes}))),
                (side, "harmony", str(ATTRIBUTES["harmony"](clip))),
            ]
            for key in keys:
                features[key] += 1
                different[key] += clean.relation == "different"
    for key, count in features.items():
        if count >= 60:
            deviation = abs(different[key] - count / 2) / (count**0.5 / 2)
            assert deviation < 4.5, f"{key}: {different[key]} of {count}"


@pytest.mark.parametrize("task", sorted(TASKS))
def test_an_accompaniment_is_the_same_in_all_clips_and_softer_than_the_lead(task):
    for item in planned("test accompanied", 0, task, 40):
        clips = [item.clip_a.clip] + [
            v.clip_b.clip for v in item.variants if v.condition in ("clean", "flip")
        ]
        assert len({clip.parts[1:] for clip in clips}) == 1
        assert len(clips[0].parts) == (3 if task == "timbre" else 2)
        lead = min(note.velocity for note in clips[0].lead.notes)
        others = [note.velocity for part in clips[0].parts[1:] for note in part.notes]
        assert max(others) + 10 <= lead


def test_textures_are_mixed_evenly_where_a_split_asks_for_both():
    split = Split.model_validate({**SPLITS["test"].model_dump(), "texture": ["solo", "accompanied"]})
    items = list(islice(TaskPlanner(split, 0, "melody", CONDITIONS), 32))
    assert Counter(item.texture for item in items) == {"solo": 16, "accompanied": 16}
    different = Counter(item.texture for item in items if item.variants[0].relation == "different")
    assert different == {"solo": 8, "accompanied": 8}


def test_both_takes_differ_and_stay_inaudible():
    for task in TASKS:
        for item in planned("test", 3, task, 50):
            take_a, take_b = item.clip_a.take, item.variants[0].clip_b.take
            assert take_a != take_b
            for take in (take_a, take_b):
                assert max(map(abs, take.onset_seconds)) <= 0.003
                assert max(map(abs, take.velocity_steps)) <= 2
            assert all(v.clip_b.take == take_b for v in item.variants)


@pytest.mark.parametrize("split", ["test solo", "test accompanied", "train solo"])
def test_no_take_repeats_itself_within_a_clip(split):
    """A faster clip B has more notes than clip A: deviations that come twice would give it away alone."""
    for task in TASKS:
        for item in planned(split, 3, task, 40):
            for performance in (item.clip_a, *(variant.clip_b for variant in item.variants)):
                notes = sum(len(part.notes) for part in performance.clip.parts)
                assert len(performance.take.onset_seconds) >= notes


def test_a_window_that_holds_no_whole_figure_is_refused():
    """Of a single stroke nobody can say how fast it is."""
    table = SPLITS["test"].model_dump()
    table["tasks"] = {"rhythm": {**table["tasks"]["rhythm"], "window_seconds": 3.5}}
    with pytest.raises(SpecError, match=r"too short .* it takes 3\.99 s"):
        next(plan(Split.model_validate(table), 0))
    table["tasks"]["rhythm"]["window_seconds"] = 3.99
    for item in plan(Split.model_validate(table), 0, items=60):
        figures = {len(v.clip_b.clip.lead.notes) for v in item.variants} | {len(item.clip_a.clip.lead.notes)}
        assert min(figures) >= 3


@pytest.mark.parametrize("task", ["melody", "harmony"])
def test_a_band_that_no_instrument_plays_is_refused(task):
    table = SPLITS["train"].model_dump()
    table["tasks"] = {task: {**table["tasks"][task], "pitches": [[90, 108]]}}
    with pytest.raises(SpecError, match=r"no instrument plays 1[24] semitones within the pitches 90 to 108"):
        next(plan(Split.model_validate(table), 0))


def test_identical_takes_are_a_setting():
    split = SPLITS["test"].model_copy(update={"takes": "identical"})
    for item in plan(split, 0, items=4):
        assert item.clip_a.take == item.variants[0].clip_b.take


def test_letters_are_fixed_in_test_and_counterbalanced_in_train():
    assert {i.choices for i in planned("test", 0, "melody", 60)} == {("same", "different")}
    orders = Counter(i.choices for i in planned("train", 0, "melody", 64))
    assert orders == {("same", "different"): 32, ("different", "same"): 32}
    for item in planned("train", 0, "melody", 60):
        first, second = item.choices
        meanings = {"same": "they are the same", "different": "they are different"}
        assert f"Answer A if {meanings[first]} or B if {meanings[second]}." in item.question


def test_a_request_beyond_the_capacity_says_so():
    table = SPLITS["test"].model_dump(mode="json")
    # With the ratio 1.5, there is but one rate in such a range for clip A: 150 a minute.
    options = {"rates": [100.0, 225.0], "figures": ["x.xx", "x..x", "xx..x."]}
    table["tasks"] = {"rhythm": {**table["tasks"]["rhythm"], "rungs": [1.5], "options": options}}
    split = Split.model_validate(table)
    with pytest.raises(SpecError, match=r"no new content was found after (\d+) items") as failure:
        list(plan(split, 0, items=16))
    capacity = int(re.search(r"after (\d+) items", str(failure.value))[1])
    assert len({item.content for item in plan(split, 0, items=capacity)}) == capacity > 3


def test_a_window_in_which_nothing_fits_says_so():
    table = SPLITS["test"].model_dump(mode="json")
    melody = {**table["tasks"]["melody"], "window_seconds": 1.0, "options": {"notes": [8, 8]}}
    split = Split.model_validate({**table, "tasks": {"melody": melody}})
    with pytest.raises(SpecError, match="'melody': no content fits: give the task a longer window"):
        next(plan(split, 0))


def test_every_wording_says_what_to_ignore_and_ends_with_the_instruction():
    for task in TASKS.values():
        assert len({question.text for question in task.questions}) >= 8
    for item in plan(SPLITS["train"], 0, items=64):
        assert item.question.endswith("Reply with the letter only.")


def swapping(candidates):
    table = SPLITS["train"].model_dump()
    fonts = ["fluidr3-gm", "timgm6mb", "musescore-general"]
    return Split.model_validate(
        {**table, "soundfonts": fonts, "effects": {"soundfont": {"candidates": candidates}}}
    )


def test_soundfonts_are_swapped_for_the_candidates_alone():
    candidates = ["timgm6mb", "musescore-general"]
    swaps = Counter()
    for item in islice(TaskPlanner(swapping(candidates), 0, "rhythm", CONDITIONS), 24):
        stay = next(v.clip_b for v in item.variants if v.condition == "stay")
        if any(change.effect == "soundfont" for change in stay.changes):
            assert stay.soundfont != item.clip_a.soundfont
            swaps[stay.soundfont] += 1
    assert set(swaps) == set(candidates)


@pytest.mark.parametrize(
    ("candidates", "message"),
    [(["generaluser-gs"], "'generaluser-gs' is not one of the split's"), (["timgm6mb"], "need another one")],
)
def test_candidates_that_can_not_serve_are_refused(candidates, message):
    with pytest.raises(ValueError, match=message):
        swapping(candidates)
