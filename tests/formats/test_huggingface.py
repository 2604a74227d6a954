"""What `datasets` of Hugging Face makes of a data set."""

from pathlib import Path

import pytest

from listenbench.generation import generate

pytestmark = pytest.mark.usefixtures("_no_network")


@pytest.fixture
def undecoded():
    """Give what keeps recordings as files."""
    from datasets import Audio

    return Audio(decode=False)


def test_the_audio_folder_loads_with_all_rows_and_columns(small, tmp_path, undecoded):
    from datasets import load_dataset

    (split,) = load_dataset("audiofolder", data_dir=str(small.folder), cache_dir=str(tmp_path)).values()
    assert set(split.column_names) == {"audio", "id", "question", "choices"}
    rows = list(split.cast_column("audio", undecoded))
    assert [row["id"] for row in rows] == [item.id for item in small]
    for row, item in zip(rows, small, strict=True):
        assert (row["question"], tuple(row["choices"])) == (item.question, item.choices)
        assert Path(row["audio"]["path"]).read_bytes() == item.path.read_bytes()


def test_a_folder_of_flac_loads_too(tmp_path, undecoded):
    from datasets import load_dataset

    flac = generate("test", 0, tmp_path / "flac", items=1, tasks=["harmony"], audio_format="flac")
    (split,) = load_dataset("audiofolder", data_dir=str(flac.folder), cache_dir=str(tmp_path)).values()
    paths = [row["audio"]["path"] for row in split.cast_column("audio", undecoded)]
    assert [Path(path) for path in paths] == [item.path for item in flac]
