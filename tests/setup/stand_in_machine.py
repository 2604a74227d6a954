"""A machine made of stand-ins, on which `./run` can be tried without network and without rights.

What is tested is which programs the script calls, when, and with what: so the package managers, Python, pip
and pytest are small scripts that write down their arguments and keep their state in files.
"""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]

REAL_PROGRAMS = (
    *("cat", "cp", "dirname", "env", "grep", "head", "mkdir", "mv", "readlink", "rm", "sed", "sleep", "true"),
    *("flock", "perl"),
)

RECORD = """#!/bin/sh
name=${0##*/}
printf '%s' "$name" >>"$MACHINE/calls"
for argument; do printf ' %s' "$argument" >>"$MACHINE/calls"; done
echo >>"$MACHINE/calls"
"""

# The command line of listenbench: shows what reached it, and ends as it is told.
PROGRAM = """#!/bin/sh
[ "$1" != soundfonts ] || [ "$2" != fetch ] || { echo "$3" >>"$MACHINE/soundfonts"; echo fetched; exit; }
printf '%s|' "${0##*/}" "$PWD" "$@"
cat
exit "${STATUS-0}"
"""

PYTHON = (
    RECORD
    + """
case "$*" in
*sys.version_info\\ \\<*) [ ! -e "$MACHINE/old-$name" ] ;;
*version_info*) cat "$MACHINE/python-version" ;;
*ensurepip*) [ -e "$MACHINE/ensurepip" ] ;;
*find_library*)
    for last; do :; done
    [ -e "$MACHINE/library-$last" ]
    ;;
*listenbench.soundfonts*)
    for last; do :; done
    grep -qx "$last" "$MACHINE/soundfonts"
    ;;
"-m venv "*)
    mkdir -p "$3/bin"
    cp "$0" "$3/bin/python"
    ;;
"-m pip "*)
    [ ! -e "$MACHINE/pip-dies" ] || kill -9 0
    [ ! -e "$MACHINE/pip-fails" ] || { echo "no network" >&2; exit 1; }
    echo "pip talks"
    [ ! -e "$MACHINE/pip-is-slow" ] || sleep 0.5
    cp "$MACHINE/program" "${0%/*}/listenbench"
    ;;
"-m pytest"*)
    shift 2
    printf '%s|' pytest "$PWD" "$@"
    ;;
*) exit 99 ;;
esac
"""
)

APT_GET = (
    RECORD
    + """
[ "${DEBIAN_FRONTEND-}" = noninteractive ] || exit 98
case "$*" in
*\\ update*) : >"$MACHINE/lists" ;;
*\\ install*)
    [ -e "$MACHINE/lists" ] || exit 100
    [ ! -e "$MACHINE/packages-are-gone" ] || { rm "$MACHINE/packages-are-gone"; exit 100; }
    for package; do
        case $package in
        python3*-venv) : >"$MACHINE/ensurepip" ;;
        python3*) cp "$MACHINE/python" "$MACHINE/bin/$package" ;;
        libfluidsynth3) : >"$MACHINE/library-fluidsynth" ;;
        libatomic1) : >"$MACHINE/library-atomic" ;;
        esac
        echo "$package" >>"$MACHINE/packages"
    done
    ;;
esac
"""
)

APT_CACHE = """#!/bin/sh
for package; do :; done
[ -e "$MACHINE/lists" ] && sed -n "s/^$package /Version: /p" "$MACHINE/candidates"
"""

DPKG_QUERY = """#!/bin/sh
for package; do :; done
grep -qx "$package" "$MACHINE/packages" && echo installed
"""

BREW = (
    RECORD
    + """
for formula; do
    case $formula in
    python@3.13) cp "$MACHINE/python" "$MACHINE/bin/python3.13"; : >"$MACHINE/ensurepip" ;;
    fluid-synth) : >"$MACHINE/library-fluidsynth" ;;
    esac
done
"""
)

SUDO_THAT_ASKS = "#!/bin/sh\necho 'sudo: a password is required' >&2\nexit 1\n"

SUDO_THAT_WORKS = '#!/bin/sh\n[ "$1" = -n ] || exit 97\nshift\nUSER_ID=0 exec "$@"\n'


