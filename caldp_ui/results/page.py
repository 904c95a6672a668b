"""The page: its picture, what is beside it, and the tabs below."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from html import escape
from typing import Final

import numpy as np
import pandas as pd
import streamlit as st

from caldp_core.collect.estimate import Delivery, Results, error_sentence
from caldp_core.collect.json_files import format_json
from caldp_core.domain.domains import GridDomain
from caldp_core.experiments.table import as_cell, as_csv, cells_as_geojson
from caldp_ui.app.texts import escape_markdown, read_texts
from caldp_ui.controls import common
from caldp_ui.parts import comparison, sharing
from caldp_ui.parts.layout import column_layout, tabs
from caldp_ui.results import page_state, view
from caldp_ui.results.page_state import LEVELS, STATE, TIMES, ResultsState
from caldp_ui.stage.component import stage
from caldp_ui.words import formats
from caldp_ui.words.accuracy import terms

TEXTS: Final = read_texts(__file__)
_LEVEL_SLIDER: Final = common.field_slider(
    "level", LEVELS, lambda level: f"{100 * level:g} times in 100"
)
_TIMES_SLIDER: Final = common.field_slider("times", TIMES, view.reports_text)


def _attacker(results: Results) -> None:
    """Show a slider of reports, and right guesses of 100 with fresh noise and a stored report."""
    record = STATE.current()
    common.show(STATE, _TIMES_SLIDER, "Reports of one person to this question")
    stored, fresh, sentence = view.describe_attacker(results, record.times)
    unprotected = map(escape_markdown, view.unprotected_sentences(results))
    st.markdown(" ".join([*unprotected, sentence]))
    if stored < 1:
        reports = view.reports_text(record.times)
        rows = [
            (f"{reports}, new noise each time", fresh),
            (f"{reports}, one stored report", stored),
        ]
        guesses = "".join(
            TEXTS["guess"].format(name=name, number=formats.hundred(chance), width=100 * chance)
            for name, chance in rows
        )
        st.html(f'<div class="guesses">{guesses}</div>')
        st.caption(TEXTS["guesses"])


_ROWS_MAX: Final = 31
"""Most tallies in the list: the last ones."""


def _show_side(results: Results) -> None:
    """Show the ranges' controls, the tallies, the refused reports and the check of counts."""
    _range_controls(results)
    st.markdown(f"**Reports counted: {formats.integer(results.reports)}**")
    if len(results.deliveries) > 1:
        most = max(each.reports for each in results.deliveries)
        rows = "".join(_delivery_html(each, most) for each in results.deliveries[-_ROWS_MAX:])
        st.html(f'<div class="deliveries">{rows}</div>')
        unlisted = len(results.deliveries) - _ROWS_MAX
        if unlisted > 0:
            st.caption(f"{formats.integer(unlisted)} earlier tallies are not listed.")
    else:
        st.caption("With one tally a day, this shows what came when.")
    _show_refused(results)
    text, is_alarm = view.law_text(results)
    if is_alarm:
        st.warning(escape_markdown(text), icon=":material/warning:")
    elif text:
        st.caption(text)


def _range_controls(results: Results) -> None:
    if not results.deliveries:
        looks = view.looks_text(results)
        st.caption(f"The ranges were made for {100 * results.level:g} times in 100{looks}.")
        return
    help_text = "The surer, the wider. The estimate stays."
    common.show(STATE, _LEVEL_SLIDER, "Ranges hold the true share", help_text)
    running = STATE.current().running
    bound = STATE.bind("running", running, lambda r, v: replace(r, running=v))
    st.toggle("Reports still come", help=TEXTS["running"], **bound)


def _delivery_html(each: Delivery, most: int) -> str:
    name, reports = escape(each.name), formats.integer(each.reports)
    wide = 100 * each.reports / max(most, 1)
    return (
        f'<p><span>{name}</span><span class="strip" aria-hidden="true">'
        f'<i class="share" style="left:0;width:{wide:.2f}%"></i></span><span>{reports}</span></p>'
    )


def _show_refused(results: Results) -> None:
    refused = results.refused
    if refused is None:
        st.caption("What was refused is in record.json, which was not given.")
        return
    counts = {reason: count for reason, count in refused.items() if count}
    if not counts:
        st.markdown("**Nothing was refused.**")
        return
    st.markdown(f"**Refused, and not counted: {formats.integer(sum(counts.values()))}**")
    lines = []
    for reason, count in counts.items():
        short, long = view.REASONS[reason]
        lines.append(f"- {formats.integer(count)} {short}: {long}{_tally_text(results, reason)}")
    st.markdown("\n".join(lines))


def _tally_text(results: Results, reason: str) -> str:
    """The tally with most of the refused reports, if it has more than all others together."""
    counts = {each.name: each.refused[reason] for each in results.deliveries}
    if len(counts) < 2:
        return ""
    name = max(counts, key=lambda each: counts[each])
    return f" (mostly {escape_markdown(name)})" if 2 * counts[name] > sum(counts.values()) else ""


_ROWS: Final = 5_000
"""Rows of the table on the page; the file has all."""


def _promise(results: Results) -> None:
    comparison.bullets(map(escape_markdown, view.promise_sentences(results)))
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
    looks = view.looks_text(results)
    st.caption(TEXTS["numbers"].format(more=more, level=100 * results.level, looks=looks))


def _sharing(results: Results) -> None:
    with sharing.link_columns(STATE):
        st.markdown("**Files** · publish the record with the estimate")
        with st.container(horizontal=True):
            for name, data in export_files(results).items():
                sharing.file_button(STATE.key(name.replace(".", "-")), name, data)
        st.caption("The link opens this page with its settings. It holds none of your files.")


def export_files(results: Results) -> dict[str, sharing.File]:
    """Files that this page makes of a collection, by name; bytes, or a function that makes them."""
    files: dict[str, sharing.File] = {"estimate.csv": lambda: as_csv(results.table).encode()}
    domain = results.protocol.domain
    if isinstance(domain, GridDomain):
        cells = partial(cells_as_geojson, domain, results.table, results.shares)
        files["estimate.geojson"] = lambda: cells().encode()
    if results.record is not None:
        files["record.json"] = format_json(dict(results.record))
    return files


_TABS: Final[dict[str, Callable[[Results], None]]] = {
    "What an attacker learns": _attacker,
    "What is promised": _promise,
    "Numbers": _numbers,
    "Share and export": _sharing,
}


def show(record: ResultsState) -> None:
    """Show the page at a record: of the files that were brought, or of the example."""
    page = column_layout(STATE)
    with page.main:
        data = page_state.load_data(record)
    page.show_headline(
        view.headline(data.results, is_example=data.is_example) if data else view.READING
    )
    with page.title:
        page_state.popover(is_example=data is not None and data.is_example)
    if data is None:
        return
    # The example's height is known, and is reserved until its bars are drawn.
    name = STATE.key("made-up" if data.is_example else "own-picture")
    on_map = isinstance(data.results.protocol.domain, GridDomain)
    with page.main, st.container(key=name):
        if on_map:
            stage(view.scene(data.results), STATE.key("maps"))
        else:
            st.html(view.bars_html(data.results))
    with page.below:
        tabs(STATE.key("tabs"), _TABS, data.results)
    with page.side:
        _show_side(data.results)
