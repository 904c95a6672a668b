"""Under the tables: what tests find, what E implies, two reports, numbers, and exports.

Exports of a matrix: Python that audits it again, and a record of one page.

Every number of the record comes from the exact audit of this very channel.

The page as a part of a file: limits beside leaks, along the base ε of an example.
"""

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from html import escape
from typing import Final

import numpy as np
import pandas as pd
import streamlit as st

from caldp_core import __version__
from caldp_core.audit.pairwise import release_both
from caldp_core.audit.sampled import EpsilonBound, audit_sampler, sampler_of
from caldp_core.mechanisms import Mechanism
from caldp_core.privacy.matrix import DenseMatrix, closure, released_together
from caldp_ui.app import gate
from caldp_ui.app.errors import escape_markdown
from caldp_ui.compute import exports
from caldp_ui.matrix import board, candidates, films, words
from caldp_ui.matrix.candidates import Candidate
from caldp_ui.matrix.page_state import (
    RANDOMIZED_RESPONSE,
    SECONDS,
    STATE,
    MatrixState,
    level_link,
    level_text,
    rows_of,
)
from caldp_ui.matrix.words import ChannelVerdict, MatrixData, judge_channel
from caldp_ui.offline import boards, offer
from caldp_ui.offline.records import Part
from caldp_ui.parts import icons, record, sharing
from caldp_ui.parts.tabs import tabs
from caldp_ui.words import formats, promise_levels
from caldp_ui.words.formats import MEANING, strength
from caldp_ui.words.glossary import terms
from caldp_ui.words.vocabulary import VALUES

_SNIPPET: Final = """from fractions import Fraction

from caldp_core.audit.pairwise import audit_cells, audit_channel
from caldp_core.privacy.matrix import DenseMatrix

names = {names!r}
levels = '''
{levels}
'''
channel = '''
{channel}
'''
matrix = DenseMatrix.of([[float(e) for e in line.split()] for line in levels.strip().splitlines()])
rows = [[Fraction(q) for q in line.split()] for line in channel.strip().splitlines()]
print("holds:", audit_channel(rows, matrix).holds)
for cell in audit_cells(rows, matrix):
    leak = cell.leak
    pair = names[leak.x], names[leak.x_other]
    print(*pair, leak.epsilon, leak.privacy_loss, cell.holds, sep="\\t")
"""
_SHOWN_MOST: Final = 12
"""Reports of a channel that a sheet of paper has room for."""


def snippet(verdict: ChannelVerdict) -> str:
    """Python that audits the channel against E again and prints every entry."""
    return _SNIPPET.format(
        names=verdict.names,
        levels="\n".join(" ".join(map(level_link, row)) for row in verdict.levels.tolist()),
        channel=candidates.as_text(verdict.candidate.channel),
    )


def html(verdict: ChannelVerdict, address: str) -> str:
    """The record as one HTML page; `address` opens the page with this matrix and channel."""
    headline = words.headline(verdict)
    protection = promise_levels.pair_texts(VALUES, DenseMatrix.of(verdict.levels))
    chance = round(100 * protection.chance)
    return record.fill_template(
        title="Record: a privacy matrix and its channel",
        result=f"<b>{escape(headline.sentence)}</b> {escape(headline.second)}",
        pictures=_tables(verdict),
        protected=_protected(verdict),
        icons=icons.people_array(chance, f"{chance} of 100 small figures are filled."),
        odds=f"<p>Protection by these limits: <b>{strength(protection.chance).word}</b>. "
        f"{record.bold_html(protection.odds)}</p><p>{record.bold_html(protection.repeats)}</p>"
        f"<p>{escape(MEANING)}</p>",
        open="".join(f"<li>{escape(each)}</li>" for each in _open(verdict)),
        method="".join(
            f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in _method(verdict)
        ),
        audit=_audit(verdict),
        repeat=f"The Python that comes with this record audits the channel again; <code>"
        f"{escape(address)}</code> opens the page. caldp {__version__}.",
        scenario=_channel(verdict),
    )


def _tables(verdict: ChannelVerdict) -> str:
    names = _numbered(verdict.names)
    return _table(
        "Limits: E (in brackets: what the others imply)", names, _limits(verdict)
    ) + _table("Leaks of the channel", names, _leaks(verdict))


def _limits(verdict: ChannelVerdict) -> list[list[str]]:
    return [[_entry(verdict, x, z) for z in range(verdict.k)] for x in range(verdict.k)]


