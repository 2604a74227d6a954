"""The Croissant description of a data set: JSON-LD that catalogues and loaders of data sets read.

Format: Croissant 1.0, https://docs.mlcommons.org/croissant/docs/croissant-spec.html (MLCommons, 2024).
It describes what a model may see. Answers and provenance are left out, so that no loader hands them on.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from listenbench._version import __version__
from listenbench.audio import MEDIA_TYPES
from listenbench.dataset import AUDIO, CROISSANT, METADATA, Row, file_sha256
from listenbench.soundfonts import entry_of
from listenbench.splits import Split

CONFORMS_TO: Final = "http://mlcommons.org/croissant/1.0"

_CONTEXT: Final = MappingProxyType(
    {
        "@language": "en",
        "@vocab": "https://schema.org/",
        "citeAs": "cr:citeAs",
        "column": "cr:column",
        "conformsTo": "dct:conformsTo",
        "cr": "http://mlcommons.org/croissant/",
        "data": {"@id": "cr:data", "@type": "@json"},
        "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
        "dct": "http://purl.org/dc/terms/",
        "equivalentProperty": "cr:equivalentProperty",
        "examples": {"@id": "cr:examples", "@type": "@json"},
        "extract": "cr:extract",
        "field": "cr:field",
        "fileObject": "cr:fileObject",
        "fileProperty": "cr:fileProperty",
        "fileSet": "cr:fileSet",
        "format": "cr:format",
        "includes": "cr:includes",
        "isLiveDataset": "cr:isLiveDataset",
        "jsonPath": "cr:jsonPath",
        "key": "cr:key",
        "md5": "cr:md5",
        "parentField": "cr:parentField",
        "path": "cr:path",
        "rai": "http://mlcommons.org/croissant/RAI/",
        "recordSet": "cr:recordSet",
        "references": "cr:references",
        "regex": "cr:regex",
        "repeated": "cr:repeated",
        "replace": "cr:replace",
        "samplingRate": "cr:samplingRate",
        "sc": "https://schema.org/",
        "separator": "cr:separator",
        "source": "cr:source",
        "subField": "cr:subField",
        "transform": "cr:transform",
    }
)
"""The context that the specification prescribes, word for word."""

_COLUMNS: Final = MappingProxyType(
    {
        "id": "Opaque name of the recording.",
        "file_name": "Path of the recording, where recordings are files: clip A, silence, clip B.",
        "question": "The whole text for the model, with the instruction how to answer.",
        "choices": "What the letters A and B mean, in this order.",
    }
)
_LISTS: Final = frozenset({"choices"})


def write_croissant(folder: Path, split: Split, audio_format: str) -> str:
    """Write the description of a data set whose tables are complete.

    Parameters
    ----------
    folder : Path
        The data set.
    split : Split
        The split as used.
    audio_format : str
        How the recordings are stored.

    Returns
    -------
    str
        The SHA-256 of the file.
    """
    path = folder / CROISSANT
    files = (f"{AUDIO}/*.{audio_format}", MEDIA_TYPES[audio_format])
    document = croissant(split, files, file_sha256(folder / METADATA))
    path.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", "utf-8")
    return file_sha256(path)


def croissant(split: Split, files: tuple[str, str], metadata_sha256: str) -> Row:
    """Return the description as plain data; the same for the same arguments, without a date.

    Parameters
    ----------
    split : Split
        The split as used.
    files : (str, str)
        The pattern of the files that hold the recordings, and their media type.
    metadata_sha256 : str
        Of metadata.jsonl.
    """
    return {
        "@context": dict(_CONTEXT),
        "@type": "sc:Dataset",
        "conformsTo": CONFORMS_TO,
        "name": f"listenbench-{split.name}",
        "description": _description(split),
        "version": __version__,
        "license": _licences(split.soundfonts),
        "creator": {"@type": "sc:Organization", "name": "The listenbench developers"},
        "citeAs": f"listenbench {__version__}, split {split.name}",
        "keywords": ["music", "audio", "listening test", "benchmark"],
        "distribution": _distribution(*files, metadata_sha256),
        "recordSet": [
            {
                "@type": "cr:RecordSet",
                "@id": "recordings",
                "name": "recordings",
                "description": "One question about one recording a row.",
                "key": {"@id": "recordings/id"},
                "field": [_field(name, text) for name, text in _COLUMNS.items()],
            }
        ],
    }


def _description(split: Split) -> str:
    title = f" ({split.title})" if split.title else ""
    return (
        f"Synthetic music-listening questions of listenbench, split {split.name}{title}. "
        f"Tasks: {', '.join(split.tasks)}. Each recording holds two clips, and the question asks how they "
        "compare. This description covers what a model may see; answers and provenance lie beside it, in "
        "gold.jsonl and manifest.jsonl, and are left out on purpose."
    )


def _licences(soundfonts: Iterable[str]) -> list[Mapping[str, str]]:
    """Return the licences of recordings and texts, of the code, and of each soundfont."""
    spdx = "https://spdx.org/licenses"
    return [
        _licence("Recordings, questions and answers: CC0-1.0", f"{spdx}/CC0-1.0.html"),
        _licence("Code of listenbench, which made them: MIT", f"{spdx}/MIT.html"),
        *(
            _licence(f"Soundfont {entry.title}, with which they were rendered: {entry.licence}")
            for entry in map(entry_of, soundfonts)
        ),
    ]


def _licence(name: str, url: str | None = None) -> Mapping[str, str]:
    work = {"@type": "sc:CreativeWork", "name": name}
    return work if url is None else {**work, "url": url}


def _distribution(pattern: str, media_type: str, metadata_sha256: str) -> list[Row]:
    return [
        {
            "@type": "cr:FileObject",
            "@id": METADATA,
            "name": METADATA,
            "description": "The questions, one JSON object a line.",
            "contentUrl": METADATA,
            "encodingFormat": "application/jsonlines",
            "sha256": metadata_sha256,
        },
        {
            "@type": "cr:FileSet",
            "@id": AUDIO,
            "name": AUDIO,
            "description": "The recordings: 16-bit samples, one channel, 44.1 kHz.",
            "includes": pattern,
            "encodingFormat": media_type,
        },
    ]


def _field(name: str, text: str) -> Mapping[str, Any]:
    field = {
        "@type": "cr:Field",
        "@id": f"recordings/{name}",
        "name": name,
        "description": text,
        "dataType": "sc:Text",
        "source": {"fileObject": {"@id": METADATA}, "extract": {"column": name}},
    }
    return {**field, "repeated": True} if name in _LISTS else field
