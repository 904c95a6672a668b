"""Share and export: a link, a QR code, files, code that gives the same digits, and a record."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Final, TypeAlias

import segno
import streamlit as st

from caldp_core.collect.protocol import can_be_collected, unprotected_text
from caldp_core.domain.grid import GridDomain
from caldp_core.experiments.run import Result
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.app import gate
from caldp_ui.app.errors import escape_markdown
from caldp_ui.app.run_limiter import fragment
from caldp_ui.compute import exports
from caldp_ui.compute.sources import estimate_is_public, is_own
from caldp_ui.controls import menus
from caldp_ui.parts import internal, record
from caldp_ui.parts.record import AuditReport, ReportContent
from caldp_ui.session import jobs, visitor_data
from caldp_ui.session.page_state import PageState, R
from caldp_ui.session.scenarios import S
from caldp_ui.words.vocabulary import Vocabulary

File: TypeAlias = str | bytes | Callable[[], bytes | str]
"""The content of a file, or a function that makes it once it is requested."""
_KINDS: Final = {
    "csv": ("text/csv", ":material/table:"),
    "json": ("application/json", ":material/data_object:"),
    "geojson": ("application/geo+json", ":material/map:"),
    "parquet": ("application/vnd.apache.parquet", ":material/map:"),
    "html": ("text/html", ":material/description:"),
    "png": ("image/png", ":material/image:"),
    "zip": ("application/zip", ":material/folder_zip:"),
    "txt": ("text/plain", ":material/notes:"),
}
"""MIME type and icon of a file, by the end of its name."""
PLAIN: Final = "plain-ldp"
"""The file of the best plain LDP that stands beside a page's protection."""
_QR_MAX: Final = 2_331
"""Most bytes of a QR code that stands some dirt (level M)."""


@contextmanager
def link_columns(state: PageState[R]) -> Iterator[None]:
    """The link at the left; what is drawn within comes beside it."""
    left, right = st.columns(2, gap="large")
    with left:
        show_link(state)
    with right:
        yield


def section(
    state: PageState[S],
    nouns: Vocabulary,
    content: ReportContent | None,
    other_scenarios: Mapping[str, Scenario],
    picture: Callable[[], None],
) -> None:
    """All exports of a page with a scenario; its link alone as long as `content` is None.

    `other_scenarios`: other scenarios on show, by the names of their files. `picture`:
    draws how to save the picture. Of a visitor's own data all but what is internal holds nothing
    true.
    """
    left, right = st.columns(2, gap="large")
    with left:
        show_link(state)
    if content is None:
        st.info("Files and the record come once the pictures are there.")
        return
    scenario = content.ours.setup.scenario
    with left:
        picture()
    with right:
        report = record_page(state, nouns, content)
        files(state, content.ours)
        collection(state, content.ours)
        with _internal(scenario):
            _scenario_files(state, scenario, other_scenarios)
            if report is not None and is_own(scenario.dataset):
                page = partial(record.html, nouns, content, report, _address(state.query()))
                true_file(state.key("record-internal"), "record.html", page, scenario)
            show_code(scenario)


@contextmanager
def _internal(scenario: Scenario) -> Iterator[None]:
    """A part to open on purpose, for what holds true counts of a visitor's own data."""
    if not is_own(scenario.dataset):
        yield
        return
    with st.expander("Internal: files with the true counts of your data", icon=":material/lock:"):
        st.caption(f":red[**{internal.LINE}**] Each file says so inside.")
        yield


def export_digits(
    state: PageState[R],
    description: str,
    named_files: Mapping[str, File],
    snippet: str,
    scenario: Scenario,
) -> None:
    """Exports of maps with their own digits: the link, files by name, Python that gives them.

    The files hold the data of `scenario`.
    """
    left, right = st.columns(2, gap="large")
    with left:
        show_link(state)
        show_map_save_hint()
    with right:
        st.markdown(f"**{_again_text(scenario)}** · {description}")
        with _internal(scenario):
            with st.container(horizontal=True):
                for name, data in named_files.items():
                    true_file(state.key(name.replace(".", "-")), name, data, scenario)
            python(snippet)


def _again_text(scenario: Scenario) -> str:
    """What files and code give; noise on a visitor's own data is secret here."""
    is_same = not is_own(scenario.dataset)
    return "The same digits elsewhere" if is_same else "The same settings elsewhere, with new noise"


def show_map_save_hint() -> None:
    """Show that maps are saved by a button of their own."""
    st.caption("The button with the arrow on the maps saves them as a picture.")


def show_link(state: PageState[R]) -> None:
    """The address of what a page shows."""
    show_query_link(state.query())


def show_query_link(query: Mapping[str, str]) -> None:
    """The address to copy, and as a QR code where others can open it."""
    if visitor_data.lacks_data(query):
        st.markdown(
            "**Link** · none: your areas or your map are too long for one. The address bar serves "
            "this visit alone; **the scenario file holds them**, and “Your data” opens it again."
        )
        return
    address = gate.current_address(query)
    others = gate.shared_address(address)
    if visitor_data.OWN in query:
        st.markdown(
            "**Link** · holds the settings and none of your data: who opens it is asked for their "
            "file, and needs one with the same answers or the same map"
        )
    else:
        st.markdown("**Link** · opens what you see; the address bar always holds it")
    st.code(others or address, language=None, wrap_lines=True)
    if others is None:
        st.caption(
            "This server answers this machine only. docs/deploy.md says how others in the room can "
            "open the link; a QR code for them is shown here then."
        )
        return
    if len(others) > _QR_MAX:
        st.caption("It is too long for a QR code.")
        return
    with st.container(key="qr"):
        st.image(
            segno.make(others, error="m").svg_inline(scale=4, border=2),
            width=200,
            alt="The link as a QR code.",
        )


