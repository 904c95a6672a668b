"""The picture, the memo, which method does best, and what others' ε mean here.

The texts for a memo: in plain words, and for those who build it.

Every sentence here must be true of the numbers that it is made of.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

import pandas as pd
import streamlit as st

from caldp_core.audit.adversary import max_guess_accuracy
from caldp_core.mechanisms.catalogue import MECHANISMS
from caldp_ui.app.theme import palette
from caldp_ui.charts.show import show
from caldp_ui.compute import runs
from caldp_ui.controls.choices import NAMES
from caldp_ui.parts import headline, pins, sharing
from caldp_ui.parts.tabs import tabs
from caldp_ui.plan import charts, files, films, people_needed, pin_view, words
from caldp_ui.plan.deployments import DEPLOYMENTS
from caldp_ui.plan.page_state import RELATIVE, STATE, Plan
from caldp_ui.plan.people_needed import Need
from caldp_ui.plan.pin_view import PIN_VIEW
from caldp_ui.plan.regions import Margins, margins_of
from caldp_ui.plan.words import Points
from caldp_ui.session import incremental_jobs, jobs
from caldp_ui.session.scenarios import update_scenario
from caldp_ui.session.ticking import run_page
from caldp_ui.words import formats, policies
from caldp_ui.words.headline import Headline

_NAMES_MAX: Final = 8
"""The most margins that a memo names one by one."""
_OTHER_EPSILONS: Final = (0.5, 1.0, 2.0, 4.0)
"""ε's at which a memo says how many people the same accuracy takes."""
_SAME_LEVEL: Final = 0.05


def plain_memo(record: Plan, points: Points, margins: Margins | None) -> str:
    """Paragraphs in plain words, in both directions.

    For the reader's people: ε, who is protected, what an attacker can guess, and the margin of
    every group. For the accuracy: how many people at other ε. Where not everybody is protected,
    that comes first.
    """
    need, level = words.need_and_level(record, points)
    nouns, setup = words.nouns(record), words.setup_at(record, level)
    promise = policies.describe_promise(nouns, setup)
    guess = policies.promise_summary(nouns, setup)
    all_covered = promise.protects_all
    plan = f"{need} At ε = {level:g}, {words.lowercase_start(guess)}"
    first = plan if all_covered else f"{guess} {need}"
    margins_sentence = "" if margins is None else f" {margins_text(record, margins, level)}"
    last = (
        f"What it does not hide: {words.lowercase_start(promise.not_promised[0])} This is planned "
        "with the "
        f"data “{setup.dataset.name}”. Other data with as many {nouns.units} need similar numbers, "
        "not the same."
    )
    alternatives = alternatives_text(record, points, level, all_covered)
    return "\n\n".join(part for part in (f"{first}{margins_sentence}", alternatives, last) if part)


def margins_text(record: Plan, margins: Margins, level: float) -> str:
    """The margin of every group, or the least and the largest where there are many."""
    people = formats.counted(runs.people(record.scenario), "person", "people")
    start = f"With {people} at ε = {level:g}, 95 of 100 surveys are right"
    rows = list(zip(margins.names, margins.margins.tolist(), strict=True))
    if len(rows) > _NAMES_MAX:
        rows.sort(key=lambda row: row[1])
        (best, least), (worst, most) = rows[0], rows[-1]
        return (
            f"{start} to {_margin_text(least)} percentage points for “{best}”, the best known of "
            f"{formats.integer(len(rows))} {words.units(record)}, and to {_margin_text(most)} for "
            f"“{worst}”, the worst."
        )
    (first, margin), *others = rows
    named = [f"to {_margin_text(margin)} percentage points for “{first}”"]
    named += [f"to {_margin_text(other)} for “{name}”" for name, other in others]
    return f"{start} {_enumerate_texts(named)}, each of these alone."


def _margin_text(margin: float) -> str:
    return f"± {formats.digits(100 * margin)}"


def _enumerate_texts(parts: Sequence[str]) -> str:
    *most, last = parts
    return f"{', '.join(most)} and {last}" if most else last