def _entry(verdict: ChannelVerdict, x: int, z: int) -> str:
    level = _text(float(verdict.levels[x, z]))
    return (
        f"{level} ({_text(float(verdict.closure[x, z]))})" if verdict.loose_limits[x, z] else level
    )


def _leaks(verdict: ChannelVerdict) -> list[list[str]]:
    losses = {pair: cell.leak.privacy_loss for pair, cell in verdict.cells.items()}
    k = range(verdict.k)
    return [[_text(max(losses.get((x, z), 0.0), 0.0)) for z in k] for x in k]


def _text(level: float) -> str:
    return level_text(round(level, 4))


def _numbered(names: Sequence[str]) -> list[str]:
    """Names with the numbers that stand for them above columns: paper is narrow."""
    return [f"{place} · {name}" for place, name in enumerate(names, start=1)]


def _table(title: str, names: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    columns = range(1, max(map(len, rows)) + 1)
    head = "".join(f'<th scope="col">{place}</th>' for place in columns)
    body = "".join(
        f'<tr><th scope="row">{escape(name)}</th>'
        + "".join(f"<td>{escape(each)}</td>" for each in row)
        + "</tr>"
        for name, row in zip(names, rows, strict=True)
    )
    return (
        f"<figure><figcaption>{escape(title)}</figcaption><table><thead><tr><td></td>{head}</tr>"
        f"</thead><tbody>{body}</tbody></table></figure>"
    )


def _protected(verdict: ChannelVerdict) -> str:
    off_diagonal = ~np.eye(verdict.k, dtype=np.bool_)
    hidden = int((np.isfinite(verdict.levels) & off_diagonal).any(axis=1).sum())
    return (
        f"<p>{hidden} of {formats.count(verdict.k, 'value', 'values')} "
        f"{'has' if hidden == 1 else 'have'} limits, each against "
        "those in its row, from everybody who reads a person's report, the collector included.</p>"
        "<p>Row: the true value. A report is at most e^E times as likely under it as under the "
        "column's value.</p>"
    )


def _open(verdict: ChannelVerdict) -> list[str]:
    pairs = verdict.k * (verdict.k - 1)
    open_pairs = pairs - int(np.isfinite(verdict.closure).sum() - verdict.k)
    sentences = []
    if open_pairs:
        sentences.append(
            f"{open_pairs:,} of {pairs:,} ordered pairs have no limit, and the others imply none: "
            "a report may prove the first."
        )
    return [
        *sentences,
        "Several reports about the same value: their limits add up (CALDP Proposition 2).",
        "A report shows that somebody took part; all reports together show what is common.",
    ]


def _method(verdict: ChannelVerdict) -> list[tuple[str, str]]:
    return [
        ("values", ", ".join(verdict.names)),
        ("channel", verdict.candidate.title),
        ("different reports", formats.integer(len(verdict.candidate.reports))),
        ("limits", formats.integer(verdict.audit.pairs)),
    ]


def _audit(channel_verdict: ChannelVerdict) -> str:
    audit = channel_verdict.audit
    verdict = "It holds." if audit.holds else "It does NOT hold: do not rely on these limits."
    if audit.worst is None:
        nothing = "Nothing is promised: no pair has a limit." if audit.holds else verdict
        return f"<p><b>{nothing}</b></p>"
    worst = audit.worst
    went = "comes nearest to its limit" if audit.holds else "goes farthest beyond its limit"
    loss, level = (f"{each:.9g}" for each in (worst.privacy_loss, worst.epsilon))
    loss = f"just above {level}" if loss == level and not audit.holds else loss
    return (
        f"<p><b>{verdict}</b> “{escape(channel_verdict.names[worst.x])}” against "
        f"“{escape(channel_verdict.names[worst.x_other])}” {went}: a privacy loss of "
        f"{loss}, where E = {level} is allowed; it is seen by "
        f"{escape(channel_verdict.candidate.reports[worst.output])}.</p><p>Looked at: every entry "
        "of the "
        f"channel, in rational numbers; {len(channel_verdict.broken)} of "
        f"{formats.count(audit.pairs, 'limit', 'limits')} broken.</p>"
    )


def _channel(verdict: ChannelVerdict) -> str:
    """The channel in numbers, where it fits on the sheet."""
    reports = verdict.candidate.reports
    if len(reports) > _SHOWN_MOST:
        return f"The channel has {len(reports)} reports; they are in the Python and in channel.txt."
    rows = [[f"{float(q):.6g}" for q in row] for row in verdict.candidate.channel]
    legend = ", ".join(_numbered(reports))
    table = _table("The channel: chance of each report", _numbered(verdict.names), rows)
    return f"{table}<p>Reports: {escape(legend)}.</p>"


def part(record: MatrixState) -> Part | None:
    """The page; None where no slider has a film, see `films.sliders`."""
    sliders = films.sliders(record)
    if not sliders:
        return None
    verdict = judge_channel(record.names, record.matrix, candidates.available_candidate(record))
    return boards.part(
        "matrix",
        "The privacy matrix",
        "At the left what a report may reveal, at the right what this channel reveals. Move ε.",
        films.PAGE,
        record,
        sliders={"Base ε": sliders[0]},
        own={board.KEY: board.as_component(verdict)},
    )


SAMPLES: Final = 10_000
"""Reports that a test draws for each of two values."""
_SEED: Final = 1
_TOGETHER_MAX: Final = 3_000
"""Most pairs of reports of two releases that are audited here."""


def show(data: MatrixData) -> None:
    """Draw the tabs and the content of the open one."""
    tabs(STATE.key("tabs"), _TABS, data)


def _tests(data: MatrixData) -> None:
    """Claimed, tested from outside, certified: the same channel by three kinds of trust."""
    verdict = data.verdict
    mechanism, worst = verdict.candidate.mechanism, verdict.audit.worst
    if mechanism is None or worst is None:
        st.markdown(
            "Choose a channel that a mechanism makes, and a matrix with at least one limit."
        )
        return
    bound = _sample_bound(mechanism, worst.x, worst.x_other)
    names = escape_markdown(f"“{verdict.names[worst.x]}” against “{verdict.names[worst.x_other]}”")
    witness = escape_markdown(verdict.candidate.reports[worst.output])
    missed = bound.epsilon <= worst.epsilon
    st.table(
        pd.DataFrame(
            {
                "what it says": [
                    f"ε ≤ {level_text(worst.epsilon)}",
                    f"ε ≥ {bound.epsilon:.3f}, at 95 % confidence",
                    f"ε = {worst.privacy_loss:.6f}, by {witness}",
                ],
                "verdict": [
                    "believed",
                    "nothing found" if missed else "a leak is found",
                    "kept" if verdict.audit.holds else "broken",
                ],
            },
            index=["claimed", f"tested, {2 * SAMPLES:,} reports", "audited exactly"],
        ).rename_axis("how")
    )
    st.markdown(
        f"This is {names}: no pair is nearer to its limit, or farther beyond it. "
        f"{_moral(verdict, missed)}"
    )


def _moral(verdict: ChannelVerdict, missed: bool) -> str:
    if verdict.audit.holds:
        return "Only the audit can show that a limit is kept: a test of reports only finds leaks."
    if missed:
        return (
            "**The test misses the bug**: samples show only that ε is at least so large. The exact "
            "audit reads the channel itself, in rational numbers, and names the pair and the "
            "report."
        )
    return "This leak is so large that even a test of reports finds it."


def _sample_bound(mechanism: Mechanism, x: int, other: int) -> EpsilonBound:
    rng = np.random.default_rng(_SEED)
    return audit_sampler(sampler_of(mechanism), x, other, SAMPLES, rng)


def _implied_limits(data: MatrixData) -> None:
    verdict = data.verdict
    st.markdown(
        "Limits add up along a chain: those for A against B and for B against C bound A against C "
        "by their sum. So no entry allows more than the shortest chain around it. "
        f"{words.implied_sentence(verdict)}"
    )
    loose = [
        f"- {escape_markdown(f'“{verdict.names[x]}” against “{verdict.names[z]}”')}: "
        f"the limit is {level_text(verdict.levels[x, z])}, the others imply "
        f"{level_text(round(float(verdict.closure[x, z]), 6))}"
        for x, z in np.argwhere(verdict.loose_limits).tolist()
    ]
    if loose:
        st.markdown("\n".join(loose))
        st.button(
            "Write these limits into the matrix",
            icon=":material/done_all:",
            key=STATE.key("close"),
            on_click=lambda: STATE.change(
                lambda record: record.with_levels(rows_of(closure(record.matrix).entries))
            ),
        )
    terms("ε", "local differential privacy", "context-aware")


def _two_reports(data: MatrixData) -> None:
    record, verdict = data.record, data.verdict
    st.selectbox(
        "A second report about the same value",
        list(SECONDS),
        format_func=SECONDS.__getitem__,
        **STATE.bind("second", record.second, _second),
    )
    second, levels = verdict.candidate, verdict.levels
    if record.second == RANDOMIZED_RESPONSE:
        least_epsilon = candidates.least_level(record.levels)
        second = candidates.build_candidate(
            _second(record, RANDOMIZED_RESPONSE, RANDOMIZED_RESPONSE)
        )
        levels = np.where(np.eye(record.k, dtype=np.bool_), 0.0, least_epsilon)
    if len(second.reports) * len(verdict.candidate.reports) > _TOGETHER_MAX:
        st.markdown("These two channels have too many pairs of reports to be audited here.")
        return
    joint_policy = released_together(DenseMatrix.of(verdict.levels), DenseMatrix.of(levels))
    joint = Candidate(
        "both", release_both(verdict.candidate.channel, second.channel), _pairs(verdict, second)
    )
    joint_verdict = judge_channel(verdict.names, joint_policy, joint)
    st.markdown(
        "Both reports together: their limits add up (CALDP Proposition 2). "
        f"{escape_markdown(words.in_one_line(joint_verdict))}"
    )
    board.show_readonly(joint_verdict, STATE.key("together"))


def _second(record: MatrixState, second: str, channel: str | None = None) -> MatrixState:
    return replace(record, second=second, channel=channel or record.channel)


def _pairs(verdict: ChannelVerdict, second: Candidate) -> tuple[str, ...]:
    return tuple(f"{a} and {b}" for a in verdict.candidate.reports for b in second.reports)


def _numbers(data: MatrixData) -> None:
    verdict = data.verdict
    leaks = np.zeros((verdict.k, verdict.k))
    for (x, z), cell in verdict.cells.items():
        leaks[x, z] = cell.leak.privacy_loss
    titles = ("Limits: E", "What the limits imply (closure)", "Leaks of the channel")
    for title, levels in zip(titles, (verdict.levels, verdict.closure, leaks), strict=True):
        st.markdown(f"**{title}** · row: the truth that is protected")
        text = [[level_text(round(e, 4)) for e in row] for row in levels.tolist()]
        names = list(map(escape_markdown, verdict.names))
        st.table(pd.DataFrame(text, index=names, columns=names).rename_axis("truth"))


def _sharing(data: MatrixData) -> None:
    verdict = data.verdict
    address = gate.current_address(STATE.query())  # a file made later sees no session
    with sharing.link_columns(STATE):
        with st.container(horizontal=True):
            for name, content in (
                ("matrix.json", matrix_json(verdict)),
                ("matrix.csv", matrix_csv(verdict)),
                ("channel.txt", candidates.as_text(verdict.candidate.channel)),
            ):
                sharing.file_button(STATE.key(name.replace(".", "-")), name, content)
        sharing.file_button(STATE.key("record"), "record.html", html(verdict, address))
        sharing.python(snippet(verdict))
        offer.offer_page(STATE, part)


def matrix_json(verdict: ChannelVerdict) -> str:
    """Names, E, closure and verdict as JSON; ∞ is null, as JSON has no word for it."""

    def plain(level: float) -> float | None:
        return None if math.isinf(level) else level

    cells = [
        {
            "truth": verdict.names[x],
            "against": verdict.names[z],
            "limit": plain(float(verdict.levels[x, z])),
            "implied": plain(float(verdict.closure[x, z])),
            "leak": plain(cell.leak.privacy_loss),
            "report": verdict.candidate.reports[cell.leak.output],
            "holds": cell.holds,
        }
        for (x, z), cell in verdict.cells.items()
    ]
    rows = [[plain(e) for e in row] for row in verdict.levels.tolist()]
    summary = {"names": list(verdict.names), "levels": rows, "channel": verdict.candidate.title}
    return json.dumps({**summary, "holds": verdict.audit.holds, "cells": cells}, indent=1)


def matrix_csv(verdict: ChannelVerdict) -> bytes:
    """E with names as CSV, "inf" for ∞."""
    rows = [[level_link(e) for e in row] for row in verdict.levels.tolist()]
    levels = pd.DataFrame(rows, columns=list(verdict.names))
    levels.insert(0, "truth", verdict.names, allow_duplicates=True)
    return exports.csv(levels)


_TABS: Final[dict[str, Callable[[MatrixData], None]]] = {
    "Can a test find it?": _tests,
    "What follows from E": _implied_limits,
    "Two reports": _two_reports,
    "Numbers": _numbers,
    "Share and export": _sharing,
}
