"""Share and export: a link, a QR code, files, code that gives the same digits, and a record.

The record is one self-contained HTML page that opens offline and prints on a sheet. Every number of
it comes from a computation or an audit; `record.html` is its form.
"""

import base64
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from html import escape
from typing import Final, Literal, TypeAlias

import numpy as np
import segno
import streamlit as st

from caldp_core import __version__
from caldp_core.audit.adversary import max_guess_accuracy
from caldp_core.basics.types import Floats, Progress, part_of
from caldp_core.collect.protocol import can_be_collected, unprotected_text
from caldp_core.datasets.public_map import PublicMap
from caldp_core.domain.domains import GridDomain
from caldp_core.estimation.estimators import ESTIMATORS
from caldp_core.experiments.forecast import invalid_error_reason
from caldp_core.experiments.run import Result, Setup
from caldp_core.experiments.table import as_geojson, as_geoparquet
from caldp_core.mechanisms.catalogue import MECHANISMS
from caldp_core.privacy.context import Context
from caldp_core.privacy.matrix import coverage
from caldp_core.scenarios.scenario import Scenario
from caldp_core.theory.expected_error import Forecast
from caldp_ui.app import gate
from caldp_ui.app.fragments import fragment
from caldp_ui.app.texts import escape_markdown, read_texts, read_toml
from caldp_ui.app.user_text import UserText
from caldp_ui.compute import runs
from caldp_ui.compute.runs import PrivacySummary, is_own, summarize_privacy
from caldp_ui.controls import choices
from caldp_ui.parts import layout, pack
from caldp_ui.server.vault import bound_to_visit
from caldp_ui.session import jobs, visit
from caldp_ui.session.page_state import PageState, R, S
from caldp_ui.words import accuracy, formats, policies, promise
from caldp_ui.words.formats import MEANING, Vocabulary

TEXTS: Final = read_texts(__file__)

_FORM: Final = "record.html"
_MEMO: Final = "memo.html"


@dataclass(frozen=True, eq=False)
class ReportContent:
    """The content of a record.

    `sentence`: the page's on its result, by the truth; `pictures`: PNGs by title, of estimates;
    `true_pictures`: those that show the truth. `by_area`: the estimate by areas.
    `treatments`: those of the same data, as an HTML table.
    """

    ours: Result
    sentence: str
    pictures: Mapping[str, bytes]
    true_pictures: Mapping[str, bytes] = field(default_factory=dict)
    by_area: pack.AreaResult | None = None
    treatments: str = ""


@dataclass(frozen=True)
class AuditReport:
    """The parts of a record that take seconds: the audit's result, and the error to expect."""

    summary: PrivacySummary
    expected: Forecast | None


def audit_scenario(scenario: Scenario, progress: Progress) -> AuditReport:
    """Audit a scenario and forecast its error, for a job beside the page."""
    summary = summarize_privacy(scenario, part_of(progress, 0.0, 0.5))
    return AuditReport(summary, runs.expected_error(scenario, part_of(progress, 0.5, 1.0)))


def html(
    nouns: Vocabulary, content: ReportContent, report: AuditReport, address: str, form: str = _FORM
) -> str:
    """The record as an HTML page; `address` opens the scenario, "" where none does.

    `form`: its file; “memo.html” is a memo for a decision, with lines for reasons and signatures.
    Of a visitor's own data it is internal, and is saved with its mark (`true_file`).
    """
    ours, setup = content.ours, content.ours.setup
    texts = policies.describe_promise(nouns, setup)
    # Who is not protected comes before what that gained.
    both = [texts.summary, content.sentence][:: -1 if texts.protects_all else 1]
    # What was chosen or answered when a visitor's file was read.
    reading = getattr(setup.scenario.dataset, "reading", "")
    as_read = [("the file, as read", reading)] if reading else []
    return _page(
        nouns,
        setup,
        result=f"{_exposed(texts)}{bold_html(' '.join(both))}",
        pictures=_figures(content.true_pictures, content.pictures),
        method=[*_method(setup, texts), *as_read, *_errors(ours, report.expected)],
        audit=_audit(report.summary),
        repeat=_repeat(setup, address),
        scenario=_scenario(setup),
        form=form,
        by_area="" if content.by_area is None else content.by_area.table_html,
        treatments=memo_section("Treatments and attacks that were tried", content.treatments),
        other_levels=memo_section("With more noise, or with less", _other_levels(nouns, setup)),
    )


def memo_section(title: str, content: str) -> str:
    """A part of a memo as HTML, with its heading; "" without content."""
    return f"<h2>{title}</h2>\n{content}" if content else ""


