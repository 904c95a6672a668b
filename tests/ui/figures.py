"""Numbers of sentences against the figures that they are made from."""

import math
import re
from collections.abc import Iterable

from caldp_ui.words.formats import Headline

_WORDS = {"million": 1e6, "billion": 1e9, "trillion": 1e12, "quadrillion": 1e15}
_TOKEN = re.compile(
    r"(?<![\w.])(more than |less than )?(?:an? )?(-?[\d,]*\.?\d+)"
    r"(?: (million|billion|trillion|quadrillion))?(?![\w-])"
)


def tokens(text: str) -> list[tuple[str, float]]:
    """Each number of a text, with what stands before it: "more than ", "less than " or ""."""
    return [
        (before, float(digits.replace(",", "")) * _WORDS.get(word, 1.0))
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
