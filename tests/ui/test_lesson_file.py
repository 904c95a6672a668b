"""The lesson as a file of the server: made once, however many phones ask at the same time."""

import asyncio

import pytest
from starlette.applications import Starlette

from caldp_ui.handout import lesson
from caldp_ui.handout.route import lesson_file, route
from tests.loops import run
from tests.ui.phones import Answer, ask

PHONES = 30


def test_thirty_phones_get_the_lesson_that_is_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[float] = []

    def make(progress: object) -> bytes:
        made.append(1.0)
        return b"<!doctype html>"

    monkeypatch.setattr(lesson, "make_lesson", make)
    lesson_file.clear()
    app = Starlette(routes=[route("/lesson")])

    async def hall() -> list[Answer]:
        return await asyncio.gather(*(ask(app, "/lesson") for _ in range(PHONES)))

    answers = run(hall())
    lesson_file.clear()
    assert len(made) == 1
    assert {(each.status, each.body) for each in answers} == {(200, b"<!doctype html>")}
    assert lesson.FILE in answers[0].headers["content-disposition"]