def file_button(key: str, name: str, data: File) -> None:
    """A button that saves a file under its name: text, bytes, or a function that makes them.

    The browser asks for it at a click: an address that it got before leads nowhere once the
    page has been drawn anew.
    """
    kind, icon = _KINDS[name.rpartition(".")[2]]
    make = data if callable(data) else lambda: data
    st.download_button(name, make, name, kind, key=key, icon=icon, on_click="ignore")


def true_file(key: str, name: str, data: File, *scenarios: Scenario) -> None:
    """The button of a file with true counts: internal if any of `scenarios` has own data."""
    if not any(is_own(each.dataset) for each in scenarios):
        file_button(key, name, data)
        return

    def marked() -> bytes:
        content = data() if callable(data) else data
        return internal.mark(name, content.encode() if isinstance(content, str) else content)

    file_button(key, internal.file_name(name), marked)


def true_text(text: str, *scenarios: Scenario) -> str:
    """A text to copy that is made from true counts; of a visitor's own data it says so."""
    if not any(is_own(each.dataset) for each in scenarios):
        return text
    return f"{internal.LINE}\n\n{text}"


def python(text: str) -> None:
    """Code that gives the page's digits, folded."""
    with st.expander("Python"):
        st.code(text, language="python")


@fragment
def drawer(key: str, show: Callable[[], None]) -> None:
    """The drawer of exports on a page without tabs; drawn once it is opened."""
    menus.fold(st.expander, "Share and export", key, show, icon=":material/share:")


def files(state: PageState[S], result: Result) -> None:
    """The estimate as files; internal where the truth is mixed in."""
    scenario = result.setup.scenario
    if not estimate_is_public(scenario):
        csv = partial(exports.estimate_csv, result)
        true_file(state.key("csv"), "estimate.csv", csv, scenario)
        return
    if is_own(scenario.dataset):
        st.caption(record.open_counts_text(result.setup))
    with st.container(horizontal=True):
        file_button(state.key("csv"), "estimate.csv", lambda: exports.estimate_csv(result))
        if isinstance(result.setup.dataset.domain, GridDomain):
            on_maps = {
                "geojson": exports.estimate_geojson,
                "parquet": exports.estimate_geoparquet,
            }
            for kind, make in on_maps.items():
                file_button(state.key(kind), f"estimate.{kind}", partial(make, result))


def _scenario_files(
    state: PageState[S], ours: Scenario, other_scenarios: Mapping[str, Scenario]
) -> None:
    """The scenario, and those `other_scenarios` by name, as files."""
    with st.container(horizontal=True):
        true_file(state.key("json"), exports.FILE, exports.scenario_json(ours), ours)
        for name, scenario in other_scenarios.items():
            text = exports.scenario_json(scenario)
            true_file(state.key(f"json-{name}"), f"{name}.json", text, scenario)


def collection(state: PageState[S], result: Result) -> None:
    """The protocol of a real collection, where devices can run what is on show."""
    if not can_be_collected(result.setup):
        return
    st.markdown(
        "**A real collection** · protocol.json is what phones and the collector share: the values, "
        "who hides among whom, ε and the coins. It holds no data and no counts."
    )
    if unprotected := unprotected_text(result.setup):
        st.warning(f"{escape_markdown(unprotected)}.")
        if not st.checkbox("Make the protocol all the same", key=state.key("allow-unprotected")):
            return
    file_button(state.key("protocol"), "protocol.json", lambda: exports.protocol_json(result))
    st.caption("docs/collect.md goes on from there, to reports of real people.")


def show_code(scenario: Scenario) -> None:
    """A command and Python that give the digits on the page."""
    file = exports.scenario_file(scenario)
    st.markdown(f"**{_again_text(scenario)}** · with {file}, or in Python")
    st.code(exports.command(scenario), language="bash")
    python(exports.snippet(scenario))


def record_page(
    state: PageState[S], nouns: Vocabulary, content: ReportContent
) -> AuditReport | None:
    """The record: first the exact audit beside the page, then the file; returns the audit."""
    st.markdown(
        "**Record of one page** · what was protected, from whom, how well, and what is not "
        "promised; with the exact audit of this very mechanism. Opens offline, prints on one sheet."
    )
    scenario = content.ours.setup.scenario
    report = jobs.run_on_click(
        state.key("audit"),
        exports.scenario_json(scenario),
        lambda progress: record.audit_scenario(scenario, progress),
        jobs.StartButton("Audit and make the record", ":material/verified:"),
        lambda job: f"Auditing the channel, then forecasting the error: {job.seconds:.0f} s so far",
    )
    if report is not None and estimate_is_public(scenario):
        make = record.publishable_html if is_own(scenario.dataset) else record.html
        st.download_button(
            "record.html",
            make(nouns, content, report, _address(state.query())),
            "record.html",
            "text/html",
            key=state.key("record"),
            icon=":material/description:",
            type="primary",
            on_click="ignore",
        )
    return report


def _address(query: Mapping[str, str]) -> str:
    return "" if visitor_data.lacks_data(query) else gate.current_address(query)
