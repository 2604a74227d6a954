"""What a program imported before must not change the bytes of recordings."""

import json
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="only Linux takes one library for another by its SONAME"
)

PROGRAM = """\
{imports}
from listenbench import generate
if __name__ == "__main__":
    made = generate("test", 0, "{name}", items=1, tasks=["harmony", "rhythm"], workers={workers})
    print(made.description["fingerprint"])
"""


def run(folder, name, imports, workers):
    program = folder / f"{name}.py"
    program.write_text(PROGRAM.format(imports=imports, name=name, workers=workers), "utf-8")
    command = [sys.executable, str(program)]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)


@pytest.fixture(scope="module")
def fingerprint(tmp_path_factory):
    out = tmp_path_factory.mktemp("usual") / "data"
    options = ("--split", "test", "--seed", "0", "--items", "1", "--tasks", "harmony,rhythm", "--out", out)
    command = [sys.executable, "-m", "listenbench", "generate", *options, "--json"]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(result.stdout)["fingerprint"]


@pytest.mark.parametrize(
    ("imports", "workers"),
    [
        ("", 1),
        ("import soundfile", 2),
        ("import listenbench.fluidsynth\nlistenbench.fluidsynth.library()\nimport soundfile", 1),
    ],
)
def test_a_program_makes_the_bytes_of_the_command_line(tmp_path, fingerprint, imports, workers):
    result = run(tmp_path, "data", imports, workers)
    assert result.returncode == 0, result.stderr
    assert result.stdout.split()[-1] == fingerprint


def test_a_program_that_would_make_other_bytes_is_refused(tmp_path):
    result = run(tmp_path, "data", "import soundfile", 1)
    assert result.returncode == 1
    assert "RenderError" in result.stderr
    assert "imported soundfile" in result.stderr
    assert not (tmp_path / "data").exists()
