"""What is promised, to whom, and what is not."""

import json

import streamlit as st

from caldp_core.experiments.run import Setup
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.app.errors import escape_markdown
from caldp_ui.compute.privacy_summary import PrivacySummary, summarize_privacy
from caldp_ui.session import jobs
from caldp_ui.session.page_state import PageState
from caldp_ui.session.scenarios import S
from caldp_ui.words import mixing, policies
from caldp_ui.words.glossary import terms
from caldp_ui.words.vocabulary import Vocabulary


def shield(nouns: Vocabulary, setup: Setup) -> None:
    """Who is protected, and how well."""
    with st.container(key="protected"):
        told = policies.describe_promise(nouns, setup)
        st.markdown(f":material/shield: {told.protected} {told.odds} {told.repeats}")


def not_promised(nouns: Vocabulary, setup: Setup) -> None:
    """What the policy leaves open, and the terms that are used."""
    st.markdown("**What is *not* promised**")
    told = policies.describe_promise(nouns, setup).not_promised
    st.markdown("\n".join(f"- {sentence}" for sentence in told))
    if mixing.is_known(setup):
        _shuffling_section(nouns, setup)
    terms("ε", "local differential privacy", "context-aware", "total variation")


@st.fragment
def _shuffling_section(nouns: Vocabulary, setup: Setup) -> None:
    """What a shuffler would add, once it is asked for: the bound takes as long as a picture."""
    asked = st.expander(
        "If reports are mixed", icon=":material/shuffle:", key="if-mixed", on_change="rerun"
    )
    if asked.open:
        asked.markdown(mixing.scenario_text(nouns, setup) or "No bound is known here.")


def audit_section(slot: PageState[S], scenario: Scenario) -> None:
    """A button, then what the exact audit says of the very mechanism that the page shows."""
    found = jobs.run_on_click(
        slot.key("audited"),
        json.dumps(scenario.to_dict()),
        lambda progress: summarize_privacy(scenario, progress),
        jobs.StartButton("Audit this mechanism", ":material/verified:"),
        lambda job: f"Auditing the channel: {job.seconds:.0f} s so far",
    )
    if found is not None:
        st.markdown(_audit_text(found))


def _audit_text(found: PrivacySummary) -> str:
    if found.holds is None:
        return f":material/help: Not audited: {escape_markdown(found.reason)}"
    if not found.holds:
        return ":material/error: It does **not** hold: do not rely on this promise."
    nearest = ""
    if found.loss is not None and found.epsilon is not None:
        nearest = (
            f" The pair nearest to its bound has a privacy loss of {found.loss:.6g}, where "
            f"{found.epsilon:.6g} is promised."
        )
    return f":material/verified: **It holds.**{nearest} Looked at: {escape_markdown(found.method)}."
