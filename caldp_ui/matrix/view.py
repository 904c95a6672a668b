"""What the page shows of a matrix and its channel: the verdict in sentences, and the board.

Each sentence must be true of the matrix and channel that it is shown with. Names come from
anybody: what goes into Markdown has them escaped, what goes into the picture, which reads no HTML,
has them as they are. Everything is decided by the core's audit in rationals. `web/` holds the
board in the browser: plain JavaScript and CSS, no request to the outside.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import streamlit as st

from caldp_core.audit.adversary import max_guess_accuracy
from caldp_core.audit.pairwise import Audit, CellAudit, audit_cells, audit_channel
from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Bools, Floats
from caldp_core.privacy.context import PrivacyMatrix, dense
from caldp_core.privacy.coverage import names_text
from caldp_core.privacy.matrix import DenseMatrix, closure
from caldp_ui.app.theme import CIVIDIS, LEVELS
from caldp_ui.charts import show
from caldp_ui.matrix import page_state
from caldp_ui.matrix.page_state import STATE, Candidate, MatrixState, level_text, read_level
from caldp_ui.offline.records import NO_RECEIPT, Component
from caldp_ui.parts.markup import as_html
from caldp_ui.session.notices import notify
from caldp_ui.shell.page import View
from caldp_ui.stage import bundle
from caldp_ui.stage.bundle import join_modules
from caldp_ui.stage.component import acknowledgement, new_events
from caldp_ui.words import formats
from caldp_ui.words.formats import Headline

_TIGHT: Final = 1e-9


@dataclass(frozen=True, eq=False)
class ChannelVerdict:
    """E of named values, its closure, and a channel's audit.

    `levels`, `closure`: (k, k) in nats, 0 to ∞, row = the truth. `cells`: by pairs x ≠ x′.
    """

    names: tuple[str, ...]
    levels: Floats
    closure: Floats
    candidate: Candidate
    audit: Audit
    cells: dict[tuple[int, int], CellAudit]

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
            around = [
                self.closure[x, y] + self.closure[y, z] for y in range(self.k) if y not in (x, z)
            ]
            level = self.levels[x, z]
            redundant[x, z] = (
                bool(np.isfinite(level)) and min(around, default=np.inf) <= level + _TIGHT
            )
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
    def broken(self) -> list[CellAudit]:
        """Entries that the channel does not keep, the worst first."""
        failed = [cell for cell in self.cells.values() if not cell.holds]
        return sorted(failed, key=lambda cell: cell.leak.epsilon - cell.leak.privacy_loss)


def judge_channel(
    names: tuple[str, ...], policy: PrivacyMatrix, candidate: Candidate
) -> ChannelVerdict:
    """Audit the candidate against the policy; `CaldpError` where their shapes differ."""
    cells = audit_cells(candidate.channel, policy)
    return ChannelVerdict(
        names,
        dense(policy),
        closure(DenseMatrix.of(dense(policy))).entries,
        candidate,
        audit_channel(candidate.channel, policy),
        {(cell.leak.x, cell.leak.x_other): cell for cell in cells},
    )


@dataclass(frozen=True, eq=False)
class MatrixData:
    """Data of the page: its record, and the verdict on the record's channel."""

    record: MatrixState
    verdict: ChannelVerdict


_PEOPLE: Final = 10_000


def headline(verdict: ChannelVerdict) -> Headline:
    """Whether the channel keeps E, and what E implies; values that nothing hides come first."""
    audit, names = verdict.audit, verdict.names
    if audit.faulty_row is not None:
        total = float(sum(verdict.candidate.channel[audit.faulty_row]))
        return Headline(
            "This is no channel: one of its rows does not sum to 1.",
            f"The row of “{names[audit.faulty_row]}” must be chances that sum to 1, its sum is "
            f"{total:.6g}.",
        )
    result = _kept(verdict) if not verdict.broken else _broken(verdict)
    if not verdict.proven_values:
        return result
    return Headline(_bare(verdict), result.whole, True)