def open_counts_text(setup: Setup) -> str:
    """What an estimate holds that is true: what reports show openly."""
    if setup.partition.m > 1:
        return TEXTS["blocks_are_open"]
    if not coverage(setup.policy).protected.all():
        return TEXTS["most_are_open"]
    return "Shares of people are estimated from the reports, which hold no true count."


def _other_levels(nouns: Vocabulary, setup: Setup) -> str:
    """The attacker's odds in a context at half of ε and at twice as much, as HTML."""
    level = setup.scenario.policy.plain_epsilon
    lines = "".join(
        f"<li>At ε = {epsilon:g} an attacker who must choose between two equally likely "
        f"{nouns.units} that hide each other "
        f"{bold_html(promise.right_guess_text(max_guess_accuracy(epsilon)))}.</li>"
        for epsilon in ((level / 2, 2 * level) if isinstance(setup.policy, Context) else ())
    )
    return f"<ul>{lines}</ul>" if lines else ""


def rehearsal_files(
    nouns: Vocabulary, content: ReportContent, report: AuditReport, address: str
) -> dict[str, str | bytes]:
    """The files of a rehearsal by name: record, memo, scenario, and the estimate drawn and listed.

    All are internal; the pack that holds them marks each (`pack.mark`).
    """
    ours = content.ours
    drawn = pack.drawings(
        estimated_setup(ours.setup, ours.first.estimate),
        content.by_area,
        (policies.promise_summary(nouns, ours.setup), open_counts_text(ours.setup)),
    )
    return {
        _FORM: html(nouns, content, report, address),
        _MEMO: html(nouns, content, report, address, _MEMO),
        runs.FILE: ours.setup.scenario.to_json(),
        **drawn,
        **pack.tables(ours, content.by_area),
    }


def estimated_setup(setup: Setup, estimate: Floats) -> Setup:
    """The setup with (k,) estimated shares in the truth's place."""
    shares = np.clip(estimate, 0.0, None)
    total = float(shares.sum())
    distribution = shares / total if total else np.full(shares.size, 1 / shares.size)
    data = replace(setup.dataset, distribution=distribution, counts=None, fine_map=None)
    return replace(setup, dataset=data, scenario=replace(setup.scenario, n=setup.n))


def _page(
    nouns: Vocabulary, setup: Setup, *, method: Sequence[tuple[str, str]], **parts: str
) -> str:
    """The form with the promise to the people of a setup, and these parts."""
    texts, mixed = policies.describe_promise(nouns, setup), promise.scenario_text(nouns, setup)
    left_open = [*texts.not_promised, *([mixed] if mixed else [])]
    counted = promise.counted_as_people(setup.scenario)
    held = TEXTS["list_is_held"] if is_own(setup.scenario.dataset) else ""
    graded = "".join(f"<p><b>{escape(g.title)}.</b> {bold_html(g.odds)}</p>" for g in texts.grades)
    extra = (
        "" if texts.odds in {g.odds for g in texts.grades} else f"<p>{bold_html(texts.odds)}</p>"
    )
    return fill_template(
        title=f"Record: {UserText(setup.dataset.name).html}",
        protected=(
            f"<p>{_exposed(texts)}{bold_html(texts.protected)}</p><p>From everybody who sees a "
            f"person's report, the collector included. {escape(counted)} {held}</p>"
        ),
        icons=layout.picture(texts),
        odds=f"{graded}{extra}<p>{bold_html(texts.repeats)}</p><p>{escape(MEANING)}</p>",
        open="".join(f"<li>{bold_html(each)}</li>" for each in left_open),
        method="".join(f"<dt>{escape(a)}</dt><dd>{escape(b)}</dd>" for a, b in method),
        **parts,
    )


def _repeat(setup: Setup, address: str) -> str:
    link = f"; so does <code>{escape(address)}</code>" if address else ""
    scenario = setup.scenario
    below = "the file" if runs.is_in_file(scenario) else "the scenario below as"
    return (
        f"<code>{runs.command(scenario)}</code> with {below} {runs.scenario_file(scenario)} gives "
        f"the same {'settings, with new noise' if is_own(scenario.dataset) else 'digits'}{link}. "
        f"Seed {setup.scenario.seed}, caldp {__version__}."
    )


def _scenario(setup: Setup) -> str:
    """The scenario itself, but for one that a file alone holds."""
    if runs.is_in_file(setup.scenario):
        return ""
    text = json.dumps(setup.scenario.to_dict(), ensure_ascii=False)
    return f"<p><code>{escape(text)}</code></p>"


def fill_template(form: str = _FORM, **parts: str) -> str:
    """The form of this file with its parts, which are HTML already."""
    return layout.printed_form(__file__, form).substitute(parts)


