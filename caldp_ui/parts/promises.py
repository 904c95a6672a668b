"""What is promised, to whom, and what is not.

Room: parts.
"""

import streamlit as st

from caldp_core.experiments.run import Setup
from caldp_ui.words import promise
from caldp_ui.words.glossary import terms
from caldp_ui.words.vocabulary import Vocabulary


def shield(nouns: Vocabulary, setup: Setup) -> None:
    """Who is protected, and how well."""
    with st.container(key="protected"):
        who, how = promise.protected(nouns, setup), promise.odds(nouns, setup)
        st.markdown(f":material/shield: {who} {how} {promise.repeats(nouns, setup)}")


def not_promised(nouns: Vocabulary, setup: Setup) -> None:
    """What the policy leaves open, and the terms that are used."""
    st.markdown("**What is *not* promised**")
    told = promise.not_promised(nouns, setup)
    st.markdown("\n".join(f"- {sentence}" for sentence in told))
    terms("ε", "local differential privacy", "context-aware", "total variation")
