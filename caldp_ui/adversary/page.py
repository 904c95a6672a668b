"""The page: one person with controls and tabs.

Its charts: day by day the chance of the true place, and the test of two candidates. Colour is never
alone: dashes, dots and symbols tell the curves apart, too. The errors that a test of two candidates
can have are exact, from the channel; cached for all visits. Exports: the attacker's beliefs day by
day, and Python that computes them again.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

import pandas as pd
import streamlit as st

from caldp_core.audit.adversary import claimed_region, reached_region
from caldp_core.audit.inference import BestGuess, best_guess, credible_set
from caldp_core.basics.cache import cached_by
from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Floats
from caldp_core.domain.domains import GridDomain
from caldp_core.mechanisms.catalogue import MECHANISMS
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.adversary import view
from caldp_ui.adversary.page_state import (
    DAYS_MAX,
    LIKELIEST,
    NEW_NOISE,
    STATE,
    Attacker,
    AttackerState,
    BeliefData,
    load_data,
)
from caldp_ui.app.texts import read_texts
from caldp_ui.app.theme import Palette, palette
from caldp_ui.charts.curves import annotation, bare_layout, line_trace, share_trace
from caldp_ui.charts.show import Figure
from caldp_ui.charts.show import show as show_chart
from caldp_ui.compute import runs
from caldp_ui.controls import choices, common
from caldp_ui.maps.scene import PRESETS, cities, home, move_place, place_control, title
from caldp_ui.parts import comparison, pack, pins, sharing
from caldp_ui.parts import layout as markup
from caldp_ui.shell.page import PinPage
from caldp_ui.stage.component import send_frames
from caldp_ui.words import formats, policies, promise
from caldp_ui.words.accuracy import terms

TEXTS: Final = read_texts(__file__)

HEIGHT: Final = 360
CURVE: Final = 116
"""Pixels of the chart above the slider of days; `style.css` lays the slider below its axis."""
LEFT: Final = 56
RIGHT: Final = 150
_TICKS: Final = (0, 25, 50, 75, 100)
_APART: Final = 22.0
"""Percentage points between the names of two lines."""


def curve(data: BeliefData, colours: Palette) -> Figure:
    """Chance of the true place after each day; its axis is the slider of days below it."""
    every = range(len(data.ours.beliefs))
    fresh, plain = ([who.chance_of_truth(m) for m in every] for who in (data.ours, data.plain))
    stored = [fresh[min(m, 1)] for m in every]
    lines = (
        ("plain LDP, fresh", plain, (colours.plain, "dash", "diamond")),
        ("one stored report", stored, (colours.ours, "dashdot", "square-open")),
        ("fresh reports", fresh, (colours.ours, "solid", "circle")),
    )
    names = _names(lines, colours)
    what = "Chance given to the true place, day by day"
    title = annotation(what, 0, 1, colours.text, xref="paper", yref="paper", yanchor="bottom")
    layout = bare_layout(
        colours,
        {"range": [0, len(fresh) - 1], "visible": False, "fixedrange": True},
        _percent(colours),
        CURVE,
        (LEFT, RIGHT, 22, 8),
        hovermode="x unified",
        annotations=[*names, title],
    )
    return Figure(_by_day(lines), layout)


def _by_day(lines: Iterable[tuple[str, Sequence[float], tuple[str, str, str]]]) -> list[Any]:
    """Traces of shares, by name and look."""
    return [
        share_trace(name, list(range(len(shares))), shares, look, "%{y:.3g} %")
        for name, shares, look in lines
    ]


def _names(
    lines: Iterable[tuple[str, Sequence[float], tuple[str, str, str]]], colours: Palette
) -> list[dict[str, Any]]:
    """The lines' names at their right ends, so far apart that each is read."""
    placed, lowest = [], -math.inf
    for name, shares, (colour, *_) in sorted(lines, key=lambda line: line[1][-1]):
        lowest = max(100 * shares[-1], lowest + _APART)
        placed.append((name, colours.for_words(colour), lowest))
    over = max(0.0, lowest - 104)
    last = len(placed) - 1
    heights = [at - over * (index / last if last else 1) for index, (*_, at) in enumerate(placed)]
    return [
        annotation(f"<b>{name}</b>", 1, height, colour, xref="paper", xshift=8)
        for (name, colour, _), height in zip(placed, heights, strict=True)
    ]


def _percent(colours: Palette) -> dict[str, Any]:
    return {
        "range": [-3, 108],
        "tickvals": _TICKS,
        "ticktext": [f"{tick} %" for tick in _TICKS],
        "fixedrange": True,
        "tickfont": {"color": colours.text, "size": 13},
    }


