"""What listeners make of the questions."""

from pathlib import Path

import pytest

from listenbench.dataset import DatasetItem
from listenbench.errors import DataError
from listenbench.listeners.reading import read
from listenbench.questions import prompt
from listenbench.tasks import TASKS

CASES = [
    pytest.param(task, question, choices, id=f"{task.name}-{number}-{choices[0]}")
    for task in TASKS.values()
    for number, question in enumerate(task.questions)
    for choices in (question.choices, question.choices[::-1])
]


def item(question, choices):
    return DatasetItem("0" * 20, question, tuple(choices), Path("0.wav"))


@pytest.mark.parametrize(("task", "question", "choices"), CASES)
def test_every_wording_is_read_as_its_task_means_it(task, question, choices):
    request = read(item(prompt(question, choices), choices))
    assert request.subject == task.name
    for relation, choice in question.answers.items():
        changed = relation in ("different", "faster")
        assert request.letter_for(changed=changed) == "AB"[choices.index(choice)]


@pytest.mark.parametrize(
    ("question", "choices"),
    [
        ("What is the key? Answer A if it is C or B if it is D.", ("same", "different")),
        ("Are the chords the same?", ("yes", "no")),
        ("Which tempo is it?", ("first", "second")),
    ],
)
def test_a_question_beyond_the_listeners_is_refused_by_name(question, choices):
    with pytest.raises(DataError, match="0" * 20):
        read(item(question, choices))
