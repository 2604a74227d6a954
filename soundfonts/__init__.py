"""Soundfonts: which ones listenbench knows, where they are on this machine, and what they contain."""

from listenbench.soundfonts.entries import CatalogEntry, Download, KnownFile, catalog, entry_of
from listenbench.soundfonts.riff import BrokenSoundfontError, check_whole
from listenbench.soundfonts.search import FoundSoundfont, find, locate
from listenbench.soundfonts.sf2 import Preset, SoundfontFile, Zone, read_soundfont

__all__ = [
    "BrokenSoundfontError",
    "CatalogEntry",
    "Download",
    "FoundSoundfont",
    "KnownFile",
    "Preset",
    "SoundfontFile",
    "Zone",
    "catalog",
    "check_whole",
    "entry_of",
    "find",
    "locate",
    "read_soundfont",
]
