"""What a matrix exports: Python that audits it again, and a record of one page.

Every number of the record comes from the exact audit of this very channel.
"""

from collections.abc import Sequence
from html import escape
from typing import Final

import numpy as np

from caldp_core import __version__
from caldp_core.privacy.matrix import DenseMatrix
from caldp_ui.matrix import candidates, words
from caldp_ui.matrix.slot import level_link, level_text
from caldp_ui.matrix.verdict import Verdict
from caldp_ui.parts import icons, record
from caldp_ui.words import formats, told_levels
from caldp_ui.words.strength import MEANING, strength
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


def snippet(what: Verdict) -> str:
    """Python that audits the channel against E again and prints every entry."""
    return _SNIPPET.format(
        names=what.names,
        levels="\n".join(" ".join(map(level_link, row)) for row in what.levels.tolist()),
        channel=candidates.as_text(what.candidate.channel),
    )


def html(what: Verdict, address: str) -> str:
    """The record, whole; `address` opens the page with this matrix and channel."""
    said = words.headline(what)
    told = told_levels.of_pairs(VALUES, DenseMatrix.of(what.levels))
    chance = round(100 * told.chance)
    return record.filled(
        title="Record: a privacy matrix and its channel",
        result=f"<b>{escape(said.sentence)}</b> {escape(said.second)}",
        pictures=_tables(what),
        protected=_protected(what),
        icons=icons.people_array(chance, f"{chance} of 100 small figures are filled."),
        odds=f"<p>Protection by these limits: <b>{strength(told.chance).word}</b>. "
        f"{record.marked(told.odds)}</p><p>{record.marked(told.repeats)}</p>"
        f"<p>{escape(MEANING)}</p>",
        open="".join(f"<li>{escape(each)}</li>" for each in _open(what)),
        method="".join(
            f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in _method(what)
        ),
        audit=_audit(what),
        repeat=f"The Python that comes with this record audits the channel again; <code>"
        f"{escape(address)}</code> opens the page. caldp {__version__}.",
        scenario=_channel(what),
    )


def _tables(what: Verdict) -> str:
    names = _numbered(what.names)
    return _table("Limits: E (in brackets: what the others imply)", names, _limits(what)) + _table(
        "Leaks of the channel", names, _leaks(what)
    )


def _limits(what: Verdict) -> list[list[str]]:
    return [[_entry(what, x, z) for z in range(what.k)] for x in range(what.k)]


def _entry(what: Verdict, x: int, z: int) -> str:
    said = _text(float(what.levels[x, z]))
    return f"{said} ({_text(float(what.closed[x, z]))})" if what.loose[x, z] else said


def _leaks(what: Verdict) -> list[list[str]]:
    lost = {pair: cell.leak.privacy_loss for pair, cell in what.cells.items()}
    k = range(what.k)
    return [[_text(max(lost.get((x, z), 0.0), 0.0)) for z in k] for x in k]


def _text(level: float) -> str:
    return level_text(round(level, 4))


def _numbered(names: Sequence[str]) -> list[str]:
    """Rows go by their names, columns by the numbers before them: paper is narrow."""
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


def _protected(what: Verdict) -> str:
    apart = ~np.eye(what.k, dtype=np.bool_)
    hidden = int((np.isfinite(what.levels) & apart).any(axis=1).sum())
    return (
        f"<p>{hidden} of {formats.count(what.k, 'value', 'values')} have limits, each against "
        "those in its row, from everybody who reads a person's report, the collector included.</p>"
        "<p>Row: the true value. A report is at most e^E times as likely under it as under the "
        "column's value.</p>"
    )


def _open(what: Verdict) -> list[str]:
    pairs = what.k * (what.k - 1)
    open_pairs = pairs - int(np.isfinite(what.closed).sum() - what.k)
    told = []
    if open_pairs:
        told.append(
            f"{open_pairs:,} of {pairs:,} ordered pairs have no limit, and the others imply none: "
            "a report may prove the first."
        )
    return [
        *told,
        "Several reports about the same value: their limits add up (CALDP Proposition 2).",
        "A report shows that somebody took part; all reports together show what is common.",
    ]


def _method(what: Verdict) -> list[tuple[str, str]]:
    return [
        ("values", ", ".join(what.names)),
        ("channel", what.candidate.title),
        ("different reports", formats.exactly(len(what.candidate.reports))),
        ("limits", formats.exactly(what.audit.pairs)),
    ]


def _audit(what: Verdict) -> str:
    audit = what.audit
    verdict = "It holds." if audit.holds else "It does NOT hold: do not rely on these limits."
    if audit.worst is None:
        return f"<p><b>{verdict}</b></p>"
    worst = audit.worst
    went = "comes nearest to its limit" if audit.holds else "goes farthest beyond its limit"
    return (
        f"<p><b>{verdict}</b> “{escape(what.names[worst.x])}” against "
        f"“{escape(what.names[worst.x_other])}” {went}: a privacy loss of "
        f"{worst.privacy_loss:.9g}, where E = {worst.epsilon:.9g} is allowed; it is seen by "
        f"{escape(what.candidate.reports[worst.output])}.</p><p>Looked at: every entry of the "
        f"channel, in rational numbers; {len(what.broken)} of {audit.pairs} limits broken.</p>"
    )


def _channel(what: Verdict) -> str:
    """The channel in numbers, where it fits on the sheet."""
    reports = what.candidate.reports
    if len(reports) > _SHOWN_MOST:
        return f"The channel has {len(reports)} reports; they are in the Python and in channel.txt."
    rows = [[f"{float(q):.6g}" for q in row] for row in what.candidate.channel]
    told = ", ".join(_numbered(reports))
    table = _table("The channel: chance of each report", _numbered(what.names), rows)
    return f"{table}<p>Reports: {escape(told)}.</p>"
