"""E as a table to be edited, beside what the channel leaks: one picture in the browser.

`web/` holds the browser's side: plain JavaScript and CSS, no request to the outside.
"""

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import streamlit as st

from caldp_core.audit.adversary import max_guess_accuracy
from caldp_core.basics.errors import CaldpError
from caldp_ui.app.theme import CIVIDIS, LEVELS
from caldp_ui.charts import scripts
from caldp_ui.matrix import words
from caldp_ui.matrix.page_state import STATE, MatrixState, level_text, read_level
from caldp_ui.matrix.words import ChannelVerdict
from caldp_ui.offline.boards import NO_RECEIPT
from caldp_ui.offline.records import Component
from caldp_ui.session.notices import notify
from caldp_ui.stage import bundle
from caldp_ui.stage.bundle import join_modules
from caldp_ui.stage.component import acknowledgement, new_events

_WEB: Final = Path(__file__).with_name("web")
_STYLE: Final = (_WEB / "board.css").read_text("utf-8")
_SCRIPT: Final = (
    bundle.partial_script("dom", "outbox") + scripts.hub_script() + join_modules(_WEB, ("board",))
)
_board = st.components.v2.component(
    "caldp_matrix", html='<div class="board"></div>', css=_STYLE, js=_SCRIPT
)
KEY: Final = STATE.key("board")
_COLOURS: Final = "Dark: well hidden; yellow: not hidden."
_DARK: Final = 150
"""Mean of red, green and blue from which a colour takes black text."""


def editable(verdict: ChannelVerdict) -> None:
    """Draw the board for editing; changes are applied before the page's next run."""
    data = {
        "key": KEY,
        "content": board_json(verdict),
        "edit": True,
        "receipt": acknowledgement(KEY),
    }
    _board(key=KEY, data=data, on_events_change=_receive_entries)


def show_readonly(verdict: ChannelVerdict, key: str) -> None:
    """Draw the board of another matrix, read-only."""
    _board(
        key=key,
        data={
            "key": key,
            "content": board_json(verdict),
            "edit": False,
            "receipt": acknowledgement(key),
        },
    )


def as_component(verdict: ChannelVerdict) -> Component:
    """The board as a component of an offline file, read-only."""
    data = {"key": KEY, "content": board_json(verdict), "edit": False, "receipt": NO_RECEIPT}
    return Component(data, "board", _SCRIPT, _STYLE)


def board_json(verdict: ChannelVerdict) -> str:
    """The message from which the browser draws the board, as JSON."""
    return json.dumps(_message(verdict))


def _message(verdict: ChannelVerdict) -> dict[str, Any]:
    span = range(verdict.k)
    return {
        "names": list(verdict.names),
        "limit": [[_limit(verdict, x, z) for z in span] for x in span],
        "leak": [[_leak(verdict, x, z) for z in span] for x in span],
        "label": words.alt(verdict),
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
        "description": words.limit(verdict, x, other),
    }


def _leak(verdict: ChannelVerdict, x: int, other: int) -> dict[str, Any]:
    if x == other:
        return {"text": "", "mark": "", "colours": _colours(0.0), "description": ""}
    cell = verdict.cells[x, other]
    open_end = math.isinf(cell.leak.epsilon)
    return {
        "text": words.loss(cell),
        "mark": "open" if open_end else "kept" if cell.holds else "broken",
        "colours": _colours(max(cell.leak.privacy_loss, 0.0)),
        "description": words.leak(verdict, x, other),
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
