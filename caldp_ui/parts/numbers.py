"""Every number of a page as a table, for one result or several beside each other."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd
import streamlit as st

from caldp_core.basics.types import Progress
from caldp_core.domain.grid import GridDomain
from caldp_core.estimation.estimators import ESTIMATORS
from caldp_core.experiments.error_validity import has_valid_errors, invalid_error_reason
from caldp_core.experiments.run import Errors, Result
from caldp_core.mechanisms.capabilities import report_bits, symbol_partition_of
from caldp_core.mechanisms.catalogue import MECHANISMS
from caldp_core.scenarios.scenario import Scenario
from caldp_core.theory.expected_error import Forecast
from caldp_ui.compute import plain_ldp, runs
from caldp_ui.parts.comparison import ComparisonData
from caldp_ui.session import jobs
from caldp_ui.session.page_state import PageState
from caldp_ui.words import accuracy, formats


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
    return ExpectedErrors(first, second, plain_ldp.people_plain_needs(ours) if known else None)


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
    sliced = (
        " Boxes: the mean over all ways to lay them on the map. Earth mover's distance is the "
        "average over directions ('sliced'), an approximation."
        if any(map(_on_map, results.values()))
        else ""
    )
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
        f"Sampling alone {formats.share(errors.sampling_tv)}; with privacy noise "
        f"{formats.share(errors.tv)}. Sampling error: these people, unprotected, against "
        "everybody. Privacy adds its noise to that; in total variation, the two do not add up."
        if is_sampled
        else "These are all people of the data, so nothing is lost by sampling: all of the error "
        "is the price of privacy."
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
