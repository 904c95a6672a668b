"""The picture, the memo, which method does best, and what others' ε mean here."""

from collections.abc import Callable
from functools import partial
from typing import Final

import pandas as pd
import streamlit as st

from caldp_core.audit.adversary import guessed_right
from caldp_ui.app.theme import palette
from caldp_ui.charts.show import show
from caldp_ui.compute import runs
from caldp_ui.controls.choices import NAMES
from caldp_ui.parts import headline, pins, sharing
from caldp_ui.parts.tabs import tabs
from caldp_ui.plan import charts, files, films, memo, pinned, words, work
from caldp_ui.plan.deployments import DEPLOYMENTS
from caldp_ui.plan.pinned import BESIDE
from caldp_ui.plan.regions import Margins, margins_of
from caldp_ui.plan.slot import SLOT, Plan
from caldp_ui.plan.work import Need
from caldp_ui.session import findings, jobs
from caldp_ui.session.scenarios import steer
from caldp_ui.session.ticking import run_page
from caldp_ui.words import formats
from caldp_ui.words.headline import Headline


def view(record: Plan) -> None:
    """Everything that is shown of a plan."""
    find, cost = partial(work.needs, record), work.cost(record)
    if findings.must_ask(SLOT.key("needs"), _name(record), cost):
        values = runs.dataset(record.scenario).domain.k
        headline.show(Headline("This plan is a lot to compute.", cost.told(values)))
        findings.ask(SLOT.key("needs"), _name(record), find)
        return
    findings.filling(
        SLOT.key("needs"),
        _name(record),
        find,
        lambda job: f"Still computing: {job.share:.0%} of the picture",
        partial(_show, record),
    )
    pins.show(SLOT, BESIDE, record)
    tabs(SLOT.key("tabs"), _TABS, record)
    films.show(record, _kept())


def _kept() -> Need | None:
    """What is pinned needs so many people."""
    return None if SLOT.pinned is None else pinned.need(SLOT.pinned)


def _beside(record: Plan) -> work.Beside | None:
    """What the tables show, made beside the page; None while it is on its way."""
    return jobs.started(
        SLOT.key("beside"),
        f"{_name(record)} {record.within}",
        partial(work.beside, record),
        lambda job: f"Methods side by side: {job.share:.0%}",
    )


def _name(record: Plan) -> str:
    same = (record.goal, record.floor, work.target(record))
    return f"{runs.key(record.scenario)} {same}"


def _show(record: Plan, found: list[Need]) -> None:
    points = dict(work.by_protection(found))
    waiting = sum(each.epsilon == record.epsilon for each in found) < len(NAMES)
    headline.show(
        Headline(
            "How many people are needed is still being computed.", f"Goal: {words.goal(record)}."
        )
        if waiting
        else words.headline(record, points)
    )
    drawn = charts.of(record, points, _kept(), palette())
    show(drawn, SLOT.key("chart"), words.alt(record, points))
    st.caption("Each line shows its most accurate method.")
    if not waiting:
        _memos(record, points, _margins(record, points))
    sharing.file(SLOT.key("csv"), "people.csv", partial(files.csv_of, record, points))


def _margins(record: Plan, points: words.Points) -> Margins | None:
    """Of every group at the memo's ε, made beside the page; None while they are on their way."""
    setup = words.setup_of(record, points)
    return jobs.started(
        SLOT.key("margins"),
        f"{runs.key(setup.scenario)} {record.goal}",
        partial(margins_of, setup, record.goal),
        lambda job: f"Margins of every {words.unit_of_margins(record)}: {job.share:.0%}",
    )


def _memos(record: Plan, points: words.Points, margins: Margins | None) -> None:
    """What can be copied into a memo, in plain words and for those who build it."""
    texts = {
        "For a memo": memo.plain(record, points, margins),
        "For the technical part": memo.technical(record, points),
    }
    for column, (heading, text) in zip(st.columns(2), texts.items(), strict=True):
        if text:
            column.markdown(f"**{heading}**")
            column.code(text, language=None, wrap_lines=True)
    if margins is not None:
        files.margins_offer(record, margins)


def _methods(record: Plan) -> None:
    """People by method and protection, the fewest marked."""
    found = _beside(record)
    table = [] if found is None else found.methods
    known = [n.people for _, row in table for n in row.values() if n.people]
    if not known:
        return
    st.markdown(
        f"**Which method and protection needs the fewest people**, at ε = {record.epsilon:g}"
    )
    columns = {
        words.title(record, name): {title: _cell(row.get(name), table) for title, row in table}
        for name in NAMES
    }
    st.table(pd.DataFrame(columns).rename_axis("method"))
    st.caption(
        "✓ the fewest under this protection. A protection that hides less needs fewer people, so "
        "compare methods within a column. Computed from the exact variance of each value"
        + (
            "."
            if record.goal == "values"
            else f", for every {words.nouns(record).unit} to ± {100 * record.within:g} %."
        )
    )


def _cell(need: Need | None, table: list[tuple[str, dict[str, Need]]]) -> str:
    if need is None:
        return "takes too long"
    if need.people is None:
        return words.TOO_MANY
    rows = [row.get(need.protection) for _, row in table]
    least = min(row.people for row in rows if row and row.people)
    return words.about(need.people) + (" ✓" if need.people <= 1.005 * least else "")


def _deployments(record: Plan) -> None:
    """Each published ε: odds after one report, a day and a month, and people needed here."""
    found = _beside(record)
    if found is None:
        return
    st.markdown("Published deployments of local DP, and what their ε would mean for your survey.")
    rows = {}
    for each, plain in zip(DEPLOYMENTS, found.deployments, strict=True):
        rows[each.title] = {
            "ε per report": f"{each.epsilon:.3g}",
            "right guesses of 100, one report": formats.hundred(guessed_right(each.epsilon)),
            "after a day": each.told(1),
            "after 30 days": each.told(30),
            "people for your goal, plain LDP": words.TOO_MANY
            if plain.people is None
            else words.about(plain.people),
            "source": each.source,
            "checked against": each.held_against,
        }
    st.table(pd.DataFrame(rows).T.rename_axis("deployment"))
    st.caption(
        "Right guesses: an attacker who must choose between two equally likely values is right at "
        "most so often. It holds for people who report the same value each time, if the attacker "
        "can link their reports. On phones ε adds up over as many reports a day as the source "
        "allows. The browser keeps one noisy copy, so all its reports of an unchanged home page "
        "stay within one ε. The number of people is that of our best method at their ε. "
        "Microsoft's Windows telemetry is left out: we found no source for its ε."
    )
    columns = st.columns(len(DEPLOYMENTS))
    for column, each in zip(columns, DEPLOYMENTS, strict=True):
        label, key = f"Use ε = {each.epsilon:.3g}", SLOT.key(f"use-{each.title}")
        if column.button(label, key=key, help=each.title):
            _use(each.epsilon)


def _use(epsilon: float) -> None:
    steer(SLOT, lambda s: s.with_context(epsilon=epsilon))
    run_page()  # a press in a tab draws the tab alone


_TABS: Final[dict[str, Callable[[Plan], None]]] = {
    "Which method": _methods,
    "What others' ε would mean here": _deployments,
    "Share and export": files.show,
}
