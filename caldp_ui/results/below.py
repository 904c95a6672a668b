"""Tabs under the picture: what an attacker learns, what is promised, numbers, exports."""

from collections.abc import Callable
from functools import partial
from typing import Final

import numpy as np
import pandas as pd
import streamlit as st

from caldp_core.collect.estimate import Results, error_sentence
from caldp_core.collect.json_files import format_json
from caldp_core.domain.grid import GridDomain
from caldp_core.experiments.table import as_cell, as_csv, cells_as_geojson
from caldp_ui.app.errors import escape_markdown
from caldp_ui.parts import promises, sharing
from caldp_ui.parts.tabs import tabs
from caldp_ui.results import attacker, words
from caldp_ui.results.page_state import STATE
from caldp_ui.words import formats
from caldp_ui.words.glossary import terms

_ROWS: Final = 5_000
"""Rows of the table on the page; the file has all."""


def show(results: Results) -> None:
    """Show the tabs and the content of the open one."""
    tabs(STATE.key("tabs"), _TABS, results)


def _attacker(results: Results) -> None:
    attacker.show(STATE.current(), results)


def _promise(results: Results) -> None:
    promises.bullets(map(escape_markdown, words.promise_sentences(results)))
    st.markdown(
        f"Protocol `{results.protocol.fingerprint[:16]}`, mechanism "
        f"`{results.protocol.plan.summary()['kind']}`."
    )
    terms("ε", "local differential privacy", "context-aware")


def _numbers(results: Results) -> None:
    order = np.argsort(-results.shares, kind="stable")[:_ROWS]
    frame = pd.DataFrame(
        {name: [as_cell(cells[x]) for x in order.tolist()] for name, cells in results.table.items()}
    )
    st.dataframe(frame, hide_index=True, key=STATE.key("table"))
    remaining = results.shares.size - order.size
    more = f" {formats.integer(remaining)} rarer ones are in the file." if remaining else ""
    if results.error is not None:
        st.markdown(error_sentence(results.protocol, results.error))
    st.caption(
        f"The most common first.{more} low, high: each range holds its true share "
        f"{100 * results.level:g} times in 100 and includes the estimate; so do, on average, those "
        "of the first rows, however many you look at. "
        "may be noise: all rows that say no have people, as surely. There is no "
        "column of the truth: in a real collection nobody knows it."
    )


def _sharing(results: Results) -> None:
    with sharing.link_columns(STATE):
        st.markdown("**Files** · publish the record with the estimate")
        with st.container(horizontal=True):
            for name, data in export_files(results).items():
                sharing.file_button(STATE.key(name.replace(".", "-")), name, data)
        st.caption("The link opens this page with its settings. It holds none of your files.")


def export_files(results: Results) -> dict[str, sharing.File]:
    """Files that this page makes of a collection, by name; bytes, or a function that makes them."""
    files: dict[str, sharing.File] = {
        "estimate.csv": lambda: as_csv(results.table).encode(),
    }
    domain = results.protocol.domain
    if isinstance(domain, GridDomain):
        files["estimate.geojson"] = partial(_geojson, results, domain)
    if results.record is not None:
        files["record.json"] = format_json(dict(results.record))
    return files


def _geojson(results: Results, domain: GridDomain) -> bytes:
    return cells_as_geojson(domain, results.table, results.shares).encode()


_TABS: Final[dict[str, Callable[[Results], None]]] = {
    "What an attacker learns": _attacker,
    "What is promised": _promise,
    "Numbers": _numbers,
    "Share and export": _sharing,
}
