"""The statements that a page rests on: what each says, its formula, its place in the code."""

from collections.abc import Iterable

import streamlit as st

from caldp_ui.words.statement import Statement
from caldp_ui.words.statements import STATEMENTS


@st.fragment
def drawer(page: str) -> None:
    """All of a page; drawn once it is opened."""
    made = st.expander(
        "The mathematics", icon=":material/function:", key=f"{page}-mathematics", on_change="rerun"
    )
    if made.open:
        with made:
            list_statements(STATEMENTS[page])
            st.caption("Sources and derivations: docs/mathematics.md.")


def list_statements(statements: Iterable[Statement]) -> None:
    """One after the other; nothing where there are none."""
    for each in statements:
        says = each.says[0].upper() + each.says[1:]
        st.markdown(f"{says} · `caldp_core.{each.code}`")
        if each.formula:
            st.latex(each.formula)
