"""Films in the making: in the background, while nobody is waiting for anything, once for all."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from caldp_core.basics.cache import cached
from caldp_core.basics.types import Progress
from caldp_ui.session import jobs
from caldp_ui.stage import Film


def film(key: str, name: str, make: Callable[[Progress], Film]) -> Film | None:
    """The film of that name, if it has been made for any visit; else it is made by and by.

    `key`: the place on its page of the job that makes it. `name`: names all that it depends on.
    """
    ready: Film | None = _find_film(key, name)
    if ready is None:
        ready = jobs.run_in_background(
            key, name, lambda progress: _make_shared(name, make, progress)
        )
    if ready is not None:
        st.session_state[_film_key(key)] = name, ready
    return ready


def _make_shared(name: str, make: Callable[[Progress], Film], progress: Progress) -> Film:
    """The film, kept for all visits."""
    shared = _made(name)
    if not shared:
        shared.append(make(progress))
    return shared[0]


def _find_film(key: str, name: str) -> Any:
    """The film, if this visit has it or anybody has made it, else None.

    A visit keeps its film as long as it requests it: the shared cache may drop it, and a film must
    not go from under the hand that plays it.
    """
    kept_name, kept = st.session_state.get(_film_key(key), (None, None))
    return kept if kept_name == name else next(iter(_made(name)), None)


def _film_key(key: str) -> str:
    """The key of the visit's state for the film of that place."""
    return f"{key}/film"


@dataclass(frozen=True)
class FilmRequest:
    """A film that a page requests; `key`, `name` and `make` as for `film`."""

    key: str
    name: str
    make: Callable[[Progress], Film]


def ready_films(requests: Sequence[FilmRequest]) -> list[Film]:
    """The requested films that have been made; those missing are made later, one by one.

    A move of one slider asks for new films of all others, and its own stays.
    """
    missing = next((each for each in requests if not _is_ready(each)), None)
    films = [film(e.key, e.name, e.make) for e in requests if e is missing or _is_ready(e)]
    return [each for each in films if each is not None]


def _is_ready(request: FilmRequest) -> bool:
    done = jobs.is_done(request.key, request.name)
    return done or _find_film(request.key, request.name) is not None


def session_films(requests: Sequence[FilmRequest]) -> list[Film]:
    """The requested films made for this visit, which alone keeps them; others are made later."""
    films = [jobs.run_in_background(each.key, each.name, each.make) for each in requests]
    return [each for each in films if each is not None]


@cached
def _made(name: str) -> list[Film]:
    """Where the film of that name is kept, for all visits; empty until it has been made."""
    del name
    return []
