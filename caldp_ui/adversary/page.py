"""The page: the switch between its two views, and that of one person with its controls and tabs.

Exports: the attacker's beliefs day by day, and Python that computes them again.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Final

import pandas as pd
import streamlit as st

from caldp_core.mechanisms.catalogue import MECHANISMS
from caldp_ui.adversary import charts, fakes_page, view
from caldp_ui.adversary.page_state import (
    DAYS_MAX,
    FAKES,
    NEW_NOISE,
    PERSON,
    STATE,
    Attacker,
    AttackerState,
    BeliefData,
    likely_area,
    load_data,
)
from caldp_ui.app.texts import read_texts
from caldp_ui.app.theme import palette
from caldp_ui.charts.show import show as show_chart
from caldp_ui.compute import exports
from caldp_ui.controls import choices, common
from caldp_ui.maps.ground import home
from caldp_ui.maps.presets import PRESETS, title
from caldp_ui.maps.scene import move_place, place_control
from caldp_ui.parts import films, markup, pictures, pins, promises, safety, sharing
from caldp_ui.parts.films import FilmRequest
from caldp_ui.parts.layout import Layout, stacked_layout, tabs
from caldp_ui.shell.page import PinPage
from caldp_ui.words import formats
from caldp_ui.words.formats import PLACES, place_name
from caldp_ui.words.glossary import terms

TEXTS: Final = read_texts(__file__)

_VIEW_NAMES = {PERSON: "One person", FAKES: "Fake phones"}


def film_requests(data: BeliefData) -> list[FilmRequest]:
    """Requests for the page's films; each name holds all that pictures and words depend on."""
    record = data.record
    reports = FilmRequest(
        STATE.key("film-reports"),
        f"{view.depends_on(replace(record, days=0))} reports",
        lambda progress: view.single_reports_film(data, data.domain, progress),
    )
    return [*(each.request(record) for each in view.slider_films(record)), reports]


def _show_person(record: AttackerState, page: Layout) -> None:
    """Draw the view of one person into the page's layout."""
    data = PAGE.load(record)
    shown = PAGE.view(data, None, palette())
    with page.main:
        maps = PAGE.show_maps(
            view.editable(shown), partial(move_place, STATE), view.OVER_DAYS, view.OVER_EPSILON
        )
    page.show_headline(shown.headline)
    with page.side:
        _curve(data)
        with st.container(key=STATE.key("controls"), gap="small"):
            with st.container(key=STATE.key("dials")):
                common.epsilon(STATE)
            with st.container(key="odds"):
                st.html(shown.texts[markup.PLACE])
            safety.of_setup(STATE, PLACES, data.ours.setup)
    with page.below:
        films.show(film_requests(data), maps)
        PAGE.show_pins(data, shown)
        tabs(STATE.key("tabs"), _TABS, data)


def _curve(data: BeliefData) -> None:
    """Draw the choices, and a chart day by day whose axis is the slider of days."""
    with st.container(key=STATE.key("curve"), gap=None):
        with st.container(key=STATE.key("which"), horizontal=True, gap="small"):
            choices.menu(STATE, PRESETS)
            place_control(STATE, "The person truly is in", data.domain, data.record.place)
            pins.redraw_and_pin(STATE, PAGE.pin_title, NEW_NOISE)
        show_chart(charts.curve(data, palette()), STATE.key("curve-chart"), view.alt_curve(data))
        help_text = "The person stays at one place and sends a report a day."
        common.show(STATE, view.DAY_SLIDER, "Day", help_text)


def _pinned_numbers(data: BeliefData) -> dict[str, str]:
    return {
        "protection": title(data.record.scenario),
        "the person is in": place_name(data.domain, data.record.place),
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
    scale = view.CHANCES
    return {
        name: pictures.png(chances, domain, home(domain), scale.low, scale)
        for name, chances in beliefs.items()
    }


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
    return exports.csv(rows)


def snippet(data: BeliefData) -> str:
    """Python that prints the chances of the true place under this protection, day by day."""
    return TEXTS["days_code"].format(
        scenario=exports.literal(data.ours.setup.scenario), place=data.record.place, days=DAYS_MAX
    )


def _days(data: BeliefData) -> None:
    st.markdown(TEXTS["fresh_or_stored"])
    show_chart(charts.limits(data, palette()), STATE.key("days-chart"), view.alt_limits(data))
    st.caption(TEXTS["day_notes"])


def _promise(data: BeliefData) -> None:
    promises.shield(PLACES, data.ours.setup)
    promises.not_promised(PLACES, data.ours.setup)
    st.markdown(view.prior_text(data))
    terms("ε", "block")


def _numbers(data: BeliefData) -> None:
    attackers = {"plain LDP": data.plain, "this protection": data.ours}
    columns = {title: attacker_numbers(attacker, data) for title, attacker in attackers.items()}
    st.table(pd.DataFrame(columns).rename_axis("number"))
    if data.pair is not None:
        test = charts.error_lines(data.ours, data.pair.rival)
        st.markdown(
            "Between the two candidates, the best guess from one report is right "
            f"**{formats.hundred(test.right)}** times in 100, on average over all "
            "reports that could be sent (exact, from the channel)."
        )


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
        "places in the 95 % likely area": formats.integer(likely_area(beliefs).size),
        "method": MECHANISMS[setup.mechanism_name].title,
    }


def _sharing(data: BeliefData) -> None:
    exported: dict[str, sharing.File] = {
        "days.csv": csv_of(data),
        "scenario.json": exports.scenario_json(data.ours.setup.scenario),
        f"{sharing.PLAIN}.json": exports.scenario_json(data.plain.setup.scenario),
    }
    sharing.export_digits(
        STATE,
        "day by day, with a fresh report each",
        exported,
        snippet(data),
        data.record.scenario,
    )
    PAGE.offer()


_TABS: Final[dict[str, Callable[[BeliefData], None]]] = {
    "What is promised": _promise,  # as on all pages; the chart takes longer than the maps
    "Day by day": _days,
    "Two candidates": charts.show_candidates,
    "Numbers": _numbers,
    "Share and export": _sharing,
}


PAGE: Final = PinPage(
    state=STATE,
    name="attacker",
    title="What an attacker learns",
    task=TEXTS["task"],
    load=lambda record: load_data(replace(record, show=PERSON)),
    view=view.view,
    films=view.slider_films,
    pin_title=lambda record: title(record.scenario),
    describe=lambda data: view.headline(data).sentence,
    numbers=_pinned_numbers,
    images=_files,
)
_VIEWS: Final = {PERSON: _show_person, FAKES: fakes_page.show}


def show(record: AttackerState) -> None:
    """Show the page at a record."""
    page = stacked_layout(STATE)
    with page.title:
        choices.view_switch(STATE, "show", "View", _VIEW_NAMES)
    _VIEWS[record.show](record, page)
    promises.drawer("adversary")
