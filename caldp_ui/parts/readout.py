"""The numbers and the sentences above and below the maps.

Room: parts. Everything shown here is also in the table of numbers.
"""

import pandas as pd
import streamlit as st

from caldp_core.estimation.estimators import ESTIMATORS
from caldp_core.experiments.run import Result, Setup
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute import runs as compute
from caldp_ui.compute.runs import Comparison
from caldp_ui.parts import methods
from caldp_ui.session.scenarios import S, another_draw
from caldp_ui.session.slot import Slot
from caldp_ui.words import accuracy, formats
from caldp_ui.words import promise as promises
from caldp_ui.words.glossary import terms
from caldp_ui.words.vocabulary import Vocabulary


def headline(nouns: Vocabulary, comparison: Comparison) -> None:
    """Four numbers: both errors, what plain LDP would need, what an onlooker can guess."""
    with st.container(key="headline", horizontal=True):
        with st.container(key="tv-ours", gap="xsmall"):
            _error(nouns, "Error with this protection", comparison.ours)
        with st.container(key="tv-plain", gap="xsmall"):
            _error(nouns, "Plain LDP, same people, same ε", comparison.plain)
        with st.container(key="plain-needs", gap="xsmall"):
            _plain_needs(comparison)
        with st.container(key="guessed", gap="xsmall"):
            _guessed(nouns, comparison.setup)


def _guessed(nouns: Vocabulary, setup: Setup) -> None:
    protects = setup.mechanism.hidden_symbols.size > 0
    best = formats.hundred(promises.chance(setup)) if protects else "100"
    bounded = protects and not best.startswith("over")
    label = "Guessed right, at most about" if bounded else "May be guessed right"
    st.metric(label, f"{best} of 100")
    st.caption(_of_whom(nouns, setup) if protects else "No secrets.")


def _error(nouns: Vocabulary, label: str, result: Result) -> None:
    tv = result.first.errors.tv
    st.metric(label, formats.share(tv))
    expected = compute.expected(result.setup.scenario)
    st.caption(f"TV: {accuracy.tv_in_words(nouns, tv)}. {accuracy.expects(expected)}")


def _of_whom(nouns: Vocabulary, setup: Setup) -> str:
    share = formats.out_of(promises.protected_share(setup))
    text = f"Between two protected {nouns.units}, from one report"
    return f"{text}." if share == "100 of 100" else f"{text}; {share} people are at one."


def _plain_needs(comparison: Comparison) -> None:
    setup = comparison.setup
    expected = compute.expected(setup.scenario)
    if expected is None:
        st.metric("Plain LDP would need", "not known")
        st.caption("What to expect takes long trials here.")
        return
    if expected.tv == 0:
        st.metric("Plain LDP would need", "no number")
        st.caption("Nothing is hidden here, so there is no accuracy under protection to match.")
        return
    needed, meaning = accuracy.plain_needs(setup, compute.people_plain_needs(setup.scenario))
    st.metric("Plain LDP would need", needed)
    st.caption(f"{meaning}.")


def shield(nouns: Vocabulary, setup: Setup) -> None:
    """Who is protected, and how well: the sentence that goes before the pictures."""
    with st.container(key="protected"):
        st.markdown(
            f":material/shield: {promises.protected(nouns, setup)} {promises.odds(nouns, setup)}"
        )


def promise(nouns: Vocabulary, setup: Setup) -> None:
    """What is hidden from whom, and what is not."""
    with st.container(border=True):
        if promises.repeats(nouns, setup):
            st.markdown(promises.repeats(nouns, setup))
        with st.expander("What is *not* promised"):
            st.markdown(
                "\n".join(f"- {sentence}" for sentence in promises.not_promised(nouns, setup))
            )
        terms("ε", "local differential privacy", "context-aware", "total variation")


def two_errors(slot: Slot[S], comparison: Comparison) -> None:
    """Sampling error and privacy noise told apart, and another outcome."""
    errors = comparison.outcome.errors
    drawn = comparison.setup.scenario.n is not None
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Another possible outcome",
            icon=":material/casino:",
            on_click=another_draw,
            args=(slot,),
            help="The same protection and people; other coins. What stays alike is knowledge, "
            "what changes is noise.",
        )
        st.markdown(
            f":green-badge[sampling error {formats.share(errors.sampling_tv)}] "
            f":blue-badge[with privacy noise {formats.share(errors.tv)}]"
        )
        st.caption(
            "Sampling error: these people, unprotected, against everybody. Privacy adds its noise "
            "to that; in total variation, the two do not add up."
            if drawn
            else "These are all people of the data, so nothing is lost by sampling: all of the "
            "error is the price of privacy."
        )


def which_estimate(scenario: Scenario) -> None:
    """Which estimator the pictures show."""
    st.caption(
        f"Estimate shown: **{ESTIMATORS[scenario.estimator].title}** — "
        f"{ESTIMATORS[scenario.estimator].sentence}."
    )


def numbers(comparison: Comparison) -> None:
    """Every number of the page as a table, and the scenario to take along."""
    frame = pd.DataFrame(
        {
            "this protection": _column(comparison, "ours"),
            "plain LDP": _column(comparison, "plain"),
        }
    )
    st.table(frame)
    st.caption(
        "KL is infinite where the estimate gives nobody to a place that has somebody. Earth "
        "mover's distance is the average over directions ('sliced'), an approximation."
    )
    methods.table(comparison.setup)
    with st.expander("Take it along: this scenario as a file, and the command that repeats it"):
        st.caption("The address bar holds the same: copy it to open this page elsewhere.")
        st.code("python -m caldp_core run scenario.json", language="bash")
        st.code(compute.pretty(comparison.setup.scenario), language="json")


def _column(comparison: Comparison, which: str) -> dict[str, str]:
    result = comparison.ours if which == "ours" else comparison.plain
    errors, setup = result.first.errors, result.setup
    expected = compute.expected(setup.scenario)
    moved = errors.sliced_wasserstein_km
    return {
        "total variation (TV)": formats.share(errors.tv),
        "expected TV": "not known"
        if expected is None
        else formats.plus_minus(expected.tv, 2 * expected.deviation),
        "sampling alone, without privacy (TV)": formats.share(errors.sampling_tv),
        "l1 distance": formats.share(errors.l1),
        "l2 distance": formats.share(errors.l2),
        "Kullback–Leibler divergence": formats.share(errors.kl),
        "earth mover's distance": "needs shares" if moved is None else f"{moved:,.1f} km",
        "bits per report": str(setup.mechanism.report_bits),
        "blocks": formats.exactly(setup.partition.m),
        "hidden places": formats.exactly(setup.mechanism.hidden_symbols.size),
        "people": formats.exactly(setup.n),
    }
