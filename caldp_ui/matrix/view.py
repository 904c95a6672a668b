"""What the page shows of a matrix and its channel: the verdict in sentences, the board, and files.

Each sentence must be true of the matrix and channel that it is shown with. Names come from
anybody: what goes into Markdown has them escaped, what goes into the picture, which reads no HTML,
has them as they are. Everything is decided by the core's audit in rationals. `web/` holds the
board in the browser: plain JavaScript and CSS, no request to the outside. The record is one page.
"""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
import streamlit as st

from caldp_core import __version__
from caldp_core.audit.adversary import max_guess_accuracy
from caldp_core.audit.pairwise import LargeAudit, PairClass, audit_cells, audit_channel
from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Bools, Floats
from caldp_core.privacy.context import PrivacyMatrix, dense
from caldp_core.privacy.matrix import DenseMatrix, closure, names_text
from caldp_ui.app.texts import read_texts, read_toml
from caldp_ui.app.theme import CIVIDIS, LEVELS
from caldp_ui.app.user_text import UserText, user_texts
from caldp_ui.charts import show
from caldp_ui.compute import runs
from caldp_ui.matrix import page_state
from caldp_ui.matrix.page_state import STATE
from caldp_ui.offline.document import NO_RECEIPT, Component
from caldp_ui.parts import layout, sharing
from caldp_ui.session.visit import notify
from caldp_ui.shell.page import View
from caldp_ui.stage import records
from caldp_ui.stage.component import acknowledgement, new_events
from caldp_ui.stage.records import join_modules
from caldp_ui.words import formats, policies

TEXTS: Final = read_texts(__file__)

_TIGHT: Final = 1e-9


@dataclass(frozen=True, eq=False)
class ChannelVerdict:
    """E of named values, its closure, and a channel's audit.

    `levels`, `closure`: (k, k) in nats, 0 to ∞, row = the truth. `cells`: by pairs x ≠ x′.
    """

    names: tuple[str, ...]
    levels: Floats
    closure: Floats
    candidate: page_state.Candidate
    audit: LargeAudit
    cells: dict[tuple[int, int], PairClass]

    @property
    def k(self) -> int:
        """Number of values."""
        return len(self.names)

    @property
    def loose_limits(self) -> Bools:
        """(k, k) flags: entries that are looser than the others imply."""
        return self.closure < self.levels - _TIGHT

    @property
    def contradicted(self) -> Bools:
        """(k, k) flags: entries without a limit, while other entries imply one."""
        return np.isinf(self.levels) & np.isfinite(self.closure)

    @property
    def redundant_limits(self) -> Bools:
        """(k, k) flags: limits that the others imply, without which E would mean the same."""
        redundant = np.zeros((self.k, self.k), np.bool_)
        for x, z in self.cells:
            around = np.delete(self.closure[x] + self.closure[:, z], (x, z))
            level = self.levels[x, z]
            redundant[x, z] = np.isfinite(level) and around.min(initial=np.inf) <= level + _TIGHT
        return redundant

    @property
    def proven_values(self) -> list[int]:
        """Values that some report proves, as no other value ever sends it."""
        senders = [
            {x for x, row in enumerate(self.candidate.channel) if row[y]}
            for y in range(len(self.candidate.channel[0]))
        ]
        return sorted({x for values in senders if len(values) == 1 for x in values})

    @property
    def broken(self) -> list[PairClass]:
        """Entries that the channel does not keep, the worst first."""
        failed = [cell for cell in self.cells.values() if not cell.holds]
        return sorted(failed, key=lambda cell: cell.epsilon - cell.privacy_loss)


def judge_channel(
    names: tuple[str, ...], policy: PrivacyMatrix, candidate: page_state.Candidate
) -> ChannelVerdict:
    """Audit the candidate against the policy; `CaldpError` where their shapes differ."""
    cells = audit_cells(candidate.channel, policy)
    return ChannelVerdict(
        names,
        dense(policy),
        closure(DenseMatrix.of(dense(policy))).entries,
        candidate,
        audit_channel(candidate.channel, policy),
        {(cell.x, cell.x_other): cell for cell in cells},
    )


@dataclass(frozen=True, eq=False)
class MatrixData:
    """Data of the page: its record, and the verdict on the record's channel."""

    record: page_state.MatrixState
    verdict: ChannelVerdict


_PEOPLE: Final = 10_000