def alternatives_text(record: Plan, points: Points, level: float, all_covered: bool) -> str:
    """The same accuracy at other ε: people, and the odds where everybody is protected."""
    near = [
        need
        for need in points[record.protection]
        if need.people
        and need.epsilon in _OTHER_EPSILONS
        and abs(need.epsilon - level) > _SAME_LEVEL
    ]
    if not near:
        return ""
    needs = _enumerate_texts(
        [f"{words.people_text(n.people or 0)} at ε = {n.epsilon:g}" for n in near]
    )
    if not all_covered:
        return f"The same accuracy takes {needs}."
    right = _enumerate_texts([formats.hundred(max_guess_accuracy(n.epsilon)) for n in near])
    return (
        f"The same accuracy takes {needs}. The attacker is then right at most {right} times in 100."
    )


def technical_memo(record: Plan, points: Points) -> str:
    """The plan for those who build it: protection, method, estimate and how often it holds.

    Empty where the number of people is not known.
    """
    level = words.level_sentence(record, points)
    if not level:
        return ""
    method = MECHANISMS[words.setup_at(record, record.epsilon).mechanism_name].title
    how = "in 95 of 100 repetitions each" if record.goal in RELATIVE else "on average"
    return (
        f"{level} The goal is to {words.goal_text(record)}, {how}. The method is {method} with one "
        f"report per person, and the estimate is “{people_needed.estimate_title(record)}”. "
        "Margins are "
        "95 % ranges by the exact variance of each sum of estimated shares; how many people are in "
        "a whole block is known."
    )


def view(record: Plan) -> None:
    """Draws the headline, picture and memo as they are computed, then the pin and the tabs."""
    compute, cost = partial(people_needed.compute_needs, record), people_needed.cost(record)
    if incremental_jobs.needs_consent(STATE.key("needs"), _cache_key(record), cost):
        values = runs.dataset(record.scenario).domain.k
        headline.show(Headline("This plan is a lot to compute.", cost.describe(values)))
        incremental_jobs.consent_button(STATE.key("needs"), _cache_key(record), compute)
        return
    incremental_jobs.gather_automatically(
        STATE.key("needs"),
        _cache_key(record),
        compute,
        lambda job: f"Still computing: {job.share:.0%} of the picture",
        partial(_show, record),
    )
    pins.show(STATE, PIN_VIEW, record)
    tabs(STATE.key("tabs"), _TABS, record)
    films.show(record, _pinned_need())


def _pinned_need() -> Need | None:
    """The need of the pinned plan; None without a pin."""
    return None if STATE.pinned is None else pin_view.need(STATE.pinned)


def _load_tables(record: Plan) -> people_needed.NeedTables | None:
    """The needs in the tables, computed by a job beside the page; None until it is done."""
    return jobs.run_automatically(
        STATE.key("beside"),
        f"{_cache_key(record)} {record.within}",
        partial(people_needed.compute_tables, record),
        lambda job: f"Methods side by side: {job.share:.0%}",
    )


def _cache_key(record: Plan) -> str:
    goal = (record.goal, record.floor, people_needed.target(record))
    return f"{runs.key(record.scenario)} {goal}"


def _show(record: Plan, needs: list[Need]) -> None:
    points = dict(people_needed.needs_by_protection(needs))
    is_waiting = sum(each.epsilon == record.epsilon for each in needs) < len(NAMES)
    headline.show(
        Headline(
            "How many people are needed is still being computed.",
            f"Goal: {words.goal_text(record)}.",
        )
        if is_waiting
        else words.headline(record, points)
    )
    figure = charts.figure(record, points, _pinned_need(), palette())
    show(figure, STATE.key("chart"), words.alt(record, points))
    estimate = people_needed.estimate_title(record)
    st.caption(f"Each line shows its most accurate method, for the estimate “{estimate}”.")
    if not is_waiting:
        if record.goal not in RELATIVE and (text := _default_estimate_text(record, points)):
            st.caption(text)
        _memos(record, points, _margins(record, points))
    make = partial(files.needs_csv, record, points)
    sharing.true_file(STATE.key("csv"), "people.csv", make, record.scenario)


