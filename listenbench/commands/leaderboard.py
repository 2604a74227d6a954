"""`listenbench leaderboard`: rank a folder of submissions."""

from __future__ import annotations

from pathlib import Path

import click

from listenbench.scoring.console import key_options, the_key


@click.command()
@click.argument("submissions", type=click.Path(path_type=Path))
@key_options
@click.option(
    "--out",
    required=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="File to write; it ends in .html, .md or .csv.",
)
@click.option(
    "--skip-invalid", is_flag=True, help="Leave out submissions that can't be used instead of failing."
)
@click.option(
    "--resamples", default=5_000, show_default=True, help="Bootstrap resamples behind each interval."
)
@click.option("--seed", default=0, show_default=True, help="Seed of the resampling.")
def command(
    submissions: Path,
    data: Path | None,
    key: Path | None,
    out: Path,
    skip_invalid: bool,
    resamples: int,
    seed: int,
) -> None:
    """Rank the *.jsonl files in the folder SUBMISSIONS by Acc_FS.

    Each starts with a line {"meta": {...}} that has model, version, readout, used_training_split and date.
    Zero-shot and trained submissions are listed apart; constant answers and guessing stand below them.

    \b
    Example:
      listenbench leaderboard submissions --data data/test-0 --out leaderboard.html
    """
    from listenbench.errors import DataError, SpecError
    from listenbench.scoring.console import write_text
    from listenbench.scoring.leaderboard import make_leaderboard
    from listenbench.scoring.leaderboard_forms import FORMS

    form = FORMS.get(out.suffix.lower())
    if form is None:
        raise SpecError(f"--out {out}: its name must end in {', '.join(FORMS)}")
    board = make_leaderboard(submissions, the_key(data, key), resamples=resamples, seed=seed)
    for line in board.rejected:
        click.echo(line, err=True)
    if board.rejected and not skip_invalid:
        raise DataError(
            f"{submissions}: can't use {len(board.rejected)} of them: --skip-invalid leaves them out"
        )
    if not board.zero_shot and not board.trained:
        raise DataError(f"{submissions}: no submission is left to be ranked")
    write_text(out, form(board))
    click.echo(f"{out}: {len(board.zero_shot)} zero-shot and {len(board.trained)} trained submissions")