def headline(verdict: ChannelVerdict) -> formats.Headline:
    """Whether the channel keeps E, and what E implies; values that nothing hides come first."""
    audit, names = verdict.audit, verdict.names
    if audit.faulty_row is not None:
        total = float(sum(verdict.candidate.channel[audit.faulty_row]))
        return formats.Headline(
            "This is no channel: one of its rows does not sum to 1.",
            f"The row of “{UserText(names[audit.faulty_row]).plain}” must be chances that sum to "
            f"1, its sum is {total:.6g}.",
            figures={"sum": total},
        )
    result = _kept(verdict) if not verdict.broken else _broken(verdict)
    if not verdict.proven_values:
        return result
    return formats.Headline(_bare(verdict), result.whole, True, result.figures)


def _bare(verdict: ChannelVerdict) -> str:
    """Which values a report proves."""
    proven = verdict.proven_values
    if len(proven) == verdict.k:
        return "No value is protected: every report proves the true one."
    verb, pronoun = ("is", "it") if len(proven) == 1 else ("are", "them")
    names = names_text([UserText(verdict.names[x]).plain for x in proven])
    return f"{names} {verb} not protected: a report can prove {pronoun}."


def _kept(verdict: ChannelVerdict) -> formats.Headline:
    if not verdict.audit.pairs:
        return formats.Headline("The matrix has no limits, so every channel keeps it.")
    is_one = verdict.audit.pairs == 1
    limits = "The one limit is kept" if is_one else f"All {verdict.audit.pairs} limits are kept"
    figures: dict[str, float] = {"limits": verdict.audit.pairs}
    # The privacy loss and the E of the limit that the channel stays furthest below.
    leaks = [cell for cell in verdict.cells.values() if math.isfinite(cell.epsilon)]
    pairs = [(max(leak.privacy_loss, 0.0), leak.epsilon) for leak in leaks]
    found, allowed = max(pairs, key=lambda pair: pair[1] - pair[0])
    use = " and fully used"
    if allowed - found >= 0.005:
        figures |= {"loss": found, "allowed": allowed}
        level = page_state.level_text(allowed)
        some = "" if is_one else "some "
        use = f", {some}with room to spare: {found:.2f} where {level} is allowed"
    return formats.Headline(f"{limits}{use}.", implied_sentence(verdict), figures=figures)


def _broken(verdict: ChannelVerdict) -> formats.Headline:
    worst, excess = verdict.broken[0], [c.privacy_loss - c.epsilon for c in verdict.broken]
    # How many are broken as far as the worst one.
    count = sum(each == excess[0] or abs(each - excess[0]) < 1e-9 for each in excess)
    pair = " against ".join(
        f"“{UserText(verdict.names[x]).plain}”" for x in (worst.x, worst.x_other)
    )
    allowed = f"leaks {loss(worst)} where {page_state.level_text(worst.epsilon)} is allowed, by "
    report = verdict.candidate.reports[worst.report]
    text = (
        f"The worst is {pair}: it {allowed}{report}."
        if count == 1
        else f"{count} of them are equally bad: {pair}, for example, {allowed}{report}."
    )
    return formats.Headline(
        f"The channel breaks {len(verdict.broken)} of "
        f"{formats.count(verdict.audit.pairs, 'limit', 'limits')}.",
        text,
        figures={
            "broken": len(verdict.broken),
            "limits": verdict.audit.pairs,
            "equally_broken": count,
            "loss": worst.privacy_loss,
        },
    )


def error_sentence(found: page_state.Candidate) -> str:
    """Typical error of a share estimated from the candidate's reports; "" without a mechanism."""
    if found.mechanism is None:
        return ""
    try:
        mean = page_state.even_variance(found.mechanism) / found.mechanism.k / _PEOPLE
    except CaldpError:
        return "Shares can't be estimated: two values send the same reports."
    return (
        f"A share estimated from {formats.people(_PEOPLE)} people is typically off by "
        f"{formats.points(mean**0.5)}."
    )


def loss(cell: PairClass) -> str:
    """Privacy loss of an entry, with as many digits as it takes to tell it from its E."""
    value, level = cell.privacy_loss, cell.epsilon
    if math.isinf(value):
        return "∞"
    digits = 2
    while digits < 9 and not cell.holds and f"{value:.{digits}f}" == f"{level:.{digits}f}":
        digits += 1
    above = "just above " if digits == 9 and f"{value:.9f}" == f"{level:.9f}" else ""
    return f"{above}{max(value, 0.0):.{digits}f}"