def _default_estimate_text(record: Plan, points: words.Points) -> str:
    """How the default estimate does at this plan, by a job beside the page; "" until it is done.

    And where no plan is there: until all points are, or as no ε is enough.
    """
    if words.sufficient_epsilon(record, points) is None:
        return ""
    setup = words.memo_setup(record, points)
    found = jobs.run_automatically(
        STATE.key("default"),
        runs.key(setup.scenario),
        partial(people_needed.measure_estimates, setup),
        lambda job: f"The default estimate at this plan: {job.share:.0%}",
    )
    return "" if found is None else words.default_estimate_text(record, setup, *found)


def _margins(record: Plan, points: words.Points) -> Margins | None:
    """Margins of every group at the memo's ε, by a job beside the page; None until it is done."""
    setup = words.memo_setup(record, points)
    return jobs.run_automatically(
        STATE.key("margins"),
        f"{runs.key(setup.scenario)} {record.goal}",
        partial(margins_of, setup, record.goal),
        lambda job: f"Margins of every {words.unit_of_margins(record)}: {job.share:.0%}",
    )


def _memos(record: Plan, points: words.Points, margins: Margins | None) -> None:
    """The texts for a memo, in plain words and for those who build it, with the margins' file."""
    texts = {
        "For a memo": plain_memo(record, points, margins),
        "For the technical part": technical_memo(record, points),
    }
    for column, (heading, text) in zip(st.columns(2), texts.items(), strict=True):
        if text:
            column.markdown(f"**{heading}**")
            marked = sharing.true_text(text, record.scenario)
            column.code(marked, language=None, wrap_lines=True)
    if margins is not None:
        files.show_margins_file(record, margins)


def _methods(record: Plan) -> None:
    """People by method and protection, the fewest marked."""
    tables = _load_tables(record)
    table = [] if tables is None else tables.methods
    known = [n.people for _, row in table for n in row.values() if n.people]
    if not known:
        return
    st.markdown(
        f"**Which method and protection needs the fewest people**, at ε = {record.epsilon:g}"
    )
    columns = {
        words.protection_title(record, name): {
            title: _cell(row.get(name), table) for title, row in table
        }
        for name in NAMES
    }
    st.table(pd.DataFrame(columns).rename_axis("method"))
    st.caption(
        "✓ the fewest under this protection. A protection that hides less needs fewer people, so "
        "compare methods within a column. Computed from the exact variance of each value"
        + (
            "."
            if record.goal == "values"
            else f", for every {words.nouns(record).unit} to ± {100 * record.within:g} % (95 % "
            "range)."
        )
    )


def _cell(need: Need | None, table: list[tuple[str, dict[str, Need]]]) -> str:
    if need is None:
        return "takes too long"
    if need.people is None:
        return words.TOO_MANY
    rows = [row.get(need.protection) for _, row in table]
    least = min(row.people for row in rows if row and row.people)
    return words.rounded_people_text(need.people) + (" ✓" if need.people <= 1.005 * least else "")


def _deployments(record: Plan) -> None:
    """Each published ε: odds after one report, a day and a month, and people needed here."""
    tables = _load_tables(record)
    if tables is None:
        return
    st.markdown("Published deployments of local DP, and what their ε would mean for your survey.")
    rows = {}
    for each, plain in zip(DEPLOYMENTS, tables.deployments, strict=True):
        rows[each.title] = {
            "ε per report": f"{each.epsilon:.3g}",
            "right guesses of 100, one report": formats.hundred(max_guess_accuracy(each.epsilon)),
            "after a day": each.describe_right_guesses(1),
            "after 30 days": each.describe_right_guesses(30),
            "people for your goal, plain LDP": words.TOO_MANY
            if plain.people is None
            else words.rounded_people_text(plain.people),
            "source": each.source,
            "checked against": each.verification,
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
        label, key = f"Use ε = {each.epsilon:.3g}", STATE.key(f"use-{each.title}")
        if column.button(label, key=key, help=each.title):
            _set_epsilon(each.epsilon)


def _set_epsilon(epsilon: float) -> None:
    update_scenario(STATE, lambda s: s.with_context(epsilon=epsilon))
    run_page()  # a press in a tab draws the tab alone


_TABS: Final[dict[str, Callable[[Plan], None]]] = {
    "Which method": _methods,
    "What others' ε would mean here": _deployments,
    "Share and export": files.show,
}
