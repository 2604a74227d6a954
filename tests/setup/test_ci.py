"""`.ci/run` stops at the first stage that fails, and fails with its status."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

OS_RELEASE = Path("/etc/os-release")
IS_DEBIAN = OS_RELEASE.exists() and "ID=debian" in OS_RELEASE.read_text().splitlines()
SCRIPT = Path(__file__).resolve().parents[2] / ".ci" / "run"


TOOLS = ("bash", "dirname", "env", "grep", "mktemp", "rm")


def write_script(path: Path, commands: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{commands}\n")
    path.chmod(0o755)


def run_with_tests_that_end_with(
    status: int, folder: Path, *, has_browser: bool = True
) -> subprocess.CompletedProcess[str]:
    """Run the script on a machine with a few tools alone, on which nothing can be installed."""
    (folder / ".ci").mkdir()
    shutil.copy(SCRIPT, folder / ".ci" / "run")
    write_script(folder / "run", f'echo "called with $*, browser $LISTENBENCH_TEST_BROWSER"\nexit {status}')
    for tool in TOOLS:
        write_script(folder / "bin" / tool, f'exec {shutil.which(tool)} "$@"')
    write_script(folder / "bin" / "sudo", 'shift; exec "$@"')
    write_script(folder / "bin" / "apt-get", 'echo "apt-get $*"')
    if has_browser:
        write_script(folder / "bin" / "chromium", "exit 0")
    return subprocess.run(
        ["bash", str(folder / ".ci" / "run")],
        cwd=folder.parent,
        env={"PATH": str(folder / "bin")},
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
    assert "called with test, " in result.stdout
    assert "apt-get" not in result.stdout
    assert meaning in result.stdout
    first, last = stages(result.stdout)
    assert first == "==> tests"
    assert last.startswith(f"==> tests: FAILED with status {status} after ")


@pytest.mark.skipif(not IS_DEBIAN, reason="only Debian has a Chromium that can be counted on")
def test_the_browser_tests_have_to_run_on_debian(tmp_path: Path) -> None:
    result = run_with_tests_that_end_with(1, tmp_path, has_browser=False)
    update, install, tests = result.stdout.splitlines()[2:5]
    assert update.endswith(" update")
    assert install.endswith(" install --yes --no-install-recommends chromium")
    assert tests == "called with test, browser required"


def test_a_command_that_fails_within_a_stage_ends_it(tmp_path: Path) -> None:
    # There is no .venv here, so that the first command of the second stage fails, and later ones would not.
    result = run_with_tests_that_end_with(0, tmp_path)
    assert result.returncode != 0
    passed, last = stages(result.stdout)[1], stages(result.stdout)[-1]
    assert passed.startswith("==> tests: passed in ")
    assert last.startswith("==> build and install the wheel: FAILED with status ")
