"""What a page lets readers take along, and what the command line makes of a scenario file."""

import json
import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import streamlit as st
from click.testing import CliRunner

from caldp_core.cli.commands import main
from caldp_core.experiments.run import Result, prepare, run
from caldp_core.scenarios.scenario import Scenario
from caldp_core.theory.expected_error import Forecast

LEFT_OUT = "left out"
Files = dict[str, str | bytes]


@contextmanager
def capture_files() -> Iterator[Files]:
    """What the pages' download buttons hold by the name of the file, the latest of each."""
    files: Files = {}
    button = st.download_button

    def kept(label: str, data: Any, *more: Any, **options: Any) -> bool:
        files[label] = data() if callable(data) else data
        return button(label, data, *more, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(st, "download_button", kept)
        yield files


@dataclass(frozen=True, eq=False)
class Run:
    """A scenario file run: the summary that the command line prints, and the result it is of."""

    summary: dict[str, Any]
    result: Result

    @property
    def policy(self) -> dict[str, Any]:
        """What the file promises."""
        found: dict[str, Any] = self.summary["scenario"]["policy"]
        return found

    def error(self, name: str) -> float:
        """An error as printed; infinite or unknown where it is null."""
        value: float | None = self.summary["errors"][name]["mean"]
        return float("inf") if value is None else value


@cache
def run_exported(text: str) -> Run:
    """`python -m caldp_core run` of a file with this text, its expected error left out."""
    unknown = Forecast(math.nan, math.nan, math.nan, LEFT_OUT)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("caldp_core.cli.run.forecast", lambda setup, progress: unknown)
        return _run(text)


def run_with_forecast(text: str) -> Run:
    """The same with its expected error, which may take many trials."""
    return _run(text)


def _run(text: str) -> Run:
    summary = json.loads(run_command(["run"], text))
    result = run(prepare(Scenario.from_dict(json.loads(text))))
    assert summary["errors"]["tv"]["mean"] == result.first.errors.tv
    return Run(summary, result)


def run_command(command: list[str], text: str) -> str:
    """What the command line prints for a scenario file with this text, given last."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "scenario.json")
        path.write_text(text, "utf-8")
        found = CliRunner().invoke(main, [*command, str(path)])
    assert found.exit_code == 0, found.output
    return found.stdout
