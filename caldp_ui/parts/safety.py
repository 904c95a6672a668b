"""Is this ε safe? What it means, what others chose, and what guides say, in a drawer."""

from collections.abc import Callable, Iterable
from html import escape
from typing import Any, Final

import streamlit as st

from caldp_core.experiments.run import Setup
from caldp_ui.app.errors import escape_markdown
from caldp_ui.app.texts import read_texts, read_toml
from caldp_ui.controls import choices
from caldp_ui.parts import promises
from caldp_ui.session.page_state import PageState
from caldp_ui.words import policies, promise
from caldp_ui.words.formats import Vocabulary

TEXTS: Final = read_texts(__file__)

USES: Final[dict[str, Any]] = read_toml(__file__, "uses.toml")
"""`device`, `holder`: uses by who adds the noise, each with its ε and what it covers. `guides`."""


def of_setup(state: PageState[Any], nouns: Vocabulary, setup: Setup) -> None:
    """The button of a page with a scenario."""

    def sentences() -> list[str]:
        repeats = policies.describe_promise(nouns, setup).repeats
        return [escape_markdown(policies.promise_summary(nouns, setup)), repeats]

    _button(state, lambda: policies.level_text(setup), sentences)


def of_epsilon(state: PageState[Any], epsilon: float) -> None:
    """The button of a page on which several protections share one ε."""
    _button(state, lambda: f"ε = {epsilon:g}", lambda: [promise.epsilon_examples()])


def _button(
    state: PageState[Any], level: Callable[[], str], sentences: Callable[[], list[str]]
) -> None:
    label, icon = "Is this ε safe?", ":material/balance:"
    key, draw = state.key("safe"), lambda: _draw(level(), sentences())
    choices.drawer(label, key, label, draw, icon=icon, type="tertiary")


def _draw(level: str, sentences: list[str]) -> None:
    st.markdown(TEXTS["no_verdict"])
    _list(f"Here: {level}", sentences)
    st.markdown(TEXTS["device_uses"])
    st.html(_table_html("device"))
    st.markdown(TEXTS["holder_uses"])
    st.html(_table_html("holder"))
    st.caption(f"From {USES['sources']}.")
    _list("What guides and laws say", USES["guides"])


def _list(title: str, sentences: Iterable[str]) -> None:
    st.markdown(f"**{title}**")
    promises.bullets(filter(None, sentences))


def _table_html(kind: str) -> str:
    rows = "".join(
        f"<tr><td>{use['epsilon']:g}</td><td>{escape(use['covers'])}</td>"
        f"<th scope=row>{escape(use['who'])}</th></tr>"
        for use in USES[kind]
    )
    head = "<tr><th scope=col>ε</th><th scope=col>covers</th><th scope=col>who, for what</th></tr>"
    return f'<table class="uses"><thead>{head}</thead><tbody>{rows}</tbody></table>'
