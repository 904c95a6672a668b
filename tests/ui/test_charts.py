"""Charts draw the numbers that they are given; columns add up to the estimate."""

import json
import math
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest

from caldp_core.experiments.forecast import Curve
from caldp_ui.app.theme import CIVIDIS, DARK, LIGHT, NIGHT, NIGHT_LAND, Palette
from caldp_ui.charts import curves as charts
from caldp_ui.charts.show import figure_json
from caldp_ui.compute.curves import NUMBERS

X = np.array([0.5, 1.0, 2.0])
OURS = Curve(
    X, np.array([0.3, 0.2, 0.1]), np.array([0.25, 0.15, 0.05]), np.array([0.35, 0.25, 0.2])
)
PLAIN = Curve(X, OURS.tv * 2, OURS.low * 2, OURS.high * 2)


def figure_of(
    palette: Palette = LIGHT, abscissa: dict[str, Any] = charts.EPSILON_AXIS
) -> go.Figure:
    return charts.error_curves((OURS, 0.21), (PLAIN, 0.43), 1.0, abscissa, palette)


def trace(figure: go.Figure, y: np.ndarray) -> go.Scatter:
    return next(t for t in figure.data if np.array_equal(np.asarray(t.y, dtype=float), y))


def test_lines_are_told_apart_by_dash_as_well_as_colour() -> None:
    ours, plain = trace(figure_of(), OURS.tv), trace(figure_of(), PLAIN.tv)
    assert ours.line.dash != plain.line.dash
    assert ours.line.color != plain.line.color
    assert ours.name != plain.name
    marks = [t for t in figure_of().data if t.mode == "markers"]
    assert len({mark.marker.symbol for mark in marks}) == 2


def test_where_nobody_is_sensitive_the_curves_are_drawn_without_the_reader_s_place() -> None:
    figure = charts.error_curves((OURS, 0.2), (PLAIN, 0.4), 0.0, charts.SENSITIVE_AXIS, LIGHT)
    low, high = figure.layout.xaxis.range
    assert math.isfinite(low)
    assert low < high
    assert not figure.layout.shapes


@pytest.mark.parametrize("curve", [OURS, PLAIN], ids=["ours", "plain"])
def test_bands_go_there_above_and_back_below(curve: Curve) -> None:
    band = trace(figure_of(), np.concatenate([curve.high, curve.low[::-1]]))
    np.testing.assert_array_equal(band.x, [*X, *X[::-1]])
    assert band.fill == "toself"


def test_marks_are_this_outcome_at_the_present_setting() -> None:
    marks = {(t.x[0], t.y[0]) for t in figure_of().data if t.mode == "markers"}
    assert marks == {(1.0, 0.21), (1.0, 0.43)}
    assert figure_of().layout.shapes[0].x0 == 1.0


def test_ordinate_holds_everything_and_begins_at_zero() -> None:
    low, high = figure_of().layout.yaxis.range
    assert low == 0
    assert high >= PLAIN.high.max()


def test_errors_beyond_one_get_a_log_scale() -> None:
    figure = charts.error_curves((OURS, 0.2), (PLAIN, 40.0), 1.0, charts.PEOPLE_AXIS, LIGHT)
    assert figure.layout.yaxis.type == "log"


@pytest.mark.parametrize("now", [2.0, 40.0, 3e5])
def test_numbers_of_a_log_scale_are_whole_numbers_or_shares(now: float) -> None:
    figure = charts.error_curves((OURS, 0.2), (PLAIN, now), 1.0, charts.PEOPLE_AXIS, LIGHT)
    axis = figure.layout.yaxis
    low, high = OURS.low.min(), max(now, PLAIN.high.max())
    assert [float(text.replace(",", "")) for text in axis.ticktext] == pytest.approx(axis.tickvals)
    assert len([tick for tick in axis.tickvals if low <= tick <= high]) >= 2
    assert min(axis.tickvals) <= low
    assert max(axis.tickvals) >= high
    assert len(axis.tickvals) <= 12  # more would run into each other


def test_abscissae_name_every_tick() -> None:
    for abscissa in (charts.EPSILON_AXIS, charts.PEOPLE_AXIS):
        axis = figure_of(abscissa=abscissa)
        assert axis.layout.xaxis.type == "log"
        assert axis.layout.xaxis.title.text
    people = figure_of(abscissa=charts.PEOPLE_AXIS).layout.xaxis
    assert tuple(people.tickvals) == NUMBERS
    assert len(people.ticktext) == len(people.tickvals)


def _luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return float(np.dot([0.2126, 0.7152, 0.0722], linear))


@pytest.mark.parametrize(
    ("palette", "background"), [(LIGHT, "#FFFFFF"), (DARK, "#0B0F14")], ids=["light", "dark"]
)
def test_lines_stand_out_from_the_background(palette: Palette, background: str) -> None:
    for colour, least in ((palette.ours, 3), (palette.plain, 3), (palette.text, 4.5)):
        low, high = sorted((_luminance(colour), _luminance(background)))
        assert (high + 0.05) / (low + 0.05) >= least  # WCAG's for graphics, and for texts


def test_cividis_grows_lighter_all_the_way() -> None:
    colours = CIVIDIS
    assert colours.shape == (256, 3)
    light = colours @ np.array([0.2126, 0.7152, 0.0722])
    assert (np.diff(light) > -1).all()
    assert light[-1] - light[0] > 150
    assert f"rgb({','.join(map(str, NIGHT_LAND))})" == NIGHT.land


def test_the_browser_is_told_of_a_figure_without_another_theme() -> None:
    sent = json.loads(figure_json(figure_of(), "Both fall."))
    assert set(sent) == {"data", "layout", "alt"}
    assert sent["alt"] == "Both fall."
    assert "template" not in sent["layout"]
    assert len(sent["data"]) == len(figure_of().data)
