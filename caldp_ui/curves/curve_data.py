"""Curves with the errors known so far, for the chart and the headline."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from caldp_core.experiments.forecast import Forecast
from caldp_core.experiments.interleaved_runs import Mean
from caldp_ui.compute import runs
from caldp_ui.curves.lines import Line, PointForecast
from caldp_ui.curves.page_state import Curves

SMALLEST_ERROR: Final = 1e-5


@dataclass(frozen=True)
class CurveData:
    """A line with its (places,) expected errors and means of runs, None where not known."""

    line: Line
    expected: Sequence[Forecast | None]
    measured: Sequence[Mean | None]

    def known_points(self) -> list[tuple[float, Forecast]]:
        """Places and expected errors, as far as they are known and above 0."""
        pairs = zip(self.line.places, self.expected, strict=True)
        return [
            (x, error) for x, error in pairs if error is not None and error.error > SMALLEST_ERROR
        ]

    def is_known_at(self, place: float) -> bool:
        """Whether the expected errors next to `place` are known on both sides."""
        x = self.line.places
        right = min(max(bisect_left(x, place), 1), len(x) - 1)
        return None not in self.expected[right - 1 : right + 1]


def make_curves(
    lines: Sequence[Line],
    forecasts: Sequence[PointForecast],
    measured: Sequence[Sequence[Mean | None]],
) -> list[CurveData]:
    """Each line with the errors known so far."""
    table: list[list[Forecast | None]] = [[None] * len(line.places) for line in lines]
    for each in forecasts:
        table[each.line][each.place] = each.error
    return [CurveData(*row) for row in zip(lines, table, measured, strict=True)]


def reader_position(record: Curves, line: Line) -> float:
    """Where on the axis the reader is, at its end if beyond; its middle if nothing says it."""
    place = _place_set(record)
    if place is None:
        return line.places[len(line.places) // 2]
    return min(max(place, line.places[0]), line.places[-1])


def is_beyond(record: Curves, line: Line) -> bool:
    """Whether the record's own place on the axis is beyond the ends of the curves."""
    return _place_set(record) not in (None, reader_position(record, line))


def _place_set(record: Curves) -> float | None:
    if record.against == "people":
        return float(runs.people(record.scenario))
    return record.scenario.context.plain_epsilon if record.against == "epsilon" else None