def bold_html(text: str) -> str:
    """A sentence of ours with its bold parts; what else is emphasized stands plain."""
    return layout.bold_html(text, "b").replace("*", "")


def _figures(true: Mapping[str, bytes], estimated: Mapping[str, bytes]) -> str:
    """All pictures, and which of them show the truth."""
    drawn = "".join(_figure(title, png) for title, png in {**true, **estimated}.items())
    kinds = {"True counts": true, "Estimated from randomised reports": estimated}
    legend = " ".join(f"{kind}: {', '.join(some)}." for kind, some in kinds.items() if some)
    return f'{drawn}<p class="legend">{escape(legend)}</p>' if drawn else ""


def _figure(title: str, png: bytes) -> str:
    data = base64.b64encode(png).decode()
    return (
        f'<figure><figcaption>{escape(title)}</figcaption><img alt="{escape(title)}" '
        f'src="data:image/png;base64,{data}"></figure>'
    )


def _exposed(texts: promise.PromiseText) -> str:
    return f"{escape(texts.exposed)} " if texts.exposed else ""


def _method(setup: Setup, texts: promise.PromiseText) -> list[tuple[str, str]]:
    """Titles and words; with the title of the public map if the estimate uses one."""
    estimator, prior = ESTIMATORS[setup.scenario.estimator], setup.scenario.prior
    known = [prior.title] if estimator.needs_map and isinstance(prior, PublicMap) else []
    return [
        ("data", setup.dataset.name),
        ("reports", formats.integer(setup.n)),
        *texts.levels,
        ("method", MECHANISMS[setup.mechanism_name].title),
        ("estimate", estimator.title),
        *(("public map", title) for title in known),
    ]


def _errors(ours: Result, expected: Forecast | None) -> list[tuple[str, str]]:
    """How far the estimate is from the truth, and would be on average."""
    reason = invalid_error_reason(ours.setup)
    sampling = ("sampling alone", formats.share(ours.first.errors.sampling_tv))
    if reason:
        return [("error", reason), sampling]
    return [
        ("error (total variation)", formats.share(ours.first.errors.tv)),
        ("error to expect", accuracy.forecast(expected)),
        sampling,
    ]


def _audit(summary: PrivacySummary) -> str:
    if summary.holds is None:
        return f"<p>Not audited: {escape(summary.reason)}</p>"
    verdict = "It holds." if summary.holds else "It does NOT hold: do not rely on this protection."
    if summary.nothing_promised:
        verdict = "Nothing is promised, so there is nothing to hold: nobody is protected."
    worst = ""
    if summary.loss is not None and summary.epsilon is not None:
        # Both may round to one number.
        excess = "less than 0.0001" if summary.excess < 1e-4 else f"{summary.excess:.4f}"
        above = f": {excess} above it" if summary.excess > 0 else ""
        worst = TEXTS["worst_pair"].format(loss=summary.loss, level=summary.epsilon, above=above)
    return f"<p><b>{verdict}</b>{worst} Checked: {escape(summary.method)}.</p>"


File: TypeAlias = str | bytes | Callable[[], bytes | str]
"""The content of a file, or a function that makes it once it is requested."""
_KINDS: Final = read_toml(__file__, "file_kinds.toml")
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
    draws how to save the picture. Of a visitor's own data all files are internal but the protocol,
    from which others collect.
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
        with st.container():  # what is below keeps its place, and stays open, as the button goes
            report = record_page(state, nouns, content)
        if not is_own(scenario.dataset):
            files(state, content.ours)
        collection(state, content.ours)
        with _internal(scenario):
            with st.container(horizontal=True):
                true_file(state.key("json"), runs.FILE, scenario.to_json(), scenario)
                for name, other in other_scenarios.items():
                    true_file(state.key(f"json-{name}"), f"{name}.json", other.to_json(), other)
            if report is not None and is_own(scenario.dataset):
                address = _address(state.query())
                all_files = partial(rehearsal_files, nouns, content, report, address)
                rehearsal_pack(state.key("kept"), pack.PACK_NAME, all_files, scenario)
            show_code(scenario)


@contextmanager
def _internal(scenario: Scenario) -> Iterator[None]:
    """A part to open on purpose, for what holds true counts of a visitor's own data."""
    if not is_own(scenario.dataset):
        yield
        return
    with st.expander("Internal: files with the true counts of your data", icon=":material/lock:"):
        st.caption(f":red[**{pack.LINE}**] Each file says so inside.")
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
    if visit.lacks_data(query):
        st.markdown(TEXTS["no_link"])
        return
    address = gate.current_address(query)
    others = gate.shared_address(address)
    if visit.OWN in query:
        st.markdown(TEXTS["link_without_data"])
    else:
        st.markdown("**Link** · opens what you see; the address bar always holds it")
    st.code(others or address, language=None, wrap_lines=True)
    if others is None:
        st.caption(TEXTS["only_this_machine"])
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


