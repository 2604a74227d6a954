"""A small data set made by hand, in which a chosen cue tells the answer."""

import numpy as np

from listenbench.audio import encoded, quantised
from listenbench.dataset import (
    AUDIO,
    DESCRIPTION,
    FORMAT,
    GOLD,
    METADATA,
    load,
    write_description,
    write_rows,
)

QUESTION = (
    "Do the clips play the same melody? Answer A if they are {} or B if they are {}. Reply with one letter."
)


def make(folder, count, cue, seed=0):
    """Write `count` melody questions; `cue(generator, different)` returns the two clips."""
    generator = np.random.default_rng(seed)
    (folder / AUDIO).mkdir(parents=True)
    metadata, gold = [], []
    for number in range(count):
        different, swapped = bool(number % 2), bool(number // 2 % 2)
        choices = ["different", "same"] if swapped else ["same", "different"]
        clip_a, clip_b = cue(generator, different)
        samples = np.concatenate([clip_a, np.zeros(44_100), clip_b]).astype(np.float32)
        identifier = f"{seed:04x}{number:016x}"
        (folder / AUDIO / f"{identifier}.wav").write_bytes(encoded(quantised(samples)))
        question = QUESTION.format(*choices)
        metadata.append(
            {
                "file_name": f"{AUDIO}/{identifier}.wav",
                "id": identifier,
                "question": question,
                "choices": choices,
            }
        )
        answer = "AB"[choices.index("different" if different else "same")]
        gold.append({"id": identifier, "answer": answer})
    write_rows(folder / METADATA, metadata)
    write_rows(folder / GOLD, gold)
    write_description(folder / DESCRIPTION, {"format": FORMAT, "name": "handmade"})
    return load(folder)
