"""The page of the privacy matrix as tests open it, read it and type into it."""

import json
from typing import Any

from streamlit.testing.v1 import AppTest

from caldp_ui.app.navigation import MATRIX
from caldp_ui.matrix import board, candidates, words
from caldp_ui.matrix.slot import (
    ALIKE,
    Table,
    TableLink,
)
from caldp_ui.matrix.templates import INF
from caldp_ui.matrix.verdict import Verdict, judged
from tests.ui.driver import data_of, headline_of, open_page, tell

SMALL = Table(
    "", 1.0, ("a", "b", "c"), ((0.0, 1.0, INF), (INF, 0.0, 0.5), (2.0, INF, 0.0)), channel=ALIKE
)


def opened(record: Table | None = None, **query: str) -> AppTest:
    return open_page(MATRIX, {**(TableLink().write(record) if record else {}), **query})


def record_of(at: AppTest) -> Table:
    record: Table = at.session_state["matrix/slot"].record
    return record


def message(at: AppTest, key: str = board.KEY) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(data_of(at, key)["told"])
    return found


def headline(at: AppTest) -> str:
    said = headline_of(at)
    return plain(said)


def plain(markdown: str) -> str:
    return markdown.replace("\\", "").replace("**", "").replace("\N{WORD JOINER}", "")


def verdict(record: Table) -> Verdict:
    return judged(record.names, record.matrix, candidates.made(record))


def said_of(what: Verdict) -> str:
    return plain(words.in_one_line(what))


def edit(at: AppTest, x: Any, other: Any, text: str, both: bool = False) -> AppTest:
    value = {"x": x, "other": other, "text": text, "both": both}
    return tell(at, data_of(at, board.KEY)["heard"], value, board.KEY)
