"""The gallery in the documentation is the one that the code draws."""

import re
from pathlib import Path

from listenbench.compose.accompaniment import TEXTURES
from listenbench.display import rung_text
from listenbench.gallery import gallery
from listenbench.tasks import TASKS

PAGE = Path(__file__).parents[2] / "docs" / "gallery.md"


def test_the_page_is_up_to_date():
    command = "python -m listenbench.gallery --out docs/gallery.md"
    assert PAGE.read_text("utf-8") == gallery(), f"docs/gallery.md has drifted: {command}"


def test_there_is_one_example_for_each_task_texture_and_rung():
    headings = re.findall(r"^### (.*)$", PAGE.read_text("utf-8"), re.MULTILINE)
    assert headings == [
        f"{task.name.capitalize()}, {texture}, {rung_text(rung, task.unit)}"
        for task in TASKS.values()
        for texture in TEXTURES
        for rung in task.rungs
    ]
