"""What a data set says of itself, against counts by hand."""

from listenbench.dataset import MANIFEST, read_description, read_rows
from listenbench.self_report import report_lines, self_report


def test_counts_are_those_of_the_design(audited):
    report = self_report(read_rows(audited / MANIFEST))
    assert set(report) == {"melody", "harmony", "timbre", "rhythm"}
    for counts in report.values():
        assert counts["items"] == counts["distinct_contents"] == 4
        assert counts["equal_clips"] == 0
        assert counts["answers"] == {name: {"A": 2, "B": 2} for name in ("clean", "flip", "stay")}


def test_equal_performances_and_doubled_contents_are_counted(audited):
    rows = list(read_rows(audited / MANIFEST))
    melody = [row for row in rows if row["task"] == "melody"]
    changed = [{**row, "clip_b": row["clip_a"], "content": "one"} for row in melody]
    assert self_report(changed)["melody"]["equal_clips"] == 12
    assert self_report(changed)["melody"]["distinct_contents"] == 1


def test_it_is_kept_in_the_description(audited):
    assert read_description(audited)["self_report"] == self_report(read_rows(audited / MANIFEST))


def test_as_text_it_is_one_line_a_task(audited):
    lines = report_lines(read_description(audited)["self_report"])
    said = "4 items, 4 distinct contents, 0 recordings with equal clips, answers A 6, B 6"
    assert lines == [f"{task}: {said}" for task in ("harmony", "melody", "rhythm", "timbre")]
