"""Splits: what a data set is made of, as data in TOML files."""

from listenbench.splits.model import CONDITIONS, MOST_ITEMS, Split, TaskSpec
from listenbench.splits.reader import load_split, split_names

__all__ = ["CONDITIONS", "MOST_ITEMS", "Split", "TaskSpec", "load_split", "split_names"]