def implied_sentence(verdict: ChannelVerdict) -> str:
    """How E and its closure differ, in one sentence."""
    contradicted, loose = int(verdict.contradicted.sum()), int(verdict.loose_limits.sum())
    if contradicted:
        entries = formats.count(contradicted, "entry has", "entries have")
        return f"{entries} no limit, but the other limits imply one (see the arrows)."
    if loose:
        entries = formats.count(loose, "limit is", "limits are")
        return f"{entries} looser than the others imply (see the arrows)."
    redundant = int(verdict.redundant_limits.sum())
    if redundant:
        return f"{formats.count(redundant, 'limit follows', 'limits follow')} from the others."
    return "Every limit in the matrix matters."


def limit(verdict: ChannelVerdict, x: int, other: int) -> str:
    """What the limit at one entry of E allows."""
    name, against = (f"“{UserText(verdict.names[i]).plain}”" for i in (x, other))
    if x == other:
        return f"{name} against itself: there is nothing to tell apart."
    level, closed = float(verdict.levels[x, other]), float(verdict.closure[x, other])
    start = f"{name} against {against}, ε = {page_state.level_text(level)}: "
    if not verdict.loose_limits[x, other]:
        return start + _meaning(name, against, level)
    looseness = "no limit" if math.isinf(level) else "a loose limit"
    follows = f"the other limits imply ε = {page_state.level_text(round(closed, 6))}"
    return f"{start}{looseness}, but {follows}. So {_meaning(name, against, closed)}"


def _meaning(name: str, against: str, level: float) -> str:
    if math.isinf(level):
        return f"no limit. A report may prove {name} against {against}."
    if level == 0:
        return f"no report may speak for {name} at all."
    most = formats.upper_bound(max_guess_accuracy(level))
    return f"any report turns an even chance of {name} into {most} of 100."


def leak(channel_verdict: ChannelVerdict, x: int, other: int) -> str:
    """What the channel leaks at one entry; "" on the diagonal."""
    if x == other:
        return ""
    cell = channel_verdict.cells[x, other]
    report = channel_verdict.candidate.reports[cell.report]
    row, against = channel_verdict.candidate.channel[x], channel_verdict.candidate.channel[other]
    p, q = (formats.share(float(each[cell.report])) for each in (row, against))
    verdict = "within the limit" if cell.holds else "beyond the limit"
    if math.isinf(cell.epsilon):
        verdict = "where there is no limit"
    return f"This channel leaks {loss(cell)}, {verdict}: it sends {report} with {p} against {q}."


def alt(verdict: ChannelVerdict) -> str:
    """Alt text of the board."""
    return f"Two tables of {verdict.k} by {verdict.k} values. {headline(verdict).whole}"


_WEB: Final = Path(__file__).with_name("web")
_STYLE: Final = (_WEB / "board.css").read_text("utf-8")
_SCRIPT: Final = (
    records.partial_script("dom", "outbox") + show.script() + join_modules(_WEB, ("board",))
)
_board = st.components.v2.component(
    "caldp_matrix", html='<div class="board"></div>', css=_STYLE, js=_SCRIPT
)
KEY: Final = STATE.key("board")
OFF: Final = STATE.key("off")
"""The place of the sentence on the error of an estimate."""
_WORDS: Final = read_toml(__file__, "board.toml")
_DARK: Final = 150
"""Mean of red, green and blue from which a colour takes black text."""


def view(data: MatrixData, *_: object) -> View:
    """The verdict, the board and the error; levels have the same colours in either theme."""
    error_html = layout.as_html(error_sentence(data.verdict.candidate))
    texts = {f".st-key-{OFF} p": error_html}
    return View(headline(data.verdict), {KEY: board_json(data.verdict)}, texts)


def editable(verdict: ChannelVerdict) -> None:
    """Draw the board for editing; changes are applied before the page's next run."""
    _board(key=KEY, data=_data(verdict, KEY, edit=True), on_events_change=_receive_entries)


def show_readonly(verdict: ChannelVerdict, key: str) -> None:
    """Draw the board of another matrix, read-only."""
    _board(key=key, data=_data(verdict, key))


