"""`./run` on a machine of stand-ins: what it sets up, when, and how it hands over."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from stand_in_machine import BREW, SUDO_THAT_ASKS, SUDO_THAT_WORKS, Machine

INSTALL = "apt-get -o DPkg::Lock::Timeout=600 install --yes --no-install-recommends"
UPDATE = "apt-get -o DPkg::Lock::Timeout=600 update"
PYTHON_PACKAGES = "python3 python3-venv"
SOUND_PACKAGES = "libfluidsynth3 libatomic1 musescore-general-soundfont fluid-soundfont-gm"
LOCKERS = [locker for locker in ("flock", "perl") if shutil.which(locker)]
SHELLS = [shell for shell in ("sh", "dash", "bash") if shutil.which(shell)]

Without = Callable[[str], None]


class TestScript:
    """The file itself."""

    @pytest.mark.parametrize("shell", SHELLS)
    def test_is_understood_by_each_shell(self, machine: Machine, shell: str) -> None:
        machine.programs.joinpath(shell).symlink_to(str(shutil.which(shell)))
        assert machine.call(shell, "-n", machine.root / "run").status == 0

    @pytest.mark.parametrize("shell", SHELLS)
    def test_runs_in_each_shell(self, ready: Machine, shell: str) -> None:
        ready.programs.joinpath(shell).symlink_to(str(shutil.which(shell)))
        result = ready.call(shell, "run", "score", "a b")
        assert (result.status, result.out) == (0, f"listenbench|{ready.root}|score|a b|")

    def test_is_executable(self, machine: Machine) -> None:
        assert os.access(machine.root / "run", os.X_OK)


class TestHelp:
    """`./run --help`."""

    @pytest.mark.parametrize("option", ["-h", "--help"])
    def test_needs_no_set_up(self, machine: Machine, option: str) -> None:
        result = machine.run(option)
        assert (result.status, result.err) == (0, "")
        assert "./run generate --split test --seed 0" in result.out
        assert ".venv" not in machine.files()

    def test_lists_the_commands_once_they_are_there(self, ready: Machine) -> None:
        assert ready.run("--help").out.endswith(f"listenbench|{ready.root}|--help|")

    def test_no_command_is_a_wrong_call(self, machine: Machine) -> None:
        result = machine.run()
        assert (result.status, result.out) == (2, "")
        assert "Usage: ./run COMMAND" in result.err

    @pytest.mark.parametrize("option", ["-h", "--help"])
    def test_help_of_a_command_needs_no_sound(self, machine: Machine, option: str) -> None:
        machine.install_python()
        assert machine.run("generate", option).status == 0


class TestWithoutRights:
    """Neither root nor sudo: say what is missing, change nothing."""

    @pytest.mark.parametrize(
        ("command", "packages"),
        [("score", PYTHON_PACKAGES), ("generate", f"{PYTHON_PACKAGES} {SOUND_PACKAGES}")],
    )
    def test_says_what_to_install_and_changes_nothing(
        self, machine: Machine, command: str, packages: str
    ) -> None:
        before = machine.files()
        result = machine.run(command)
        assert (result.status, result.out) == (2, "")
        assert f"apt-get update && apt-get install --yes --no-install-recommends {packages}\n" in result.err
        assert "sudo apt-get" not in result.err
        assert machine.files() == before
        assert machine.take_calls("apt-get", "venv", "pip") == []

    def test_names_sudo_where_it_exists_but_wants_a_password(self, machine: Machine) -> None:
        machine.add_program("sudo", SUDO_THAT_ASKS)
        result = machine.run("score")
        assert result.status == 2
        assert f"sudo apt-get install --yes --no-install-recommends {PYTHON_PACKAGES}\n" in result.err

    def test_names_only_what_is_missing(self, machine: Machine) -> None:
        machine.install_python()
        machine.install_sound()
        machine.put("packages", "libfluidsynth3\nlibatomic1\nfluid-soundfont-gm\n")
        result = machine.run("test")
        assert result.status == 2
        assert "--no-install-recommends musescore-general-soundfont\n" in result.err
        assert "./run soundfonts fetch musescore-general\n" in result.err
        assert "fetch fluidr3-gm" not in result.err

    def test_a_package_that_is_half_removed_is_missing(self, machine: Machine) -> None:
        machine.install_python()
        machine.install_sound()
        machine.add_program("dpkg-query", "#!/bin/sh\necho config-files\n")
        assert machine.run("generate").status == 2

    def test_score_needs_no_system_package_but_python(self, machine: Machine) -> None:
        machine.install_python()
        result = machine.run("score")
        assert (result.status, result.out) == (0, f"listenbench|{machine.root}|score|")

    def test_libraries_and_soundfonts_from_elsewhere_will_do(self, machine: Machine) -> None:
        machine.install_python()
        machine.put("library-fluidsynth")
        machine.put("library-atomic")
        for soundfont in ("musescore-general", "fluidr3-gm"):
            assert machine.run("soundfonts", "fetch", soundfont).status == 0
        assert machine.run("generate").status == 0

    def test_checking_the_soundfonts_needs_sound_and_listing_them_does_not(self, machine: Machine) -> None:
        machine.install_python()
        assert machine.run("soundfonts").status == 0
        assert machine.run("soundfonts", "--check").status == 2

    def test_a_checkout_of_someone_else_is_refused_in_one_line(self, machine: Machine) -> None:
        machine.install_python()
        if os.geteuid() == 0:
            machine.root.joinpath("setup.cfg").unlink()
        else:
            machine.root.chmod(0o555)
        result = machine.run("score")
        machine.root.chmod(0o755)
        assert (result.status, result.out) == (2, "")
        assert result.err == f"run: no permission to write in {machine.root}, where .venv belongs\n"


class TestInstalling:
    """Root, or sudo without a password, on Debian and Ubuntu."""

    def test_root_installs_everything_with_fresh_lists(self, machine: Machine) -> None:
        result = machine.run("generate", "--seed", "0", USER_ID="0")
        assert result.status == 0, result.err
        assert result.out == f"listenbench|{machine.root}|generate|--seed|0|"
        calls = machine.take_calls("apt-get", "venv", "pip")
        assert calls == [
            UPDATE,
            f"{INSTALL} {PYTHON_PACKAGES} {SOUND_PACKAGES}",
            f"venv {machine.root}/.venv",
            calls[3],
        ]
        assert calls[3].startswith("pip install ")
        assert calls[3].endswith("--editable .")

    def test_sudo_without_a_password_will_do(self, machine: Machine) -> None:
        machine.add_program("sudo", SUDO_THAT_WORKS)
        assert machine.run("score").status == 0
        assert machine.take_calls("apt-get") == [UPDATE, f"{INSTALL} {PYTHON_PACKAGES}"]

    def test_lists_that_are_there_are_not_updated(self, machine: Machine) -> None:
        machine.put("lists")
        machine.install_python()
        assert machine.run("generate", USER_ID="0").status == 0
        assert machine.take_calls("apt-get") == [f"{INSTALL} {SOUND_PACKAGES}"]

    def test_outdated_lists_are_updated_after_a_failure(self, machine: Machine) -> None:
        machine.put("lists")
        machine.put("packages-are-gone")
        machine.install_python()
        assert machine.run("generate", USER_ID="0").status == 0
        assert machine.take_calls("apt-get") == [
            f"{INSTALL} {SOUND_PACKAGES}",
            UPDATE,
            f"{INSTALL} {SOUND_PACKAGES}",
        ]

    def test_a_failure_of_apt_get_is_said(self, machine: Machine) -> None:
        machine.add_program("apt-get", "#!/bin/sh\nexit 100\n")
        result = machine.run("score", USER_ID="0")
        assert result.status == 2
        assert f"run: apt-get could not install {PYTHON_PACKAGES}" in result.err

    def test_a_python_without_venv_gets_it(self, machine: Machine) -> None:
        machine.put("lists")
        machine.add_program("python3")
        assert machine.run("score", USER_ID="0").status == 0
        assert machine.take_calls("apt-get") == [f"{INSTALL} python3-venv"]


class TestPythonVersions:
    """Python 3.11 or later, wherever it comes from."""

    def test_a_newer_python_beside_an_old_one_is_used(self, machine: Machine) -> None:
        machine.install_python()
        machine.put("old-python3")
        machine.add_program("python3.12")
        assert machine.run("score").status == 0
        assert (
            f"python3.12 -m venv {machine.root}/.venv" in (machine.state / "calls").read_text().splitlines()
        )

    def test_ubuntu_22_gets_its_second_python(self, machine: Machine) -> None:
        machine.put("lists")
        machine.put("candidates", "python3 3.10.6-1~22.04\npython3.11 3.11.0~rc1-1~22.04\n")
        machine.add_program("python3")
        machine.put("old-python3")
        assert machine.run("score", USER_ID="0").status == 0
        assert machine.take_calls("apt-get") == [f"{INSTALL} python3.11 python3.11-venv"]

    def test_no_new_python_to_be_had_is_said_in_one_line(self, machine: Machine) -> None:
        machine.put("lists")
        machine.put("candidates", "python3 3.9.2-3\n")
        machine.add_program("python3")
        machine.put("old-python3")
        result = machine.run("score", USER_ID="0")
        assert (result.status, result.out) == (2, "")
        assert result.err.startswith("run: Python 3.11 or later is needed")
        assert result.err.count("\n") == 1


class TestSecondCall:
    """What is there is not set up again."""

    @pytest.mark.parametrize(
        "arguments", [("score",), ("generate",), ("generate", "--help"), ("soundfonts", "--check")]
    )
    def test_installs_nothing_and_says_nothing(self, ready: Machine, arguments: tuple[str, ...]) -> None:
        result = ready.run(*arguments)
        assert (result.status, result.err) == (0, "")
        assert ready.take_calls("apt-get", "sudo", "venv", "pip") == []

    def test_takes_no_lock(self, ready: Machine, without: Without) -> None:
        without("flock")
        without("perl")
        assert ready.run("score").err == ""

    def test_asking_models_adds_inspect_once(self, ready: Machine) -> None:
        result = ready.run("run", "--data", "data/test-0")
        assert (result.status, result.out) == (0, f"listenbench|{ready.root}|run|--data|data/test-0|")
        assert result.err.startswith("run: installing Inspect")
        [call] = ready.take_calls("venv", "pip")
        assert call.endswith("--editable .[inspect]")
        for command in ("run", "score", "generate"):
            result = ready.run(command)
            assert (result.status, result.err) == (0, "")
        assert ready.take_calls("venv", "pip") == []

    def test_asking_models_needs_no_sound(self, machine: Machine) -> None:
        machine.install_python()
        assert machine.run("run").status == 0
        [venv, pip] = machine.take_calls("venv", "pip")
        assert venv.startswith("venv ")
        assert pip.endswith("--editable .[inspect]")
        assert machine.run("score").status == 0
        assert machine.take_calls("venv", "pip") == []

    @pytest.mark.parametrize("option", ["-h", "--help"])
    def test_help_on_asking_models_needs_no_inspect(self, ready: Machine, option: str) -> None:
        assert ready.run("run", option).status == 0
        assert ready.take_calls("venv", "pip") == []

    @pytest.mark.parametrize(
        ("arguments", "extras", "said"),
        [
            (("generate", "--parquet"), "formats", ["PyArrow"]),
            (("export", "data/test-0", "--parquet"), "formats", ["PyArrow"]),
            (("export", "data/test-0", "--out", "s3://bucket/a b"), "formats", ["PyArrow"]),
            (("generate", "--out=memory://data"), "formats", ["PyArrow"]),
            (("generate", "--scheduler", "tcp://10.0.0.1:8786"), "dask", ["Dask"]),
            (("generate", "--scheduler=tcp://h:1", "--out", "d"), "dask", ["Dask"]),
            (
                ("generate", "--parquet", "--scheduler", "tcp://h:1", "--out", "s3://b"),
                "dask,formats",
                ["Dask", "PyArrow"],
            ),
        ],
        ids=str,
    )
    def test_options_add_the_extras_that_they_need_once(
        self, ready: Machine, arguments: tuple[str, ...], extras: str, said: list[str]
    ) -> None:
        result = ready.run(*arguments)
        assert (result.status, result.out) == (
            0,
            f"listenbench|{ready.root}|{''.join(f'{argument}|' for argument in arguments)}",
        )
        lines = [line.split()[2].rstrip(",") for line in result.err.splitlines() if "installing" in line]
        assert lines == said
        [call] = ready.take_calls("venv", "pip")
        assert call.endswith(f"--editable .[{extras}]")
        for again in (arguments, ("generate",), ("score",)):
            result = ready.run(*again)
            assert (result.status, result.err) == (0, "")
        assert ready.take_calls("venv", "pip") == []

    @pytest.mark.parametrize(
        "arguments",
        [
            ("generate", "--out", "--parquet.d"),
            ("generate", "--parquet", "--help"),
            ("generate", "--split", "tcp://x"),
            ("generate", "a --parquet"),
            ("score", "--parquet"),
            ("browse", "--out", "s3://bucket"),
        ],
        ids=str,
    )
    def test_other_options_add_nothing(self, ready: Machine, arguments: tuple[str, ...]) -> None:
        assert ready.run(*arguments).status == 0
        assert ready.take_calls("venv", "pip") == []

    def test_extras_come_one_after_the_other(self, ready: Machine) -> None:
        for arguments in (("generate", "--parquet"), ("generate", "--scheduler", "tcp://h:1")):
            assert ready.run(*arguments).status == 0
        assert len(ready.take_calls("pip")) == 2
        assert ready.run("generate", "--parquet", "--scheduler", "tcp://h:1").status == 0
        assert ready.take_calls("venv", "pip") == []

    def test_what_the_tests_need_is_enough_for_every_option(self, ready: Machine) -> None:
        assert ready.run("test").status == 0
        ready.take_calls()
        assert ready.run("generate", "--parquet", "--scheduler", "tcp://h:1").err == ""
        assert ready.take_calls("venv", "pip") == []

    def test_what_the_tests_need_is_enough_for_asking_models(self, ready: Machine) -> None:
        assert ready.run("test").status == 0
        ready.take_calls()
        assert ready.run("run").err == ""
        assert ready.take_calls("venv", "pip") == []

    def test_tests_add_their_packages_once(self, ready: Machine) -> None:
        assert ready.run("test").status == 0
        [call] = ready.take_calls("venv", "pip")
        assert call.endswith("--editable .[test]")
        for command in ("test", "score", "generate"):
            assert ready.run(command).status == 0
        assert ready.take_calls("venv", "pip") == []


class TestStamp:
    """What makes a finished set-up outdated."""

    @pytest.mark.parametrize("name", ["setup.cfg", "pyproject.toml", "listenbench/_version.py"])
    def test_a_changed_file_installs_again_in_place(self, ready: Machine, name: str) -> None:
        kept = ready.root / ".venv" / "kept"
        kept.touch()
        with (ready.root / name).open("a") as file:
            file.write("\n# changed\n")
        assert ready.run("score").status == 0
        assert len(ready.take_calls("venv", "pip")) == 1
        assert kept.exists()
        assert ready.run("score").status == 0
        assert ready.take_calls("venv", "pip") == []

    def test_another_python_makes_it_anew(self, ready: Machine) -> None:
        kept = ready.root / ".venv" / "kept"
        kept.touch()
        ready.put("python-version", "3.13 /usr\n")
        assert ready.run("score").status == 0
        assert [call.split()[0] for call in ready.take_calls("venv", "pip")] == ["venv", "pip"]
        assert not kept.exists()

    def test_a_moved_checkout_makes_it_anew(self, ready: Machine) -> None:
        moved = ready.root.with_name("moved")
        ready.root.rename(moved)
        ready.root = moved
        assert ready.run("score").out == f"listenbench|{moved}|score|"
        assert [call.split()[0] for call in ready.take_calls("venv", "pip")] == ["venv", "pip"]

    def test_a_venv_without_its_python_is_made_anew(self, ready: Machine) -> None:
        ready.root.joinpath(".venv/bin/python").unlink()
        assert ready.run("score").status == 0
        assert [call.split()[0] for call in ready.take_calls("venv", "pip")] == ["venv", "pip"]

    def test_a_venv_of_someone_else_is_left_alone(self, machine: Machine) -> None:
        machine.install_python()
        own = machine.root / ".venv" / "own"
        own.parent.mkdir()
        own.touch()
        result = machine.run("score")
        assert (result.status, result.out) == (2, "")
        assert "was not made by ./run" in result.err
        assert own.exists()


class TestInterruption:
    """A set-up that was cut short."""

    @pytest.mark.parametrize("command", ["score", "test", "run"])
    def test_a_killed_set_up_is_repaired(self, machine: Machine, command: str) -> None:
        machine.install_python()
        machine.install_sound()
        machine.put("pip-dies")
        assert machine.run(command).status == -9
        machine.state.joinpath("pip-dies").unlink()
        machine.take_calls()
        result = machine.run(command)
        assert result.status == 0, result.err
        assert [call.split()[0] for call in machine.take_calls("venv", "pip")] == ["venv", "pip"]

    def test_a_killed_update_is_made_anew(self, ready: Machine) -> None:
        ready.put("pip-dies")
        assert ready.run("test").status == -9
        ready.state.joinpath("pip-dies").unlink()
        ready.take_calls()
        assert ready.run("score").status == 0
        assert [call.split()[0] for call in ready.take_calls("venv", "pip")] == ["venv", "pip"]

    def test_inspect_without_network_says_so_and_leaves_the_rest_working(self, ready: Machine) -> None:
        ready.put("pip-fails")
        result = ready.run("run")
        assert (result.status, result.out) == (2, "")
        assert "no network\nrun: pip could not install the packages" in result.err
        assert ready.run("score").status == 0
        ready.state.joinpath("pip-fails").unlink()
        assert ready.run("run").status == 0

    def test_a_first_set_up_without_network_says_so_and_can_be_repeated(self, machine: Machine) -> None:
        machine.install_python()
        machine.put("pip-fails")
        result = machine.run("score")
        assert (result.status, result.out) == (2, "")
        assert "no network\nrun: pip could not install the packages" in result.err
        machine.state.joinpath("pip-fails").unlink()
        assert machine.run("score").status == 0

    def test_an_update_without_network_keeps_what_was_there(self, ready: Machine) -> None:
        ready.put("pip-fails")
        settings = ready.root / "setup.cfg"
        old = settings.read_text()
        settings.write_text(old + "\n# changed\n")
        assert ready.run("score").status == 2
        settings.write_text(old)
        assert ready.run("score").status == 0


class TestSideBySide:
    """Several calls at once."""

    @pytest.mark.parametrize("locker", LOCKERS)
    def test_two_first_calls_set_up_once(self, machine: Machine, without: Without, locker: str) -> None:
        for other in set(LOCKERS) - {locker}:
            without(other)
        machine.install_python()
        machine.put("pip-is-slow")
        calls = [machine.start(machine.root / "run", "score", str(number)) for number in range(3)]
        for number, process in enumerate(calls):
            out, err = process.communicate("", timeout=60)
            assert (process.returncode, out) == (0, f"listenbench|{machine.root}|score|{number}|"), err
        assert [call.split()[0] for call in machine.take_calls("venv", "pip")] == ["venv", "pip"]

    def test_the_command_itself_does_not_hold_the_lock(self, machine: Machine) -> None:
        machine.install_python()
        with machine.start(machine.root / "run", "score") as waiting:
            assert waiting.stdin is not None
            assert waiting.stdout is not None
            started = waiting.stdout.read(1)
            assert machine.run("test", USER_ID="0").status == 0
            assert waiting.poll() is None
            waiting.stdin.close()
            assert started + waiting.stdout.read() == f"listenbench|{machine.root}|score|"


class TestHandingOver:
    """What the command gets from its caller."""

    def test_arguments_stay_as_they_are(self, ready: Machine) -> None:
        arguments = ["score", "a b", "", "*", "$HOME", "it's", '"', "-x", "--", "two\nlines", "ü"]
        assert ready.run(*arguments).out == f"listenbench|{ready.root}|" + "".join(
            f"{text}|" for text in arguments
        )

    def test_standard_output_is_the_command_s_even_in_the_first_call(self, machine: Machine) -> None:
        result = machine.run("test", USER_ID="0")
        assert (result.status, result.out) == (0, f"pytest|{machine.root}|")
        assert "pip talks" in result.err

    def test_status_and_standard_input_pass_through(self, ready: Machine) -> None:
        result = ready.run("score", "-", stdin="predictions", STATUS="7")
        assert (result.status, result.out) == (7, f"listenbench|{ready.root}|score|-|predictions")

    def test_the_current_directory_stays(self, ready: Machine, tmp_path: Path) -> None:
        assert (
            ready.run("score", "here.jsonl", cwd=tmp_path).out == f"listenbench|{tmp_path}|score|here.jsonl|"
        )

    def test_a_name_in_cdpath_changes_nothing(self, ready: Machine) -> None:
        result = ready.call("./run", "score", CDPATH=str(ready.state))
        assert result.out == f"listenbench|{ready.root}|score|"

    def test_by_links_and_by_the_path(self, ready: Machine, tmp_path: Path) -> None:
        folder = tmp_path / "other folder"
        folder.mkdir()
        (folder / "first").symlink_to(os.path.relpath(ready.root / "run", folder))
        (folder / "second").symlink_to("first")
        ready.programs.joinpath("lb").symlink_to(folder / "second")
        for command in (folder / "second", "./first"):
            assert ready.call(command, "score", cwd=folder).out == f"listenbench|{folder}|score|"
        shell = str(shutil.which("sh"))
        assert ready.call(shell, "-c", "lb score", cwd=folder).out == f"listenbench|{folder}|score|"
        assert ready.take_calls("venv", "pip") == []


class TestTests:
    """`./run test`."""

    def test_in_the_checkout_pytest_decides(self, ready: Machine) -> None:
        assert (
            ready.run("test", "-k", "melody or harmony").out == f"pytest|{ready.root}|-k|melody or harmony|"
        )

    def test_elsewhere_the_project_s_tests_are_meant(self, ready: Machine, tmp_path: Path) -> None:
        assert ready.run("test", "-x", cwd=tmp_path).out == f"pytest|{tmp_path}|-x|{ready.root}/tests|"

    def test_elsewhere_a_given_path_is_meant(self, ready: Machine, tmp_path: Path) -> None:
        (tmp_path / "test_own.py").touch()
        given = "test_own.py::test_one"
        assert ready.run("test", given, "-x", cwd=tmp_path).out == f"pytest|{tmp_path}|{given}|-x|"


class TestMacOS:
    """Homebrew instead of apt-get."""

    @pytest.fixture
    def mac(self, machine: Machine, without: Without, tmp_path: Path) -> Machine:
        for name in ("apt-get", "apt-cache", "dpkg-query"):
            without(name)
        machine.variables.update(SYSTEM="Darwin", HOMEBREW_PREFIX=str(tmp_path))
        return machine

    def test_homebrew_installs_and_the_soundfonts_are_fetched(self, mac: Machine) -> None:
        mac.add_program("brew", BREW)
        result = mac.run("generate")
        assert result.status == 0, result.err
        assert result.out == f"listenbench|{mac.root}|generate|"
        assert mac.take_calls("brew") == ["brew install python@3.13 fluid-synth"]
        assert (mac.state / "soundfonts").read_text() == "musescore-general\nfluidr3-gm\n"
        mac.take_calls()
        assert mac.run("generate").err == ""
        assert mac.take_calls("brew", "pip") == []

    def test_without_homebrew_it_says_what_to_install(self, mac: Machine) -> None:
        mac.add_program("python3")
        mac.put("ensurepip")
        result = mac.run("generate")
        assert (result.status, result.out) == (2, "")
        assert result.err == "run: please install Homebrew, then run: brew install fluid-synth\n"


class TestOtherSystems:
    """Neither apt-get nor Homebrew."""

    def test_libraries_are_asked_for_and_soundfonts_fetched(self, machine: Machine, without: Without) -> None:
        without("apt-get")
        machine.install_python()
        result = machine.run("generate")
        assert (result.status, result.out) == (2, "")
        assert "what Debian calls libfluidsynth3 libatomic1 " in result.err
        assert result.err.count("\n") == 1
        assert ".venv" not in machine.files()
        machine.put("library-fluidsynth")
        machine.put("library-atomic")
        assert machine.run("generate").status == 0
        assert (machine.state / "soundfonts").read_text() == "musescore-general\nfluidr3-gm\n"

    def test_score_needs_only_python(self, machine: Machine, without: Without) -> None:
        without("apt-get")
        machine.install_python()
        assert machine.run("score").status == 0
