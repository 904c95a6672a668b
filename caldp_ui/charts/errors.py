"""Axes for errors in people: N of 100, on a scale from 0 or over whole powers of ten.

A total variation of 0.01 is one person of 100 in the wrong place or under the wrong answer. Where
an estimate is not made of shares no number of people stands for it: the axis is total variation.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from caldp_ui.words import formats

_STEPS: Final = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2)
_ROOM: Final = 100
"""Pixels of a power of ten, from which on 2 and 5 times it are named, too."""
FAINTEST: Final = 1e-6
"""Errors below have no numbers on a log scale."""


@dataclass(frozen=True)
class ErrorScale:
    """How an error is counted. `title`: of its axis.

    `number(error)`: its text at a mark of the axis; `describe(error)`: where it is pointed at.
    """

    title: str
    number: Callable[[float], str]
    describe: Callable[[float], str]


def error_scale(wrong: str | None) -> ErrorScale:
    """The scale of total variations. `wrong`: words for where people are; None for no shares."""
    if wrong is None:
        return ErrorScale(
            "error (total variation)",
            formats.digits,
            lambda tv: f"total variation {formats.share(tv)}",
        )
    return ErrorScale(
        f"people {wrong}, of 100",
        lambda tv: formats.digits(100 * tv),
        lambda tv: f"{formats.of_hundred(min(tv, 1.0))} (total variation {formats.share(tv)})",
    )


def linear_axis(top: float, wrong: str | None) -> dict[str, Any]:
    """An axis from 0 to a little above `top`, to 1 for 0, of total variations up to 1."""
    scale = error_scale(wrong)
    end = min(1.0, 1.08 * top or 1.0) if wrong is not None or top <= 1.0 else 1.08 * top
    step = next((each for each in _STEPS if end / each <= 6), 0.2)
    ticks = [round(step * number, 6) for number in range(math.floor(end / step + 1e-9) + 1)]
    return {
        "title_text": scale.title,
        "range": [0, end],
        "tickvals": ticks,
        "ticktext": [scale.number(tick) for tick in ticks],
    }


def log_axis(low: float, high: float, scale: ErrorScale, pixels: float) -> dict[str, Any]:
    """A log axis over the whole powers of ten around `low` and `high`, every number in full.

    `pixels`: how high it is, about.
    """
    first = math.floor(math.log10(max(low, FAINTEST)) + 1e-9)
    last = max(math.ceil(math.log10(max(high, FAINTEST)) - 1e-9), first + 1)
    parts = (1, 2, 5) if pixels >= _ROOM * (last - first) else (1,)
    ticks = [part * 10.0**power for power in range(first, last + 1) for part in parts]
    ticks = [tick for tick in ticks if tick <= 10.0**last * 1.001]
    ends = [first - 0.02 * (last - first), last + 0.02 * (last - first)]
    return logarithmic(f"{scale.title} (log scale)", ticks, scale.number, range=ends)


def logarithmic(
    title: str, ticks: Sequence[float], text: Callable[[Any], str] | None = None, **more: Any
) -> dict[str, Any]:
    """A logarithmic axis; `text`: of its ticks, which are the numbers themselves without it."""
    texts = {} if text is None else {"ticktext": list(map(text, ticks))}
    return {"title_text": title, "type": "log", "tickvals": list(ticks), **texts, **more}


def log_range(places: Sequence[float]) -> list[float]:
    """The range of a logarithmic axis that all places are on, with a little room; 0 is on none."""
    low, high = (math.log10(end(place for place in places if place > 0)) for end in (min, max))
    return [low - 0.02 * (high - low), high + 0.02 * (high - low)]
