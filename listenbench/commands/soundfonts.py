"""`listenbench soundfonts`: which soundfonts are there, what they are good for, and how to get the rest."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click

from listenbench.errors import RenderError, SpecError
from listenbench.soundfonts import FoundSoundfont, catalog, check_whole, entry_of, find, locate
from listenbench.soundfonts.check import LIMIT_CENTS, Audition, Sound, audition, problem_runs
from listenbench.soundfonts.entries import CatalogEntry
from listenbench.soundfonts.folders import data_folder

PROBLEMS_FOUND = 1
"""Exit status where `--check` finds notes that don't pass."""


@dataclass(frozen=True, slots=True)
class Status:
    """What there is to say about one soundfont of the catalogue on this machine."""

    entry: CatalogEntry
    found: FoundSoundfont | None
    problem: str | None
    sha256: str | None
    known: str | None
    roles: Mapping[str, str]


@click.group("soundfonts", invoke_without_command=True)
@click.option("--json", "as_json", is_flag=True, help="Print the list as JSON.")
@click.option("--check", is_flag=True, help="Render the notes that are used, and report the bad ones.")
@click.option("--split", help="With --check: only the soundfonts, presets and pitches of this split.")
@click.pass_context
def command(context: click.Context, as_json: bool, check: bool, split: str | None) -> None:
    """List the soundfonts: found or not, where, licence, use, and how to get them.

    With --check, every note that the tasks use is rendered; the command ends with status 1 if one of
    them is silent, clipped or more than 15 cents out of tune.

    \b
    Examples:
      listenbench soundfonts
      listenbench soundfonts --check --split test
      listenbench soundfonts fetch generaluser-gs
    """
    if context.invoked_subcommand is not None:
        return
    if split is not None and not check:
        raise SpecError("--split says what --check renders: give both")
    if check:
        context.exit(_run_check(split, as_json))
    statuses = [_status(entry) for entry in catalog().values()]
    if as_json:
        click.echo(json.dumps([_status_data(status) for status in statuses], indent=2))
    else:
        click.echo("\n\n".join(_status_text(status) for status in statuses))


@command.command("fetch")
@click.argument("name")
@click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where to put it instead of your data folder.",
)
def fetch_command(name: str, folder: Path | None) -> None:
    """Download the soundfont NAME and check it.

    An interrupted download goes on where it ended when the command is repeated.

    \b
    Example:
      listenbench soundfonts fetch musescore-general
    """
    from tqdm import tqdm

    from listenbench.soundfonts.fetch import fetch

    entry = entry_of(name)
    if entry.download is not None and entry.download.sha256 is None:
        click.echo(
            f"no hash is known for {entry.download.address}: only the file's structure is checked", err=True
        )
    with tqdm(desc=name, unit="B", unit_scale=True, disable=not sys.stderr.isatty()) as bar:

        def show(have: int, total: int | None) -> None:
            bar.total = total
            bar.update(have - bar.n)

        path = fetch(entry, folder or data_folder(), show)
    click.echo(path)


# ---- Listing


def _status(entry: CatalogEntry) -> Status:
    found = locate(entry)
    sha256 = known = problem = None
    if found is not None:
        try:
            check_whole(found.path)
            sha256 = found.sha256()
            known_file = entry.known_file(sha256)
            known = known_file.note if known_file else None
        except RenderError as error:
            problem = str(error)
    return Status(entry, found, problem, sha256, known, _roles(entry.name))


def _roles(name: str) -> dict[str, str]:
    """Return what a soundfont does in each of the splits that come with listenbench and use it."""
    from listenbench.splits import load_split, split_names

    roles = {}
    for split_name in split_names():
        used = load_split(split_name).soundfonts
        if name in used:
            roles[split_name] = "renders every clip" if len(used) == 1 else f"one of {len(used)}, used evenly"
    return roles


def _status_data(status: Status) -> dict[str, Any]:
    entry, found = status.entry, status.found
    return {
        "name": entry.name,
        "title": entry.title,
        "licence": entry.licence,
        "found": found is not None,
        "path": str(found.path) if found else None,
        "resolved": str(found.resolved) if found else None,
        "size": found.size if found else None,
        "sha256": status.sha256,
        "known": status.known,
        "problem": status.problem,
        "roles": dict(status.roles),
        "install": dict(entry.install_commands()),
    }


def _status_text(status: Status) -> str:
    rows = [
        ("found", _where(status)),
        ("hash", _hash_text(status)),
        ("problem", status.problem or ""),
        ("used by", "; ".join(f"{split}: {role}" for split, role in status.roles.items()) or "no split"),
        ("get it", status.entry.how_to_get()),
    ]
    title = click.style(status.entry.name, bold=True)
    lines = [f"{title}   {status.entry.title}, licence {status.entry.licence}"]
    return "\n".join(lines + [f"  {label:<8} {text}" for label, text in rows if text])


def _where(status: Status) -> str:
    found = status.found
    if found is None:
        return "no"
    link = f" -> {found.resolved}" if found.resolved != found.path else ""
    return f"{found.path}{link} ({found.size / 1e6:.1f} MB)"


