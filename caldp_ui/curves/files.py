"""Exports: every curve's scenarios, and Python that reproduces their errors."""

import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

import streamlit as st

from caldp_ui.compute.sources import is_own
from caldp_ui.curves import films
from caldp_ui.curves.lines import BUDGET, Line, record_lines
from caldp_ui.curves.page_state import STATE, Curves
from caldp_ui.offline import offer
from caldp_ui.parts import internal, sharing

_FILE: Final = "curves.json"
SNIPPET: Final = f"""import json

from caldp_core import Scenario, prepare
from caldp_core.experiments.forecast import forecast_if_fast
from caldp_core.theory.expected_error import Budget

with open("curves.json", encoding="utf-8") as file:
    curves = json.load(file)
for curve in curves:
    for point in curve["points"]:
        setup = prepare(Scenario.from_dict(point["scenario"]))
        expected = forecast_if_fast(setup, budget={BUDGET!r}, error=curve["error"])
        print(curve["curve"], point["x"], expected and expected.error, sep="\\t")
"""
"""Prints the expected errors that the page draws, with the file `curves.json` beside it."""


def show(lines: Sequence[Line]) -> None:
    """Link, file and code, in a part of the page that opens on demand."""
    sharing.drawer(STATE.key("sharing"), partial(_show, lines))


def _show(lines: Sequence[Line]) -> None:
    with sharing.link_columns(STATE):
        st.markdown("**Reproduce it to the digit** · the scenario of every point, and Python")
        scenarios = [line.scenarios[0] for line in lines]
        sharing.true_file(STATE.key("json"), _FILE, curves_json(lines), *scenarios)
        own = any(is_own(each.dataset) for each in scenarios)
        sharing.python(SNIPPET.replace(_FILE, internal.file_name(_FILE)) if own else SNIPPET)
        offer.offer_page(STATE, films.part)


def pack(table: bytes, records: Mapping[str, Curves]) -> bytes:
    """A ZIP file: the drawn curves as compare.csv, and of each record the scenarios of its own."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("compare.csv", table)
        for folder, record in records.items():
            packed.writestr(f"{folder}/curves.json", curves_json(record_lines(record)))
    return buffer.getvalue()


def curves_json(lines: Sequence[Line]) -> str:
    """Curve by curve, its error by name, each point's place on the axis and its scenario."""
    return json.dumps(
        [
            {
                "curve": line.title,
                "error": line.error,
                "points": [
                    {"x": x, "scenario": replace(scenario, seed=0).to_dict()}
                    for x, scenario in zip(line.places, line.scenarios, strict=True)
                ],
            }
            for line in lines
        ],
        indent=1,
        ensure_ascii=False,
    )
