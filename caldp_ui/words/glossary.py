"""Every term in a sentence or two, for popovers at its first use and for help texts.

No formulas in the first sentence; the formula comes last.
"""

from typing import Final

import streamlit as st

DEFINITIONS: Final = {
    "local differential privacy": (
        "Everybody randomises their own answer before it leaves their device, so nobody has to be "
        "trusted with the truth. Short: LDP. Plain LDP hides every answer from every other: "
        "Q(y|x) ≤ e^ε · Q(y|x′) for all answers x, x′ and reports y."
    ),
    "context-aware": (
        "How well must a report hide *which of two* answers you gave? Plain LDP says: the same for "
        "every pair. Context-aware LDP lets it differ from pair to pair: hide where in a city you "
        "are, not which city. Q(y|x) ≤ e^{E(x, x′)} · Q(y|x′) with a matrix E of ε's."
    ),
    "ε": (
        "The privacy level: how far a report may shift an attacker's odds between two protected "
        "answers. 0.1 hides almost everything, 1 is a common choice, above 5 hides little. Odds "
        "change by a factor of at most e^ε. It covers one report; reports about the same person "
        "add up."
    ),
    "block": (
        "A set of places that hide each other. A report shows which block someone is in, but not "
        "where in it. Smaller blocks: more accurate, less hidden."
    ),
    "sensitive set": (
        "The places that are protected. People elsewhere sometimes send a cover report, and "
        "otherwise name their place openly."
    ),
    "geo-indistinguishability": (
        "Near places hide each other well, far ones less. An attacker's odds between two places "
        "change by at most e^(ε · their distance). ε is so much per kilometre; within 1/ε "
        "kilometres two places are about as likely."
    ),
    "tag": (
        "A word such as “home” that a device reports in the place's stead when its owner is at "
        "their own place. Nobody learns which place it stands for."
    ),
    "total variation": (
        "The share of people whom the estimate puts in the wrong place: 0 is perfect, 1 is all "
        "wrong. Half the sum of all differences, TV = ½ Σ |p̂ₓ − pₓ|. An estimate that has not "
        "been turned into shares can exceed 1."
    ),
    "estimator": (
        "What turns the noisy reports into shares. The unbiased one is right on average but can "
        "give negative shares; the others mend that at the price of a small bias."
    ),
    "frequency oracle": (
        "The recipe by which a person randomises an answer, and by which the collector counts "
        "the reports."
    ),
    "sampling error": (
        "People drawn at random never mirror everybody exactly. This error is there without any "
        "privacy, and shrinks with the number of people."
    ),
}


def terms(*names: str) -> None:
    """A popover that explains these terms."""
    with st.popover("Terms used here", type="tertiary", icon=":material/help:"):
        st.markdown("\n\n".join(f"**{name}**: {DEFINITIONS[name]}" for name in names))
