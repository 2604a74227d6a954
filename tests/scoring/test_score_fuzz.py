"""Damaged input: more than 20,000 lines and files. Never a traceback, never a wrong count.

What each line should give is worked out by a second reader, written apart and as plainly as possible. Damage
that leaves a line readable must be scored as read; everything else must be reported, line by line.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest
from scoring_data import item_rows, write_lines

from listenbench.cli import run
from listenbench.errors import DataError
from listenbench.scoring import jsonlines
from listenbench.scoring.answers import INVALID, MISSING
from listenbench.scoring.key import AnswerKey, read_key
from listenbench.scoring.predictions import read_predictions
from listenbench.scoring.problems import BadLinesError

ROWS: Final = [row for n in range(40) for row in item_rows(f"item-{n:02d}", "AB"[n % 2])]
IDS: Final = [row["id"] for row in ROWS]
LINES_A_FILE: Final = 60
CODES: Final = {"A": 0, "B": 1}


class _BadLineError(ValueError):
    pass


def _no_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({name for name, _ in pairs}) < len(pairs):
        raise _BadLineError
    return dict(pairs)


def _expected_line(raw: bytes) -> tuple[str, int] | None:
    """Return the id and the code of a line; None for a line to skip."""
    if not raw.strip():
        return None
    try:
        value = json.loads(raw.decode("utf-8"), object_pairs_hook=_no_repeats)
    except (ValueError, RecursionError):
        raise _BadLineError from None
    if not isinstance(value, dict):
        raise _BadLineError
    names = [value[field] for field in ("id", "item_id") if value.get(field) is not None]
    if not names or not isinstance(names[0], str) or names != [names[0]] * len(names) or names[0] not in IDS:
        raise _BadLineError
    if "answer" not in value or "logprobs" in value or "text" in value:
        raise _BadLineError
    answer = value["answer"]
    if answer is None:
        return names[0], MISSING
    if not isinstance(answer, str):
        raise _BadLineError
    return names[0], CODES.get(answer.strip().upper(), INVALID)


def _expected(content: bytes) -> tuple[set[int], dict[str, int]]:
    """Return the numbers of the bad lines, and what the others answer."""
    bad: set[int] = set()
    answers: dict[str, int] = {}
    for number, raw in enumerate(content.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        try:
            found = _expected_line(raw)
            if found is None:
                continue
            if found[0] in answers:
                raise _BadLineError
            answers[found[0]] = found[1]
        except _BadLineError:
            bad.add(number)
    return bad, answers


def _check(key: AnswerKey, path: Path, content: bytes) -> bool:
    """Read a file and compare with what the second reader says; return whether it was accepted."""
    path.write_bytes(content)
    bad, answers = _expected(content)
    predictions, refusal = None, None
    try:
        predictions = read_predictions(path, key)
    except DataError as error:
        refusal = error
    if isinstance(refusal, BadLinesError):
        assert refusal.count == len(bad), content
        assert {problem.line for problem in refusal.problems} <= bad, content
        assert len(str(refusal).splitlines()) == 1
        return False
    if predictions is None:
        assert "it has no answers" in str(refusal)
        assert not bad
        assert not answers
        return False
    assert not bad, content
    assert {name: int(predictions.responses[row]) for name, row in key.rows.items()} == {
        name: answers.get(name, MISSING) for name in IDS
    }, content
    return True


def _flip_bits(rng: random.Random, line: bytes) -> bytes:
    damaged = bytearray(line)
    for _ in range(rng.randint(1, 3)):
        damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
    return bytes(damaged)


def _cut(rng: random.Random, line: bytes) -> bytes:
    return line[: rng.randrange(len(line))]


def _insert(rng: random.Random, line: bytes) -> bytes:
    piece = rng.choice(
        [b"\x00", b"\x1b[31m", b"\r", b"\x0b", b"\xff", b"\xc3\x28", b"\xed\xa0\x80", b'"', b"{", b",", b"\\"]
    )
    place = rng.randrange(len(line) + 1)
    return line[:place] + piece + line[place:]


def _nest(rng: random.Random, line: bytes) -> bytes:
    depth = rng.choice([10, 100, 2000, 30_000])
    opening, closing = rng.choice([(b"[", b"]"), (b'{"a":', b"}")])
    nested = opening * depth + b"1" + (closing * depth if rng.random() < 0.7 else b"")
    return rng.choice([nested, line[:-1] + b', "more": ' + nested + b"}"])


def _number(rng: random.Random, line: bytes) -> bytes:
    number = rng.choice(
        [b"1e400", b"-1e999", b"NaN", b"Infinity", b"9" * 4000, b"9" * 5000, b"-0", b"1" * 400, b"0x1", b"01"]
    )
    return rng.choice(
        [line[:-1] + b', "more": ' + number + b"}", b'{"id": ' + number + b', "answer": "A"}', number]
    )


def _encode(rng: random.Random, line: bytes) -> bytes:
    return line.decode("utf-8").encode(rng.choice(["utf-16", "utf-16-le", "utf-32", "utf-7", "cp037"]))


def _field(rng: random.Random, line: bytes) -> bytes:
    value = json.loads(line)
    name = rng.choice(["id", "item_id", "answer", "text", "logprobs", "meta", "extra"])
    value[name] = rng.choice(
        [None, 1, 0.5, True, [], {}, "", "A", "b", " B ", "AB", "\ud800", IDS[3], "unknown", {"A": 1}]
    )
    return json.dumps(value).encode()


def _drop(rng: random.Random, line: bytes) -> bytes:
    value = json.loads(line)
    del value[rng.choice(list(value))]
    return json.dumps(value).encode()


def _repeat_key(_rng: random.Random, line: bytes) -> bytes:
    return line[:-1] + b', "answer": "A"}'


def _repeat_line(rng: random.Random, line: bytes) -> bytes:
    return line + b"\n" + rng.choice([line, b"", b"  "])


def _leave(_rng: random.Random, line: bytes) -> bytes:
    return line


DAMAGE: Final[list[Callable[[random.Random, bytes], bytes]]] = [
    *(_flip_bits, _cut, _insert, _nest, _number, _encode, _field, _drop, _repeat_key, _repeat_line, _leave),
]


@pytest.fixture(scope="module")
def key_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_lines(tmp_path_factory.mktemp("fuzz") / "key.jsonl", ROWS)


@pytest.fixture(scope="module")
def key(key_path: Path) -> AnswerKey:
    return read_key(key_path)


def _good_lines(rng: random.Random) -> list[bytes]:
    return [
        json.dumps({rng.choice(["id", "item_id"]): name, "answer": rng.choice("AB")}).encode()
        for name in rng.sample(IDS, LINES_A_FILE)
    ]


def test_twenty_thousand_damaged_lines(tmp_path: Path, key: AnswerKey) -> None:
    """Every line of a file is damaged in its own way; some files have one bad line alone."""
    rng = random.Random(20_000)
    damaged = 0
    for _ in range(340):
        content = b"\n".join(rng.choice(DAMAGE[:-1])(rng, line) for line in _good_lines(rng))
        damaged += LINES_A_FILE
        _check(key, tmp_path / "p.jsonl", content)
    assert damaged >= 20_000


@pytest.mark.parametrize("damage", DAMAGE, ids=lambda damage: damage.__name__.strip("_"))
def test_one_damaged_line_in_a_good_file(tmp_path: Path, key: AnswerKey, damage: Any) -> None:
    """A file that is accepted must be scored exactly as it reads."""
    rng = random.Random(damage.__name__)
    accepted = 0
    for _ in range(60):
        lines = _good_lines(rng)[: rng.randint(1, 8)]
        place = rng.randrange(len(lines))
        lines[place] = damage(rng, lines[place])
        ending = rng.choice([b"\n", b"\r\n"])
        accepted += _check(key, tmp_path / "p.jsonl", ending.join(lines) + rng.choice([b"", ending]))
    if damage is _leave:
        assert accepted == 60


def test_damaged_files(tmp_path: Path, key: AnswerKey) -> None:
    """Whole files with flipped bits anywhere, cut short, in other encodings, with byte order marks."""
    rng = random.Random(3)
    for _ in range(600):
        content = b"\n".join(_good_lines(rng)[:5]) + b"\n"
        kind = rng.randrange(5)
        if kind == 0:
            content = _flip_bits(rng, content)
        elif kind == 1:
            content = content[: rng.randrange(len(content))]
        elif kind == 2:
            content = b"\xef\xbb\xbf" * rng.randint(1, 2) + content
        elif kind == 3:
            content = _encode(rng, content)
        else:
            content = rng.randbytes(rng.randint(0, 300))
        _check(key, tmp_path / "p.jsonl", content)


def test_lines_beyond_the_limit(tmp_path: Path, key: AnswerKey, monkeypatch: pytest.MonkeyPatch) -> None:
    """A limit below some lines splits no line in two and merges none."""
    rng = random.Random(4)
    monkeypatch.setattr(jsonlines, "MAXIMUM_LINE_BYTES", 300)
    path = tmp_path / "p.jsonl"
    for _ in range(200):
        lines = _good_lines(rng)[:6]
        long = sorted(rng.sample(range(6), rng.randint(1, 5)))
        for place in long:
            lines[place] = lines[place][:-1] + b', "more": "' + b"x" * rng.randint(300, 2000) + b'"}'
        path.write_bytes(b"\n".join(lines))
        with pytest.raises(BadLinesError) as caught:
            read_predictions(path, key)
        assert [problem.line - 1 for problem in caught.value.problems] == long


def test_damaged_keys(tmp_path: Path) -> None:
    """A damaged key is refused with its line, or read with no more rows than it has lines."""
    rng = random.Random(5)
    path = tmp_path / "key.jsonl"
    refusals = []
    for _ in range(1000):
        lines = [json.dumps(row).encode() for row in ROWS[:6]]
        place = rng.randrange(6)
        lines[place] = rng.choice(DAMAGE)(rng, lines[place])
        path.write_bytes(b"\n".join(lines))
        try:
            key = read_key(path)
        except DataError as error:
            refusals.append(str(error))
            continue
        assert len(key.rows) == len(key.truth) <= 6
    assert len(refusals) > 300
    assert all(text.startswith(str(path)) and len(text.splitlines()) == 1 for text in refusals)


def test_the_command_ends_in_one_clear_line_each(
    tmp_path: Path, key_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = random.Random(6)
    path, target = tmp_path / "p.jsonl", tmp_path / "score.json"
    for _ in range(150):
        path.write_bytes(rng.choice(DAMAGE[:-1])(rng, _good_lines(rng)[0]))
        status = run(
            ["score", str(path), "--key", str(key_path), "--resamples", "100", "--json", str(target)]
        )
        printed = capsys.readouterr()
        if status == 0:
            assert json.loads(target.read_text(encoding="utf-8"))["data"]["files"] == len(ROWS)
            target.unlink()
        else:
            assert status == 2
            assert printed.err.splitlines()[-1].startswith("listenbench: ")
            assert "Traceback" not in printed.err
            assert printed.out == ""
            assert not target.exists()
