"""Train a model that hears, by GRPO on items that are rendered while it learns.

    python docs/examples/grpo.py Qwen/Qwen2-Audio-7B-Instruct --steps 1000 --out trained

It needs transformers and torch. Each step takes one item of the split `train`, lets the model answer it
several times, rewards the answers as the scorer reads them, and makes those better than the average of their
group likelier (group relative policy optimization; Shao et al., DeepSeekMath, 2024; on-policy, without a
penalty for leaving the first model). It is meant to be read and changed: there is no batching over items, no
LoRA, and no more than one device.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from scipy.signal import resample_poly

import listenbench
from listenbench.models.rewards import rewards

HEARD_RATE = 16_000
GROUP = 8


def rows(seed: int) -> Iterator[dict[str, Any]]:
    """Yield training rows without end: a prompt with its recording, and what the reward needs."""
    for sample in listenbench.stream("train", seed=seed, variants=["clean", "flip", "stay"]):
        parts = [{"type": "audio"}, {"type": "text", "text": sample.question}]
        yield {
            "prompt": [{"role": "user", "content": parts}],
            "audio": resample_poly(sample.audio, HEARD_RATE, sample.sample_rate).astype(np.float32),
            "answer": sample.answer,
            "choices": list(sample.choices),
        }


def rewards_of(row: dict[str, Any], completions: Sequence[str]) -> np.ndarray:
    """Return the reward of each answer to a row: 1 if it is right."""
    n = len(completions)
    return np.array(rewards(completions, answer=[row["answer"]] * n, choices=[row["choices"]] * n))


def advantages(values: np.ndarray) -> np.ndarray:
    """Return by how many standard deviations each reward is above the mean; zeros if all are alike."""
    return (values - values.mean()) / (values.std() + 1e-6)


def train(name: str, out: str, *, steps: int, seed: int, rate: float, longest: int) -> None:
    """Train a model and write it to a folder."""
    import torch
    from transformers import AutoModelForMultimodalLM, AutoProcessor

    torch.manual_seed(seed)
    processor = AutoProcessor.from_pretrained(name)
    model = AutoModelForMultimodalLM.from_pretrained(name)
    optimizer = torch.optim.AdamW(model.parameters(), lr=rate)
    for step, row in zip(range(steps), rows(seed), strict=False):
        text = processor.apply_chat_template(row["prompt"], add_generation_prompt=True, tokenize=False)
        inputs = processor(text=text, audio=[row["audio"]], sampling_rate=HEARD_RATE, return_tensors="pt")
        inputs = {key: value.repeat_interleave(GROUP, 0) for key, value in inputs.items()}
        with torch.no_grad():
            replies = model.generate(**inputs, do_sample=True, max_new_tokens=longest)
        start = inputs["input_ids"].shape[1]
        completions = processor.batch_decode(replies[:, start:], skip_special_tokens=True)
        values = rewards_of(row, completions)
        better = torch.tensor(advantages(values), dtype=torch.float32)
        if better.any():
            said = replies[:, start:]
            known = {**inputs, "input_ids": replies, "attention_mask": torch.ones_like(replies)}
            logits = model(**known).logits[:, -said.shape[1] - 1 : -1]
            likely = torch.log_softmax(logits.float(), -1).gather(-1, said[..., None])[..., 0]
            counts = (said != processor.tokenizer.pad_token_id).float()
            loss = -(better[:, None] * likely * counts).sum() / counts.sum()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
        print(f"step {step}: reward {values.mean():.2f}, for example {completions[0]!r}")
    model.save_pretrained(out)
    processor.save_pretrained(out)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("--out", required=True)
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rate", type=float, default=1e-6)
    parser.add_argument("--longest", type=int, default=16, help="tokens of a reply")
    options = vars(parser.parse_args())
    train(options.pop("model"), options.pop("out"), **options)
