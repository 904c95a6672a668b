"""Previews: the nearest steps of a page's films, made once the page has been left for a moment.

A whole film takes seconds, and whoever comes to a page moves its slider before. Each visit has its
own, made in a run of a part of the page: a hand that moves goes first, and so does everybody else.
One visit's are made at a time; who comes then goes without.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Lock
from typing import Final

import streamlit as st

from caldp_core.basics.errors import CaldpError
from caldp_ui.app.turns import is_busy
from caldp_ui.parts.film_jobs import Asked
from caldp_ui.session.ticking import called
from caldp_ui.stage import Film

_STILL_S: Final = 0.4
_still: Final = st.components.v2.component(
    "caldp_still", js=Path(__file__).with_name("web").joinpath("still.js").read_text("utf-8")
)


class _Overtaken(Exception):
    """Somebody's page is run."""


def show(
    key: str, asked: Sequence[Asked], made: Sequence[Film], send: Callable[[Film], None]
) -> None:
    """Have the nearest steps of those made and sent that are not among the films `made`.

    `key`: one place on one page. `send`: brings a film to what shows it, in a part of the page.
    """
    there = {film.alike for film in made}
    missing = [each for each in asked if each.near and each.name not in there]
    if missing:
        called(f"{key}-near", _STILL_S, lambda: _draw(f"{key}-near", missing, send))


def _draw(key: str, asked: Sequence[Asked], send: Callable[[Film], None]) -> None:
    held: dict[str, Film] = st.session_state.get(f"{key}/films", {})
    there = {each.name: held[each.name] for each in asked if _serves(held.get(each.name), each)}
    missing = [each for each in asked if each.name not in there]
    if missing and _is_called(key, missing):
        there |= _make(missing)
    st.session_state[f"{key}/films"] = there
    for film in there.values():
        send(film)


def _serves(film: Film | None, asked: Asked) -> bool:
    """Whether it has the steps next to where the page is now."""
    readings = {step.reading for step in film.steps} if film else set()
    return asked.near is not None and asked.near.beside <= readings


def _is_called(key: str, asked: Sequence[Asked]) -> bool:
    """Whether the browser has told in this run that nothing moves."""
    name = " ".join(each.name for each in asked)
    told = _still(key=f"{key}-still", data=[name, 1000 * _STILL_S], on_still_change=lambda: None)
    return bool(told.still == name)


def _make(asked: Sequence[Asked]) -> dict[str, Film]:
    """By name what could be made before anybody's page was run."""
    made: dict[str, Film] = {}
    yields, one = st.empty(), _one_at_a_time()

    def progress(_: float) -> None:
        yields.empty()  # where a newer run of this visit ends this one
        if is_busy():
            raise _Overtaken

    if not one.acquire(blocking=False):
        return made
    try:
        for each in asked:
            if each.near:
                made[each.name] = each.near.make(progress)
    except (_Overtaken, CaldpError):
        pass
    finally:
        one.release()
    return made


@st.cache_resource
def _one_at_a_time() -> Lock:
    return Lock()
