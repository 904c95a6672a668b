"""What a page sends ahead, held against what it sends once its slider is there."""

import re
from dataclasses import replace
from typing import Any, TypeVar

from streamlit.testing.v1 import AppTest

from caldp_core.basics.types import no_progress
from caldp_ui.app.theme import LIGHT
from caldp_ui.controls.common import Slider
from caldp_ui.parts.films import ChartPage, SliderFilm
from caldp_ui.stage import Film, Step
from caldp_ui.stage.records import tree
from tests.contract.checks import naming
from tests.ui.driver import as_read, checked, container, data_of

R = TypeVar("R")
EVERY = slice(None)
_IN = re.compile(r"\.st-key-([\w-]+) (?:p|\.(\w+))")


def assert_ahead(
    at: AppTest, page: ChartPage[R], record: R, slider: Slider[R], only: slice = EVERY
) -> None:
    """Each step of the slider, from the record that is on show, is what the page then sends."""
    film = made(page, record, slider)
    assert [step.reading for step in film.steps] == at.select_slider(key=film.dial).options
    for value, step in list(zip(slider.steps, film.steps, strict=True))[only]:
        with naming(f"{record} {slider.name} {step.reading}"):
            checked(at.select_slider(key=film.dial).set_value(value).run())
            state = {"reading": step.reading, "settings": film.settings}
            assert slider_states(at, page)[film.dial] == state
            assert_step(at, step)


def few(along: SliderFilm[R], *steps: float) -> SliderFilm[R]:
    """The same along a slider of these steps alone."""
    return replace(along, slider=replace(along.slider, steps=steps))


def made(page: ChartPage[R], record: R, slider: Slider[R]) -> Film:
    return page.slider_film(slider, LIGHT).film(record, no_progress)


def slider_states(at: AppTest, page: ChartPage[Any]) -> Any:
    """Where the page says that its sliders are."""
    (message,) = data_of(at, page.state.key("feeds-page"))
    return message["page"]


def assert_step(at: AppTest, step: Step) -> None:
    """Pictures and words of the page are those of the step."""
    for key, content in step.pictures.items():
        assert data_of(at, key)["key"] == key
        assert data_of(at, key)["content"] == content
    for place, html in step.replacements.items():
        found = _IN.fullmatch(place)
        assert found is not None
        block = container(at, found[1])
        if found[2]:  # an element of ours, by its class
            (body,) = (item.proto.body for item in block.get("html"))
            assert html == body
            continue
        items = (*block.markdown, *block.caption) if block else ()
        assert _text(tree(html)) == as_read("".join(item.value for item in items))


def _text(node: Any) -> str:
    return node if isinstance(node, str) else "".join(map(_text, node[2:]))
