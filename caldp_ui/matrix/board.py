"""E as a table to be edited, beside what the channel leaks: one picture in the browser.

`web/` holds the browser's side: plain JavaScript and CSS, no request to the outside.
"""

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import streamlit as st

from caldp_core.audit.adversary import guessed_right
from caldp_core.basics.errors import CaldpError
from caldp_ui.app.theme import CIVIDIS, LEVELS
from caldp_ui.charts import scripts
from caldp_ui.matrix import words
from caldp_ui.matrix.slot import SLOT, Table, level_text, read_level
from caldp_ui.matrix.verdict import Verdict
from caldp_ui.offline.records import Component
from caldp_ui.offline.told import NEVER
from caldp_ui.session.notices import notify
from caldp_ui.stage import bundle
from caldp_ui.stage.bundle import joined
from caldp_ui.stage.heard import heard, news

_WEB: Final = Path(__file__).with_name("web")
_STYLE: Final = (_WEB / "board.css").read_text("utf-8")
_SCRIPT: Final = bundle.part("dom", "teller") + scripts.hub() + joined(_WEB, ("board",))
_board = st.components.v2.component(
    "caldp_matrix", html='<div class="board"></div>', css=_STYLE, js=_SCRIPT
)
KEY: Final = SLOT.key("board")
_COLOURS: Final = "Dark: well hidden; yellow: not hidden."
_DARK: Final = 150
"""Mean of red, green and blue from which a colour takes black text."""


def editable(what: Verdict) -> None:
    """The picture of the page; changes come before its next run."""
    data = {"key": KEY, "told": told(what), "edit": True, "heard": heard(KEY)}
    _board(key=KEY, data=data, on_told_change=_told)


def still(what: Verdict, key: str) -> None:
    """The same of another matrix, only to look at."""
    _board(key=key, data={"key": key, "told": told(what), "edit": False, "heard": heard(key)})


def alone(what: Verdict) -> Component:
    """The same in a file."""
    data = {"key": KEY, "told": told(what), "edit": False, "heard": NEVER}
    return Component(data, "board", _SCRIPT, _STYLE)


def told(what: Verdict) -> str:
    """All that is seen of it, as the browser is told: JSON."""
    return json.dumps(_message(what))


def _message(what: Verdict) -> dict[str, Any]:
    span = range(what.k)
    return {
        "names": list(what.names),
        "limit": [[_limit(what, x, z) for z in span] for x in span],
        "leak": [[_leak(what, x, z) for z in span] for x in span],
        "label": words.alt(what),
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


def _limit(what: Verdict, x: int, other: int) -> dict[str, Any]:
    level, closed = float(what.levels[x, other]), float(what.closed[x, other])
    follows = f"→ {level_text(round(closed, 4))}" if what.loose[x, other] else ""
    return {
        "text": "" if x == other else level_text(level),
        "follows": follows,
        "colours": _colours(level),
        "told": words.limit(what, x, other),
    }


def _leak(what: Verdict, x: int, other: int) -> dict[str, Any]:
    if x == other:
        return {"text": "", "mark": "", "colours": _colours(0.0), "told": ""}
    cell = what.cells[x, other]
    open_end = math.isinf(cell.leak.epsilon)
    return {
        "text": words.loss(cell),
        "mark": "open" if open_end else "kept" if cell.holds else "broken",
        "colours": _colours(max(cell.leak.privacy_loss, 0.0)),
        "told": words.leak(what, x, other),
    }


def _colours(level: float) -> list[str]:
    """Ground and text of a level: from a guess (dark) to certainty (yellow)."""
    place = round((2 * guessed_right(level) - 1) * (LEVELS - 1))
    red, green, blue = CIVIDIS[place].tolist()
    light = (red + green + blue) / 3 > _DARK or red > 165
    return [f"rgb({red},{green},{blue})", "#000000" if light else "#FFFFFF"]


def _told() -> None:
    for _, record in news(KEY):
        _entered(record)


def _entered(told: Mapping[str, Any]) -> None:
    x, other = told.get("x"), told.get("other")
    try:
        level = read_level(str(told.get("text")))
    except CaldpError as error:
        notify(str(error))
        return
    SLOT.change(lambda record: _changed(record, x, other, level, told.get("both") is True))


def _changed(record: Table, x: object, other: object, level: float, both: bool) -> Table:
    places = range(record.k)
    if not (isinstance(x, int) and isinstance(other, int)) or x == other:
        return record
    if x not in places or other not in places:
        return record
    return record.set(x, other, level, both)
