"""Each command is found by its name, and brings no more than it needs."""

import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import IO, Final

import click
import pytest
from click.testing import CliRunner

from caldp_core import __version__, cli
from caldp_core.cli.commands import main
from tests import ROOT
from tests.products import thinned

_START = """
import sys
from caldp_core.cli.commands import main
main(sys.argv[1:], standalone_mode=False)
names = {tuple(name.split(".")[:2]) for name in sys.modules if name.startswith("caldp_core.")}
print(*(room for _, room in names), file=sys.stderr)
"""


def rooms_after(*words: str) -> set[str]:
    """The rooms of the core that are loaded once this command is done."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", _START, *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stderr.split())


@pytest.mark.parametrize(
    ("words", "needed", "idle"),
    [
        (["list"], {"mechanisms", "scenarios"}, {"audit", "collect", "experiments", "theory"}),
        (["dashboard", "--help"], {"cli"}, {"mechanisms", "datasets", "scenarios"}),
        (["audit", "--help"], {"audit", "experiments"}, {"collect"}),
    ],
)
def test_a_command_imports_nothing_that_only_others_need(
    words: list[str], needed: set[str], idle: set[str]
) -> None:
    rooms = rooms_after(*words)
    assert needed <= rooms
    assert not idle & rooms, "import it in the module of the command that needs it"


FULL: Final = Path("/dev/full")


@pytest.mark.skipif(not FULL.exists(), reason="Linux has a disk that is always full")
@pytest.mark.parametrize(
    "words",
    thinned([
        ["list"], ["schema"], ["client"], ["run", "examples/survey.json"],
        ["protocol", "examples/survey.json"], ["audit", "examples/binary.json"], ["--help"],
        ["--version"], ["protocol", "--help"],
    ], one_in=3),
)  # fmt: skip
def test_a_full_standard_output_is_one_sentence(words: list[str]) -> None:
    with FULL.open("w") as full:
        done = start(words, full)
    assert done.returncode == 2, "1 would say that an audit does not hold"
    right = "Error: Standard output can't be written: No space left on device; write to another"
    assert done.stderr.startswith(right)
    assert done.stderr.count("\n") == 1


def test_a_closed_pipe_is_quiet() -> None:
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "w") as closed:
        done = start(["client"], closed)
    assert (done.returncode, done.stderr) == (141, "")


def test_ctrl_c_ends_every_command_as_shells_expect(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    for name, command in main.commands.items():
        monkeypatch.setattr(command, "parse_args", interrupted)
        done = CliRunner().invoke(main, [name])
        assert (done.exit_code, done.output) == (130, "Interrupted.\n"), name


def start(words: list[str], output: IO[str]) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "caldp_core", *words],
        cwd=ROOT, stdout=output, stderr=subprocess.PIPE, text=True, check=False,
    )  # fmt: skip


def commands_of(group: click.Group) -> list[click.Command]:
    """Its commands, and those of the groups among them."""
    own = list(group.commands.values())
    return own + [
        below for each in own if isinstance(each, click.Group) for below in commands_of(each)
    ]


def test_every_command_is_found_by_its_own_name() -> None:
    for name, command in main.commands.items():
        assert command.name == name
    modules = [import_module(f"{cli.__name__}.{each.name}") for each in iter_modules(cli.__path__)]
    written = [each for made in modules for each in vars(made).values()]
    found = {id(each) for each in [main, *commands_of(main)]}
    assert {id(each) for each in written if isinstance(each, click.Command)} == found


def test_it_says_its_version() -> None:
    done = CliRunner().invoke(main, ["--version"])
    assert (done.exit_code, done.output) == (0, f"caldp, version {__version__}\n")


def test_a_name_that_no_command_has_is_refused(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert "lst" not in main.commands
    with pytest.raises(SystemExit) as ended:
        main(["lst"])
    assert ended.value.code == 2
    assert "No such command 'lst'" in capsys.readouterr().err
