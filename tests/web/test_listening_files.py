"""What a listening test leaves on disk: predictions and sessions, whatever happens to them."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from listening_data import key_rows, make_dataset

from listenbench import cli
from listenbench.errors import DataError
from listenbench.web.listening.course import ListeningTest
from listenbench.web.listening.opening import Settings, forget, open_test, sessions_path
from listenbench.web.listening.stages import Kind, Stage
from listenbench.web.listening.store import Listener


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files") / "data"
    make_dataset(folder)
    return folder


Open = Callable[..., ListeningTest]


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "human.jsonl"


@pytest.fixture
def reopen(data: Path, out: Path) -> Open:
    def call(**settings: object) -> ListeningTest:
        values = {"items": 4, "practice": 0, "headphone_check": False, **settings}
        return open_test(Settings(data, out, **values))  # type: ignore[arg-type]

    return call


def newcomer(test: ListeningTest) -> tuple[str, Listener]:
    """Return the cookie of a new listener, who has come to the test."""
    cookie = test.begin()
    for stage in (Stage.VOLUME, Stage.INSTRUCTIONS, Stage.READY):
        test.go_on(known(test, cookie), stage, again=False)
    return cookie, known(test, cookie)


def known(test: ListeningTest, cookie: str) -> Listener:
    listener = test.listener_of(cookie)
    assert listener is not None
    return listener


def answer(test: ListeningTest, listener: Listener, letter: str = "A") -> None:
    trial = test.current(listener)
    assert trial is not None
    test.played(listener, trial.token)
    test.heard(listener, trial.token)
    test.answer(listener, trial.token, letter, 1.0)


def lines(path: Path) -> list[str]:
    return path.read_text("utf-8").splitlines(keepends=True)


def test_answers_are_on_disk_before_they_are_confirmed(reopen: Open, out: Path) -> None:
    with closing(reopen()) as test:
        _, listener = newcomer(test)
        for number in range(1, 5):
            answer(test, listener)
            assert len(lines(out)) == 1 + number


@pytest.mark.parametrize("lost", [0, 1, 30, 200, None])
def test_a_file_that_lacks_its_end_is_completed(reopen: Open, out: Path, lost: int | None) -> None:
    with closing(reopen()) as test:
        _, listener = newcomer(test)
        answer(test, listener)
        answer(test, listener, "B")
    whole = out.read_bytes()
    out.write_bytes(whole[: len(whole) - lost] if lost is not None else b"")
    reopen().close()
    assert out.read_bytes() == whole
    out.unlink()
    sessions_path(out).rename(out.with_name("elsewhere"))
    out.with_name("elsewhere").rename(sessions_path(out))
    reopen().close()
    assert out.read_bytes() == whole


def test_a_full_disk_loses_nothing(reopen: Open, out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(reopen()) as test:
        _, listener = newcomer(test)
        answer(test, listener)
        before = out.read_bytes()

        def half(handle: int, data: bytes) -> int:
            """Write the first bytes, and then no more, as a full disk does."""
            if len(data) < 100:
                raise OSError(28, "No space left on device")
            return write(handle, data[:50])

        from os import write

        with monkeypatch.context() as patch:
            patch.setattr("listenbench.web.listening.answers.os.write", half)
            trial = test.current(listener)
            assert trial is not None
            test.played(listener, trial.token)
            test.heard(listener, trial.token)
            with pytest.raises(OSError, match="No space"):
                test.answer(listener, trial.token, "B", None)
        assert out.read_bytes() == before
        test.answer(listener, trial.token, "B", None)
        assert [json.loads(line)["answer"] for line in lines(out)[1:]] == ["A", "B"]


def test_a_file_that_says_something_else_is_left_alone(reopen: Open, out: Path) -> None:
    with closing(reopen()) as test:
        answer(test, newcomer(test)[1])
    changed = out.read_bytes().replace(b'"answer": "A"', b'"answer": "B"')
    out.write_bytes(changed)
    with pytest.raises(DataError, match="other lines than the sessions"):
        reopen()
    assert out.read_bytes() == changed


@pytest.mark.parametrize(
    ("settings", "name"),
    [({"items": 5}, "items"), ({"seed": 1}, "seed"), ({"practice": 1}, "practice")],
)
def test_sessions_of_another_test_are_refused(reopen: Open, settings: dict[str, int], name: str) -> None:
    reopen().close()
    with pytest.raises(DataError, match=f"these sessions have {name}"):
        reopen(**settings)
    reopen(break_every=3).close()


def test_a_listener_goes_on_where_they_were(reopen: Open) -> None:
    with closing(reopen()) as test:
        cookie, listener = newcomer(test)
        answer(test, listener)
        trial = test.current(known(test, cookie))
    with closing(reopen()) as test:
        assert test.current(known(test, cookie)) == trial
        assert test.listener_of("another") is None


def test_practice_items_are_no_part_of_the_test(reopen: Open) -> None:
    with closing(reopen(practice=4, items=12)) as test:
        _, listener = newcomer(test)
        practice, asked = (
            {trial.material for trial in test.trials(listener, kind)} for kind in (Kind.PRACTICE, Kind.TEST)
        )
    item = {row["id"]: row["item"] for row in key_rows(4)}
    assert (len(practice), len(asked)) == (4, 12)
    assert not {item[file] for file in practice} & {item[file] for file in asked}


def test_ten_thousand_items_are_asked_about(tmp_path: Path) -> None:
    make_dataset(tmp_path / "data", 2500, conditions=["flip"], audible=False)
    with closing(open_test(Settings(tmp_path / "data", tmp_path / "human.jsonl", items=48))) as test:
        _, listener = newcomer(test)
        assert len({trial.material for trial in test.trials(listener, Kind.TEST)}) == 48


def test_sessions_hold_no_cookies(reopen: Open, out: Path) -> None:
    with closing(reopen()) as test:
        cookie, _ = newcomer(test)
    assert cookie.encode() not in sessions_path(out).read_bytes()


def test_a_withdrawn_listener_leaves_nothing_and_changes_nobody_else(reopen: Open, out: Path) -> None:
    with closing(reopen()) as test:
        people = [newcomer(test) for _ in range(3)]
        for _, listener in people:
            answer(test, listener)
        kept = [line for line in lines(out) if people[1][1].code not in line]
    forget(out, people[1][1].code)
    assert lines(out) == kept
    with closing(reopen()) as test:
        assert test.listener_of(people[1][0]) is None
        assert known(test, people[2][0]).number == 2
        _, fourth = newcomer(test)
        assert fourth.number == 3
        answer(test, fourth)
        assert lines(out)[:-1] == kept


def test_withdrawing_from_nothing_is_refused(
    reopen: Open, out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run(["listen", "--out", str(out), "--forget", "abc"]) == 2
    assert "there are no sessions here" in capsys.readouterr().err
    reopen().close()
    assert cli.run(["listen", "--out", str(out), "--forget", "abc"]) == 2
    assert "no listener has the code 'abc'" in capsys.readouterr().err
