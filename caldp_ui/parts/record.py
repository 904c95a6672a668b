"""The record of a scenario: one self-contained HTML page that opens offline and prints on a sheet.

Every number of it comes from a computation or an audit; `record.html` is its form.
"""

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from html import escape
from pathlib import Path
from string import Template
from typing import Final

import numpy as np

from caldp_core import __version__
from caldp_core.basics.types import Progress
from caldp_core.datasets.public_map import PublicMap
from caldp_core.estimation.estimators import ESTIMATORS
from caldp_core.experiments.error_validity import invalid_error_reason
from caldp_core.experiments.run import Result, Setup
from caldp_core.mechanisms.catalogue import MECHANISMS
from caldp_core.privacy.coverage import coverage
from caldp_core.scenarios.scenario import Scenario
from caldp_core.theory.expected_error import Forecast
from caldp_ui.compute import exports, runs
from caldp_ui.compute.privacy_summary import PrivacySummary, summarize_privacy
from caldp_ui.compute.sources import is_own
from caldp_ui.parts import headline, odds
from caldp_ui.words import accuracy, formats, mixing, policies, promise
from caldp_ui.words.formats import MEANING
from caldp_ui.words.promise_text import PromiseText
from caldp_ui.words.vocabulary import Vocabulary

_ACCURACY: Final = "95 % ranges of every share: columns low and high of estimate.csv"
_BRING: Final = (
    "The data stay with the person who brought them. With their file, these settings open again"
    f"{{link}}. caldp {__version__}."
)
_FORM: Final = Path(__file__).with_name("record.html")


@dataclass(frozen=True, eq=False)
class ReportContent:
    """The content of a record.

    `sentence`: the page's on its result, by the truth; `pictures`: PNGs by title, of estimates;
    `true_pictures`: those that show the truth.
    """

    ours: Result
    sentence: str
    pictures: Mapping[str, bytes]
    true_pictures: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True)
class AuditReport:
    """The parts of a record that take seconds: the audit's result, and the error to expect."""

    summary: PrivacySummary
    expected: Forecast | None


def audit_scenario(scenario: Scenario, progress: Progress) -> AuditReport:
    """Audit a scenario and forecast its error, for a job beside the page."""
    summary = summarize_privacy(scenario, lambda share: progress(share / 2))
    return AuditReport(
        summary, runs.expected_error(scenario, lambda share: progress(0.5 + share / 2))
    )


def html(nouns: Vocabulary, content: ReportContent, report: AuditReport, address: str) -> str:
    """The record as an HTML page; `address` opens the scenario, "" where none does.

    Of a visitor's own data it is internal: `publishable_html` is for others.
    """
    ours, setup = content.ours, content.ours.setup
    texts = policies.describe_promise(nouns, setup)
    # Who is not protected comes before what that gained.
    both = [texts.summary, content.sentence][:: -1 if texts.protects_all else 1]
    return _page(
        nouns,
        setup,
        result=f"{_exposed(texts)}{bold_html(' '.join(both))}",
        pictures=_figures(content.true_pictures, content.pictures),
        method=[*_method(setup, texts), *_errors(ours, report.expected)],
        audit=_audit(report.summary),
        repeat=_repeat(setup, address),
        scenario=_scenario(setup),
    )


def publishable_html(
    nouns: Vocabulary, content: ReportContent, report: AuditReport, address: str
) -> str:
    """The record without anything true of a visitor's own data: shares of people are estimated."""
    setup = _estimated(content.ours)
    texts = policies.describe_promise(nouns, setup)
    return _page(
        nouns,
        setup,
        result=f"{_exposed(texts)}{bold_html(texts.summary)} <p>{open_counts_text(setup)}</p>",
        pictures=_figures({}, content.pictures),
        method=[*_method(setup, texts), ("accuracy", _ACCURACY)],
        audit=_audit(report.summary),
        repeat=_BRING.replace("{link}", f" by <code>{escape(address)}</code>" if address else ""),
        scenario="",
    )


def open_counts_text(setup: Setup) -> str:
    """What an estimate holds that is true: what reports show openly."""
    if setup.partition.m > 1:
        return (
            "Shares of people are estimated from the reports. Every report shows its block, so "
            "totals of blocks are true counts: they may be passed on if blocks are no secret."
        )
    if not coverage(setup.policy).protected.all():
        return (
            "Shares of people are estimated from the reports. Most of those who are not protected "
            "report the truth, so their shares are nearly true."
        )
    return "Shares of people are estimated from the reports, which hold no true count."


