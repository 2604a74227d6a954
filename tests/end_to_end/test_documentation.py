"""The documentation's snippets, executed."""

import importlib
import pkgutil
import re
import shlex
import tomllib
from pathlib import Path

import click
import pytest

import listenbench
from listenbench.cli import COMMANDS, cli
from listenbench.splits.model import Split

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), ROOT / "CONTRIBUTING.md"]


def snippets(page, language):
    return re.findall(rf"```{language}\n(.*?)```", page.read_text(), re.DOTALL)


def command_lines(page):
    """Return the lines of shell blocks, fenced or indented, each whole."""
    text = page.read_text().replace("\\\n", " ")
    blocks = re.findall(r"```(\w*)\n(.*?)```", text, re.DOTALL)
    shell = "".join(block for language, block in blocks if language in ("", "sh", "console"))
    fenced = [line.removeprefix("$ ") for line in shell.splitlines()]
    indented = re.findall(r"^    (\S.*)$", re.sub(r"```.*?```", "", text, flags=re.DOTALL), re.MULTILINE)
    return [*fenced, *indented]


def options_of(group, words):
    """Return the long options of the command that words name."""
    context, command = click.Context(group), group
    for word in words:
        if not isinstance(command, click.Group) or (inner := command.get_command(context, word)) is None:
            break
        command = inner
    return {"--help", *(name for option in command.params for name in (*option.opts, *option.secondary_opts))}


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
    for line in command_lines(page):
        if not line.startswith(("./run ", "listenbench ")):
            continue
        words = shlex.split(line, comments=True)
        if words[1:] not in (["test"], ["--help"]):
            assert words[1] in (*COMMANDS, "test"), line
            known = options_of(cli, words[1:])
            assert {word.partition("=")[0] for word in words if word.startswith("--")} <= known, line


def test_the_page_on_models_has_a_command_for_each_kind_of_model():
    lines = command_lines(ROOT / "docs" / "models.md")
    calls = [shlex.split(line) for line in lines if line.startswith("./run run ")]
    assert {call[call.index("--model") + 1].partition("/Q")[0] for call in calls} == {
        "openai/gpt-audio",
        "openai-api/vllm",
        "openai-api/local",
    }
    assert any(line.startswith("vllm serve ") for line in lines)
    assert any(line.startswith("transformers serve ") for line in lines)


def test_the_changelog_has_a_heading_for_this_version():
    assert f"## [{listenbench.__version__}]" in (ROOT / "CHANGELOG.md").read_text()


def test_public_names_are_functions_after_every_module_is_imported():
    for module in pkgutil.walk_packages(listenbench.__path__, "listenbench."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    for name in ("generate", "load", "score", "stream"):
        assert callable(getattr(listenbench, name)), name
