"""The preflight, run through Inspect: a few questions before any money is spent."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain

from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageUser, GenerateConfig
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import collect

from listenbench.audio import encoded
from listenbench.models.asking import ask_model, words_of
from listenbench.models.inspect_task import audio_message, readout_config, reply_of
from listenbench.models.probes import (
    TOGETHER,
    BatchCheck,
    Heard,
    Probe,
    batch_check,
    hearing_problem,
    sound_probes,
    text_probe,
    text_problem,
)
from listenbench.models.replies import Reply


@dataclass(slots=True)
class Findings:
    """What the preflight has found.

    Attributes
    ----------
    done : bool
        Whether it came to its end.
    problem : str
        What is wrong; empty if nothing is.
    failure : str
        What the error says that ended it.
    batch : BatchCheck or None
        Whether replies change when several are asked for at once; None without sound.
    """

    done: bool = False
    problem: str = ""
    failure: str = ""
    batch: BatchCheck | None = None


def preflight_task(readout: str, *, with_sound: bool, config: GenerateConfig, findings: Findings) -> Task:
    """Return a task that asks the probes and writes what it finds to `findings`."""
    return Task(
        dataset=[Sample(input=text_probe().question, id="preflight")],
        solver=ask_probes(readout, with_sound, findings),
        config=config.merge(readout_config(readout)),
        name="preflight",
    )


@solver
def ask_probes(readout: str, with_sound: bool, findings: Findings) -> Solver:
    """Ask the probe without sound, then each clip alone, then all of them at once."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        del generate
        try:
            await _find(findings, readout, with_sound)
        except Exception as error:
            findings.failure = words_of(error)
            raise
        findings.done = True
        return state

    return solve


async def _find(findings: Findings, readout: str, with_sound: bool) -> None:
    probe = text_probe()
    findings.problem = text_problem(probe, await _ask(probe, readout))
    if with_sound and not findings.problem:
        pairs = await _listen(readout)
        findings.problem = hearing_problem(pairs)
        findings.batch = batch_check(pairs)


async def _listen(readout: str) -> list[tuple[Heard, Heard]]:
    pairs = sound_probes()
    probes = list(chain.from_iterable(pairs))
    alone = {probe.name: await _ask(probe, readout) for probe in probes}
    times = TOGETHER // len(probes)
    replies = await collect(*(_ask(probe, readout) for probe in probes * times))
    heard = {
        probe.name: Heard(probe, alone[probe.name], tuple(replies[place :: len(probes)]))
        for place, probe in enumerate(probes)
    }
    return [(heard[first.name], heard[second.name]) for first, second in pairs]


async def _ask(probe: Probe, readout: str) -> Reply:
    if probe.sound is None:
        message = ChatMessageUser(content=probe.question)
    else:
        message = audio_message(encoded(probe.sound), probe.question)
    output = await ask_model([message])
    return reply_of(probe.name, probe.choices, output, readout)