def limits(data: BeliefData, colours: Palette) -> Figure:
    """The most that ε allows the attacker to learn, whatever the noise; and this outcome."""
    ours = data.ours
    every = range(len(ours.beliefs))
    fresh = [ours.chance_of_truth(m) for m in every]
    once, thrice = ([ours.limits[min(m, cap)] for m in every] for cap in (1, 3))
    lines = (
        ("limit, budget of 3", thrice, (colours.faint, "dash", "diamond")),
        ("limit, one stored report", once, (colours.faint, "dashdot", "square-open")),
        ("limit, fresh reports", ours.limits, (colours.faint, "dot", "circle")),
        ("this outcome, fresh", fresh, (colours.ours, "solid", "circle")),
    )
    layout = bare_layout(
        colours,
        {"title": "days, a report each", "dtick": 1, "fixedrange": True},
        {**_percent(colours), "title": "chance of the true place"},
        HEIGHT,
        (70, 190, 10, 45),
        hovermode="x unified",
        annotations=_names(lines, colours),
    )
    return Figure(_by_day(lines), layout)


def regions(claimed: Floats, reached: Floats, places: tuple[str, str], colours: Palette) -> Figure:
    """Both errors of a test of two places, of 100: what ε allows, what this channel reaches.

    `claimed`, `reached`: corners (P_FA, P_MD) from (0, 1) to (1, 0).
    """
    here, there = places
    traces = [
        _errors("a guess without a report", [[0, 1], [1, 0]], (colours.faint, "dot")),
        _errors("what ε allows", claimed.tolist(), (colours.plain, "dash")),
        _errors("what this method reaches", reached.tolist(), (colours.ours, "solid")),
    ]
    axis: dict[str, Any] = {"range": [-3, 103], "dtick": 25, "zeroline": False}
    layout = bare_layout(
        colours,
        {**axis, "title": f"of 100 people in {there}, guessed in {here}"},
        {**axis, "title": f"of 100 in {here}, guessed in {there}"},
        HEIGHT,
        (0, 10, 60, 0),
        showlegend=True,
        legend={"orientation": "h", "y": 1, "yanchor": "bottom", "x": 0},
    )
    return Figure(traces, layout)


def _errors(name: str, corners: list[list[float]], look: tuple[str, str]) -> dict[str, Any]:
    x, y = ([100 * corner[axis] for corner in corners] for axis in (0, 1))
    hover, marks = "%{x:.1f} and %{y:.1f}", {"size": 7}
    return line_trace(name, x, y, look, mode="lines+markers", marker=marks, hovertemplate=hover)


EPSILON_MAX: Final = 3.0
"""Largest ε at which the best guess of anybody's place is computed within a second."""


@dataclass(frozen=True, eq=False)
class ErrorLines:
    """A test of the true place against another one by one report.

    `claimed`: (3, 2) and `reached`: (v, 2) corners (P_FA, P_MD) of the least errors that the policy
    allows, and that this channel has.
    """

    claimed: Floats
    reached: Floats

    @property
    def most(self) -> float:
        """Largest chance of a right guess from 50:50 that the policy allows, in [0.5, 1]."""
        return _right(self.claimed)

    @property
    def right(self) -> float:
        """Chance that the best guess from 50:50 is right with this channel, in [0.5, 1]."""
        return _right(self.reached)


def _right(line: Floats) -> float:
    return 1.0 - float(line.sum(axis=1).min()) / 2.0


@cached_by(lambda ours, other: (runs.law_key(ours.setup.scenario), ours.place, other))
def error_lines(ours: Attacker, other: int) -> ErrorLines:
    """Compute the test of the attacker's true place against the symbol `other`."""
    setup, x = ours.setup, ours.place
    return ErrorLines(
        claimed_region(setup.policy, x, other), reached_region(setup.mechanism, x, other)
    )


@cached_by(runs.law_key)
def guess_anyone(scenario: Scenario) -> BestGuess | None:
    """The best guess of anybody's place from one report; None where that takes long or is unknown.

    The prior is how many people are where.
    """
    if promise.largest_epsilon(scenario) > EPSILON_MAX:
        return None
    setup = runs.setup(scenario)
    try:
        return best_guess(setup.mechanism, setup.dataset.distribution)
    except CaldpError:
        return None


