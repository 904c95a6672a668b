"""Numbers read back from a page's text, each with what rounding may have taken from it.

Written without the dashboard's own `words/formats.py`: what that rounds wrongly is seen here.
"""

import math
import re
from dataclasses import dataclass

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
