"""Every number of a page as a table, for one result or several beside each other.

Room: parts.
"""

from collections.abc import Mapping

import pandas as pd
import streamlit as st

from caldp_core.domain.grid import GridDomain
from caldp_core.estimation.estimators import ESTIMATORS
from caldp_core.experiments.run import Errors, Result
from caldp_core.mechanisms.catalogue import MECHANISMS
from caldp_core.mechanisms.offers import cover_of, report_bits
from caldp_ui.compute import runs
from caldp_ui.words import accuracy, formats


def table(results: Mapping[str, Result]) -> None:
    """One column a result, by what readers call it."""
    st.table(pd.DataFrame({title: column(result) for title, result in results.items()}))
    told = "KL is infinite where the estimate gives nobody to what has somebody."
    if any(map(_on_map, results.values())):
        told += (
            " Earth mover's distance is the average over directions ('sliced'), an approximation."
        )
    st.caption(told)


def _on_map(result: Result) -> bool:
    return isinstance(result.setup.dataset.domain, GridDomain)


def column(result: Result) -> dict[str, str]:
    """All numbers of one result, by what they are."""
    errors, setup = result.first.errors, result.setup
    expected = runs.expected(setup.scenario)
    moved = errors.sliced_wasserstein_km
    told = {
        "total variation (TV)": formats.share(errors.tv),
        "expected TV": "not known"
        if expected is None
        else formats.plus_minus(expected.tv, 2 * expected.deviation),
        "sampling alone, without privacy (TV)": formats.share(errors.sampling_tv),
        "l1 distance": formats.share(errors.l1),
        "l2 distance": formats.share(errors.l2),
        "Kullback–Leibler divergence": formats.share(errors.kl),
        "earth mover's distance": "needs shares" if moved is None else f"{moved:,.1f} km",
        "method": MECHANISMS[setup.mechanism_name].title,
        "estimate": ESTIMATORS[setup.scenario.estimator].title,
        "bits per report": formats.exactly(report_bits(setup.mechanism)),
        "blocks": formats.exactly(setup.partition.m),
        "hidden symbols": formats.exactly(cover_of(setup.mechanism).hidden.size),
        "people": formats.exactly(setup.n),
    }
    if not _on_map(result):
        del told["earth mover's distance"]
    return told


def sampling(errors: Errors, drawn: bool) -> None:
    """Sampling error and privacy noise told apart. `drawn`: people were drawn from the data."""
    st.markdown(
        f"Sampling alone {formats.share(errors.sampling_tv)}; with privacy noise "
        f"{formats.share(errors.tv)}. Sampling error: these people, unprotected, against "
        "everybody. Privacy adds its noise to that; in total variation, the two do not add up."
        if drawn
        else "These are all people of the data, so nothing is lost by sampling: all of the error "
        "is the price of privacy."
    )


def plain_needs(result: Result) -> None:
    """How many people plain LDP would need for the same accuracy."""
    setup = result.setup
    if runs.expected(setup.scenario) is None:
        st.markdown("How many people plain LDP would need is not known for this estimate.")
        return
    needed, meaning = accuracy.plain_needs(setup, runs.people_plain_needs(setup.scenario))
    with st.container(key="plain-needs"):
        st.markdown(f"Plain LDP would need **{needed}** {meaning}.")
