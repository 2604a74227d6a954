"""Packing a data set that is finished already."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from listenbench.dataset import check_unpacked, fingerprint, read_description
from listenbench.errors import DataError
from listenbench.packing.delivery import FolderOfShards, ShardsAtAddress, delivery_to
from listenbench.packing.options import Packing
from listenbench.workplace import lies_within, workplace


def export(
    folder: str | Path, out: str | Path, packing: Packing, *, overwrite: bool = False, progress: bool = False
) -> None:
    """Pack a finished data set, which stays as it is.

    Parameters
    ----------
    folder : str or Path
        The data set.
    out : str or Path
        The folder to make, or an address for fsspec, such as s3://bucket/folder.
    packing : Packing
        How.
    overwrite : bool
        Whether another data set there is replaced.
    progress : bool
        Whether a progress bar is shown on standard error, if that is a terminal.

    Raises
    ------
    DataError
        If the data set is damaged, or the place can't be written to or holds something else.
    SpecError
        If a library is missing.
    """
    source = Path(folder)
    description = read_description(source)
    check_unpacked(source, description)
    if fingerprint(source) != description.get("fingerprint"):
        raise DataError(f"{source}: a table was changed: see 'listenbench verify {source}'")
    delivery = delivery_to(out, packing, source, progress=progress)
    _check_apart(source, delivery)
    wanted = {**delivery.marks, "fingerprint": description["fingerprint"]}
    if overwrite:
        delivery.check_replaceable()
    elif delivery.is_there(wanted):
        return
    if isinstance(delivery, ShardsAtAddress):
        delivery.deliver_from(source)
        return
    identity = hashlib.sha256(json.dumps(wanted, sort_keys=True).encode()).hexdigest()[:16]
    with workplace(delivery.workplace, identity) as place:
        try:
            delivery.deliver_from(source, place)
        except OSError as error:
            raise DataError(f"{delivery.workplace}: can't write here: {error.strerror}") from None


def _check_apart(source: Path, delivery: FolderOfShards | ShardsAtAddress) -> None:
    """Refuse to write over the data set that is packed, by whatever name, or into it."""
    if isinstance(delivery, ShardsAtAddress):
        touched = delivery.files.leads_to(source)
    else:
        target = delivery.workplace
        # A folder that is replaced goes with all that is in it.
        touched = lies_within(target, source) or lies_within(source, target)
    if touched:
        raise DataError(f"{source}: a data set can't be packed in its own place: give another --out")
