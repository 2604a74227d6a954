"""What a data set says of itself, against counts by hand."""

from listenbench.audit.self_report import self_report
from listenbench.dataset import MANIFEST, read_rows


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
