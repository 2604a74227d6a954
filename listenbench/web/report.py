"""The report: scores of one or several submissions as one page that needs nothing else."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tqdm import tqdm

from listenbench.errors import DataError, SpecError
from listenbench.scoring.compared import Comparison
from listenbench.scoring.comparison import compare_groups
from listenbench.scoring.console import Settings
from listenbench.scoring.hardest import hardest_items
from listenbench.scoring.json_values import figure_value
from listenbench.scoring.key import AnswerKey, read_key
from listenbench.scoring.outcomes import tabulate
from listenbench.scoring.scored import Score, check_resampling, checked_predictions, score_predictions
from listenbench.web.report_commands import PLAYERS, report_commands
from listenbench.web.report_items import WorstItem, worst_items
from listenbench.web.report_page import report_page
from listenbench.web.submissions import Submission, short_paths

MAXIMUM_PLAYERS: Final = 50

SCHEMA: Final = "listenbench.report/1"
"""Name and version of the JSON form of a report's summary."""


@dataclass(frozen=True, slots=True)
class Report:
    """A report.

    Attributes
    ----------
    html : str
        The page.
    submissions : tuple of Submission
        What it is about.
    items : tuple of WorstItem
        The items that can be listened to in it.
    """

    html: str
    submissions: tuple[Submission, ...]
    items: tuple[WorstItem, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return what the page is about as plain data for JSON."""
        key = self.submissions[0].score.key
        recordings = [recording for item in self.items for recording in item.recordings]
        page = self.html.encode("utf-8")
        return {
            "schema": SCHEMA,
            "bytes": len(page),
            "sha256": hashlib.sha256(page).hexdigest(),
            "data": {
                "name": key.name,
                "fingerprint": key.fingerprint,
                "items": len(key.row_of),
                "files": len(key.rows),
            },
            "models": [_model_value(submission) for submission in self.submissions],
            "players": {
                "items": [item.name for item in self.items],
                "recordings": len(recordings),
                "bytes": sum(len(recording.flac) for recording in recordings),
            },
        }


def _model_value(submission: Submission) -> dict[str, Any]:
    predictions = submission.score.predictions
    return {
        "number": submission.number,
        "model": submission.full_name,
        "source": submission.source,
        "sha256": submission.sha256,
        "missing": predictions.missing,
        "invalid": sum(predictions.invalid_reasons.values()),
        "figures": {name: figure_value(figure) for name, figure in submission.whole.figures.items()},
    }


def make_report(
    predictions: Sequence[Path],
    data: Path,
    settings: Settings,
    *,
    players: int = PLAYERS,
    out: Path = Path("report.html"),
    progress: bool = False,
) -> Report:
    """Score predictions and return the page.

    Parameters
    ----------
    predictions : sequence of Path
        One file a submission; the others are compared with the first.
    data : Path
        A data set folder, or a key file, for which there are no players.
    settings : Settings
        How to score.
    players : int, optional
        How many of the worst items the page has with their recordings, at most.
    out : Path, optional
        Where the page goes, for the command at its foot; it is not written here.
    progress : bool, optional
        Whether to show a progress bar.

    Raises
    ------
    DataError
        If predictions or data can't be used, or a file is given twice.
    SpecError
        If `players` is out of range.
    """
    if not 0 <= players <= MAXIMUM_PLAYERS:
        raise SpecError(f"players: {players} is not from 0 to {MAXIMUM_PLAYERS}")
    check_resampling(settings["resamples"], settings["seed"])
    hashes = _checked_hashes(predictions)
    key = read_key(data)
    bar = tqdm(total=2 * len(predictions), unit="step", disable=None if progress else True, leave=False)
    with bar:
        scores = []
        for path in predictions:
            scores.append(_score(path, key, settings, whole=len(predictions) > 1))
            bar.update()
        comparisons = []
        for score in scores[1:]:
            comparisons.append(_comparison(scores[0], score))
            bar.update()
        sources = short_paths(predictions)
        submissions = tuple(
            Submission(place, *each) for place, each in enumerate(zip(sources, hashes, scores, strict=True))
        )
        items = tuple(_worst_items(key, data, scores, players)) if data.is_dir() else ()
        bar.update()
    commands = report_commands(sources, data.absolute(), out.name, settings, players)
    html = report_page(submissions, comparisons, items, commands)
    return Report(html, submissions, items)


def _score(path: Path, key: AnswerKey, settings: Settings, *, whole: bool) -> Score:
    checked = checked_predictions(path, key, settings["duplicates"], strict=settings["strict"], whole=whole)
    return score_predictions(key, checked, settings["resamples"], settings["seed"])


def _comparison(first: Score, second: Score) -> Comparison:
    key, resamples, seed = first.key, first.resamples, first.seed
    table = tabulate(key, first.predictions.responses, second.predictions.responses)
    groups = compare_groups(key, table, resamples, seed)
    return Comparison(key, first.predictions, second.predictions, groups, resamples, seed)


def _worst_items(key: AnswerKey, data: Path, scores: Sequence[Score], number: int) -> Iterator[WorstItem]:
    """Return the worst items; none for listeners, who answered a part, and some files several times."""
    whole = [score.predictions.responses for score in scores if score.panel is None]
    return worst_items(data, hardest_items(key, whole, number)) if whole else iter(())


def _checked_hashes(paths: Sequence[Path]) -> list[str]:
    """Return the SHA-256 of each predictions file.

    Raises
    ------
    DataError
        If a file can't be read, or if two are the same.
    """
    seen: dict[str, Path] = {}
    for path in paths:
        digest = _sha256(path)
        if digest in seen:
            same = "it is given twice" if path.samefile(seen[digest]) else f"it is a copy of {seen[digest]}"
            raise DataError(f"{path}: {same}; give each submission once")
        seen[digest] = path
    return list(seen)


def _sha256(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise DataError(f"{path}: it can't be read: {error.strerror or error}") from None
