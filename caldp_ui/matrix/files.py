"""Exports of a matrix: files, Python that audits it again, and a record of one page.

Every number of the record comes from the exact audit of this very channel.
"""

import json
import math
from collections.abc import Sequence
from html import escape
from typing import Final

import numpy as np
import pandas as pd

from caldp_core import __version__
from caldp_core.privacy.matrix import DenseMatrix
from caldp_ui.app.texts import read_texts
from caldp_ui.compute import exports
from caldp_ui.matrix import page_state, view
from caldp_ui.matrix.page_state import (
    level_link,
    level_text,
)
from caldp_ui.matrix.view import ChannelVerdict
from caldp_ui.parts import markup, sharing
from caldp_ui.words import formats, policies
from caldp_ui.words.formats import MEANING, VALUES, strength

TEXTS: Final = read_texts(__file__)

_SHOWN_MOST: Final = 12
"""Reports of a channel that a sheet of paper has room for."""


def snippet(verdict: ChannelVerdict) -> str:
    """Python that audits the channel against E again and prints every entry."""
    return TEXTS["audit_code"].format(
        names=verdict.names,
        levels="\n".join(" ".join(map(level_link, row)) for row in verdict.levels.tolist()),
        channel=page_state.as_text(verdict.candidate.channel),
    )


def html(verdict: ChannelVerdict, address: str) -> str:
    """The record as one HTML page; `address` opens the page with this matrix and channel."""
    headline = view.headline(verdict)
    protection = policies.pair_texts(VALUES, DenseMatrix.of(verdict.levels))
    chance = round(100 * protection.chance)
    return sharing.fill_template(
        title="Record: a privacy matrix and its channel",
        result=f"<b>{escape(headline.sentence)}</b> {escape(headline.second)}",
        pictures=_tables(verdict),
        protected=_protected(verdict),
        icons=markup.people_array(chance, f"{chance} of 100 small figures are filled."),
        odds=f"<p>Protection by these limits: <b>{strength(protection.chance).word}</b>. "
        f"{sharing.bold_html(protection.odds)}</p><p>{sharing.bold_html(protection.repeats)}</p>"
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
        f"{escape(channel_verdict.candidate.reports[worst.output])}.</p><p>Checked: every entry "
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
