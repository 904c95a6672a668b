"""The projector's board, as the browser draws it: plain JavaScript and CSS in `web/`."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import streamlit as st

from caldp_core.basics.types import Floats
from caldp_ui.charts import scripts
from caldp_ui.offline.records import Component
from caldp_ui.room import words
from caldp_ui.room.figures import Shares
from caldp_ui.room.poll import PollState
from caldp_ui.stage import bundle
from caldp_ui.stage.bundle import join_modules

WEB: Final = Path(__file__).with_name("web")
_DOM: Final = bundle.partial_script("dom")
_STYLE: Final = (WEB / "board.css").read_text("utf-8")
_SCRIPT: Final = _DOM + scripts.hub_script() + join_modules(WEB, ("board",))
_board = st.components.v2.component(
    "caldp_room_board", html='<div class="board"></div>', css=_STYLE, js=_SCRIPT
)
_LEGEND: Final = (
    ("estimate", "estimate, noise removed"),
    ("range95", "95 % range"),
    ("raw", "raw reports"),
    ("past", "the range as reports came"),
)


def board(content: str, key: str) -> None:
    """Draw the projector's board. `content`: of `board_json`."""
    _board(key=key, data={"key": key, "content": content})


def as_component(content: str, key: str) -> Component:
    """The projector's board as a component of an offline file. `content`: of `board_json`."""
    return Component({"key": key, "content": content}, "board", _SCRIPT, _STYLE)


def board_json(
    poll: PollState, past: Sequence[tuple[int, Shares]], truth: Floats | None = None
) -> str:
    """The message from which the browser draws the projector's board, as JSON.

    `past`: `figures.history` of the reports. `truth`: (k,) shares of made-up people, None for real.
    """
    return json.dumps(_board_message(poll, past, truth))


def _board_message(
    poll: PollState, past: Sequence[tuple[int, Shares]], truth: Floats | None
) -> dict[str, Any]:
    question, reports = poll.question, poll.reports
    last = past[-1][1] if past else None
    legend = [*_LEGEND, *([("made", "made-up truth")] if truth is not None else [])]
    return {
        "mark": poll.mark,
        "n": len(reports),
        "answers": [_answer(poll, last, truth, x) for x in range(question.k)],
        "reports": list(reports),
        "steps": [{"n": n, "ranges": _ranges(shares)} for n, shares in past],
        "words": {
            "known": words.what_the_server_knows(len(reports)),
            "note": words.board_note(question),
            "nothing": words.NOTHING_YET,
            "legend": legend,
        },
    }


def _answer(poll: PollState, last: Shares | None, truth: Floats | None, x: int) -> dict[str, Any]:
    question, reports = poll.question, poll.reports
    return {
        "name": question.answers[x],
        "sensitive": x in question.sensitive,
        "estimate": None if last is None else round(float(last.estimate[x]), 4),
        "low": 0.0 if last is None else round(float(last.low[x]), 4),
        "high": 1.0 if last is None else round(float(last.high[x]), 4),
        "sent": reports.count(x),
        "truth": None if truth is None else round(float(truth[x]), 4),
        "right": poll.is_shown and x == question.right,
    }


def _ranges(shares: Shares) -> list[list[float]]:
    pairs = zip(shares.low.tolist(), shares.high.tolist(), strict=True)
    return [[round(low, 3), round(high, 3)] for low, high in pairs]
