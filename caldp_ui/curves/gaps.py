"""The gap that matters: what plain LDP takes to be as accurate as the best of the other curves."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from caldp_ui.curves import words
from caldp_ui.curves.curve_data import CurveData
from caldp_ui.curves.page_state import Curves
from caldp_ui.words import formats


@dataclass(frozen=True)
class Gap:
    """A horizontal gap between two curves on the chart: its ends (x, error), and its label."""

    ends: tuple[tuple[float, float], tuple[float, float]]
    label: str

    @property
    def middle(self) -> tuple[float, float]:
        """Halfway on a logarithmic axis."""
        (x0, y), (x1, _) = self.ends
        return float(np.sqrt(x0 * x1)), y


def find_gap(record: Curves, curves: Sequence[CurveData], x: float) -> Gap | None:
    """From the curve that the headline speaks of to plain LDP's, at the same error.

    None along other axes than people and ε, and where plain LDP's curve does not come so far down.
    """
    pair = words.headline_pair([each for each in curves if not each.line.is_pinned], x)
    if record.against not in ("people", "epsilon") or pair is None or pair.other is None:
        return None
    if not pair.other.line.is_plain:
        return None
    error = words.error_at(pair.least, x)
    plain_place = _place_of_error(pair.other, error)
    if plain_place is None or plain_place < 1.05 * x:
        return None
    label = (
        f"{formats.times(plain_place / x)} as many people"
        if record.against == "people"
        else f"ε = {formats.digits(plain_place)} for the same error"
    )
    return Gap(((x, error), (plain_place, error)), label)


def _place_of_error(each: CurveData, error: float) -> float | None:
    """The place where a falling curve reaches an error, between its points on log scales."""
    points = each.known_points()
    errors = [forecast.error for _, forecast in points]
    if not points or error < min(errors):
        return None
    return float(np.exp(np.interp(-np.log(error), -np.log(errors), np.log([x for x, _ in points]))))