def _bare(verdict: ChannelVerdict) -> str:
    """Which values a report proves."""
    proven = verdict.proven_values
    if len(proven) == verdict.k:
        return "No value is protected: every report proves the true one."
    verb, pronoun = ("is", "it") if len(proven) == 1 else ("are", "them")
    names = names_text([verdict.names[x] for x in proven])
    return f"{names} {verb} not protected: a report can prove {pronoun}."


def _kept(verdict: ChannelVerdict) -> Headline:
    if not verdict.audit.pairs:
        return Headline("The matrix has no limits, so every channel keeps it.")
    one = verdict.audit.pairs == 1
    limits = "the one limit" if one else f"all {verdict.audit.pairs} limits"
    fully = "it" if one else "each of them"
    return Headline(
        f"The channel keeps {limits}{_unused(verdict, fully)}.", implied_sentence(verdict)
    )


def _broken(verdict: ChannelVerdict) -> Headline:
    first = verdict.broken[0]
    worst, count = first.leak, _equally_broken(verdict)
    pair = f"“{verdict.names[worst.x]}” against “{verdict.names[worst.x_other]}”"
    allowed = f"leaks {loss(first)} where {level_text(worst.epsilon)} is allowed, by "
    report = verdict.candidate.reports[worst.output]
    text = (
        f"The worst is {pair}: it {allowed}{report}."
        if count == 1
        else f"{count} of them are equally bad: {pair}, for example, {allowed}{report}."
    )
    return Headline(
        f"The channel breaks {len(verdict.broken)} of "
        f"{formats.count(verdict.audit.pairs, 'limit', 'limits')}.",
        text,
    )


def _equally_broken(verdict: ChannelVerdict) -> int:
    """How many limits are broken as far as the worst one."""
    excess = [cell.leak.privacy_loss - cell.leak.epsilon for cell in verdict.broken]
    return sum(each == excess[0] or abs(each - excess[0]) < 1e-9 for each in excess)


def _unused(verdict: ChannelVerdict, fully: str) -> str:
    """How far the channel stays below what E would allow, at most; `fully`: what it uses up."""
    leaks = [cell.leak for cell in verdict.cells.values() if math.isfinite(cell.leak.epsilon)]
    most = max(leak.epsilon - max(leak.privacy_loss, 0.0) for leak in leaks)
    if most < 0.005:
        return f" and uses {fully} fully"
    return f" and leaks up to ε = {most:.2f} less than allowed"


def error_sentence(found: Candidate) -> str:
    """Typical error of a share estimated from the candidate's reports; "" without a mechanism."""
    if found.mechanism is None:
        return ""
    try:
        mean = page_state.even_variance(found.mechanism) / found.mechanism.k / _PEOPLE
    except CaldpError:
        return "Shares can't be estimated: two values send the same reports."
    return (
        f"A share estimated from {formats.people(_PEOPLE)} people is typically off by "
        f"{formats.digits(100 * mean**0.5)} percentage points."
    )


def loss(cell: CellAudit) -> str:
    """Privacy loss of an entry, with as many digits as it takes to tell it from its E."""
    value, level = cell.leak.privacy_loss, cell.leak.epsilon
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
    name, against = (f"“{verdict.names[i]}”" for i in (x, other))
    if x == other:
        return f"{name} against itself: there is nothing to tell apart."
    level, closed = float(verdict.levels[x, other]), float(verdict.closure[x, other])
    start = f"{name} against {against}, ε = {level_text(level)}: "
    if not verdict.loose_limits[x, other]:
        return start + _meaning(name, against, level)
    looseness = "no limit" if math.isinf(level) else "a loose limit"
    follows = f"the other limits imply ε = {level_text(round(closed, 6))}"
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
    report = channel_verdict.candidate.reports[cell.leak.output]
    row, against = channel_verdict.candidate.channel[x], channel_verdict.candidate.channel[other]
    p, q = (formats.share(float(each[cell.leak.output])) for each in (row, against))
    verdict = "within the limit" if cell.holds else "beyond the limit"
    if math.isinf(cell.leak.epsilon):
        verdict = "where there is no limit"
    return f"This channel leaks {loss(cell)}, {verdict}: it sends {report} with {p} against {q}."


