"""The promise of a policy: to whom, how well, and what is not promised.

The statements that a page depends on: each in a sentence, its formula, its place in the code.
"""

import json
from collections.abc import Iterable

import streamlit as st

from caldp_core.experiments.run import Setup
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.app.errors import escape_markdown
from caldp_ui.app.run_limiter import fragment
from caldp_ui.compute.runs import PrivacySummary, summarize_privacy
from caldp_ui.controls import choices
from caldp_ui.session import jobs
from caldp_ui.session.page_state import PageState
from caldp_ui.session.record_link import S
from caldp_ui.words import policies, promise
from caldp_ui.words.formats import Vocabulary
from caldp_ui.words.glossary import OF_PAGES, Statement, terms


def shield(nouns: Vocabulary, setup: Setup) -> None:
    """Show who is protected, and how well."""
    with st.container(key="protected"):
        texts = policies.describe_promise(nouns, setup)
        weak = " At this ε their protection counts as none." * texts.grades[-1].counts_as_none
        exposed = f"{escape_markdown(texts.exposed)} " if texts.exposed else ""
        promised = f"{texts.protected}{weak} {texts.odds} {texts.repeats}"
        st.markdown(f":material/shield: {exposed}{promised}")


def bullets(sentences: Iterable[str]) -> None:
    """List sentences in Markdown, one below the other."""
    st.markdown("\n".join(f"- {sentence}" for sentence in sentences))


def not_promised(nouns: Vocabulary, setup: Setup) -> None:
    """List what the policy does not promise, and the terms that are used."""
    st.markdown("**What is *not* promised**")
    texts = policies.describe_promise(nouns, setup)
    bullets([*([escape_markdown(texts.exposed)] if texts.exposed else []), *texts.not_promised])
    if promise.is_known(setup):
        _shuffling_section(nouns, setup)
    terms("ε", "local differential privacy", "context-aware", "total variation")


@fragment
def _shuffling_section(nouns: Vocabulary, setup: Setup) -> None:
    """The bound with a shuffler, computed once it is opened: it takes as long as a picture."""

    def bound() -> None:
        text = promise.scenario_text(nouns, setup)
        st.markdown(text or "No bound is known here.")
        if text:
            terms("δ")

    title, icon = "If reports are mixed", ":material/shuffle:"
    choices.fold(st.expander, title, "if-mixed", bound, icon=icon)


def audit_section(state: PageState[S], scenario: Scenario) -> None:
    """A button, then the result of the exact audit of the mechanism that the page shows."""
    summary = jobs.run_on_click(
        state.key("audited"),
        json.dumps(scenario.to_dict()),
        lambda progress: summarize_privacy(scenario, progress),
        jobs.StartButton("Audit this mechanism", ":material/verified:"),
        lambda job: f"Auditing the channel: {job.seconds:.0f} s so far",
    )
    if summary is not None:
        st.markdown(_audit_text(summary))


def _audit_text(found: PrivacySummary) -> str:
    if found.holds is None:
        return f":material/help: Not audited: {escape_markdown(found.reason)}"
    if not found.holds:
        return ":material/error: It does **not** hold: do not rely on this promise."
    if found.nothing_promised:
        return ":material/error: **Nothing is promised**, so there is nothing to hold."
    nearest = ""
    if found.loss is not None and found.epsilon is not None:
        nearest = (
            f" The pair nearest to its bound has a privacy loss of {found.loss:.6g}, where "
            f"{found.epsilon:.6g} is promised."
        )
    return f":material/verified: **It holds.**{nearest} Checked: {escape_markdown(found.method)}."


@fragment
def drawer(page: str) -> None:
    """The drawer of all statements of a page; they are drawn once it is opened."""

    def statements() -> None:
        list_statements(OF_PAGES[page])
        st.caption("Sources and derivations: docs/mathematics.md.")

    key, icon = f"{page}-mathematics", ":material/function:"
    choices.fold(st.expander, "The mathematics", key, statements, icon=icon)


def list_statements(statements: Iterable[Statement]) -> None:
    """Show statements one after the other; nothing where there are none."""
    for each in statements:
        sentence = each.says[0].upper() + each.says[1:]
        st.markdown(f"{sentence} · `{each.code}`" if each.code else sentence)
        if each.formula:
            st.latex(each.formula)