def show_candidates(data: BeliefData) -> None:
    """Draw the tab “Two candidates”."""
    domain = runs.map_of(data.ours.setup.dataset)
    other = other_candidate(data)
    also = () if other is None else (other,)
    places = [cell for cell in cities(domain, *also) if cell != data.record.place]
    st.selectbox(
        "The other candidate",
        places,
        format_func=lambda cell: formats.place_name(domain, cell),
        width=320,
        help="At first the likeliest other place that the true one hides among.",
        **STATE.bind("other", other, lambda r, v: replace(r, other=int(v))),
    )
    if data.pair is not None:
        st.markdown(view.candidates(domain, data, data.pair))
    if other is None:
        st.markdown(view.no_pair(domain, data.record.place))
    else:
        _pair(data, domain, other)
    st.markdown("**Guessing anybody's place**")
    scenario = data.record.scenario
    plain = guess_anyone(runs.best_plain_ldp(scenario))
    block = promise.block_name(formats.PLACES, scenario)
    st.markdown(view.guess_sentence(guess_anyone(scenario), plain, block))


def other_candidate(data: BeliefData) -> int | None:
    """The place to test the true one against: the chosen, or the likeliest it hides among."""
    record = data.record
    if record.other not in (LIKELIEST, record.place):
        return record.other
    return data.pair.rival if data.pair else None


def _pair(data: BeliefData, domain: GridDomain, other: int) -> None:
    test = error_lines(data.ours, other)
    here, there = (
        formats.place_name(domain, place).partition(",")[0] for place in (data.record.place, other)
    )
    chart, people = st.columns([1.2, 1], gap="large")
    with chart:
        st.markdown(f"**One report: was it sent from {here} or {there}?**")
        alt = view.alt_regions(test.right, test.most, here, there)
        chart_figure = regions(test.claimed, test.reached, (here, there), palette())
        show_chart(chart_figure, STATE.key("regions"), alt)
    with people:
        st.html("".join(_guesses(test, here, there)))
        st.caption(TEXTS["region_notes"])


def _guesses(test: ErrorLines, here: str, there: str) -> list[str]:
    cases = {
        "without a report": 0.5,
        "from one report of this method": test.right,
        "at most, by ε": test.most,
    }
    rows = []
    for when, share in cases.items():
        number = formats.hundred(share)
        title = f"100 small figures, {number} of them filled: guessed right {when}."
        rows.append(
            f'<div class="odds {formats.strength(share).word}">'
            f"{markup.people_array(round(100 * share), title)}"
            f"<p><strong>{number} of 100</strong> people, equally likely in <em>{here}</em> or "
            f"<em>{there}</em>, are guessed right {when}</p></div>"
        )
    return rows


def film_requests(data: BeliefData) -> list[pins.FilmRequest]:
    """Requests for the page's films; each name holds all that pictures and words depend on."""
    record = data.record
    reports = pins.FilmRequest(
        STATE.key("film-reports"),
        f"{view.depends_on(replace(record, days=0))} reports",
        lambda progress: view.single_reports_film(data, data.domain, progress),
    )
    return [*(each.request(record) for each in view.slider_films(record)), reports]


def _show_person(record: AttackerState, page: markup.PageLayout) -> None:
    """Draw the view of one person into the page's layout."""
    data = PAGE.load(record)
    shown = PAGE.view(data, None, palette())
    with page.main:
        maps = PAGE.show_maps(
            view.editable(shown), partial(move_place, STATE), view.OVER_DAYS, view.OVER_EPSILON
        )
    page.show_headline(shown.headline)
    with page.side:
        # Day by day: the slider of days is the axis of the chart.
        with st.container(key=STATE.key("curve"), gap=None):
            with st.container(key=STATE.key("which"), horizontal=True, gap="small"):
                choices.menu(STATE, PRESETS)
                place_control(STATE, "The person truly is in", data.domain, data.record.place)
                pins.redraw_and_pin(STATE, PAGE.pin_title, NEW_NOISE)
            show_chart(curve(data, palette()), STATE.key("curve-chart"), view.alt_curve(data))
            help_text = "The person stays at one place and sends a report a day."
            common.show(STATE, view.DAY_SLIDER, "Day", help_text)
        with st.container(key=STATE.key("controls"), gap="small"):
            with st.container(key=STATE.key("dials")):
                common.epsilon(STATE)
            with st.container(key="odds"):
                st.html(shown.texts[markup.PLACE])
            comparison.safety_button(STATE, formats.PLACES, data.ours.setup)
    with page.below:
        send_frames(pins.ready_films(film_requests(data)), maps)
        PAGE.show_pins(data, shown)
        markup.tabs(STATE.key("tabs"), _TABS, data)


