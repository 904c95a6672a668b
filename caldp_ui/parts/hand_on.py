"""Hand it on: a link, a QR code, files, code that gives the same digits, and a record of one page.

Room: parts.
"""

from collections.abc import Callable, Mapping
from typing import Final

import segno
import streamlit as st

from caldp_core.experiments.run import Result
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.app import addresses
from caldp_ui.compute import exports
from caldp_ui.parts import record
from caldp_ui.parts.record import Checked, Exhibit
from caldp_ui.session import jobs
from caldp_ui.session.scenarios import S
from caldp_ui.session.slot import Slot
from caldp_ui.words.vocabulary import Vocabulary

_KINDS: Final = {
    "csv": ("text/csv", ":material/table:"),
    "json": ("application/json", ":material/data_object:"),
}
"""What a file is, and its icon, by the end of its name."""
PLAIN: Final = "plain-ldp"
"""The file of the best plain LDP that stands beside a page's protection."""


def link(query: Mapping[str, str]) -> None:
    """The address to copy, and as a QR code where others can open it."""
    address = addresses.here(query)
    others = addresses.for_others(address)
    st.markdown("**Link** · opens what you see; the address bar always holds it")
    st.code(others or address, language=None, wrap_lines=True)
    if others is None:
        st.caption(
            "This server answers this machine only. README, “For a whole class”, says how others "
            "in the room can open the link; a QR code for them is shown here then."
        )
        return
    with st.container(key="qr"):
        st.image(
            segno.make(others, error="m").svg_inline(scale=4, border=2),
            width=200,
            alt="The link as a QR code.",
        )


def file(key: str, name: str, data: str | bytes) -> None:
    """A button that saves a file, text or bytes, under its name."""
    kind, icon = _KINDS[name.rpartition(".")[2]]
    st.download_button(name, data, name, kind, key=key, icon=icon, on_click="ignore")


def python(text: str) -> None:
    """Code that gives the page's digits, folded."""
    with st.expander("Python"):
        st.code(text, language="python")


@st.fragment
def drawer(key: str, show: Callable[[], None]) -> None:
    """What can be taken along on a page without tabs; drawn once it is opened."""
    made = st.expander("Hand it on", icon=":material/share:", key=key, on_change="rerun")
    if made.open:
        with made:
            show()


def files(slot: Slot[S], result: Result, beside: Mapping[str, Scenario]) -> None:
    """The estimate and the scenario as files, and by name the scenarios that stand beside it."""
    with st.container(horizontal=True):
        st.download_button(
            "estimate.csv",
            lambda: exports.estimate_csv(result),
            "estimate.csv",
            "text/csv",
            key=slot.key("csv"),
            icon=":material/table:",
            on_click="ignore",
        )
        st.download_button(
            "scenario.json",
            exports.scenario_json(result.setup.scenario),
            "scenario.json",
            "application/json",
            key=slot.key("json"),
            icon=":material/data_object:",
            on_click="ignore",
        )
        for name, scenario in beside.items():
            text = exports.scenario_json(scenario)
            file(slot.key(f"json-{name}"), f"{name}.json", text)


def code(result: Result) -> None:
    """A command and Python that give the digits on the page."""
    st.markdown("**The same digits elsewhere** · with scenario.json, or in Python")
    st.code(exports.COMMAND, language="bash")
    python(exports.snippet(result.setup.scenario))


def record_page(slot: Slot[S], nouns: Vocabulary, shown: Exhibit) -> None:
    """The record: first the exact audit beside the page, then the file."""
    st.markdown(
        "**Record of one page** · what was protected, from whom, how well, and what is not "
        "promised; with the exact audit of this very mechanism. Opens offline, prints on one sheet."
    )
    scenario = shown.ours.setup.scenario
    found = jobs.offered(
        slot.key("audit"),
        exports.scenario_json(scenario),
        lambda progress: record.check(scenario, progress),
        jobs.Offer("Audit and make the record", ":material/verified:"),
        _told,
    )
    if found is not None:
        st.download_button(
            "record.html",
            record.html(nouns, shown, found),
            "record.html",
            "text/html",
            key=slot.key("record"),
            icon=":material/description:",
            type="primary",
            on_click="ignore",
        )


def _told(job: jobs.Job[Checked]) -> str:
    return f"Auditing the channel, then forecasting the error: {job.seconds:.0f} s so far"