def alt(verdict: ChannelVerdict) -> str:
    """Alt text of the board."""
    return f"Two tables of {verdict.k} by {verdict.k} values. {headline(verdict).whole}"


_WEB: Final = Path(__file__).with_name("web")
_STYLE: Final = (_WEB / "board.css").read_text("utf-8")
_SCRIPT: Final = (
    bundle.partial_script("dom", "outbox") + show.hub_script() + join_modules(_WEB, ("board",))
)
_board = st.components.v2.component(
    "caldp_matrix", html='<div class="board"></div>', css=_STYLE, js=_SCRIPT
)
KEY: Final = STATE.key("board")
OFF: Final = STATE.key("off")
"""The place of the sentence on the error of an estimate."""
_COLOURS: Final = "Dark: well hidden; yellow: not hidden."
_DARK: Final = 150
"""Mean of red, green and blue from which a colour takes black text."""


def view(data: MatrixData, *_: object) -> View:
    """The verdict, the board and the error; levels have the same colours in either theme."""
    error_html = as_html(error_sentence(data.verdict.candidate))
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
    return json.dumps(_message(verdict))


def _message(verdict: ChannelVerdict) -> dict[str, Any]:
    span = range(verdict.k)
    return {
        "names": list(verdict.names),
        "limit": [[_limit(verdict, x, z) for z in span] for x in span],
        "leak": [[_leak(verdict, x, z) for z in span] for x in span],
        "label": alt(verdict),
        "words": {
            "limit": "Limits: what a report may reveal",
            "leak": "Leaks: what this channel reveals",
            "row": "truth",
            "against": "against",
            "both": "Edit symmetrically",
            "hint": "Type a limit, or ∞ for none. Point at an entry, or use the arrow keys, to "
            f"read it in words. {_COLOURS}",
            "still": f"Point at an entry to read it in words. {_COLOURS}",
        },
    }


def _limit(verdict: ChannelVerdict, x: int, other: int) -> dict[str, Any]:
    level, closed = float(verdict.levels[x, other]), float(verdict.closure[x, other])
    follows = f"→ {level_text(round(closed, 4))}" if verdict.loose_limits[x, other] else ""
    return {
        "text": "" if x == other else level_text(level),
        "follows": follows,
        "colours": _colours(level),
        "description": limit(verdict, x, other),
    }


def _leak(verdict: ChannelVerdict, x: int, other: int) -> dict[str, Any]:
    if x == other:
        return {"text": "", "mark": "", "colours": _colours(0.0), "description": ""}
    cell = verdict.cells[x, other]
    open_end = math.isinf(cell.leak.epsilon)
    return {
        "text": loss(cell),
        "mark": "open" if open_end else "kept" if cell.holds else "broken",
        "colours": _colours(max(cell.leak.privacy_loss, 0.0)),
        "description": leak(verdict, x, other),
    }


def _colours(level: float) -> list[str]:
    """Background and text colour of a level: from a guess (dark) to certainty (yellow)."""
    place = round((2 * max_guess_accuracy(level) - 1) * (LEVELS - 1))
    red, green, blue = CIVIDIS[place].tolist()
    light = (red + green + blue) / 3 > _DARK or red > 165
    return [f"rgb({red},{green},{blue})", "#000000" if light else "#FFFFFF"]


def _receive_entries() -> None:
    for _, record in new_events(KEY):
        _apply_entry(record)


def _apply_entry(entry: Mapping[str, Any]) -> None:
    x, other = entry.get("x"), entry.get("other")
    try:
        level = read_level(str(entry.get("text")))
    except CaldpError as error:
        notify(str(error))
        return
    STATE.change(lambda record: _changed(record, x, other, level, entry.get("symmetric") is True))


def _changed(
    record: MatrixState, x: object, other: object, level: float, both: bool
) -> MatrixState:
    places = range(record.k)
    if not (isinstance(x, int) and isinstance(other, int)) or x == other:
        return record
    if x not in places or other not in places:
        return record
    return record.with_limit(x, other, level, both)
