"""The nearest steps of films: made in a moment of rest, and the same as the film's own."""

import json

import pytest
from streamlit.testing.v1 import AppTest

from caldp_core.basics.types import no_progress
from caldp_ui.parts import film_jobs, previews
from caldp_ui.parts import films as film_steps
from caldp_ui.parts.films import all_steps, nearest_steps, neighbouring_levels
from caldp_ui.stage import Film, Step
from caldp_ui.values import view as films
from caldp_ui.values.page_state import BEGIN, ValuesState
from caldp_ui.yesno.page import SLIDERS
from caldp_ui.yesno.page_state import STATE as YESNO
from tests.ui.driver import checked, data_of, open_page, trigger

LEVELS = (0.5, 1.0, 1.5, 2.0, 2.5, 3.0)
FILM = films.slider_film(ValuesState(), films.EPSILON)
PLACE = "values-chart-near"


@pytest.fixture(autouse=True)
def shared_films(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[Film]]:
    """Films that have been made for all visits, by name: none at first."""
    kept: dict[str, list[Film]] = {}
    monkeypatch.setattr(film_jobs, "_made", lambda name: kept.setdefault(name, []))
    return kept


def preview_readings(at: AppTest) -> list[str]:
    """What the steps of the preview say, as the visit keeps it; empty where there is none."""
    kept = at.session_state[f"{PLACE}/films"]
    return [step.reading for film in kept.values() for step in film.steps]


def rest(at: AppTest) -> AppTest:
    """The browser tells that nothing has moved for a while."""
    name, _ = data_of(at, f"{PLACE}-still")
    return trigger(at, [{"event": "still", "value": name}], f"{PLACE}-still")


def is_waiting(at: AppTest) -> bool:
    found = (c.proto.id for c in at.get("bidi_component"))
    return any(each.endswith(f"-{PLACE}-still") for each in found)


def is_film_there(at: AppTest) -> bool:
    found = (c.proto.id for c in at.get("bidi_component"))
    return any(each.endswith(f"-{PLACE}-{films.EPSILON}") for each in found)


def bytes_of(at: AppTest, key: str) -> bytes:
    found = [c.proto.bytes for c in at.get("bidi_component") if c.proto.id.endswith(f"-{key}")]
    (sent_once,) = found
    return bytes(sent_once)


def step(level: float) -> Step:
    return Step(f"{level}", level, {})


def test_the_nearest_steps_are_made_outwards_and_are_the_film_s_own() -> None:
    order: list[float] = []

    def record_step(level: float) -> Step:
        order.append(level)
        return step(level)

    made = nearest_steps(LEVELS, 1.5, record_step, no_progress)
    assert order == [1.5, 2.0, 1.0, 2.5, 0.5]
    whole = {each.value: each for each in all_steps(LEVELS, 1.5, step, no_progress)}
    assert list(made) == [whole[level] for level in (0.5, 1.0, 1.5, 2.0, 2.5)]
    assert neighbouring_levels(LEVELS, 1.5) == [1.5, 2.0, 1.0]
    assert neighbouring_levels(LEVELS, 3.0) == [3.0, 2.5, 2.0]
    assert [each.value for each in nearest_steps((1.0,), 4.0, step, no_progress)] == [1.0]


def test_a_second_step_to_a_side_is_made_only_while_there_is_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = iter([0.0, 0.5, 0.7])
    monkeypatch.setattr(film_steps, "monotonic", lambda: next(now))
    made = nearest_steps(LEVELS, 1.5, step, no_progress)
    assert [each.value for each in made] == [1.0, 1.5, 2.0, 2.5]


def test_a_preview_comes_in_a_moment_of_rest_and_serves_until_the_slider_leaves_it() -> None:
    at = open_page("pages/values.py")
    assert is_waiting(at)
    assert not is_film_there(at)
    rest(at)
    assert is_film_there(at)
    checked(at.run())
    assert is_film_there(at)
    assert not is_waiting(at)
    film = next(iter(at.session_state[f"{PLACE}/films"].values()))
    whole = FILM.film(ValuesState(), no_progress)
    assert (film.settings, film.dial, film.is_whole, whole.is_whole) == (
        whole.settings, whole.dial, False, True)  # fmt: skip
    by_reading = {each.reading: each for each in whole.steps}
    for each in film.steps:
        same = by_reading[each.reading]
        assert {k: v.name for k, v in each.codes.items()} == {
            k: v.name for k, v in same.codes.items()
        }
        assert each.replacements == same.replacements
    first = preview_readings(at)
    here = [each.value for each in film.steps].index(BEGIN.context.epsilon)
    at.select_slider(key="values-epsilon").set_value(film.steps[here + 1].value).run()
    assert is_film_there(at)
    assert preview_readings(at) == first, "the steps next to it are there"
    at.select_slider(key="values-epsilon").set_value(film.steps[-1].value).run()
    assert is_waiting(at)
    assert not is_film_there(at)
    rest(at)
    assert is_film_there(at)
    assert preview_readings(at) != first


def test_nobody_waits_for_previews(monkeypatch: pytest.MonkeyPatch) -> None:
    """While pages are run for anybody none is made, and what was begun is left."""
    at = open_page("pages/values.py")
    monkeypatch.setattr(previews, "is_busy", lambda: True)
    rest(at)
    assert is_waiting(at)
    assert not is_film_there(at)
    busy = iter([False, False, True])
    monkeypatch.setattr(previews, "is_busy", lambda: next(busy))
    rest(at)
    assert is_waiting(at)
    assert not is_film_there(at)
    assert next(busy, "asked three times") == "asked three times"
    monkeypatch.setattr(previews, "is_busy", lambda: False)
    with previews._preview_lock():
        rest(at)
    assert is_waiting(at)
    assert not is_film_there(at)
    rest(at)
    assert is_film_there(at)


def test_where_the_whole_film_is_there_nothing_is_waited_for(
    shared_films: dict[str, list[Film]],
) -> None:
    shared_films[FILM.name(ValuesState())] = [FILM.film(ValuesState(), no_progress)]
    at = open_page("pages/values.py")
    assert not is_waiting(at)


def test_charts_have_previews_too() -> None:
    at = open_page("pages/yesno.py")
    key = f"{YESNO.key('feeds')}-near"
    name, _ = data_of(at, f"{key}-still")
    trigger(at, [{"event": "still", "value": name}], f"{key}-still")
    (data,) = data_of(at, YESNO.key("feeds-page"))
    for dial, where in data["page"].items():
        film = json.loads(bytes_of(at, f"{key}-{dial}"))
        assert (film["id"], film["settings"]) == (dial, where["settings"])
        assert where["reading"] in [each["reading"] for each in film["steps"]]
    assert len(data["page"]) == len(SLIDERS)