def as_component(verdict: ChannelVerdict) -> Component:
    """The board as a component of an offline file, read-only."""
    return Component(_data(verdict, KEY) | {"receipt": NO_RECEIPT}, "board", _SCRIPT, _STYLE)


def _data(verdict: ChannelVerdict, key: str, *, edit: bool = False) -> dict[str, Any]:
    content = board_json(verdict)
    return {"key": key, "content": content, "edit": edit, "receipt": acknowledgement(key)}


def board_json(verdict: ChannelVerdict) -> str:
    """The message from which the browser draws the board, as JSON."""
    span = range(verdict.k)
    message = {
        "names": list(verdict.names),
        "limit": [[_limit(verdict, x, z) for z in span] for x in span],
        "leak": [[_leak(verdict, x, z) for z in span] for x in span],
        "label": alt(verdict),
        "words": _WORDS,
    }
    return json.dumps(message)


def _limit(verdict: ChannelVerdict, x: int, other: int) -> dict[str, Any]:
    level, closed = float(verdict.levels[x, other]), float(verdict.closure[x, other])
    follows = (
        f"→ {page_state.level_text(round(closed, 4))}" if verdict.loose_limits[x, other] else ""
    )
    return {
        "text": "" if x == other else page_state.level_text(level),
        "follows": follows,
        "colours": _colours(level),
        "description": limit(verdict, x, other),
    }


def _leak(verdict: ChannelVerdict, x: int, other: int) -> dict[str, Any]:
    if x == other:
        return {"text": "", "mark": "", "colours": _colours(0.0), "description": ""}
    cell = verdict.cells[x, other]
    open_end = math.isinf(cell.epsilon)
    return {
        "text": loss(cell),
        "mark": "open" if open_end else "kept" if cell.holds else "broken",
        "colours": _colours(max(cell.privacy_loss, 0.0)),
        "description": leak(verdict, x, other),
    }


def _colours(level: float) -> list[str]:
    """Background and text colour of a level: from a guess (dark) to certainty (yellow)."""
    place = round((2 * max_guess_accuracy(level) - 1) * (LEVELS - 1))
    red, green, blue = CIVIDIS[place].tolist()
    light = (red + green + blue) / 3 > _DARK or red > 165
    return [f"rgb({red},{green},{blue})", "#000000" if light else "#FFFFFF"]


def _receive_entries() -> None:
    for _, entry in new_events(KEY):
        try:
            level = page_state.read_level(str(entry.get("text")))
        except CaldpError as error:
            notify(str(error))
        else:
            places, both = (entry.get("x"), entry.get("other")), entry.get("symmetric") is True
            STATE.change(partial(_changed, places=places, level=level, both=both))


def _changed(
    record: page_state.MatrixState, places: tuple[object, object], level: float, both: bool
) -> page_state.MatrixState:
    """The record with one entry changed; unchanged for a place that it does not have."""
    x, other = places
    if not (isinstance(x, int) and isinstance(other, int)) or x == other:
        return record
    is_there = x in range(record.k) and other in range(record.k)
    return record.with_limit(x, other, level, both) if is_there else record


_SHOWN_MOST: Final = 12
"""Reports of a channel that a sheet of paper has room for."""


def snippet(verdict: ChannelVerdict) -> str:
    """Python that audits the channel against E again and prints every entry."""
    return TEXTS["audit_code"].format(
        names=verdict.names,
        levels="\n".join(
            " ".join(map(page_state.level_link, row)) for row in verdict.levels.tolist()
        ),
        channel=page_state.as_text(verdict.candidate.channel),
    )


def html(verdict: ChannelVerdict, address: str) -> str:
    """The record as one HTML page; `address` opens the page with this matrix and channel."""
    lines = headline(verdict)
    protection = policies.pair_texts(formats.VALUES, DenseMatrix.of(verdict.levels))
    chance = round(100 * protection.chance)
    method = (
        ("values", ", ".join(name.html for name in user_texts(verdict.names))),
        ("channel", escape(verdict.candidate.title)),
        ("different reports", formats.integer(len(verdict.candidate.reports))),
        ("limits", formats.integer(verdict.audit.pairs)),
    )
    return sharing.fill_template(
        title="Record: a privacy matrix and its channel",
        result=f"<b>{escape(lines.sentence)}</b> {escape(lines.second)}",
        pictures=_tables(verdict),
        protected=_protected(verdict),
        icons=layout.people_array(chance, f"{chance} of 100 small figures are filled."),
        odds=f"<p>Protection by these limits: <b>{formats.strength(protection.chance).word}</b>. "
        f"{sharing.bold_html(protection.odds)}</p><p>{sharing.bold_html(protection.repeats)}</p>"
        f"<p>{escape(formats.MEANING)}</p>",
        open="".join(f"<li>{escape(each)}</li>" for each in _open(verdict)),
        method="".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in method),
        audit=_audit(verdict),
        repeat=f"The Python that comes with this record audits the channel again; <code>"
        f"{escape(address)}</code> opens the page. caldp {__version__}.",
        scenario=_channel(verdict),
    )