@dataclass(frozen=True)
class Result:
    """How a call ended: its exit status, standard output and standard error."""

    status: int
    out: str
    err: str


class Machine:
    """A Debian 12 without rights and without anything installed, until a test says otherwise.

    Attributes
    ----------
    root : Path
        The checkout of the project, in a folder whose name has a space.
    variables : dict of str to str
        Environment variables of every call.
    """

    def __init__(self, folder: Path) -> None:
        self.variables: dict[str, str] = {}
        self.state = folder / "state"
        self.programs = self.state / "bin"
        self.root = folder / "my projects" / "listenbench"
        (self.root / "listenbench").mkdir(parents=True)
        for name in ("run", "setup.cfg", "pyproject.toml", "listenbench/_version.py"):
            shutil.copy(CHECKOUT / name, self.root / name)
        self.programs.mkdir(parents=True)
        for name in REAL_PROGRAMS:
            if path := shutil.which(name):
                (self.programs / name).symlink_to(path)
        for name, text in (("apt-get", APT_GET), ("apt-cache", APT_CACHE), ("dpkg-query", DPKG_QUERY)):
            self.add_program(name, text)
        self.add_program("id", '#!/bin/sh\necho "${USER_ID-1000}"\n')
        self.add_program("uname", '#!/bin/sh\necho "${SYSTEM-Linux}"\n')
        self.add_script("python", PYTHON)
        self.add_script("program", PROGRAM)
        for name in ("packages", "soundfonts", "calls"):
            self.put(name)
        self.put("candidates", "python3 3.11.2-1+b1\n")
        self.put("python-version", "3.11 /usr\n")

    def add_script(self, name: str, text: str) -> None:
        path = self.state / name
        path.write_text(text)
        path.chmod(0o755)

    def add_program(self, name: str, text: str = PYTHON) -> None:
        """Put a stand-in on the PATH."""
        self.add_script(f"bin/{name}", text)

    def put(self, name: str, text: str = "") -> None:
        """Write a file of the machine's state; its mere presence may be what matters."""
        (self.state / name).write_text(text)

    def install_python(self) -> None:
        """Give the machine a Python that can make virtual environments."""
        self.add_program("python3")
        self.put("ensurepip")

    def install_sound(self) -> None:
        """Give the machine the packages that rendering needs."""
        self.put("packages", "libfluidsynth3\nlibatomic1\nmusescore-general-soundfont\nfluid-soundfont-gm\n")
        self.put("library-fluidsynth")
        self.put("library-atomic")

    def environment(self, **variables: str) -> dict[str, str]:
        fixed = {"PATH": str(self.programs), "MACHINE": str(self.state), "HOME": str(self.state)}
        return fixed | self.variables | variables

    def start(self, *command: str | Path, cwd: Path | None = None, **variables: str) -> subprocess.Popen[str]:
        """Start a command in a process group of its own."""
        return subprocess.Popen(
            [str(part) for part in command],
            cwd=cwd or self.root,
            env=self.environment(**variables),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def call(
        self, *command: str | Path, cwd: Path | None = None, stdin: str = "", **variables: str
    ) -> Result:
        """Run a command to its end."""
        process = self.start(*command, cwd=cwd, **variables)
        out, err = process.communicate(stdin, timeout=60)
        return Result(process.returncode, out, err)

    def run(self, *arguments: str, cwd: Path | None = None, stdin: str = "", **variables: str) -> Result:
        """Call `./run` with arguments."""
        return self.call(self.root / "run", *arguments, cwd=cwd, stdin=stdin, **variables)

    def take_calls(self, *names: str) -> list[str]:
        """Return the calls of the named programs since the last time, in order.

        Calls of Python count as 'venv', 'pip' or 'pytest', by the module that they run.
        """
        calls = []
        for line in (self.state / "calls").read_text().splitlines():
            name, _, arguments = line.partition(" ")
            if name.startswith("python") and arguments.startswith("-m "):
                name, _, arguments = arguments.removeprefix("-m ").partition(" ")
            if name in names:
                calls.append(f"{name} {arguments}")
        self.put("calls")
        return calls

    def files(self) -> set[str]:
        """Return the names of all files in the checkout."""
        return {str(path.relative_to(self.root)) for path in self.root.rglob("*")}
