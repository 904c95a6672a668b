"""What an attacker learns about one person who answered several times."""

import streamlit as st

from caldp_core.collect.estimate import Results
from caldp_ui.app.errors import escape_markdown
from caldp_ui.results import words
from caldp_ui.results.page_state import STATE, TIMES, ResultsState
from caldp_ui.words import formats


def show(record: ResultsState, results: Results) -> None:
    """Show a slider of reports, and right guesses of 100 with fresh noise and a stored report."""
    st.select_slider(
        "Reports of one person to this question",
        TIMES,
        format_func=words.reports_text,
        **STATE.bind(
            "times", record.times, lambda _, v: ResultsState(STATE.current().level, int(v))
        ),
    )
    stored, fresh, sentence = words.describe_attacker(results, record.times)
    unprotected = map(escape_markdown, words.unprotected_sentences(results))
    st.markdown(" ".join([*unprotected, sentence]))
    if stored < 1:
        reports = words.reports_text(record.times)
        rows = [
            (f"{reports}, new noise each time", fresh),
            (f"{reports}, one stored report", stored),
        ]
        st.html(f'<div class="guesses">{"".join(_row_html(*row) for row in rows)}</div>')
        st.caption(
            "Right guesses of 100, at most; without any report it is 50. A client with `memory` "
            "sends one stored report again, so that more reports tell no more. This holds if the "
            "attacker can tell which reports are one person's."
        )


def _row_html(name: str, chance: float) -> str:
    number = formats.hundred(chance)
    return (
        f"<p><span>{name}</span>"
        f'<span class="strip" role="img" aria-label="{name}: {number} of 100">'
        f'<i class="share" style="left:0;width:{100 * chance:.2f}%"></i>'
        f'<u style="left:50%"></u></span><span>{number} of 100</span></p>'
    )