def _tables(verdict: ChannelVerdict) -> str:
    names, k = _numbered(verdict.names), range(verdict.k)
    limits = [[_entry(verdict, x, z) for z in k] for x in k]
    losses = {pair: cell.privacy_loss for pair, cell in verdict.cells.items()}
    leaks = [[_text(max(losses.get((x, z), 0.0), 0.0)) for z in k] for x in k]
    return _paper_table(
        "Limits: E (in brackets: what the others imply)", names, limits
    ) + _paper_table("Leaks of the channel", names, leaks)


def _entry(verdict: ChannelVerdict, x: int, z: int) -> str:
    level = _text(float(verdict.levels[x, z]))
    return (
        f"{level} ({_text(float(verdict.closure[x, z]))})" if verdict.loose_limits[x, z] else level
    )


def _text(level: float) -> str:
    return page_state.level_text(round(level, 4))


def _numbered(names: Sequence[str]) -> list[str]:
    """Names with the numbers that stand for them above columns: paper is narrow."""
    return [f"{place} · {name}" for place, name in enumerate(names, start=1)]


def _paper_table(title: str, names: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
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
        f"{'has' if hidden == 1 else 'have'} limits, each against those in its row, from everybody "
        "who reads a person's report, the collector included.</p><p>Row: the true value. A report "
        "is at most e^E times as likely under it as under the column's value.</p>"
    )


def _open(verdict: ChannelVerdict) -> list[str]:
    pairs = verdict.k * (verdict.k - 1)
    open_pairs = pairs - int(np.isfinite(verdict.closure).sum() - verdict.k)
    no_limit = TEXTS["no_limit"].format(open=open_pairs, pairs=pairs)
    return [*([no_limit] if open_pairs else []), TEXTS["limits_add_up"], TEXTS["took_part"]]


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
        f"“{escape(channel_verdict.names[worst.x_other])}” {went}: a privacy loss of {loss}, where "
        f"E = {level} is allowed; it is seen by "
        f"{escape(channel_verdict.candidate.reports[worst.report])}.</p><p>Checked: every entry of "
        f"the channel, in rational numbers; {len(channel_verdict.broken)} of "
        f"{formats.count(audit.pairs, 'limit', 'limits')} broken.</p>"
    )


def _channel(verdict: ChannelVerdict) -> str:
    """The channel in numbers, where it fits on the sheet."""
    reports = verdict.candidate.reports
    if len(reports) > _SHOWN_MOST:
        return f"The channel has {len(reports)} reports; they are in the Python and in channel.txt."
    rows = [[f"{float(q):.6g}" for q in row] for row in verdict.candidate.channel]
    legend = ", ".join(_numbered(reports))
    table = _paper_table("The channel: chance of each report", _numbered(verdict.names), rows)
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
            "leak": plain(cell.privacy_loss),
            "report": verdict.candidate.reports[cell.report],
            "holds": cell.holds,
        }
        for (x, z), cell in verdict.cells.items()
    ]
    rows = [[plain(e) for e in row] for row in verdict.levels.tolist()]
    summary = {"names": list(verdict.names), "levels": rows, "channel": verdict.candidate.title}
    return json.dumps({**summary, "holds": verdict.audit.holds, "cells": cells}, indent=1)


def matrix_csv(verdict: ChannelVerdict) -> bytes:
    """E with names as CSV, "inf" for ∞."""
    rows = [[page_state.level_link(e) for e in row] for row in verdict.levels.tolist()]
    levels = pd.DataFrame(rows, columns=list(verdict.names))
    levels.insert(0, "truth", verdict.names, allow_duplicates=True)
    return runs.csv(levels)
