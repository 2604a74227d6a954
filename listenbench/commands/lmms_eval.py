"""`listenbench lmms-eval`: write a task folder for the harness lmms-eval."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.option(
    "--data", "folder", required=True, type=click.Path(path_type=Path), metavar="DIR", help="The data set."
)
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), metavar="DIR", help="Task folder to write."
)
@click.option("--name", default="listenbench", show_default=True, help="What the task is called.")
def command(folder: Path, out: Path, name: str) -> None:
    """Write a folder that makes a data set a task of lmms-eval.

    The folder points to the recordings, which have to stay where they are. It holds the answers, which the
    harness keeps from the model.

    \b
    Example:
      listenbench lmms-eval --data data/test-0 --out lmms-task
      lmms-eval --include_path lmms-task --tasks listenbench --model qwen2_audio --output_path results
      listenbench score results/submissions/listenbench_predictions.jsonl --data data/test-0
    """
    from listenbench.dataset import load
    from listenbench.models.lmms_eval import write_task_folder

    dataset = load(folder)
    write_task_folder(dataset, out, name)
    click.echo(
        f"{out}: {len(dataset)} recordings\nask: lmms-eval --include_path {out} --tasks {name} --model NAME"
    )
