"""Splits: what a data set is made of, as data in TOML files."""

from listenbench.splits.model import CONDITIONS, Split, TaskSpec
from listenbench.splits.reader import load_split, split_names

__all__ = ["CONDITIONS", "Split", "TaskSpec", "load_split", "split_names"]
