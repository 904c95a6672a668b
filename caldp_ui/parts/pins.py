"""What is pinned, beside what is shown: a picture, the numbers that differ, and all as files.

Every number of a page as a table, for one result or several beside each other.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import pandas as pd
import streamlit as st

from caldp_core.basics.types import Progress
from caldp_core.domain.grid import GridDomain
from caldp_core.estimation.estimators import ESTIMATORS
from caldp_core.experiments.forecast import has_valid_errors, invalid_error_reason
from caldp_core.experiments.run import Errors, Result, Setup
from caldp_core.mechanisms.capabilities import report_bits, symbol_partition_of
from caldp_core.mechanisms.catalogue import MECHANISMS
from caldp_core.scenarios.scenario import Scenario
from caldp_core.theory.expected_error import Forecast
from caldp_ui.app.texts import read_texts
from caldp_ui.compute import runs
from caldp_ui.controls import choices
from caldp_ui.controls.common import REDRAW_HELP, redraw_button
from caldp_ui.parts.comparison import ComparisonData
from caldp_ui.session import jobs
from caldp_ui.session.page_state import PINS_MAX, PageState, PinPageState, R
from caldp_ui.session.record_link import S
from caldp_ui.stage import Scene, stage
from caldp_ui.words import accuracy, formats, policies
from caldp_ui.words.formats import Vocabulary

TEXTS: Final = read_texts(__file__)


@dataclass(frozen=True)
class ExpectedErrors:
    """Expected errors of this protection and of plain LDP, and the people that plain LDP needs."""

    ours: Forecast | None
    plain: Forecast | None
    needed: int | None


def expect_errors(ours: Scenario, plain: Scenario, progress: Progress) -> ExpectedErrors:
    """All forecasts of the table: for a job, as they may take seconds of trials."""
    first = runs.expected_error(ours, lambda share: progress(share / 2))
    second = runs.expected_error(plain, lambda share: progress(0.5 + share / 2))
    known = first is not None and second is not None and first.error > 0
    return ExpectedErrors(first, second, runs.people_plain_needs(ours) if known else None)


def section(state: PageState[Any], data: ComparisonData) -> None:
    """The table of both results as far as they are there, and what to expect, by a job."""
    if not has_valid_errors(data.setup):
        st.info(invalid_error_reason(data.setup))
        return
    results = {"this protection": data.ours, "plain LDP": data.plain}
    pair = data.setup.scenario, data.plain_setup.scenario
    expected = jobs.run_automatically(
        state.key("foreseen"),
        runs.key(replace(pair[0], seed=0)),
        lambda progress: expect_errors(*pair, progress),
        lambda job: f"What to expect, by repeated trials: {job.seconds:.0f} s so far",
    )
    table({title: result for title, result in results.items() if result is not None}, expected)
    if data.ours is not None:
        show_sampling(data.ours.first.errors, data.setup.scenario.n is not None)
        if expected is not None:
            show_plain_needs(data.ours, expected)


def table(results: Mapping[str, Result], expected: ExpectedErrors | None) -> None:
    """One column a result, by what readers call it; `expected` comes a little later."""
    frame = pd.DataFrame({title: column(result) for title, result in results.items()})
    if expected is not None and len(results) > 1:
        both = (expected.ours, expected.plain)
        frame.loc["expected TV"] = [accuracy.forecast(each) for each in both]
    st.table(frame.rename_axis("number"))
    sliced = TEXTS["map_errors"] if any(map(_on_map, results.values())) else ""
    st.caption(f"KL is infinite where the estimate gives nobody to what has somebody.{sliced}")


def _on_map(result: Result) -> bool:
    return isinstance(result.setup.dataset.domain, GridDomain)


def column(result: Result) -> dict[str, str]:
    """All numbers of one result as texts, by their names."""
    errors, setup = result.first.errors, result.setup
    moved, largest = errors.sliced_wasserstein_km, errors.largest
    boxes = {
        f"boxes of {each.cells} × {each.cells} cells (TV)": formats.share(each.tv)
        for each in errors.boxes  # none but on maps
    }
    found = f"{formats.digits(largest.recall * largest.number)} (F1 {largest.f1:.2f})"
    numbers = {
        "total variation (TV)": formats.share(errors.tv),
        "sampling alone, without privacy (TV)": formats.share(errors.sampling_tv),
        "l1 distance": formats.share(errors.l1),
        "l2 distance": formats.share(errors.l2),
        "Kullback–Leibler divergence": formats.share(errors.kl),
        **boxes,
        f"largest found, of {largest.number}": found,
        "earth mover's distance": "needs shares" if moved is None else f"{moved:,.1f} km",
        "method": MECHANISMS[setup.mechanism_name].title,
        "estimate": ESTIMATORS[setup.scenario.estimator].title,
        "bits per report": formats.integer(report_bits(setup.mechanism)),
        "blocks": formats.integer(setup.partition.m),
        "hidden symbols": formats.integer(symbol_partition_of(setup.mechanism).hidden.size),
        "reports": formats.integer(setup.n),
    }
    if not _on_map(result):
        del numbers["earth mover's distance"]
    return numbers


def show_sampling(errors: Errors, is_sampled: bool) -> None:
    """Sampling error beside privacy noise. `is_sampled`: people were drawn from the data."""
    st.markdown(
        TEXTS["sampling"].format(
            sampling=formats.share(errors.sampling_tv), both=formats.share(errors.tv)
        )
        if is_sampled
        else TEXTS["nothing_sampled"]
    )


def show_plain_needs(result: Result, expected: ExpectedErrors) -> None:
    """How many people plain LDP would need for the same accuracy."""
    with st.container(key="plain-needs"):
        if expected.ours is None or expected.plain is None:
            st.markdown("How many people plain LDP would need takes long trials to tell.")
        elif expected.ours.error == 0:
            st.markdown("Nothing is hidden here, so there is no accuracy for plain LDP to reach.")
        else:
            needed, meaning = accuracy.plain_needs(result.setup, expected.needed)
            st.markdown(f"Plain LDP would need **{needed}** {meaning}.")


MAPS: Final = "pinned-maps"
"""Names the stage of what is pinned in keys."""


def redraw_and_pin(
    state: PinPageState[S], title: Callable[[S], str], help_text: str = REDRAW_HELP
) -> None:
    """The buttons that draw new noise and that pin; `help_text`: what new noise leaves as it is."""
    with st.container(horizontal=True, gap="xsmall", key=state.key("again")):
        redraw_button(state, help_text)
        pin_button(state, title)


def pin_button(state: PinPageState[R], title: Callable[[R], str]) -> None:
    """The button that pins what is shown, and the menu of what is pinned, by `title`."""
    full = len(state.pins) >= PINS_MAX
    st.button(
        "Pin",
        icon=":material/keep:",
        key=state.key("pin"),
        on_click=state.pin,
        disabled=not state.can_pin,
        help=f"Up to {PINS_MAX} are kept; let one go first."
        if full
        else "Keeps this to compare it with what you try next.",
    )
    if state.pins:
        label, icon = f"Pinned {len(state.pins)}", ":material/push_pin:"
        choices.fold(st.popover, label, state.key("pins"), lambda: _menu(state, title), icon=icon)


def _menu(state: PinPageState[R], title: Callable[[R], str]) -> None:
    with st.container(key=state.key("pinned-menu")):
        for number, record in enumerate(state.pins, 1):
            with st.container(horizontal=True, gap="xsmall", vertical_alignment="center"):
                st.button(
                    f"{number}: {title(record)}",
                    key=state.key(f"choose-{number}"),
                    type="primary" if record == state.pinned else "secondary",
                    width="stretch",
                    on_click=state.choose_pin,
                    args=(record,),
                )
                st.button(
                    f"Unpin {number}",
                    key=state.key(f"unpin-{number}"),
                    icon=":material/keep_off:",
                    on_click=state.unpin,
                    args=(record,),
                )
        st.caption("The chosen one is drawn beside what you try; the table below compares all.")
        if len(state.pins) > 1:
            st.button("Unpin all", key=state.key("unpin-all"), on_click=state.unpin_all)


def maps(state: PinPageState[Any], scene: Scene, current: GridDomain) -> None:
    """The maps of the pins, under the view of the page's own maps, whose grid is `current`."""
    if scene.ground.domain != current:
        st.caption("Its map is another one, so only the numbers stand beside each other.")
        return
    still = replace(scene, actions=(), focus=None)
    stage(
        replace(still, label=f"Pinned: {scene.label}", look_hint=Scene.look_hint), state.key(MAPS)
    )


