"""The rehearsal ahead of its server: each step of its sliders is what the page then shows."""

import gc

import pytest

from caldp_core.basics.types import no_progress
from caldp_ui.app.theme import LIGHT
from caldp_ui.room import page
from caldp_ui.room.page_state import EXAMPLES, STATE, Draft
from caldp_ui.room.question import Question
from caldp_ui.session import jobs
from caldp_ui.stage import Film
from tests.products import thinned
from tests.ui.ahead import assert_ahead, few, made
from tests.ui.driver import _component, open_record

OWN = Question(
    "What is <b>it</b>?",
    ("$1 & `x` *y* **z**", "<b>http://e.example</b> &amp;", ":red[No] \\ ~a~"),
    (0, 2),
    1.0,
)
PAGE = page.PAGE.charts()
QUESTIONS = {**EXAMPLES, "own": OWN, "bare": Question("?", ("a", "b"), (), 1.0)}


@pytest.mark.parametrize("name", thinned(QUESTIONS, one_in=3))
def test_every_step_is_what_the_page_shows(name: str) -> None:
    for draft in (Draft(QUESTIONS[name]), Draft(QUESTIONS[name], 100)):
        assert_ahead(open_record(STATE, draft), PAGE, draft, page.EPSILON, slice(0, None, 3))
    assert_ahead(open_record(STATE, draft), PAGE, draft, page.PHONES)


def test_each_question_and_each_number_of_phones_has_a_film_of_its_own() -> None:
    drafts = [Draft(question, phones) for question in QUESTIONS.values() for phones in (30, 100)]
    along = few(PAGE.slider_film(page.EPSILON, LIGHT), 1.0)
    assert len({along.film(each, no_progress).settings for each in drafts}) == len(drafts)


def test_both_films_are_sent_and_nobody_s_question_is_kept_for_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(jobs, "run_in_background", lambda _key, _name, work: work(no_progress))
    draft = Draft(OWN)
    at = open_record(STATE, draft)
    for slider in (page.EPSILON, page.PHONES):
        film = made(PAGE, draft, slider)
        sent = _component(at, STATE.key(f"feeds-{film.dial}"))
        assert sent.bytes == film.chart_message
    del at, film, sent
    gc.collect()
    kept = [each for each in gc.get_objects() if isinstance(each, Film)]
    assert not [each for each in kept if "e.example" in str(each.steps)]
