"""What must hold for every key and every set of answers."""

from __future__ import annotations

import tempfile
from fractions import Fraction
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from scoring_data import OTHER, balanced_rows, item_rows, oracle, write_lines

from listenbench.scoring import compare, score

Rows = list[dict[str, Any]]


@st.composite
def keys(draw: st.DrawFn) -> Rows:
    """Draw a key of a few items, some with files left out and some with a fourth file."""
    rows: Rows = []
    for n in range(draw(st.integers(1, 8))):
        task = draw(st.sampled_from(["melody", "rhythm"]))
        own = item_rows(
            f"i{n}",
            draw(st.sampled_from("AB")),
            task,
            draw(st.sampled_from([1.1, 1.5])),
            draw(st.sampled_from(["eq", "room"])),
        )
        own.append(own[1] | {"id": f"i{n}-b", "condition": "both", "factor": "eq"})
        kept = draw(st.sets(st.sampled_from(range(4)), min_size=1))
        rows += [own[place] for place in sorted(kept)]
    return rows


@st.composite
def answered_keys(draw: st.DrawFn) -> tuple[Rows, list[dict[str, Any]]]:
    """Draw a key, and answers of which some are invalid, null or missing."""
    rows = draw(keys())
    answers = [{"id": row["id"], "answer": draw(st.sampled_from(["A", "B", "?", None]))} for row in rows]
    kept = draw(st.sets(st.sampled_from(range(len(rows))), min_size=1))
    return rows, [answers[place] for place in sorted(kept)]


def scored(rows: Rows, answers: Any, **more: Any) -> list[Any]:
    with tempfile.TemporaryDirectory() as folder:
        key = write_lines(Path(folder) / "key.jsonl", rows)
        value = score(answers, key, resamples=100, **more).to_dict()
    return [value["groups"], value["sensitivity"], value["psychometric"]]


@given(answered_keys(), st.randoms(use_true_random=False))
@settings(max_examples=25)
def test_the_order_of_lines_and_of_the_key_changes_nothing(case: tuple[Rows, Any], random: Any) -> None:
    rows, answers = case
    before = scored(rows, answers)
    shuffled_rows, shuffled_answers = list(rows), list(answers)
    random.shuffle(shuffled_rows)
    random.shuffle(shuffled_answers)
    assert scored(shuffled_rows, shuffled_answers) == before


@given(answered_keys())
@settings(max_examples=25)
def test_swapping_the_letters_everywhere_changes_nothing(case: tuple[Rows, Any]) -> None:
    rows, answers = case
    choices = {"melody": ["same", "different"], "rhythm": ["first", "second"]}
    rows = [row | {"choices": choices[row["task"]]} for row in rows]
    swapped_rows = [row | {"answer": OTHER[row["answer"]], "choices": row["choices"][::-1]} for row in rows]
    swapped_answers = [line | {"answer": OTHER.get(line["answer"], line["answer"])} for line in answers]
    groups, sensitivity, curves = scored(rows, answers)
    swapped_groups, swapped_sensitivity, swapped_curves = scored(swapped_rows, swapped_answers)
    assert (sensitivity, curves) == (swapped_sensitivity, swapped_curves)
    for group, swapped in zip(groups, swapped_groups, strict=True):
        for name, figure in group["figures"].items():
            if name == "share_of_a":
                other = swapped["figures"][name]["value"]
                assert figure["value"] is None or abs(figure["value"] + other - 100) < 1e-9
            elif name.startswith("accuracy_given_"):
                partner = "accuracy_given_b" if name.endswith("a") else "accuracy_given_a"
                assert figure == swapped["figures"][partner]
            else:
                assert figure == swapped["figures"][name]


@given(keys())
@settings(max_examples=15)
def test_the_oracle_gets_everything_and_its_inverse_nothing(rows: Rows) -> None:
    right = oracle(rows)
    wrong = {name: OTHER[letter] for name, letter in right.items()}
    for answers, best in ((right, 100), (wrong, 0)):
        for group in scored(rows, answers)[0]:
            for name in ("clean_accuracy", "acc_fs", "both_accuracy", "pairs_both_right"):
                assert group["figures"][name]["value"] in (best, None)
            for name in ("miss_rate", "false_flip_rate"):
                assert group["figures"][name]["value"] in (100 - best, None)


@given(answered_keys())
@settings(max_examples=15)
def test_counts_add_up_and_intervals_hold_their_figures_in_range(case: tuple[Rows, Any]) -> None:
    rows, answers = case
    groups = scored(rows, answers)[0]
    assert sum(group["items"] for group in groups if group["by"] == ["task"]) == groups[0]["items"]
    for group in groups:
        counts = group["counts"]
        assert counts["files"] == counts["clean"] + counts["flip"] + counts["stay"]
        assert counts["right_is_a"] + counts["right_is_b"] == counts["files"]
        assert counts["answered"] + counts["invalid"] + counts["missing"] <= counts["files"] + counts["both"]
        right = (
            counts["clean_right"]
            + counts["flip"]
            - counts["flip_wrong"]
            + counts["stay"]
            - counts["stay_wrong"]
        )
        assert right == counts["right_is_a_right"] + counts["right_is_b_right"]
        for figure in group["figures"].values():
            interval = figure["interval"]
            if interval:
                assert 0 <= interval["low"] <= interval["high"] <= 100


@given(st.lists(st.sampled_from("AB"), min_size=96, max_size=96))
@settings(max_examples=6)
def test_acc_fs_is_what_its_definition_says(letters: list[str]) -> None:
    rows = balanced_rows()
    groups = scored(rows, dict(zip([row["id"] for row in rows], letters, strict=True)))[0]
    for group in groups:
        counts = group["counts"]
        rates = Fraction(counts["flip_wrong"], counts["flip"]) + Fraction(
            counts["stay_wrong"], counts["stay"]
        )
        assert group["figures"]["acc_fs"]["value"] == float(100 - 100 * rates / 2)


@given(answered_keys())
@settings(max_examples=10)
def test_comparing_a_submission_with_itself_shows_no_difference(case: tuple[Rows, Any]) -> None:
    rows, answers = case
    with tempfile.TemporaryDirectory() as folder:
        key = write_lines(Path(folder) / "key.jsonl", rows)
        value = compare(answers, answers, key, resamples=100).to_dict()
    for group in value["groups"]:
        for difference in group["differences"].values():
            assert (difference["difference"], difference["p"], difference["detectable"]) == (0, 1, None)
        for test in group["mcnemar"].values():
            assert test == {"only_first": 0, "only_second": 0, "p": 1.0}
