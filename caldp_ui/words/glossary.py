"""Every term in a sentence or two, and the statements that pages and stations rest on."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import streamlit as st

from caldp_ui.app.texts import read_toml

DEFINITIONS: Final[Mapping[str, str]] = read_toml(__file__, "glossary.toml")


def terms(*names: str) -> None:
    """A popover that explains these terms."""
    with st.popover("Terms used here", type="tertiary", icon=":material/help:"):
        st.markdown("\n\n".join(f"**{name}**: {DEFINITIONS[name]}" for name in names))


@dataclass(frozen=True)
class Statement:
    """A statement with its source; its full name in the code and its formula in LaTeX, or ""."""

    says: str
    code: str = ""
    formula: str = ""


def _read() -> Mapping[str, Mapping[str, tuple[Statement, ...]]]:
    """By kind (page, station) and name, the statements of the file."""
    return {
        kind: {name: tuple(Statement(**each) for each in rows) for name, rows in table.items()}
        for kind, table in read_toml(__file__, "statements.toml").items()
    }


_ALL: Final = _read()
OF_PAGES: Final = _ALL["page"]
"""By the page that shows them."""
OF_STATIONS: Final = _ALL["station"]
"""By the station of the classroom, whose expander “The formula” has the formulas themselves."""
