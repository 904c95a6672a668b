"""The page's two components in the browser: the projector's board and the phone's side.

`web/` holds the browser's side: plain JavaScript and CSS, no request to the outside.
"""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import streamlit as st

from caldp_core.basics.types import Floats
from caldp_core.collect import js
from caldp_ui.charts import scripts
from caldp_ui.offline.records import Component
from caldp_ui.room import phone_words, words
from caldp_ui.room.figures import Shares
from caldp_ui.room.poll import PollState
from caldp_ui.room.question import IntegerChannel, Question, channel_of
from caldp_ui.stage import bundle
from caldp_ui.stage.bundle import join_modules
from caldp_ui.words import formats

WEB: Final = Path(__file__).with_name("web")
COIN: Final = join_modules(Path(js.__file__).parent, ("client",)) + join_modules(WEB, ("coin",))
"""The JavaScript with which a phone draws its report."""
_DOM: Final = bundle.partial_script("dom")
_STYLE: Final = (WEB / "board.css").read_text("utf-8")
_SCRIPT: Final = _DOM + scripts.hub_script() + join_modules(WEB, ("board",))
_board = st.components.v2.component(
    "caldp_room_board", html='<div class="board"></div>', css=_STYLE, js=_SCRIPT
)
_phone = st.components.v2.component(
    "caldp_room_phone",
    html='<div class="phone"></div>',
    css=(WEB / "phone.css").read_text("utf-8"),
    js=_DOM + COIN + join_modules(WEB, ("phone",)),
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


def phone(
    poll: PollState, key: str, received: bool, refused: str | None, on_report: Callable[[], None]
) -> None:
    """Draw a phone's side. `received`: its report is counted; `refused`: why it never will be.

    `on_report`: called when the phone sends one.
    """
    data = {**phone_message(poll), "received": received, "refused": refused}
    _phone(key=key, data=data, on_report_change=on_report)


def phone_message(poll: PollState) -> dict[str, Any]:
    """The question as a phone needs it, ready for JSON; the law's whole numbers are texts."""
    question = poll.question
    channel = channel_of(question)
    law, columns = IntegerChannel.of(channel), enumerate(zip(*channel, strict=True))
    return {
        "mark": poll.mark,
        "text": question.text,
        "answers": list(question.answers),
        "sensitive": list(question.sensitive),
        "open": poll.is_open,
        "law": {"whole": str(law.whole), "steps": [list(map(str, row)) for row in law.steps]},
        "choices": [
            {
                "odds": phone_words.coin_odds_sentence(question, x, [float(q) for q in row]),
                "go": phone_words.send_label(question, x),
                "coin": phone_words.coin_sentence(question, x),
            }
            for x, row in enumerate(channel)
        ],
        "explanations": [
            _report_explanation(question, y, [float(q) for q in sent]) for y, sent in columns
        ],
        "answer": phone_words.answer_sentence(poll),
        "words": _WORDS if question.right is None else {**_WORDS, **_guess(question)},
    }


def _report_explanation(question: Question, report: int, chances: list[float]) -> dict[str, Any]:
    if words.is_open_guess(question):
        return {"why": phone_words.SENT_AS_IT_IS, "uncertainty": "", "chances": [], "widths": []}
    return {
        "why": phone_words.deniability_text(question, report, chances),
        "uncertainty": phone_words.remains_sentence(question, report),
        "chances": [formats.out_of(each) for each in chances],
        "widths": [round(each, 4) for each in chances],
    }


def _guess(question: Question) -> dict[str, str]:
    """The phone's words where a guess is asked for."""
    choose = {"choose": "Choose your guess"}
    return {**choose, "bare": ""} if words.is_open_guess(question) else choose


_WORDS: Final = {
    "choose": "Choose your true answer",
    "hidden": "protected",
    "bare": "not protected",
    "closed": "The question is closed.",
    "sent": "Your phone sent: ",
    "sending": "Sending …",
    "received": "✓ Counted, once.",
    "of": "How many of 100 phones send this, by their true answer:",
}
