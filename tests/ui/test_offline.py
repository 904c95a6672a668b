"""The lesson to take home: one file that holds what the pages show, and asks nobody."""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from html import escape
from html.parser import HTMLParser

import pytest

from caldp_core.basics.errors import Cancelled
from caldp_core.basics.types import no_progress
from caldp_core.experiments.run import prepare, run
from caldp_ui.compute import rivals
from caldp_ui.maps.presets import BEGIN as MAP
from caldp_ui.offline import lesson, parts, questions
from caldp_ui.offline.document import document
from caldp_ui.offline.records import Part, Question
from caldp_ui.stage import Film
from caldp_ui.words import formats

SMALL = replace(MAP, n=20_000)


class Links(HTMLParser):
    """Whatever a browser would ask somebody for."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del tag
        self.asked += [str(value) for name, value in attrs if name in ("src", "href", "action")]


@pytest.fixture(scope="module")
def film() -> Film:
    part = parts.maps(SMALL)
    (make,) = part.films
    return make(no_progress)


@pytest.fixture(scope="module")
def whole() -> str:
    return lesson.made(no_progress).decode()


def test_the_file_is_small_and_asks_nobody(whole: str) -> None:
    assert len(whole.encode()) < 5e6
    links = Links()
    links.feed(whole)
    assert links.asked == []
    assert "default-src 'none'" in whole
    assert not re.search(r"\bimport\s[^;]*from\s*[\"']", whole)  # the modules are one


def test_it_has_the_pages_pictures_and_nine_questions(whole: str) -> None:
    held = re.search(r'<script type="application/json" id="parts">(.*?)</script>', whole, re.DOTALL)
    assert held
    made = json.loads(held[1])
    assert [part["id"] for part in made] == ["places", "answers", "attacker"]
    assert [len(part["parcels"]) for part in made] == [2, 2, 2]  # blobs and a film, or two films
    assert whole.count("<fieldset>") == 9
    assert whole.count('value="1"> ') == 9  # each has one right answer


def test_right_answers_are_those_of_the_films(film: Film) -> None:
    levels = [step.value for step in film.steps]
    for level in (levels[0], levels[-1]):
        scenario = SMALL.with_context(epsilon=level)
        step = film.steps[levels.index(level)]
        for name, each in (("ours", scenario), ("plain", rivals.rival(scenario))):
            tv = run(prepare(each)).first.errors.tv
            assert questions.wrong(step, name) == questions.number(formats.per_hundred(tv))
    (asked,) = (q for q in questions.of_maps([film]) if q.ask.startswith("Move ε"))
    bar = questions.number(asked.ask.split("at most")[1])
    good = {step.label: questions.wrong(step) <= bar for step in film.steps}
    right, *wrong = asked.answers
    assert good[right]
    earlier = [step.label for step in film.steps][: [s.label for s in film.steps].index(right)]
    assert not any(good[label] for label in earlier)  # "from which on"
    assert right not in wrong
    assert len(set(asked.answers)) == len(asked.answers) >= 3


def test_texts_are_texts_and_a_cancel_stops() -> None:
    evil = "</script><img src=x onerror=alert(1)>"

    def one(_: Sequence[Film]) -> tuple[Question, ...]:
        return (Question(evil, (evil, "b"), evil),)

    part = Part("a", evil, evil, evil, "<p></p>", "", {"names": [evil]}, (), one)
    made = document(evil, [part], no_progress)
    assert evil not in made
    assert escape(evil) in made

    def enough(share: float) -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        lesson.made(enough)