def _pinned_numbers(data: BeliefData) -> dict[str, str]:
    return {
        "protection": title(data.record.scenario),
        "the person is in": formats.place_name(data.domain, data.record.place),
        "days": formats.integer(data.record.days),
        **attacker_numbers(data.ours, data),
    }


def _files(data: BeliefData) -> dict[str, bytes]:
    """PNG files of the beliefs after all days, by picture name."""
    domain, days = data.domain, data.record.days
    beliefs = {
        "fresh-reports": data.ours.beliefs[days],
        "one-stored-report": data.ours.stored_belief(days),
        "plain-ldp": data.plain.beliefs[days],
    }
    scale, setting = view.CHANCES, policies.setting_text(data.ours.setup)
    maps = pack.maps(beliefs, domain, home(domain), scale.low, scale)
    return {name: pack.captioned(png, [setting]) for name, png in maps.items()}


def csv_of(data: BeliefData) -> bytes:
    """One row a day with a fresh report: chances of the true place, in [0, 1]."""
    rows = [
        {
            "reports": day,
            "this protection": data.ours.chance_of_truth(day),
            "plain LDP": data.plain.chance_of_truth(day),
            "at most, by the promise": data.ours.limits[day],
        }
        for day in range(len(data.ours.beliefs))
    ]
    return runs.csv(rows)


def snippet(data: BeliefData) -> str:
    """Python that prints the chances of the true place under this protection, day by day."""
    return TEXTS["days_code"].format(
        scenario=runs.literal(data.ours.setup.scenario), place=data.record.place, days=DAYS_MAX
    )


def _days(data: BeliefData) -> None:
    st.markdown(TEXTS["plans"])
    show_chart(limits(data, palette()), STATE.key("days-chart"), view.alt_limits(data))
    st.caption(TEXTS["day_notes"])


def _promise(data: BeliefData) -> None:
    comparison.shield(formats.PLACES, data.ours.setup)
    comparison.not_promised(formats.PLACES, data.ours.setup)
    st.markdown(view.prior_text(data))
    terms("ε", "block")


def _numbers(data: BeliefData) -> None:
    attackers = {"plain LDP": data.plain, "this protection": data.ours}
    columns = {title: attacker_numbers(attacker, data) for title, attacker in attackers.items()}
    st.table(pd.DataFrame(columns).rename_axis("number"))
    if data.pair is not None:
        test = error_lines(data.ours, data.pair.rival)
        st.markdown(TEXTS["guess_of_two"].format(right=formats.hundred(test.right)))


def attacker_numbers(attacker: Attacker, data: BeliefData) -> dict[str, str]:
    """Rows of the table of numbers for one attacker."""
    days, setup = data.record.days, attacker.setup
    beliefs = attacker.beliefs[days]
    return {
        "chance of the true place, before any report": formats.share(attacker.chance_of_truth(0)),
        "after a fresh report every day": formats.share(attacker.chance_of_truth(days)),
        "at most, by ε": formats.share(attacker.limits[days]),
        "after one stored report": formats.share(attacker.chance_of_truth(min(days, 1))),
        "at most then, by ε": formats.share(attacker.limits[min(days, 1)]),
        "chance of the best guess": formats.share(float(beliefs.max())),
        "places in the 95 % likely area": formats.integer(credible_set(beliefs).size),
        "method": MECHANISMS[setup.mechanism_name].title,
    }


def _sharing(data: BeliefData) -> None:
    exported: dict[str, sharing.File] = {
        "days.csv": csv_of(data),
        "scenario.json": data.ours.setup.scenario.to_json(),
        f"{sharing.PLAIN}.json": data.plain.setup.scenario.to_json(),
    }
    sharing.export_digits(
        STATE, "day by day, with a fresh report each", exported, snippet(data), data.record.scenario
    )
    PAGE.offer()


_TABS: Final[dict[str, Callable[[BeliefData], None]]] = {
    "What is promised": _promise,  # as on all pages; the chart takes longer than the maps
    "Day by day": _days,
    "Two candidates": show_candidates,
    "Numbers": _numbers,
    "Share and export": _sharing,
}


PAGE: Final = PinPage(
    state=STATE,
    name="attacker",
    load=load_data,
    view=view.view,
    films=view.slider_films,
    pin_title=lambda record: title(record.scenario),
    describe=lambda data: view.headline(data).sentence,
    numbers=_pinned_numbers,
    images=_files,
)


def show(record: AttackerState) -> None:
    """Show the page at a record."""
    _show_person(record, markup.stacked_layout(STATE))
    comparison.drawer("adversary")
