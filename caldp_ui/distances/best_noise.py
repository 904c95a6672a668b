"""Design of the best noise; planar noise is shown until it is there.

A design takes a second, or ten where steps are small, and is stored in a file.

Mean displacement of reports before and after the Bayesian remap.

The odds by distance: noise, blocks and plain LDP as curves.

Colour is never alone: dashes and symbols tell the curves apart, too.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from caldp_core.audit.adversary import guess_accuracy, max_guess_accuracy
from caldp_core.basics.cache import cached, cached_by
from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Floats, Ints, Progress
from caldp_core.estimation.remap import identity_remap, remap
from caldp_core.experiments.run import Result
from caldp_core.mechanisms.capabilities import ReportsSymbols
from caldp_core.mechanisms.kernels.design import Kernel, Steps
from caldp_core.mechanisms.kernels.mechanism import check_map, kernel_for, read_kernel
from caldp_core.mechanisms.specs import BestKernel
from caldp_core.privacy.context import PrivacyMatrix
from caldp_core.privacy.distance import EuclideanMetric
from caldp_ui.app.errors import escape_markdown
from caldp_ui.app.theme import Palette
from caldp_ui.charts.curves import FIXED
from caldp_ui.compute import runs
from caldp_ui.distances.page_state import (
    STATE,
    DistanceData,
    DistanceState,
    fallback_scenario,
    right_guess_probability,
)
from caldp_ui.session import jobs
from caldp_ui.words import formats

BEST_KERNEL: Final = "best-kernel"
"""Name of the best noise in the catalogue."""
_FALLBACK_TEXT: Final = "Until then: planar geometric noise."


def design_noise(record: DistanceState) -> DistanceState:
    """The record; with planar noise until its own is designed by a job, whose progress is drawn."""
    if not isinstance(record.scenario.mechanism, BestKernel):
        return record
    fallback = replace(record, scenario=fallback_scenario(record.scenario))
    policy = runs.setup(fallback.scenario).policy
    reason = infeasible_reason(policy)
    if reason:
        st.warning(escape_markdown(f"{reason} Planar geometric noise is shown here."))
        return fallback
    if (
        designed_kernel(policy) is None
        and _design_by_job(Steps.of(_require_euclidean(policy))) is None
    ):
        return fallback
    return record


def with_fallback_noise(record: DistanceState) -> DistanceState:
    """The record; with planar noise if its own is not designed yet. Starts no job."""
    if not isinstance(record.scenario.mechanism, BestKernel):
        return record
    fallback = replace(record, scenario=fallback_scenario(record.scenario))
    return record if designed_kernel(runs.setup(fallback.scenario).policy) is not None else fallback


def _design_by_job(steps: Steps) -> Kernel | None:
    return jobs.run_automatically(
        STATE.key("design"),
        f"{steps}",
        lambda progress: kernel_for(steps, progress),
        lambda job: f"Designing the best noise: {job.seconds:.0f} s. {_FALLBACK_TEXT}",
    )


def designed_kernel(policy: PrivacyMatrix) -> Kernel | None:
    """The best noise for a policy with its proof; None where it was not designed yet."""
    if not isinstance(policy, EuclideanMetric):
        return None
    try:
        return _stored_kernel(Steps.of(policy))
    except CaldpError:
        return None


@cached
def _stored_kernel(steps: Steps) -> Kernel:
    """The design on file. Raises `CaldpError` where there is none, as errors are not cached."""
    kernel = read_kernel(steps)
    if kernel is None:
        raise CaldpError("Not designed yet.")
    return kernel


def infeasible_reason(policy: PrivacyMatrix) -> str:
    """Why the best noise can't be designed for a policy; "" where it can."""
    try:
        check_map(_require_euclidean(policy))
    except CaldpError as error:
        return str(error)
    return ""


def _require_euclidean(policy: PrivacyMatrix) -> EuclideanMetric:
    if not isinstance(policy, EuclideanMetric):
        raise CaldpError("The best noise is designed for distances as the crow flies only.")
    return policy


PEOPLE: Final = 20_000
"""People drawn to measure both distances, to about half a percent."""


def section(ours: Result) -> None:
    """Show one sentence, by a job; nothing if reports are no places or a share is negative."""
    has_places = isinstance(ours.setup.mechanism, ReportsSymbols)
    if not has_places or not bool((ours.first.estimate >= 0).all()):
        return
    kilometres = jobs.run_automatically(
        STATE.key("remap"),
        runs.key(ours.setup.scenario),
        partial(mean_displacements, ours),
        lambda job: f"Reading reports in the light of all others: {job.share:.0%}",
    )
    if kilometres is not None:
        st.markdown(remap_sentence(*kilometres))


def remap_sentence(before: float, after: float) -> str:
    """Both mean distances, in km, in a sentence, and that an attacker can do the same."""
    return (
        f"**Bayesian remap**: as it is sent, a report lies {formats.length(before)} from its "
        "person on "
        f"average. Read in the light of all other reports, as the place that is nearest to its "
        f"person on average, it lies **{formats.length(after)}** away. That costs no privacy: an "
        "attacker who has all reports can do the same, and the promise allows for that."
    )


