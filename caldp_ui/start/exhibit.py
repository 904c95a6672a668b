"""The exhibit: one curve that one drags, the reader on the left and everybody's map on the right.

All of its pictures come with the page, as one file that browsers keep: the server does nothing
while somebody drags, and hears of the size and ε that were chosen once they are. What is drawn was
computed beforehand (`scripts/make_exhibit.py`); here are its words, its colours and its lines.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import streamlit as st
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from caldp_core.audit.adversary import max_guess_accuracy
from caldp_core.basics.types import Floats
from caldp_core.datasets.base_map import us_cities
from caldp_core.datasets.shipped import DATA_FOLDER, land_outline, state_outline
from caldp_ui.app.texts import read_toml
from caldp_ui.app.theme import BLUES, CIVIDIS, LEVELS
from caldp_ui.charts import show as charts
from caldp_ui.offline.document import NO_RECEIPT, Component
from caldp_ui.stage import records
from caldp_ui.stage.component import acknowledgement, new_events
from caldp_ui.words import formats

_WEB: Final = Path(__file__).with_name("web")
_MODULES: Final = ("png", "atlas", "colours", "country", "hiding", "curve", "card", "exhibit")
_STYLE: Final = (_WEB / "exhibit.css").read_text("utf-8")
_SCRIPT: Final = (
    records.partial_script("dom", "outbox") + charts.script() + records.join_modules(_WEB, _MODULES)
)
_exhibit: Final = st.components.v2.component(
    "caldp_exhibit", html='<div class="exhibit"></div>', css=_STYLE, js=_SCRIPT
)
_WORDS: Final = read_toml(__file__, "exhibit.toml")
_FOR_EVER: Final = {"cache-control": "public, max-age=31536000, immutable"}
_RANKS: Final = read_toml(__file__, "cities.toml")
"""Cities of the map by how early they are named where there is little room."""


@cache
def stored() -> dict[str, Any]:
    """What `scripts/make_exhibit.py` has computed, as data/README.md describes it."""
    content: dict[str, Any] = json.loads((DATA_FOLDER / "exhibit.json").read_text("utf-8"))
    return content


def _sides(size: Mapping[str, Any]) -> tuple[int, int] | None:
    """Kilometres from south to north and from west to east; None for the whole country."""
    sides = size["kilometres"]
    return (sides[0], sides[1]) if sides else None


@cache
def size_keys() -> tuple[str, ...]:
    """How a link names each size, the largest first: "country", "110x180"."""
    every = map(_sides, stored()["sizes"])
    return tuple("country" if sides is None else "{}x{}".format(*sides) for sides in every)


@cache
def size_names() -> tuple[str, ...]:
    """How a sentence names each size, the largest first: "110 × 180 km"."""
    every = map(_sides, stored()["sizes"])
    return tuple(
        "the whole country" if sides is None else "{:,} × {:,} km".format(*sides) for sides in every
    )


def epsilons() -> tuple[float, ...]:
    """The ε of the curves, from strong to weak protection."""
    return tuple(stored()["epsilons"])


def expected_error(size: str, epsilon: float) -> float:
    """The share of people to expect in the wrong cell, by the names of a link."""
    row = stored()["errors"][epsilons().index(epsilon)]
    expected: float = row[size_keys().index(size)]["expected"]
    return expected


@cache
def content() -> dict[str, Any]:
    """All that the browser draws from: what is stored, its texts, and lines and colours of maps."""
    source = stored()
    errors = [[point["expected"] for point in row] for row in source["errors"]]
    lines = {"land": land_outline(), "borders": state_outline()}
    cities = [[c.name, c.latitude, c.longitude] for c in us_cities() if c.name in _RANKS]
    return {
        **source,
        "keys": size_keys(),
        "names": size_names(),
        "numbers": [[formats.per_hundred(error) for error in row] for row in errors],
        "wrong": [[formats.of_hundred(error) for error in row] for row in errors],
        "odds": [formats.of_hundred(max_guess_accuracy(epsilon)) for epsilon in epsilons()],
        **{name: _steps_of_lines(*points) for name, points in lines.items()},
        "cities": _first_of_each_name([[*city, _RANKS[str(city[0])]] for city in cities]),
        "ramps": {"light": _colours(BLUES), "dark": _colours(CIVIDIS)},
    }


def _first_of_each_name(cities: list[list[Any]]) -> list[list[Any]]:
    """The largest city of each name, as they come from large to small."""
    by_name = {city[0]: city for city in reversed(cities)}
    return sorted(by_name.values(), key=lambda city: (city[-1], city[0]))


def _steps_of_lines(longitudes: Floats, latitudes: Floats) -> list[list[int]]:
    """Lines that NaN divides, in hundredths of a degree, each point as its step from the last."""
    points = np.column_stack([longitudes, latitudes])
    gaps = np.flatnonzero(np.isnan(longitudes))
    every = [part[~np.isnan(part[:, 0])] for part in np.split(points, gaps)]
    whole = [np.rint(100 * part).astype(int) for part in every if len(part)]
    return [np.diff(part, axis=0, prepend=[[0, 0]]).ravel().tolist() for part in whole]


def _colours(ramp: np.ndarray[Any, np.dtype[np.uint8]]) -> list[str]:
    """As many colours of a ramp as there are levels, as CSS writes them."""
    levels = stored()["scale"]["levels"]
    places = np.rint(np.linspace(0, LEVELS - 1, levels)).astype(int)
    return ["rgb({}, {}, {})".format(*ramp[place].tolist()) for place in places]


@cache
def _file() -> bytes:
    return json.dumps(content(), ensure_ascii=False, separators=(",", ":")).encode()


@cache
def address() -> str:
    """Where the file is, beside the page: another content has another name."""
    return f"exhibit-{hashlib.sha256(_file()).hexdigest()[:12]}.json"


def route(in_server: Callable[[str], str]) -> Route:
    """The route of the file; `in_server`: the path of a name on this server."""

    def answer(_: Request) -> Response:
        return Response(_file(), headers=_FOR_EVER, media_type="application/json")

    return Route(in_server(address()), answer)


def words() -> dict[str, str]:
    """The exhibit's sentences, with the data's own numbers and name filled in."""
    source = stored()
    people, scale = source["people"], source["scale"]
    filled = {
        "{people}": formats.people(people),
        "{source}": "Gowalla check-ins, reconstructed",
        "{least}": formats.digits(people * scale["low"], 1),
        "{most}": formats.digits(people * scale["high"]),
    }
    texts = dict[str, str](_WORDS)
    for name in texts:
        for place, value in filled.items():
            texts[name] = texts[name].replace(place, value)
    return texts


@dataclass(frozen=True)
class Choice:
    """What the exhibit shows: a size and ε by their names in a link."""

    size: str
    epsilon: float


def message(choice: Choice, glides: bool) -> str:
    """The choice as JSON for the browser; `glides`: whether it opens from plain LDP to there."""
    indices = {
        "size": size_keys().index(choice.size),
        "epsilon": epsilons().index(choice.epsilon),
    }
    return json.dumps({**indices, "glides": glides})


def show(key: str, choice: Choice, glides: bool, on_choice: Callable[[Choice], None]) -> None:
    """Show the exhibit; `on_choice` gets what the reader has chosen before the page's next run."""

    def receive() -> None:
        for _, record in new_events(key):
            size, epsilon = record.get("size"), record.get("epsilon")
            if size in size_keys() and epsilon in epsilons():
                on_choice(Choice(str(size), float(str(epsilon))))

    data = {
        "key": key,
        "content": message(choice, glides),
        "address": address(),
        "data": None,
        "words": words(),
        "receipt": acknowledgement(key),
    }
    _exhibit(key=key, data=data, on_events_change=receive)


def as_component(key: str, choice: Choice) -> Component:
    """The exhibit as a component of an offline file, which has its data in it."""
    data = {
        "key": key,
        "content": message(choice, glides=False),
        "address": "",
        "data": content(),
        "words": words(),
        "receipt": NO_RECEIPT,
    }
    return Component(data, "exhibit", _SCRIPT, _STYLE)