def result_numbers(nouns: Vocabulary, result: Result | None) -> dict[str, str]:
    """The numbers of a result: its levels of privacy, the odds, its errors; empty for None."""
    if result is None:
        return {}
    levels = dict(policies.describe_promise(nouns, result.setup).levels)
    return {**levels, **odds_numbers(nouns, result.setup), **column(result)}


def odds_numbers(nouns: Vocabulary, setup: Setup) -> dict[str, str]:
    """How many people are protected, and how often an attacker's even guess about one is right."""
    texts = policies.describe_promise(nouns, setup)
    covered = {"protected by nothing": texts.exposed} if texts.exposed else {}
    covered |= {"people protected": formats.out_of(texts.protected_share)}
    if texts.protected_share <= 0.0:
        return covered
    return {
        **covered,
        "right guesses about a protected person, of 100": formats.upper_bound(texts.chance),
    }


def comparison_table(table: Mapping[str, Mapping[str, str]]) -> pd.DataFrame:
    """Numbers as rows, titles as columns; "–" for a number that a column lacks."""
    rows = list(dict.fromkeys(row for column in table.values() for row in column))
    columns = {title: [column.get(row, "–") for row in rows] for title, column in table.items()}
    return pd.DataFrame(columns, index=pd.Index(rows, name="number"))


def differing_rows(table: Mapping[str, Mapping[str, str]]) -> pd.DataFrame:
    """The rows in which not all are alike."""
    frame = comparison_table(table)
    return frame[frame.nunique(axis=1) > 1]