@cached_by(lambda ours, *_: runs.key(ours.setup.scenario))
def mean_displacements(ours: Result, progress: Progress) -> tuple[float, float]:
    """Mean km before and after the remap by the page's estimate, of people drawn by the truth."""
    setup, domain = ours.setup, runs.map_of(ours.setup.dataset)
    moved = remap(setup.mechanism, ours.first.estimate, domain, progress)
    rng = np.random.default_rng(setup.scenario.seed)
    people = rng.choice(domain.k, PEOPLE, p=setup.dataset.distribution)
    reports = np.asarray(setup.mechanism.privatize(people, rng))
    before, after = (each.kilometres(people, reports) for each in (identity_remap(domain), moved))
    return float(before.mean()), float(after.mean())


HEIGHT: Final = 340
_LABEL_HEIGHTS: Final = {"lines": 88.0, "markers": 60.0}
"""Heights of the names of curves and dots, in right guesses of 100."""
_POINTS: Final = 12
"""Most pairs of places for which the odds are computed from the channel."""


def odds_figure(data: DistanceData, colours: Palette) -> go.Figure:
    """Chart of right guesses between two equally likely places, by their distance."""
    record = data.record
    km = np.geomspace(1.0, 1000.0, 61)
    at, right = exact_odds(data)
    traces = [
        _line("limit by distance", km, [right_guess_probability(record, d) for d in km.tolist()],
              (colours.ours, "solid")),
        _dots("this noise", at, right, colours),
        _line("within one block", km, [max_guess_accuracy(data.blocks_epsilon)] * km.size,
              (colours.faint, "dot")),
        _line("across a block's border", km, [1.0] * km.size, (colours.faint, "dashdot")),
        _line("plain LDP", km, [max_guess_accuracy(record.policy.epsilon)] * km.size,
              (colours.plain, "dash")),
    ]  # fmt: skip
    texts = {"tickfont_color": colours.text, "title_font_color": colours.text, **FIXED}
    ticks = [1, 5, 20, 100, 500]
    layout = {
        "xaxis": {
            "type": "log", "tickvals": ticks, "ticktext": [f"{t} km" for t in ticks],
            "title_text": "distance between two equally likely places", **texts,
        },
        "yaxis": {"title_text": "right guesses of 100", "range": [48, 103], **texts},
        "height": HEIGHT,
        "margin": {"l": 56, "r": 10, "t": 20, "b": 50},
        "showlegend": False,
        "annotations": [_curve_label(trace) for trace in traces if len(trace["x"])],
        "dragmode": False,
    }  # fmt: skip
    return go.Figure(traces, layout)


def _curve_label(trace: Mapping[str, Any]) -> dict[str, Any]:
    """Label with a curve's name on it: at the left where it is flat, else where it is steep."""
    x, y = np.asarray(trace["x"]), np.asarray(trace["y"])
    flat = bool(np.ptp(y) == 0)
    steepest = 0 if flat else int(np.abs(y - _LABEL_HEIGHTS[trace["mode"]]).argmin())
    return {
        "text": f"<b>{trace['name']}</b>",
        "x": float(np.log10(x[steepest])),
        "y": float(y[steepest]),
        "xanchor": "left",
        "yanchor": "bottom" if flat else "top",
        "xshift": 0 if flat else 12,
        "showarrow": False,
        "font": {"color": (trace.get("line") or trace["marker"])["color"], "size": 13},
    }


def exact_odds(data: DistanceData) -> tuple[Floats, Floats]:
    """(pairs,) kilometres and (pairs,) chances of the best guess from one report, in [0.5, 1].

    Exact from the channel, for the record's place and others due north or south of it.
    """
    others = _places_north_south(data)
    place = data.record.place
    right = [guess_accuracy(data.setup.mechanism, place, other) for other in others.tolist()]
    return data.domain.km_from(place)[others], np.array(right)


def _places_north_south(data: DistanceData) -> Ints:
    domain, place = data.domain, data.record.place
    row, column = divmod(place, domain.columns)
    steps = np.unique(np.rint(np.geomspace(1, domain.rows, _POINTS)).astype(np.int64))
    north = np.where(row + steps < domain.rows, row + steps, row - steps)
    return (north * domain.columns + column)[north >= 0]


def _line(name: str, x: Floats, y: list[float], style: tuple[str, str]) -> dict[str, Any]:
    return {
        "type": "scatter",
        "name": name,
        "x": x,
        "y": [100 * each for each in y],
        "mode": "lines",
        "line": {"color": style[0], "dash": style[1], "width": 2.5},
        "hovertemplate": "%{x:.3g} km: %{y:.1f} of 100",
    }


def _dots(name: str, x: Floats, y: Floats, colours: Palette) -> dict[str, Any]:
    return {
        "type": "scatter",
        "name": name,
        "x": x,
        "y": 100 * y,
        "mode": "markers",
        "marker": {"color": colours.ours, "symbol": "circle-open", "size": 9},
        "hovertemplate": "%{x:.3g} km: %{y:.1f} of 100, exactly",
    }
