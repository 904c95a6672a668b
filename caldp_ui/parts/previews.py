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
from caldp_ui.app.run_limiter import is_busy, pause_run
from caldp_ui.parts.film_jobs import FilmRequest
from caldp_ui.session.ticking import redraw_on_call
from caldp_ui.stage import Film

_STILL_S: Final = 0.4
_still: Final = st.components.v2.component(
    "caldp_still", js=Path(__file__).with_name("web").joinpath("still.js").read_text("utf-8")
)


class _Interrupted(Exception):
    """Somebody's page is run."""


def show(
    key: str,
    requests: Sequence[FilmRequest],
    known_films: Sequence[Film],
    send: Callable[[Film], None],
) -> None:
    """Make and send the nearest steps of the requested films that are not among `known_films`.

    `key`: one place on one page. `send`: sends a film to its picture, in a part of the page.
    """
    known = {film.settings for film in known_films}
    missing = [each for each in requests if each.near and each.name not in known]
    if missing:
        redraw_on_call(f"{key}-near", _STILL_S, lambda: _draw(f"{key}-near", missing, send))


def _draw(key: str, requests: Sequence[FilmRequest], send: Callable[[Film], None]) -> None:
    earlier: dict[str, Film] = st.session_state.get(f"{key}/films", {})
    films = {
        each.name: earlier[each.name]
        for each in requests
        if _has_nearest_steps(earlier.get(each.name), each)
    }
    missing = [each for each in requests if each.name not in films]
    if missing and _is_page_still(key, missing):
        films |= _make(missing)
    st.session_state[f"{key}/films"] = films
    for film in films.values():
        send(film)


def _has_nearest_steps(film: Film | None, request: FilmRequest) -> bool:
    """Whether it has the steps next to where the page is now."""
    readings = {step.reading for step in film.steps} if film else set()
    return request.near is not None and request.near.readings <= readings


def _is_page_still(key: str, requests: Sequence[FilmRequest]) -> bool:
    """Whether the browser has reported in this run that nothing moves."""
    name = " ".join(each.name for each in requests)
    answer = _still(key=f"{key}-still", data=[name, 1000 * _STILL_S], on_still_change=lambda: None)
    return bool(answer.still == name)


def _make(requests: Sequence[FilmRequest]) -> dict[str, Film]:
    """By name, the nearest steps that could be made before anybody's page was run."""
    films: dict[str, Film] = {}
    yields, lock = st.empty(), _preview_lock()

    def progress(_: float) -> None:
        yields.empty()  # where a newer run of this visit ends this one
        if is_busy():
            raise _Interrupted

    if not lock.acquire(blocking=False):
        return films
    try:
        with pause_run():
            for each in requests:
                if each.near:
                    films[each.name] = each.near.make(progress)
    except (_Interrupted, CaldpError):
        pass
    finally:
        lock.release()
    return films


@st.cache_resource
def _preview_lock() -> Lock:
    return Lock()
