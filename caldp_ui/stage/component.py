"""The stage: linked maps in the browser, as one function for pages.

Nothing is cached or kept here. What does not change is not sent again: the code, the land, the
ground and every picture are messages of their own, which Streamlit recognises.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from caldp_core.basics.cache import cached
from caldp_core.basics.errors import CaldpError
from caldp_core.domain.grid import Area
from caldp_ui.app.gate import current_address
from caldp_ui.stage import bundle
from caldp_ui.stage.codec import Blob, pack_message
from caldp_ui.stage.events import acknowledgement, new_events
from caldp_ui.stage.film import Film
from caldp_ui.stage.gestures import Act, StepChoice
from caldp_ui.stage.looks import style_data
from caldp_ui.stage.message import film_blobs, film_head, scene_head
from caldp_ui.stage.records import Ground, Scene

VIEW_KEY: Final = "view"
"""The link's key of the view, "latitude,longitude,zoom"; the browser writes and reads it."""
LOOK_KEY: Final = "look"
STYLE_KEY: Final = "map"
BROWSER_KEYS: Final = (VIEW_KEY, LOOK_KEY, STYLE_KEY)
"""The link's keys of view, look and style of the maps; the browser writes and reads them. Pages
only keep them."""

_code = st.components.v2.component("caldp_stage_code", js=bundle.script())
_feed = st.components.v2.component("caldp_stage_feed", js=bundle.LOADER % "feed")
_stage = st.components.v2.component(
    "caldp_stage", html='<div class="room"></div>', js=bundle.LOADER % "mount"
)


_Record = TypeVar("_Record")


@dataclass(frozen=True)
class Stage:
    """A stage on the page, to which films can be sent later in the same run."""

    key: str
    feeds: DeltaGenerator


def stage(
    scene: Scene,
    key: str,
    on_act: Callable[[Act], None] | None = None,
    on_step: Callable[[StepChoice], None] | None = None,
) -> Stage:
    """Show the scene; both calls run before the page's next run, as widgets' callbacks do.

    `key`: names the stage on its page, in letters, digits and hyphens; it ends in "maps", by which
    `style.css` keeps room for it. View, look, tool and film live on under it in the browser
    whatever changes here. Stages of one grid on one page share one view.
    """
    with st.container(key=f"{key}-stage", gap=None):
        _stage(
            key=key,
            data=[_head(scene, key)],  # in a list, or Streamlit looks for data frames in it
            on_events_change=lambda: _dispatch_events(key, on_act, on_step),
        )
        feeds = st.container(key=f"{key}-feeds", gap=None)
    with feeds:
        _code(key=f"{key}-code", data=[style_data()])
        _send(f"{key}-land", scene.ground.outline, scene.ground.land, scene.ground.cities)
        _send(f"{key}-ground", *_changing(scene.ground))
        for picture in scene.pictures:
            blobs = (picture.code, picture.error, picture.pooled, picture.certain)
            _send(f"{key}-picture-{picture.id}", *blobs)
    return Stage(key, feeds)


def send_frames(films: Iterable[Film], target: Stage) -> None:
    """Send films to a stage; call it after what should be on screen first."""
    with target.feeds:
        for film in films:
            feed(target.key, target.key, film)


def feed(key: str, stage_key: str, film: Film) -> None:
    """Send a film to the stage of that key, from here. `key`: names the place on the page."""
    _feed(key=f"{key}-film-{film.id}", data=_packed(film, stage_key))


@cached
def _packed(film: Film, stage_key: str) -> bytes:
    """A film's message: half a megabyte that is the same in every run."""
    return pack_message({"stage": stage_key, "film": film_head(film)}, film_blobs(film))


def _changing(ground: Ground) -> tuple[Blob | None, ...]:
    return ground.labels, ground.names, ground.sensitive, ground.open


def _send(key: str, *blobs: Blob | None) -> None:
    present = [blob for blob in blobs if blob is not None]
    if present:
        _feed(key=key, data=pack_message({}, present))


def _head(scene: Scene, key: str) -> dict[str, Any]:
    """The scene, its page's path, and which of the browser's events have been received."""
    page = urlsplit(current_address({})).path
    return {**scene_head(scene, key), "page": page, "receipt": acknowledgement(key)}


def _dispatch_events(
    key: str,
    on_act: Callable[[Act], None] | None,
    on_step: Callable[[StepChoice], None] | None,
) -> None:
    for kind, record in new_events(key):
        if kind == "act":
            _call_page(record, _read_act, on_act)
        else:
            _call_page(record, _read_choice, on_step)


def _call_page(
    message: Mapping[str, Any],
    read: Callable[[Mapping[str, Any]], _Record],
    callback: Callable[[_Record], None] | None,
) -> None:
    """Call the page back with the message's record; ignore what our own code does not send."""
    if callback is None:
        return
    try:
        record = read(message)
    except (CaldpError, KeyError, TypeError, ValueError):
        return
    callback(record)


def _read_act(message: Mapping[str, Any]) -> Act:
    box = message.get("box")
    block = message.get("block")
    return Act(
        str(message["tool"]),
        str(message["action"]),
        None if box is None else Area(*box),
        str(message.get("cells", "")),
        None if block is None else int(block),
    )


def _read_choice(message: Mapping[str, Any]) -> StepChoice:
    return StepChoice(str(message["film"]), int(message["index"]), float(message["value"]))