def _hash_text(status: Status) -> str:
    if status.sha256 is None:
        return ""
    return (
        f"{status.sha256[:16]}... {status.known or 'unknown: sounds may differ from those of a known file'}"
    )


# ---- Checking


def _run_check(split: str | None, as_json: bool) -> int:
    auditions = _auditions(*_plan(split))
    if as_json:
        data = [{"soundfont": name, **asdict(result)} for name, result in auditions.items()]
        click.echo(json.dumps(data, indent=2, default=str))
    else:
        click.echo("\n\n".join(_audition_text(name, result) for name, result in auditions.items()))
    return PROBLEMS_FOUND if any(result.problems for result in auditions.values()) else 0


def _plan(split: str | None) -> tuple[tuple[FoundSoundfont, ...], tuple[Sound, ...]]:
    """Return what to audition: what a split needs, or everything on every soundfont that is there."""
    from listenbench.compose.accompaniment import RHYTHM_PAD_BAND, trio_around_line
    from listenbench.instruments import INSTRUMENTS, PERCUSSION
    from listenbench.splits import load_split
    from listenbench.tasks import get_task

    if split is None:
        found = tuple(place for entry in catalog().values() if (place := locate(entry)))
        if not found:
            raise RenderError(
                "no soundfont of the catalogue is here: 'listenbench soundfonts' says how to get them"
            )
        return found, _sounds(dict.fromkeys(INSTRUMENTS, ((0, 127),)), PERCUSSION)
    loaded = load_split(split)
    bands: dict[int, tuple[tuple[int, int], ...]] = {}
    drums: set[str] = set()
    for name, spec in loaded.tasks.items():
        if not spec.pitches:
            drums |= set(spec.options.get("sounds", ())) or set(PERCUSSION)
        for program in (spec.programs or INSTRUMENTS) if spec.pitches else ():
            bands[program] = (*bands.get(program, ()), *spec.pitches)
        if "accompanied" in loaded.texture:
            for program, places in _accompaniment(spec.pitches or (RHYTHM_PAD_BAND,)).items():
                bands[program] = (*bands.get(program, ()), *places)
            if get_task(name).arrange is trio_around_line:
                drums |= set(PERCUSSION)
    return tuple(find(name) for name in loaded.soundfonts), _sounds(bands, drums)


def _accompaniment(bands: Iterable[tuple[int, int]]) -> dict[int, tuple[tuple[int, int], ...]]:
    """Return where in the bands each program may accompany: any that plays chords does."""
    from listenbench.instruments import instruments_for

    return {
        player.program: tuple((max(low, chords[0]), min(high, chords[1])) for low, high in bands)
        for player in instruments_for(())
        if (chords := player.chords) is not None
    }


def _sounds(bands: Mapping[int, tuple[tuple[int, int], ...]], drums: Iterable[str]) -> tuple[Sound, ...]:
    """Return the notes of each instrument that lie in its own range and in one of its bands."""
    from listenbench.instruments import PERCUSSION, instruments_for
    from listenbench.music import PERCUSSION_BANK, Instrument

    sounds = []
    for player in instruments_for(tuple(sorted(bands))) if bands else ():
        pitches = tuple(
            pitch
            for pitch in range(player.lowest, player.highest + 1)
            if any(low <= pitch <= high for low, high in bands[player.program])
        )
        sounds.append(Sound(Instrument(player.program), player.name, pitches))
    kit = Instrument(0, PERCUSSION_BANK)
    sounds += [Sound(kit, name, (PERCUSSION[name].pitch,)) for name in sorted(drums)]
    return tuple(sounds)


def _auditions(found: tuple[FoundSoundfont, ...], sounds: tuple[Sound, ...]) -> dict[str, Audition]:
    from tqdm import tqdm

    results = {}
    total = sum(len(sound.pitches) for sound in sounds)
    for place in found:
        with tqdm(total=total, desc=place.entry.name, unit="pitch", disable=not sys.stderr.isatty()) as bar:
            results[place.entry.name] = audition(place.path, sounds, bar.update)
    return results


def _audition_text(name: str, result: Audition) -> str:
    presets = len({(note.bank, note.program) for note in result.notes})
    of_presets = f"{presets} preset{'s' * (presets > 1)}"
    count = f"{len(result.problems):,}" if result.problems else "none"
    lines = [
        f"{click.style(name, bold=True)}   {result.soundfont}",
        f"  {len(result.notes):,} notes of {of_presets}: {count} silent, clipped or more than "
        f"{LIMIT_CENTS:.0f} cents out of tune",
    ]
    for run in problem_runs(result.notes):
        first, last = run[0], run[-1]
        pitches = f"{first.pitch}" if first is last else f"{first.pitch}-{last.pitch}"
        cents = [note.cents for note in run if note.cents is not None and note.problem == "off pitch"]
        detail = f"{min(cents):+.0f} to {max(cents):+.0f} cents" if cents else ""
        lines.append(
            f"  {first.bank:>3}:{first.program:<3} {first.name:<26} {pitches:<7} {first.problem:<9} {detail}"
        )
    return "\n".join(lines)
