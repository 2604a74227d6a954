"""Shards for webdataset: tar files in which the files of a sample stand together and share a name."""

from __future__ import annotations

import tarfile
from collections.abc import Iterable
from io import BytesIO, RawIOBase
from typing import IO, Final, cast

from listenbench.finishing import TIME_OF_FILES
from listenbench.packing.samples import PackedSample

ENDING_BYTES: Final = 2 * 512
"""What ends a tar file: two blocks of zeros; the file is then filled up to a whole record."""

RECORD_BYTES: Final = tarfile.RECORDSIZE
"""Tar files are made of whole records."""


def write_tar(file: RawIOBase, samples: Iterable[PackedSample]) -> None:
    """Write samples as `<id>.wav` (or .flac) and `<id>.json`, with headers that depend on nothing else."""
    with tarfile.open(fileobj=cast("IO[bytes]", file), mode="w|", format=tarfile.USTAR_FORMAT) as tar:
        for sample in samples:
            _add(tar, f"{sample.id}.{sample.suffix}", sample.audio)
            _add(tar, f"{sample.id}.json", sample.text)


def _add(tar: tarfile.TarFile, name: str, data: bytes) -> None:
    header = tarfile.TarInfo(name)
    header.size, header.mtime, header.mode = len(data), TIME_OF_FILES, 0o644
    tar.addfile(header, BytesIO(data))
