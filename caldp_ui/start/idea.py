"""The idea in three steps, with the odds of an example."""

import streamlit as st

from caldp_core.audit.adversary import max_guess_accuracy
from caldp_ui.words import formats


def show() -> None:
    """Show three steps side by side, and their sources."""
    best = formats.hundred(max_guess_accuracy(1.0))
    steps = (
        (
            "1 · Everybody adds noise",
            (
                "Your device reports a randomised answer. At ε = 1, an attacker who must choose "
                "between two equally likely places is right at most about "
                f"{best} times in 100."
            ),
        ),
        (
            "2 · The noise averages out",
            (
                "One report says little. A million reports together say how many people are where. "
                "The less must be hidden, the better the map."
            ),
        ),
        (
            "3 · Context decides what to hide",
            (
                "A matrix E sets how private each pair of answers is. Blocks and sensitive sets "
                "are the two most important shapes, and they can be combined. Privacy may also "
                "fade with distance, or differ from person to person."
            ),
        ),
    )
    for column, (title, text) in zip(st.columns(3), steps, strict=True):
        column.markdown(f"**{title}**")
        column.write(text)
    st.caption(
        "Built on J. Acharya, K. Bonawitz, P. Kairouz, D. Ramage, Z. Sun: *Context-Aware Local "
        "Differential Privacy* (ICML 2020) and T. Murakami, Y. Kawamoto: *Utility-Optimized Local "
        "Differential Privacy Mechanisms* (USENIX Security 2019)."
    )
