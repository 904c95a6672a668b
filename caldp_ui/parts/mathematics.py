"""The statements that a page depends on: each in a sentence, its formula, its place in the code."""

from collections.abc import Iterable

import streamlit as st

from caldp_ui.app.run_limiter import fragment
from caldp_ui.controls import menus
from caldp_ui.words.statements import OF_PAGES, Statement


@fragment
def drawer(page: str) -> None:
    """The drawer of all statements of a page; they are drawn once it is opened."""

    def statements() -> None:
        list_statements(OF_PAGES[page])
        st.caption("Sources and derivations: docs/mathematics.md.")

    key, icon = f"{page}-mathematics", ":material/function:"
    menus.fold(st.expander, "The mathematics", key, statements, icon=icon)


def list_statements(statements: Iterable[Statement]) -> None:
    """Show statements one after the other; nothing where there are none."""
    for each in statements:
        sentence = each.says[0].upper() + each.says[1:]
        st.markdown(f"{sentence} · `{each.code}`" if each.code else sentence)
        if each.formula:
            st.latex(each.formula)
