"""Numbers read back from a page's text and files, each with what rounding may have taken.

Written without the dashboard's own `words/formats.py`: what that rounds wrongly is seen here.
"""

import json
import math
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
import streamlit as st
from click.testing import CliRunner
from numpy.typing import NDArray
from plotly.io.json import to_json_plotly

from caldp_core.basics.types import Floats
from caldp_core.cli.commands import main
from caldp_core.experiments.run import Result, prepare, run
from caldp_core.scenarios.scenario import Scenario
from caldp_core.theory.expected_error import Forecast
from caldp_ui.charts.show import Figure
from caldp_ui.stage.records import SMALLEST
from caldp_ui.words.formats import Headline

_WORDS = {"million": 1e6, "billion": 1e9, "trillion": 1e12}
_NUMBER = re.compile(r"(-?[\d,]*\.?\d+)(e[+-]?\d+)?( million| billion| trillion)?( %| km| m)?")
_NOTHING = {"none of 100": 0.0, "all 100": 1.0, "all": 1.0, "∞": math.inf, "no number": math.inf}
ROUNDING = 1e-9
_LESS = ("fewer than ", "less than ")
_LESS_THAN = re.compile("^(fewer|less) than ")


@dataclass(frozen=True)
class Reading:
    """A number as it is shown: what was rounded to it is in [`low`, `high`]."""

    low: float
    high: float

    def holds(self, value: float) -> bool:
        """Whether this is how the value may be shown."""
        air = ROUNDING * max(1.0, abs(value) if math.isfinite(value) else 1.0)
        return self.low - air <= value <= self.high + air

    def times(self, factor: float) -> "Reading":
        return Reading(self.low * factor, self.high * factor)


def is_rounded_up(shown: float, exact: float) -> bool:
    """Whether a number of two digits is the next one above an exact number."""
    return float(f"{shown:.1e}") == shown and exact * 0.995 <= shown < 1.1 * exact + 1


_BY_THEME = re.compile(r"light-dark\(((?:[^(),]|\([^()]*\))*),((?:[^(),]|\([^()]*\))*)\)")
"""A colour for both themes, as `offline/web/boards.js` finds it."""


def in_theme(text: str, *, dark: bool) -> str:
    """A chart's JSON in the colours of one theme, as a file shows it."""
    return _BY_THEME.sub(r"\2" if dark else r"\1", text)


def drawn(figure: Figure) -> go.Figure:
    """The chart as Plotly's own library takes it, which refuses what it does not know.

    One that has the colours of both themes is checked in both, and returned in the light one.
    """
    text = to_json_plotly({"data": list(figure.traces), "layout": dict(figure.layout)})
    if "light-dark(" not in text:
        return go.Figure(list(figure.traces), dict(figure.layout))
    go.Figure(json.loads(in_theme(text, dark=True)))
    return go.Figure(json.loads(in_theme(text, dark=False)))


def shares_of(code: NDArray[np.uint16]) -> Floats:
    """(k,) shares that the browser reads from (k,) codes of maps (`stage/web/codec.js`)."""
    size = code & 0x7FFF
    share = SMALLEST ** (1 - (size.astype(np.float64) - 1) / 0x7FFE)
    signed = np.where(code & 0x8000, -share, share)
    return np.asarray(np.where(size > 0, signed, 0.0), np.float64)


def read(text: str) -> Reading:
    """What "42 of 100", "0.0012", "3.67 million", "12 km", "more than 99.9 of 100" … are.

    Metres are read as parts of a kilometre; of three digits the third is not meant: "850 m".
    """
    text = text.replace("*", "").replace("\N{NO-BREAK SPACE}", " ").strip()
    if text in _NOTHING:
        return Reading(_NOTHING[text], _NOTHING[text])
    if text.startswith("all but "):
        left = read(text.removeprefix("all but "))
        return Reading(1 - left.high, 1 - left.low)
    if text.startswith(_LESS):
        return Reading(0.0, read(_LESS_THAN.sub("", text)).high)
    if " of " in text:
        some, _, many = text.partition(" of ")
        return read(some).times(1 / _exact(many))
    if text.startswith("more than "):
        # The next number to the same digits is as near as what is below it.
        return Reading(read(text.removeprefix("more than ")).low, math.inf)
    return _number(text)


def _number(text: str) -> Reading:
    found = _NUMBER.fullmatch(text)
    assert found is not None, f"{text!r} is no number that pages show"
    digits, power, word, unit = found.groups()
    _, _, decimals = digits.partition(".")
    scale = _WORDS[word.strip()] if word else 1.0
    scale *= 10.0 ** int(power[1:]) if power else 1.0
    scale *= {" %": 0.01, " m": 0.001}.get(unit, 1.0)
    value, half = float(digits.replace(",", "")), 0.5 * 10.0 ** -len(decimals)
    half *= 10 if unit == " m" and value >= 100 else 1
    return Reading(value - half, value + half).times(scale)


