"""A soundfont file that the catalogue doesn't know: used, with a warning and its hash in the data set."""

import hashlib

from listenbench import generate
from listenbench.soundfonts import find
from listenbench.splits import load_split
from listenbench.splits.model import Split


def test_its_hash_stands_in_the_data_set(tmp_path, monkeypatch, caplog):
    data = bytearray(find("timgm6mb").path.read_bytes())
    name = data.index(b"INAM") + 8  # the soundfont's title, which no sound depends on
    data[name] ^= 0x20
    altered = tmp_path / "TimGM6mb.sf2"
    altered.write_bytes(data)
    monkeypatch.setenv("LISTENBENCH_SOUNDFONTS", str(altered))
    split = Split.model_validate({**load_split("test").model_dump(), "soundfonts": ["timgm6mb"]})
    generated = generate(split, 0, tmp_path / "data", items=1, tasks=["rhythm"], workers=1)
    sha256 = hashlib.sha256(data).hexdigest()
    recorded = generated.description["soundfonts"]["timgm6mb"]
    assert recorded == {"file": "TimGM6mb.sf2", "sha256": sha256, "known": False}
    assert sha256 in caplog.text
