"""The documentation's snippets, executed."""

import importlib
import pkgutil
import re
import shlex
import tomllib
from pathlib import Path

import pytest

import listenbench
from listenbench.cli import COMMANDS
from listenbench.splits.model import Split

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), ROOT / "CONTRIBUTING.md"]


def snippets(page, language):
    return re.findall(rf"```{language}\n(.*?)```", page.read_text(), re.DOTALL)


def test_the_python_of_the_readme_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (snippet,) = snippets(ROOT / "README.md", "python")
    names = {}
    exec(compile(snippet, "README.md", "exec"), names)
    assert len(names["dataset"]) == 120
    assert names["score"].figures["acc_fs"].value == 0.5
    assert names["sample"].answer in ("A", "B")


def test_the_split_in_the_documentation_is_valid():
    (snippet,) = snippets(ROOT / "docs" / "extending.md", "toml")
    assert Split.model_validate(tomllib.loads(snippet)).name == "organ-rooms"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
        assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_exist(page):
    for block in snippets(page, "sh"):
        for line in block.replace("\\\n", " ").splitlines():
            words = shlex.split(line, comments=True)
            if words[:1] in (["./run"], ["listenbench"]):
                assert words[1] in (*COMMANDS, "test"), line


def test_the_changelog_has_a_heading_for_this_version():
    assert f"## [{listenbench.__version__}]" in (ROOT / "CHANGELOG.md").read_text()


def test_public_names_are_functions_after_every_module_is_imported():
    for module in pkgutil.walk_packages(listenbench.__path__, "listenbench."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    for name in ("generate", "load", "score", "stream"):
        assert callable(getattr(listenbench, name)), name
