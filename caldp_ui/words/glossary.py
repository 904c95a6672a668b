"""Every term in a sentence or two, from `glossary.toml`: for popovers and for help texts."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import streamlit as st

DEFINITIONS: Final[Mapping[str, str]] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
)


def terms(*names: str) -> None:
    """A popover that explains these terms."""
    with st.popover("Terms used here", type="tertiary", icon=":material/help:"):
        st.markdown("\n\n".join(f"**{name}**: {DEFINITIONS[name]}" for name in names))
