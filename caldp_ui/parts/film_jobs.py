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

    `key`: the place on its page of the job that makes it.
    """
    found: Film | None = _there(key, name)
    if found is None:
        found = jobs.quietly(key, name, lambda progress: _shared(name, make, progress))
    if found is not None:
        st.session_state[_own(key)] = name, found
    return found


def _shared(name: str, make: Callable[[Progress], Film], progress: Progress) -> Film:
    """The film, kept for all visits."""
    made = _made(name)
    if not made:
        made.append(make(progress))
    return made[0]


def _there(key: str, name: str) -> Any:
    """The film, if this visit has it or anybody has made it, else None.

    What a visit has it keeps as long as it asks for it: what all share may be forgotten, and a film
    must not go from under the hand that plays it.
    """
    own, found = st.session_state.get(_own(key), (None, None))
    return found if own == name else next(iter(_made(name)), None)


def _own(key: str) -> str:
    """Where a visit keeps the film of that place."""
    return f"{key}/film"


@dataclass(frozen=True)
class Near:
    """The steps of a film around the page's own, from the nearest on; a few, or the time runs out.

    `beside`: what the slider says at the page's own step and at those next to it.
    """

    make: Callable[[Progress], Film]
    beside: frozenset[str]


@dataclass(frozen=True)
class Asked:
    """A film that a page would have; see `film`.

    `near`: its steps around the page's own, where it follows a slider; see `previews.py`.
    """

    key: str
    name: str
    make: Callable[[Progress], Film]
    near: Near | None = None


def several(asked: Sequence[Asked]) -> list[Film]:
    """Those that have been made; the first that is missing is made by and by, then the next.

    A move of one slider asks for new films of all others, and its own stays.
    """
    missing = next((each for each in asked if not _is_there(each)), None)
    found = [film(e.key, e.name, e.make) for e in asked if e is missing or _is_there(e)]
    return [each for each in found if each is not None]


def _is_there(asked: Asked) -> bool:
    done = jobs.is_done(asked.key, asked.name)
    return done or _there(asked.key, asked.name) is not None


def of_this_visit(asked: Sequence[Asked]) -> list[Film]:
    """Those that have been made for this visit, which alone keeps them; the others by and by."""
    found = [jobs.quietly(each.key, each.name, each.make) for each in asked]
    return [each for each in found if each is not None]


@cached
def _made(name: str) -> list[Film]:
    """Where the film of that name is kept, for all visits; empty until it has been made."""
    del name
    return []