def _estimated(ours: Result) -> Setup:
    """The setup of a result with the estimate in the truth's place."""
    shares = np.clip(ours.first.estimate, 0.0, None)
    total = float(shares.sum())
    data = replace(
        ours.setup.dataset,
        distribution=shares / total if total else np.full(shares.size, 1 / shares.size),
        counts=None,
        fine_map=None,
    )
    scenario = replace(ours.setup.scenario, n=ours.setup.n)
    return replace(ours.setup, dataset=data, scenario=scenario)


def _page(
    nouns: Vocabulary, setup: Setup, *, method: Sequence[tuple[str, str]], **parts: str
) -> str:
    """The form with the promise to the people of a setup, and these parts."""
    texts, mixed = policies.describe_promise(nouns, setup), mixing.scenario_text(nouns, setup)
    left_open = [*texts.not_promised, *([mixed] if mixed else [])]
    return fill_template(
        title=escape(f"Record: {setup.dataset.name}"),
        protected=_protected(texts, setup),
        icons=odds.picture(texts),
        odds=_odds(texts),
        open="".join(f"<li>{bold_html(each)}</li>" for each in left_open),
        method="".join(f"<dt>{escape(a)}</dt><dd>{escape(b)}</dd>" for a, b in method),
        **parts,
    )


def _repeat(setup: Setup, address: str) -> str:
    link = f"; so does <code>{escape(address)}</code>" if address else ""
    scenario = setup.scenario
    below = "the file" if exports.is_in_file(scenario) else "the scenario below as"
    return (
        f"<code>{exports.command(scenario)}</code> with {below} {exports.scenario_file(scenario)} "
        f"gives the same {'settings, with new noise' if is_own(scenario.dataset) else 'digits'}"
        f"{link}. "
        f"Seed {setup.scenario.seed}, caldp {__version__}."
    )


def _scenario(setup: Setup) -> str:
    """The scenario itself, but for one that a file alone holds."""
    if exports.is_in_file(setup.scenario):
        return ""
    text = json.dumps(setup.scenario.to_dict(), ensure_ascii=False)
    return f"<p><code>{escape(text)}</code></p>"


def fill_template(**parts: str) -> str:
    """The form with its parts, which are HTML already."""
    return _form().substitute(parts)


@cache
def _form() -> Template:
    return Template(_FORM.read_text("utf-8"))


def bold_html(text: str) -> str:
    """A sentence of ours with its bold parts; what else is emphasized stands plain."""
    return headline.bold_html(text, "b").replace("*", "")


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


def _protected(texts: PromiseText, setup: Setup) -> str:
    counted = promise.counted_as_people(setup.scenario)
    return (
        f"<p>{_exposed(texts)}{bold_html(texts.protected)}</p><p>From everybody who sees a "
        f"person's report, the collector included. {escape(counted)}</p>"
    )


def _exposed(texts: PromiseText) -> str:
    return f"{escape(texts.exposed)} " if texts.exposed else ""


def _odds(texts: PromiseText) -> str:
    graded = "".join(f"<p><b>{escape(g.title)}.</b> {bold_html(g.odds)}</p>" for g in texts.grades)
    extra = (
        "" if texts.odds in {g.odds for g in texts.grades} else f"<p>{bold_html(texts.odds)}</p>"
    )
    return f"{graded}{extra}<p>{bold_html(texts.repeats)}</p><p>{escape(MEANING)}</p>"


def _method(setup: Setup, texts: PromiseText) -> list[tuple[str, str]]:
    return [
        ("data", setup.dataset.name),
        ("reports", formats.integer(setup.n)),
        *texts.levels,
        ("method", MECHANISMS[setup.mechanism_name].title),
        ("estimate", ESTIMATORS[setup.scenario.estimator].title),
        *public_map_row(setup.scenario),
    ]


def _above_text(excess: float) -> str:
    """By how much a loss is above its ε, as both may round to one number; "" if it is not."""
    if excess <= 0:
        return ""
    return f": {'less than 0.0001' if excess < 1e-4 else f'{excess:.4f}'} above it"


def public_map_row(scenario: Scenario) -> list[tuple[str, str]]:
    """A row with the title of the public map that the estimate uses; none without one."""
    if ESTIMATORS[scenario.estimator].needs_map and isinstance(scenario.prior, PublicMap):
        return [("public map", scenario.prior.title)]
    return []


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
        worst = (
            f" The pair that comes nearest to its bound has a privacy loss of {summary.loss:.9g}, "
            f"where ε = {summary.epsilon:g} is promised{_above_text(summary.excess)}."
        )
    return f"<p><b>{verdict}</b>{worst} Checked: {escape(summary.method)}.</p>"
