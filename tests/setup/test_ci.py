"""`.ci/run` stops at the first stage that fails, and fails with its status."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / ".ci" / "run"


def run_with_tests_that_end_with(status: int, folder: Path) -> subprocess.CompletedProcess[str]:
    (folder / ".ci").mkdir()
    shutil.copy(SCRIPT, folder / ".ci" / "run")
    script = folder / "run"
    script.write_text(f'#!/bin/sh\necho "called with $*"\nexit {status}\n')
    script.chmod(0o755)
    return subprocess.run(
        ["bash", str(folder / ".ci" / "run")],
        cwd=folder.parent,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def stages(output: str) -> list[str]:
    return [line for line in output.splitlines() if line.startswith("==> ")]


@pytest.mark.parametrize(
    ("status", "meaning"),
    [
        (1, "pytest: some tests failed"),
        (2, "the set-up failed, or pytest was interrupted"),
        (3, "pytest: internal error or wrong usage"),
        (5, "pytest: no tests were collected"),
    ],
)
def test_each_status_of_pytest_is_told_and_passed_on(tmp_path: Path, status: int, meaning: str) -> None:
    result = run_with_tests_that_end_with(status, tmp_path)
    assert result.returncode == status
    assert "called with test\n" in result.stdout
    assert meaning in result.stdout
    first, last = stages(result.stdout)
    assert first == "==> tests"
    assert last.startswith(f"==> tests: FAILED with status {status} after ")


def test_a_command_that_fails_within_a_stage_ends_it(tmp_path: Path) -> None:
    # There is no .venv here, so that the first command of the second stage fails, and later ones would not.
    result = run_with_tests_that_end_with(0, tmp_path)
    assert result.returncode != 0
    passed, last = stages(result.stdout)[1], stages(result.stdout)[-1]
    assert passed.startswith("==> tests: passed in ")
    assert last.startswith("==> build and install the wheel: FAILED with status ")
