"""Pages whose commands follow each other, run as a reader would."""

import io
import re
import shlex
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any, Final

from click.testing import CliRunner

from caldp_core.cli.commands import main
from tests import ROOT
from tests.contract.checks import naming

STEP: Final = re.compile(r"^ {4}caldp ([^\n]*)$|^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def text_of(page: str) -> str:
    return (ROOT / "docs" / page).read_text("utf-8")


def words_of(command: str) -> list[str]:
    """As a shell hands them over, with files in the place of patterns."""
    parts = [sorted(map(str, Path().glob(w))) if "*" in w else [w] for w in shlex.split(command)]
    return [word for part in parts for word in part]


def walk(page: str) -> int:
    """Run the commands and snippets of a page in their order; how many there are."""
    known: dict[str, Any] = {}
    steps = STEP.findall(re.sub(r"^( {4}.*)$", r"\1\n", text_of(page), flags=re.MULTILINE))
    for command, code in steps:
        with naming(command or code):
            if command:
                done = CliRunner().invoke(main, words_of(command))
                assert done.exit_code == 0, done.output
                continue
            with redirect_stdout(io.StringIO()) as printed:
                exec(code, known)
            assert printed.getvalue().splitlines() == re.findall(r"^# (.*)$", code, re.MULTILINE)
    return len(steps)
