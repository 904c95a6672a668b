"""Copies of a visitor's own data in their browser's tab, which returns them after a reload.

They are in the tab's session storage: no other tab, address or visit has them, and they end with
the tab.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

import streamlit as st

from caldp_core.basics.cache import cached
from caldp_core.basics.errors import CaldpError
from caldp_core.datasets import DatasetSpec
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute.sources import is_own
from caldp_ui.session import visitor_data

KEY: Final = "own-copies"
_MAX: Final = 1_000_000
"""Most characters of data that are copied: a tab has room for five million."""
_copies: Final = st.components.v2.component(
    "caldp_own_copies", js=(Path(__file__).parent / "web" / "copies.js").read_text("utf-8")
)


def show(awaited: Mapping[str, str] | None) -> None:
    """Copy the visit's own data into the tab, and ask it for those that a link waits for."""
    kept = {name: _text(spec) for name, spec in visitor_data.kept_datasets().items()}
    short = [[name, text] for name, text in kept.items() if len(text) <= _MAX]
    ask = (awaited or {}).get(visitor_data.OWN, "")
    if short or ask:
        _copies(key=KEY, data={"keep": short, "ask": ask}, on_found_change=_take)


def _take() -> None:
    """Keep what the tab returns; it is untrusted, as any upload is."""
    found = st.session_state[KEY].get("found")
    try:
        name, text = found
        spec = Scenario.from_text(text).dataset
        if is_own(spec) and name not in visitor_data.kept_datasets():
            visitor_data.keep(spec, str(name)[:16])
    except (CaldpError, TypeError, ValueError):
        return


@cached
def _text(spec: DatasetSpec) -> str:
    return json.dumps(replace(Scenario(), dataset=spec).to_dict(), ensure_ascii=False)
