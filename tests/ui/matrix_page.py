"""The page of the privacy matrix as tests open it, read it and type into it."""

import json
from typing import Any

from streamlit.testing.v1 import AppTest

from caldp_ui.app.navigation import MATRIX
from caldp_ui.matrix import page_state, view
from caldp_ui.matrix.page_state import (
    INF,
    LINK,
    RANDOMIZED_RESPONSE,
    MatrixState,
)
from caldp_ui.matrix.view import ChannelVerdict, judge_channel
from tests.ui.driver import data_of, headline_of, open_page, send_event

SMALL = MatrixState(
    "",
    1.0,
    ("a", "b", "c"),
    ((0.0, 1.0, INF), (INF, 0.0, 0.5), (2.0, INF, 0.0)),
    channel=RANDOMIZED_RESPONSE,
)


def open_matrix(record: MatrixState | None = None, **query: str) -> AppTest:
    return open_page(MATRIX, {**(LINK.write(record) if record else {}), **query})


def record_of(at: AppTest) -> MatrixState:
    record: MatrixState = at.session_state["matrix/state"].record
    return record


def message(at: AppTest, key: str = view.KEY) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(data_of(at, key)["content"])
    return found


def headline(at: AppTest) -> str:
    text = headline_of(at)
    return plain(text)


def plain(markdown: str) -> str:
    return markdown.replace("\\", "").replace("**", "").replace("\N{WORD JOINER}", "")


def verdict(record: MatrixState) -> ChannelVerdict:
    return judge_channel(record.names, record.matrix, page_state.build_candidate(record))


def sentence_of(verdict: ChannelVerdict) -> str:
    return plain(view.headline(verdict).whole)


def edit(at: AppTest, x: Any, other: Any, text: str, both: bool = False) -> AppTest:
    value = {"x": x, "other": other, "text": text, "symmetric": both}
    return send_event(at, data_of(at, view.KEY)["receipt"], value, view.KEY)
