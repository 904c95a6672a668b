"""Words on the picture: names at the ends of lines, thresholds, where the reader is, a gap.

All words of a chart are one trace of texts, which costs the browser less than annotations. Where a
chart is too narrow for names beside its lines, `chart.js` leaves them out and shows a legend.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from scipy.optimize import isotonic_regression

SIZE: Final = 13
"""Height of the letters in pixels."""
_ROW: Final = 17
"""Pixels from one name to the next."""
_LETTER: Final = 6.7
"""Pixels that a letter takes on average, and a little more."""
WIDEST: Final = 230
"""Pixels for names beside the lines; longer names stand in a legend."""
_APART: Final = "\N{NO-BREAK SPACE}" * 2
_TOP: Final = 0.9999
WIDE_ONLY: Final = "wide"
"""The `meta` of traces that `chart.js` leaves out where there is no room."""


@dataclass(frozen=True)
class Label:
    """Words at a place of a chart, in the numbers of its axes.

    `side`: where they stand from there, as Plotly calls it. `lift`: pixels up from there.
    `wide_only`: left out on narrow charts.
    """

    x: float
    y: float
    words: str
    colour: str
    side: str = "middle right"
    lift: float = 0
    wide_only: bool = False


@dataclass(frozen=True)
class Scale:
    """The ordinate of a chart: its `range` as Plotly has it, and the pixels that it is high."""

    range: tuple[float, float]
    pixels: float
    is_log: bool

    def to_fraction(self, y: float) -> float:
        """A number as a part of the range: 0 at its lower end, 1 at its upper one."""
        low, high = self.range
        return ((np.log10(y) if self.is_log else y) - low) / (high - low)

    def from_fraction(self, part: float) -> float:
        """The number at a part of the range; the inverse of `to_fraction`."""
        low, high = self.range
        place = low + part * (high - low)
        return float(10.0**place) if self.is_log else float(place)


def spread_names(names: Sequence[Label], scale: Scale) -> list[Label]:
    """Names beside the ends of lines, moved up and down so that none stands on another."""
    places = space_out([scale.to_fraction(name.y) for name in names], _ROW / scale.pixels)
    return [
        replace(
            name,
            y=scale.from_fraction(place),
            words=f"{_APART}{name.words}{_APART}",
            wide_only=True,
        )
        for name, place in zip(names, places, strict=True)
    ]


def space_out(wanted: Sequence[float], least: float) -> list[float]:
    """Places in [0, 1] in the same order, `least` apart, as near to those `wanted` as can be.

    By squares: isotonic regression of the places less what they must be apart.
    """
    if not wanted:
        return []
    order = np.argsort(wanted, kind="stable")
    steps = least * np.arange(len(wanted))
    places = np.empty(len(wanted))
    nearest = isotonic_regression(np.asarray(wanted)[order] - steps).x
    places[order] = np.clip(nearest, 0.0, max(0.0, 1.0 - steps[-1])) + steps
    return [float(place) for place in places]


def place_note(note: Label, scale: Scale) -> Label:
    """A note where it is drawn, within the range: Plotly leaves out what is not."""
    part = scale.to_fraction(note.y) + note.lift / scale.pixels
    return replace(note, y=scale.from_fraction(min(part, _TOP)))


def label_width(names: Sequence[str]) -> int | None:
    """Pixels at the right that these names take; None where that is too much."""
    pixels = 16 + round(_LETTER * max(map(len, names), default=0))
    return pixels if pixels <= WIDEST else None


def traces(labels: Sequence[Label]) -> list[dict[str, Any]]:
    """The words as Plotly draws them: those of wide charts apart from the others."""
    parts = ([each for each in labels if each.wide_only is wide] for wide in (False, True))
    return [_trace(part) for part in parts if part]


def _trace(labels: Sequence[Label]) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "text",
        "x": [each.x for each in labels],
        "y": [each.y for each in labels],
        "text": [each.words for each in labels],
        "textposition": [each.side for each in labels],
        "textfont": {"color": [each.colour for each in labels], "size": SIZE},
        "hoverinfo": "skip",
        "showlegend": False,
        "cliponaxis": False,
        "meta": WIDE_ONLY if labels[0].wide_only else "words",
    }
