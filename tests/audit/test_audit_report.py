"""The report of an audit as text: short where much is the same, and JSON with everything."""

from listenbench.audit.check import Check, failures, too_few
from listenbench.audit.report import as_json, as_text


def test_checks_with_too_few_items_take_a_line_a_kind_and_are_all_in_json():
    groups = ("melody, clean", "melody, all", "rhythm, clean")
    kinds = ("sound of clip A", "question text")
    checks = [too_few("shortcuts", f"{group}: {kind}", 2) for group in groups for kind in kinds]
    text = as_text(checks)
    assert text.count("too few items") == len(kinds)
    for kind in kinds:
        assert f"{kind}, 3 times: too few items: 2 of one answer" in text
    assert "6 checks, 0 failed" in text
    assert [check["name"] for check in as_json("x", "y", checks)["checks"]] == [c.name for c in checks]


def test_files_of_which_the_same_is_said_take_one_line():
    items = ("a.wav: missing", "b.wav: missing", "c.wav: changed", "melody-000001")
    checks = [Check("files", "whole and unchanged", "4 of 9", "0", passed=False, items=items)]
    lines = [line.strip() for line in as_text(checks).splitlines()]
    assert "a.wav: missing (and 1 more like it)" in lines
    assert "c.wav: changed" in lines
    assert "melody-000001" in lines
    assert not any("b.wav" in line for line in lines)
    assert failures(checks)[0].items == items
