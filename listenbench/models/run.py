"""From a data set and the name of a model to a predictions file, through Inspect."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from platform import python_version
from typing import Any, Final

from inspect_ai import Task
from inspect_ai import eval as evaluate
from inspect_ai.log import EvalLog
from inspect_ai.model import GenerateConfig, Model, get_model
from tqdm import tqdm

from listenbench._version import __version__
from listenbench.dataset import Dataset, DatasetItem
from listenbench.errors import DataError, ListenbenchError, SpecError
from listenbench.models.asking import one_line, words_of
from listenbench.models.inspect_task import listening_task
from listenbench.models.journal import Journal, finished_lines
from listenbench.models.preflight import Findings, preflight_task
from listenbench.models.progress import JournalWriter
from listenbench.models.prompts import prompts, prompts_sha256
from listenbench.models.secrets import redacted
from listenbench.models.settings import RunSettings
from listenbench.models.statistics import counted

MOST_FAILURES: Final = 20
"""With more failed recordings than this, a run stops: the service is down, or refuses them all."""

_PACKAGES: Final = ("inspect_ai", "openai", "anthropic", "google-genai", "transformers", "vllm")


@dataclass(frozen=True, slots=True)
class Summary:
    """What a run has done.

    Attributes
    ----------
    path : Path
        The predictions file.
    meta : mapping
        Its first line.
    asked : int
        Recordings that were asked about now; the others were known already.
    """

    path: Path
    meta: Mapping[str, Any]
    asked: int


def run(dataset: Dataset, out: str | Path, settings: RunSettings) -> Summary:
    """Ask a model about every recording, and write a predictions file.

    Replies are kept as they arrive. A run that was stopped is resumed by the same call, and asks nothing
    twice; so is one in which recordings failed.

    Parameters
    ----------
    dataset : Dataset
        What is asked.
    out : str or Path
        The predictions file.
    settings : RunSettings
        Which model, and how.

    Raises
    ------
    SpecError
        If the model can't be made: an unknown provider, a missing package or key.
    DataError
        If the preflight fails, recordings fail, the data set is damaged or a file can't be written.
    KeyboardInterrupt
        If the run was interrupted.
    """
    target = Path(out)
    texts = prompts(dataset, dataset.items, settings.condition, as_json=settings.json_answer)
    identity = settings.identity(dataset, prompts_sha256(texts))
    items = dataset.items[: settings.limit]
    known = {} if settings.overwrite else finished_lines(target, identity)
    with Journal(target, identity, known) as journal:
        pending = tuple(item for item in items if item.id not in journal.lines)
        if pending:
            _ask(dataset, pending, settings, journal)
        meta = _meta(journal.meta, items, journal.lines, settings)
        journal.finish(meta, (journal.lines.get(item.id, _missing(item, settings)) for item in items))
    return Summary(target, meta, len(pending))


def _ask(dataset: Dataset, pending: tuple[DatasetItem, ...], settings: RunSettings, journal: Journal) -> None:
    """Ask about recordings; what is answered goes to the journal."""
    model = _model(settings)
    log_dir = settings.log_dir or journal.path.with_suffix("").with_suffix(".logs")
    if settings.preflight and "preflight" not in journal.meta:
        batch = _preflight(model, settings, log_dir).batch
        journal.meta["batch_check"] = None if batch is None else asdict(batch)
    journal.meta.setdefault("preflight", "passed" if settings.preflight else "skipped")
    journal.meta.setdefault("date", datetime.now(UTC).date().isoformat())
    with tqdm(total=len(pending), unit="item", disable=None if settings.progress else True) as bar:
        writer = JournalWriter(journal, bar)
        task = listening_task(
            dataset,
            pending,
            settings.readout,
            settings.condition,
            json_answer=settings.json_answer,
            config=_config(settings),
            watcher=writer,
        )
        log = _evaluate(task, model, settings, log_dir)
    writer.before()
    failed = [item for item in pending if item.id not in journal.lines]
    if failed and not (settings.accept_missing and log.status == "success"):
        first = writer.failures[0] if writer.failures else _error_of(log)
        kept = f"the others are kept in {journal.path}" if journal.lines else "nothing was written"
        raise DataError(
            f"{len(failed)} of {len(pending)} recordings have no reply: {first}: {kept}, and the same call "
            f"asks for the rest (logs: {log_dir})"
        )


def _model(settings: RunSettings) -> Model:
    try:
        return get_model(
            settings.model, base_url=settings.base_url, config=_config(settings), **settings.model_args
        )
    except ListenbenchError:
        raise
    except Exception as error:  # noqa: BLE001  providers of all kinds raise errors of all kinds
        raise SpecError(f"model {settings.model!r} can't be used: {words_of(error)}") from None


def _config(settings: RunSettings) -> GenerateConfig:
    return GenerateConfig(
        max_retries=settings.max_retries, max_connections=settings.max_connections, **settings.sampling
    )


def _preflight(model: Model, settings: RunSettings, log_dir: Path) -> Findings:
    findings = Findings()
    task = preflight_task(
        settings.readout, with_sound=settings.sends_sound, config=_config(settings), findings=findings
    )
    log = _evaluate(task, model, settings, log_dir)
    if not findings.done:
        words = findings.failure or _error_of(log)
        raise DataError(f"preflight: model {settings.model!r} gave no reply: {words}")
    if findings.problem:
        problem = redacted(findings.problem)
        raise DataError(
            f"preflight: model {settings.model!r}: {problem} (nothing else was asked; --no-preflight goes on)"
        )
    return findings


def _evaluate(task: Task, model: Model, settings: RunSettings, log_dir: Path) -> EvalLog:
    """Run a task of Inspect; the logs hold no audio."""
    try:
        logs = evaluate(
            task,
            model=model,
            display="none",
            log_dir=str(log_dir),
            log_images=False,
            log_model_api=False,
            fail_on_error=float(MOST_FAILURES),
            score=task.scorer is not None,
            max_samples=settings.max_connections,
            ctl_server=False,
        )
    except Exception as error:  # noqa: BLE001  Inspect ends a task that can't start with errors of all kinds
        raise DataError(f"model {settings.model!r} can't be asked: {words_of(error)}") from None
    if not logs or logs[0].status == "cancelled":
        raise KeyboardInterrupt
    return logs[0]


def _error_of(log: EvalLog) -> str:
    """Return what ended a task before any request failed."""
    return one_line(log.error.message) if log.error is not None else "the run was stopped"


def _missing(item: DatasetItem, settings: RunSettings) -> Mapping[str, Any]:
    return {"id": item.id, "logprobs" if settings.readout == "logprob" else "text": None}


def _meta(
    header: Mapping[str, Any],
    items: tuple[DatasetItem, ...],
    lines: Mapping[str, Mapping[str, Any]],
    settings: RunSettings,
) -> dict[str, Any]:
    replies = {item.id: lines[item.id] for item in items if item.id in lines}
    names = sorted({str(line["model"]) for line in replies.values() if line.get("model")})
    return {
        **header,
        "version": ", ".join(names) or "unknown",
        "base_url": settings.base_url,
        "counts": counted(items, replies),
        "packages": {"listenbench": __version__, "python": python_version(), **_versions()},
    }


def _versions() -> dict[str, str]:
    found = {}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
