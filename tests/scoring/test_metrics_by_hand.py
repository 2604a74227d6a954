"""Every count and metric on keys that are small enough to count by hand."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from scoring_data import balanced_rows, item_rows, oracle, write_lines

from listenbench.scoring import score
from listenbench.scoring.scorer import Group


def groups_of(tmp_path: Path, rows: list[dict[str, Any]], answers: Any) -> dict[tuple[Any, ...], Group]:
    result = score(answers, write_lines(tmp_path / "key.jsonl", rows), resamples=100)
    return {(group.by, group.names): group for group in result.analysis.groups}


@pytest.fixture
def small(tmp_path: Path) -> dict[tuple[Any, ...], Group]:
    """Three items of melody and one of harmony, answered partly wrong.

    ======== ======= ===== ==== ====
    item     factor  clean flip stay
    ======== ======= ===== ==== ====
    m1 (A)   eq      right wrong right
    m2 (B)   eq      wrong right right
    m3 (A)   room    right wrong wrong
    h1 (B)   room    missing invalid right
    ======== ======= ===== ==== ====
    """
    rows = [
        *item_rows("m1", "A", factor="eq"),
        *item_rows("m2", "B", factor="eq"),
        *item_rows("m3", "A", factor="room", rung=400),
        *item_rows("h1", "B", task="harmony", factor="room", rung=1),
    ]
    answers = {
        "m1-c": "A",
        "m1-f": "A",
        "m1-s": "A",
        "m2-c": "A",
        "m2-f": "A",
        "m2-s": "B",
        "m3-c": "A",
        "m3-f": "A",
        "m3-s": "B",
        "h1-f": "none",
        "h1-s": "B",
    }
    return groups_of(tmp_path, rows, answers)


def values(group: Group) -> dict[str, Fraction | None]:
    return {name: figure.value for name, figure in group.figures.items()}


def test_all_items(small: dict[tuple[Any, ...], Group]) -> None:
    assert values(small[(), ()]) == {
        "clean_accuracy": Fraction(2, 4),
        "miss_rate": Fraction(3, 4),
        "false_flip_rate": Fraction(1, 4),
        "acc_fs": Fraction(1, 2),
        "both_accuracy": None,
        "pairs_both_right": Fraction(1, 4),
        "pairs_one_right": Fraction(2, 4),
        # Ten letters, of which m1 gives three A, m2 two A, m3 two A, h1 none.
        "share_of_a": Fraction(7, 10),
        # Right letter A: m1 clean and stay, m2 flip, m3 clean and stay, h1 flip; right 2 + 1 + 1 + 0.
        "accuracy_given_a": Fraction(4, 6),
        # Right letter B: m1 flip, m2 clean and stay, m3 flip, h1 clean and stay; right 0 + 1 + 0 + 1.
        "accuracy_given_b": Fraction(2, 6),
    }
    assert small[(), ()].totals["missing"] == 1
    assert small[(), ()].totals["invalid"] == 1


def test_stay_factor_counts_the_flip_files_of_the_same_items(small: dict[tuple[Any, ...], Group]) -> None:
    eq, room = small[("stay_factor",), ("eq",)], small[("stay_factor",), ("room",)]
    assert (eq.items, eq.totals["flip_wrong"], eq.totals["stay_wrong"]) == (2, 1, 0)
    assert eq.figures["acc_fs"].value == Fraction(3, 4)
    assert (room.items, room.totals["flip_wrong"], room.totals["stay_wrong"]) == (2, 2, 1)
    assert room.figures["acc_fs"].value == Fraction(1, 4)


def test_groups_part_the_items(small: dict[tuple[Any, ...], Group]) -> None:
    assert {names: group.items for (by, names), group in small.items() if by == ("task", "rung")} == {
        ("melody", "100"): 2,
        ("melody", "400"): 1,
        ("harmony", "1"): 1,
    }
    assert small[("task", "flip_factor"), ("melody", "edit")].items == 3
    assert not any(by == ("texture",) for by, _ in small)


def test_unequal_numbers_of_flip_and_stay_files_weigh_the_same(tmp_path: Path) -> None:
    rows = [*item_rows("m1", "A"), *item_rows("m2", "A")[:2], *item_rows("m3", "A")[:2]]
    answers = oracle(rows) | {"m2-f": "A", "m1-s": "B"}
    group = groups_of(tmp_path, rows, answers)[(), ()]
    assert group.figures["miss_rate"].value == Fraction(1, 3)
    assert group.figures["false_flip_rate"].value == 1
    assert group.figures["acc_fs"].value == Fraction(1, 3)
    assert group.figures["pairs_both_right"].n == 1


def test_edited_and_perturbed_files_are_scored_apart(tmp_path: Path) -> None:
    rows = balanced_rows(both=True)
    answers = oracle(rows)
    wrong = [row["id"] for row in rows if row["condition"] == "both"][:8]
    answers |= {name: "B" if answers[name] == "A" else "A" for name in wrong}
    group = groups_of(tmp_path, rows, answers)[(), ()]
    assert group.figures["both_accuracy"].value == Fraction(24, 32)
    assert group.figures["acc_fs"].value == 1
    assert group.figures["share_of_a"].value == Fraction(1, 2)
    assert group.totals["files"] == 96


def test_textures_are_reported_where_present(tmp_path: Path) -> None:
    rows = [*item_rows("m1", "A", texture="solo"), *item_rows("m2", "A", texture="accompanied")]
    found = groups_of(tmp_path, rows, oracle(rows) | {"m2-c": "B"})
    assert found[("texture",), ("solo",)].figures["clean_accuracy"].value == 1
    assert found[("task", "texture"), ("melody", "accompanied")].figures["clean_accuracy"].value == 0


@pytest.mark.parametrize("letter", ["A", "B"])
@pytest.mark.parametrize("both", [False, True])
def test_a_constant_scores_exactly_half_on_a_balanced_key(tmp_path: Path, letter: str, both: bool) -> None:
    rows = balanced_rows(2, both=both)
    found = groups_of(tmp_path, rows, {row["id"]: letter for row in rows})
    assert len(found) > 20
    for group in found.values():
        assert group.figures["acc_fs"].value == Fraction(1, 2)
        assert group.figures["clean_accuracy"].value == Fraction(1, 2)
        assert group.figures["pairs_both_right"].value == 0
        assert group.figures["acc_fs"].is_chance
        interval = group.figures["acc_fs"].interval
        assert interval is not None
        assert (interval.low, interval.high) == (0.5, 0.5)