def _exact(text: str) -> float:
    reading = _number(text)
    return (reading.low + reading.high) / 2


def to_two_digits(text: str) -> Reading:
    """The same, where a small number has two digits of its own: "0.002" is 0.0020."""
    reading = read(text)
    value = (reading.low + reading.high) / 2
    if not 0 < value < 0.01:
        return reading
    half = 0.05 * 10.0 ** math.floor(math.log10(value))
    return Reading(value - half, value + half)


def to_three_digits(text: str) -> Reading:
    """A number of which only the first three digits are meant: "533,000"."""
    value = _exact(text)
    half = 0.5 * 10.0 ** (math.floor(math.log10(value)) - 2) if value else 0.5
    return Reading(value - half, value + half)


def full_people(html: str) -> list[int]:
    """How many of each array of a hundred people are full."""
    arrays = re.findall(r'class="hundred(?: split)?".*?style="--tens:(\d+);--ones:(\d)"', html)
    return [10 * int(tens) + int(ones) for tens, ones in arrays]


_WORDS_OF_FIGURES = {"million": 1e6, "billion": 1e9, "trillion": 1e12, "quadrillion": 1e15}
_TOKEN = re.compile(
    r"(?<![\w.])(more than |less than )?(?:an? )?(-?[\d,]*\.?\d+)"
    r"(?: (million|billion|trillion|quadrillion))?(?![\w-])"
)

_NAME = re.compile(r"[\d.]+°? × [\d.]+(?:°| blocks)|“[^”]*”")
"""A name of blocks or of another setting: "1° × 2°", "25 × 35 blocks", “50 small blocks”."""


def tokens(text: str) -> list[tuple[str, float]]:
    """Each number of a text, with what stands before it: "more than ", "less than " or ""."""
    return [
        (before, float(digits.replace(",", "")) * _WORDS_OF_FIGURES.get(word, 1.0))
        for before, digits, word in _TOKEN.findall(text)
    ]


def shows(token: tuple[str, float], value: float) -> bool:
    """Whether a number in a text is how `value` may be written: to two digits, or nearer."""
    before, number = token
    if before:
        return value >= number if before.startswith("more") else value <= number
    if number == 0 or value == 0:
        return abs(value - number) < 1e-9
    step = 10.0 ** (math.floor(math.log10(abs(number))) - 1)
    return abs(value - number) <= 0.5 * min(step, 1.0 if abs(number) < 100 else step) + 1e-12


def numbers_without_source(headline: Headline, record: object) -> list[str]:
    """Numbers of both lines that are not made from a figure, a setting of `record` or a level.

    A share may be shown as itself, of 100, of 1,000, or by what it lacks of 100; km in metres.
    """
    own = [*headline.figures.values(), *(number for _, number in tokens(repr(record)))]
    percent = [100 * each for each in own]
    lacks = [100 - each for each in percent]
    small = [1000 * each for each in headline.figures.values()]
    known = [*own, *percent, *lacks, *small, 95.0, 100.0, 1000.0]
    text = _NAME.sub("", headline.whole.replace("\N{NO-BREAK SPACE}", " "))
    return [
        f"{digits} in: {text}"
        for before, digits, word in _TOKEN.findall(text)
        if not any(
            _may_show(before, digits, _WORDS_OF_FIGURES.get(word, 1.0), value) for value in known
        )
    ]


def _may_show(before: str, digits: str, scale: float, value: float) -> bool:
    """Whether the digits are `value` to their own last one; zeros at an end may be rounded."""
    number = float(digits.replace(",", ""))
    if before:
        return value >= number * scale if before.startswith("more") else value <= number * scale
    decimals = len(digits.partition(".")[2])
    whole = digits.replace(",", "")
    zeros = (
        0 if decimals or number == 0 else min(len(whole) - len(whole.rstrip("0")), len(whole) - 2)
    )
    half = 0.5 * 10.0 ** (max(zeros, 0) - decimals)
    return abs(value - number * scale) <= half * scale * (1 + 1e-9)


def hold(headline: Headline, given: Iterable[float]) -> None:
    """Every number of both lines is a figure or `given`, and every figure is there.

    `given`: the reader's settings and the sentence's constants.
    """
    text = f"{headline.sentence} {headline.second}".replace("\N{NO-BREAK SPACE}", " ")
    found = tokens(text)
    for name, value in headline.figures.items():
        assert any(shows(token, value) for token in found), f"{name} = {value} is not in: {text}"
    known = [*headline.figures.values(), *given]
    for token in found:
        assert any(shows(token, value) for value in known), f"{token} has no source: {text}"


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
    unknown = Forecast(math.nan, math.nan, math.nan, 0)
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