def file_button(key: str, name: str, data: File, *, is_main: bool = False) -> None:
    """A button that saves a file under its name: text, bytes, or a function that makes them.

    The browser asks for it at a click: an address that it got before leads nowhere once the
    page has been drawn anew.
    """
    kind, icon = _KINDS[name.rpartition(".")[2]]
    make = bound_to_visit(data if callable(data) else lambda: data)
    look: Literal["primary", "secondary"] = "primary" if is_main else "secondary"
    st.download_button(name, make, name, kind, key=key, icon=icon, type=look, on_click="ignore")


def true_file(key: str, name: str, data: File, *scenarios: Scenario) -> None:
    """The button of a file with true counts: internal if any of `scenarios` has own data."""
    if not any(is_own(each.dataset) for each in scenarios):
        file_button(key, name, data)
        return

    def marked() -> bytes:
        content = data() if callable(data) else data
        return pack.mark(name, content.encode() if isinstance(content, str) else content)

    file_button(key, pack.file_name(name), marked)


def true_text(text: str, *scenarios: Scenario) -> str:
    """A text to copy that is made from true counts; of a visitor's own data it says so."""
    if not any(is_own(each.dataset) for each in scenarios):
        return text
    return f"{pack.LINE}\n\n{text}"


def python(text: str) -> None:
    """Code that gives the page's digits, folded."""
    with st.expander("Python"):
        st.code(text, language="python")


@fragment
def drawer(key: str, show: Callable[[], None]) -> None:
    """The drawer of exports on a page without tabs; drawn once it is opened."""
    choices.fold(st.expander, "Share and export", key, show, icon=":material/share:")


def rehearsal_pack(
    key: str, name: str, make: Callable[[], Mapping[str, str | bytes]], scenario: Scenario
) -> None:
    """The button of a pack of a rehearsal, a ZIP file that says in each of its files what it is."""
    true_file(key, name, lambda: pack.zip_of(make()), scenario)


def files(state: PageState[S], result: Result) -> None:
    """The estimate as files."""
    with st.container(horizontal=True):
        file_button(state.key("csv"), "estimate.csv", lambda: runs.estimate_csv(result))
        if isinstance(result.setup.dataset.domain, GridDomain):
            file_button(state.key("geojson"), "estimate.geojson", partial(as_geojson, result))
            file_button(state.key("parquet"), "estimate.parquet", partial(as_geoparquet, result))


def collection(state: PageState[S], result: Result) -> None:
    """The protocol of a real collection, where devices can run what is on show."""
    if not can_be_collected(result.setup):
        return
    st.markdown(TEXTS["collection"])
    if unprotected := unprotected_text(result.setup):
        st.warning(f"{escape_markdown(unprotected)}.")
        if not st.checkbox("Make the protocol all the same", key=state.key("allow-unprotected")):
            return
    file_button(state.key("protocol"), "protocol.json", lambda: runs.protocol_json(result))
    st.caption("docs/collect.md goes on from there, to reports of real people.")


def show_code(scenario: Scenario) -> None:
    """A command and Python that give the digits on the page."""
    file = runs.scenario_file(scenario)
    st.markdown(f"**{_again_text(scenario)}** · with {file}, or in Python")
    st.code(runs.command(scenario), language="bash")
    python(runs.snippet(scenario))


def record_page(
    state: PageState[S], nouns: Vocabulary, content: ReportContent
) -> AuditReport | None:
    """The record: first the exact audit beside the page, then the file; returns the audit.

    Of a visitor's own data the record is in the pack of the rehearsal.
    """
    scenario = content.ours.setup.scenario
    st.markdown(TEXTS["rehearsal"] if is_own(scenario.dataset) else TEXTS["record"])
    report = jobs.run_on_click(
        state.key("audit"),
        scenario.to_json(),
        lambda progress: audit_scenario(scenario, progress),
        jobs.StartButton("Audit and make the record", ":material/verified:"),
        lambda job: f"Auditing the channel, then forecasting the error: {job.seconds:.0f} s so far",
    )
    if report is not None and not is_own(scenario.dataset):
        page = html(nouns, content, report, _address(state.query()))
        file_button(state.key("record"), "record.html", page, is_main=True)
    return report


def _address(query: Mapping[str, str]) -> str:
    """The link of a record, "" where others cannot open it: on another machine or without data."""
    if visit.lacks_data(query):
        return ""
    return gate.shared_address(gate.current_address(query)) or ""
