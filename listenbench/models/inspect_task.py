"""The data set as a task of Inspect: `inspect eval listenbench/listen -T data=data/test-0 --model ...`.

A sample's input holds what a model may see. Condition, task, rung, item and the right letter are metadata
and target, which Inspect keeps on the evaluator's side.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any, Final

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.event import ModelEvent
from inspect_ai.log import transcript
from inspect_ai.model import (
    ChatMessageUser,
    ContentAudio,
    ContentText,
    GenerateConfig,
    ModelOutput,
)
from inspect_ai.scorer import (
    CORRECT,
    INCORRECT,
    NOANSWER,
    Metric,
    SampleScore,
    Score,
    Scorer,
    Target,
    accuracy,
    grouped,
    metric,
    scorer,
    value_to_float,
)
from inspect_ai.solver import Generate, Solver, TaskState, solver

from listenbench.dataset import Dataset, DatasetItem, load
from listenbench.errors import SpecError
from listenbench.models.asking import ask_model, words_of
from listenbench.models.letters import LetterProbabilities, letter_probabilities
from listenbench.models.presentation import CONDITIONS, WITHOUT_SOUND, pause_samples, shown_recording
from listenbench.models.progress import Watcher
from listenbench.models.prompts import prompts
from listenbench.models.replies import GENERATED, LOGPROB, READOUTS, Reply, reading_of
from listenbench.scoring.answers import INVALID, LETTERS, Choices
from listenbench.scoring.conditions import AUDIO

TOP_LOGPROBS: Final = 20
"""How many tokens are asked for: the most that OpenAI, Google and vLLM give by default."""

MOST_ASKED: Final = 5
"""How often a JSON answer is asked for until one can be read."""

_GOLD_FIELDS: Final = ("task", "item", "condition", "factor", "rung", "texture")


@task
def listen(data: str, readout: str = GENERATED, condition: str = AUDIO, json_answer: bool = False) -> Task:
    """Ask a model about every recording of a data set.

    Parameters
    ----------
    data : str
        The folder of the data set.
    readout : {"generated", "logprob"}
        Whether the answer is read in the reply, or in the log-probabilities of its first token.
    condition : str
        What is shown; one of `listenbench.models.presentation.CONDITIONS`.
    json_answer : bool
        Whether the answer is asked for as a JSON object, up to five times.
    """
    dataset = load(data)
    return listening_task(dataset, dataset.items, readout, condition, json_answer=json_answer)


def listening_task(
    dataset: Dataset,
    items: tuple[DatasetItem, ...],
    readout: str,
    condition: str,
    *,
    json_answer: bool = False,
    config: GenerateConfig | None = None,
    watcher: Watcher | None = None,
) -> Task:
    """Return the task for some items of a data set.

    Parameters
    ----------
    dataset : Dataset
        Where the items are from.
    items : tuple of DatasetItem
        What is asked.
    readout, condition, json_answer
        See `listen`.
    config : GenerateConfig, optional
        Sampling settings, which the readout adds to.
    watcher : Watcher, optional
        Is told what becomes of each recording.

    Raises
    ------
    SpecError
        If readout or condition is unknown, or the answer is asked for in JSON and read in its first token.
    DataError
        If the data set is damaged.
    """
    _check(readout, condition, json_answer)
    texts = prompts(dataset, items, condition, as_json=json_answer)
    gold = dataset.gold()
    samples = [_sample(item, texts[item.id], gold[item.id]) for item in items]
    asker = ask(
        {item.id: item for item in items},
        condition,
        pause_samples(dataset),
        MOST_ASKED if json_answer else 1,
        readout,
        watcher,
    )
    return Task(
        dataset=MemoryDataset(samples, name=str(dataset.description.get("name"))),
        solver=asker,
        scorer=letter(),
        config=(config or GenerateConfig()).merge(readout_config(readout)),
        name="listen",
    )


def _check(readout: str, condition: str, json_answer: bool) -> None:
    if readout not in READOUTS:
        raise SpecError(f"readout {readout!r} is not known; known readouts: {', '.join(READOUTS)}")
    if condition not in CONDITIONS:
        raise SpecError(f"condition {condition!r} is not known; known conditions: {', '.join(CONDITIONS)}")
    if json_answer and readout == LOGPROB:
        raise SpecError("a JSON answer has no letter as its first token: use the readout 'generated' for it")


def readout_config(readout: str) -> GenerateConfig:
    """Return the settings that a readout needs."""
    if readout == LOGPROB:
        return GenerateConfig(max_tokens=1, logprobs=True, top_logprobs=TOP_LOGPROBS)
    return GenerateConfig()


def _sample(item: DatasetItem, text: str, gold: Mapping[str, Any]) -> Sample:
    metadata = {field: gold.get(field) for field in _GOLD_FIELDS} | {"choices": list(item.choices)}
    return Sample(input=text, target=str(gold["answer"]), id=item.id, metadata=metadata)


def audio_message(wav: bytes, text: str) -> ChatMessageUser:
    """Return a message with a WAV file and a text after it."""
    # Inspect would guess the type of a file from its name, as audio/x-wav, which not every service knows.
    data = base64.b64encode(wav).decode("ascii")
    sound = ContentAudio(audio=f"data:audio/wav;base64,{data}", format="wav")
    return ChatMessageUser(content=[sound, ContentText(text=text)])


@solver
def ask(
    items: Mapping[str, DatasetItem],
    condition: str,
    pause: int,
    most_asked: int,
    readout: str,
    watcher: Watcher | None,
) -> Solver:
    """Show what the condition says and ask, up to `most_asked` times while no answer can be read.

    Recordings are read, and stand-ins made, when they are needed, so that they never fill the memory.
    """

    async def answer(state: TaskState, item: DatasetItem) -> Reply:
        if condition not in WITHOUT_SOUND:
            state.messages = [audio_message(shown_recording(item, condition, pause), state.input_text)]
        for asked in range(1, most_asked + 1):
            state.output = await ask_model(state.messages)
            reply = reply_of(item.id, item.choices, state.output, readout, asked)
            if asked == most_asked or reading_of(reply.line(), item.choices).code < INVALID:
                break
        return reply

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        del generate
        try:
            if watcher is not None:
                watcher.before()
            reply = await answer(state, items[str(state.sample_id)])
            if watcher is not None:
                watcher.replied(reply)
        except Exception as error:
            if watcher is not None:
                watcher.failed(words_of(error))
            raise
        state.messages.append(state.output.message)
        state.metadata["reply"] = reply.line()
        return state

    return solve


def reply_of(identifier: str, choices: Choices, output: ModelOutput, readout: str, asked: int = 1) -> Reply:
    """Return what came back for a recording, with the retries of the current sample so far."""
    retries = sum(event.retries or 0 for event in transcript().events if isinstance(event, ModelEvent))
    letters = first_token(output, choices) if readout == LOGPROB else None
    return Reply(
        identifier, output.completion, letters, str(output.stop_reason), asked, retries, output.model
    )


def first_token(output: ModelOutput, choices: Choices) -> LetterProbabilities:
    """Return the probabilities of the letters of a question as the first token of a reply."""
    logprobs = output.choices[0].logprobs if output.choices else None
    if logprobs is None or not logprobs.content:
        return letter_probabilities([], choices)
    first = logprobs.content[0]
    tokens = [(first.token, first.logprob), *((top.token, top.logprob) for top in first.top_logprobs or ())]
    return letter_probabilities(tokens, choices)


@metric
def acc_fs() -> Metric:
    """Acc_FS in percent: 100 - (MR + FFR) / 2, for data sets with FLIP and STAY variants."""

    def compute(scores: list[SampleScore]) -> float:
        to_float, shares = value_to_float(), []
        for condition in ("flip", "stay"):
            right = [
                to_float(score.score.value)
                for score in scores
                if (score.sample_metadata or {}).get("condition") == condition
            ]
            shares.append(sum(right) / len(right) if right else float("nan"))
        return 100 * sum(shares) / len(shares)

    return compute


@scorer(metrics=[acc_fs(), grouped(accuracy(), "condition"), grouped(accuracy(), "task", all=False)])
def letter() -> Scorer:
    """Read the letter as `listenbench score` does; a reply without one is 'no answer' and counts as wrong."""

    async def score(state: TaskState, target: Target) -> Score:
        line = state.metadata["reply"]
        reading = reading_of(line, tuple(state.metadata["choices"]))
        if reading.code >= INVALID:
            return Score(value=NOANSWER, explanation=reading.reason, metadata=line)
        answer = LETTERS[reading.code]
        value = CORRECT if answer == target.text else INCORRECT
        return Score(value=value, answer=answer, explanation=line.get("text"), metadata=line)

    return score
