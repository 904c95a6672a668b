"""The stage: linked maps in the browser, as one function for pages.

What does not change is not sent again: the code, the land, the ground and every picture are
messages of their own, which Streamlit recognises. Readers' actions come back once each, in order:
`web/outbox.js` sends everything again that no message has confirmed.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final
from urllib.parse import urlsplit
from weakref import ref

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from caldp_core.basics.cache import cached
from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Bools
from caldp_core.domain.domains import Area, GridDomain
from caldp_ui.app.gate import current_address
from caldp_ui.server.components import send_once
from caldp_ui.stage import records


def acknowledgement(key: str) -> dict[str, Any]:
    """The last event received of the picture of this key, for its next message to confirm.

    `client`: the picture's own name in one browser. `serial`: the event's number.
    """
    client, serial = st.session_state.get(_place(key), ("", 0))
    return {"client": client, "serial": serial}


def new_events(key: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The new events of the picture of this key: the kind and the record of each.

    Each counts as received before it is yielded, so one that makes a page fail does not come again.
    What our own code does not send is skipped.
    """
    report = st.session_state[key].get("events")
    if not isinstance(report, Mapping) or not isinstance(report.get("events"), list):
        return
    client = str(report.get("client"))
    for event in report["events"]:
        last_client, serial = st.session_state.get(_place(key), ("", 0))
        try:
            number, kind, record = int(event["serial"]), str(event["kind"]), event["record"]
        except (KeyError, TypeError, ValueError):
            return
        if last_client == client and number <= serial:
            continue
        st.session_state[_place(key)] = client, number
        if isinstance(record, Mapping):
            yield kind, record


def _place(key: str) -> str:
    """The key of the visit's state for the last client and its last serial number."""
    return f"{key}/receipt"


@dataclass(frozen=True)
class Act:
    """A reader's action with a tool: one of `area`, `cells` and `block` says where.

    `tool` and `action` are "undo" or "redo" for these two buttons. `area`: degrees, whole cells.
    `cells`: runs "first+count,…". `block`: the number of a block.
    """

    tool: str
    action: str
    area: Area | None = None
    cells: str = ""
    block: int | None = None

    def mask(self, k: int) -> Bools:
        """(k,) True for the brushed cells."""
        return records.parse_runs(self.cells, k)

    def middle(self, domain: GridDomain) -> int | None:
        """The cell in the middle of a box or of brushed cells; None off the map, or for none."""
        if self.area is not None:
            area = self.area
            middle = (area.south + area.north) / 2, (area.west + area.east) / 2
            (cell,) = domain.locate([middle[0]], [middle[1]]).tolist()
            return cell if cell >= 0 else None
        cells = np.flatnonzero(self.mask(domain.k))
        if not cells.size:
            return None
        row, column = domain.row_column(cells)
        return int(round(float(row.mean())) * domain.columns + round(float(column.mean())))


@dataclass(frozen=True)
class StepChoice:
    """The step of a film that a person chose."""

    film: str
    index: int
    value: float


def scene_head(scene: records.Scene, key: str) -> dict[str, Any]:
    """Everything of a scene but its blobs."""
    return {
        "key": key,
        "ground": _ground(scene.ground),
        "pictures": [_picture(picture) for picture in scene.pictures],
        "differences": [
            {**_words(each), "first": each.first, "second": each.second}
            for each in scene.differences
        ],
        "people": scene.people,
        "swipe": list(scene.swipe),
        "arrangement": scene.arrangement and vars(scene.arrangement),
        "scale": vars(scene.scale),
        "actions": [vars(action) for action in scene.actions],
        "undo": scene.can_undo,
        "redo": scene.can_redo,
        "focus": scene.focus and {"box": _box(scene.focus.area), "serial": scene.focus.serial},
        "titles": {"side": scene.scale_title, "error": scene.error_title},
        "values": dict(scene.film_values),
        "hint": scene.look_hint,
        "prompt": scene.prompt,
        "words": dict(scene.mark_words),
        "label": scene.label,
        "look": scene.look,
        "image": {
            "name": scene.image_name,
            "lines": list(scene.image_lines),
            "estimates": list(scene.estimates),
            "heldBack": scene.held_back,
            "shared": list(scene.shared_lines),
        },
    }


def _ground(ground: records.Ground) -> dict[str, Any]:
    domain = ground.domain
    return {
        "south": domain.south,
        "west": domain.west,
        "cell": domain.cell,
        "rows": domain.rows,
        "columns": domain.columns,
        "home": _box(ground.home),
        "box": ground.box and _box(ground.box),
        **{name: _name(getattr(ground, name)) for name in (*records.LAND, *records.OVER)},
    }


def _picture(picture: records.Picture) -> dict[str, Any]:
    return {
        **_words(picture),
        "invitation": picture.invitation,
        "code": picture.code.name,
        "error": _name(picture.error),
        "pooled": _name(picture.pooled),
        "certain": _name(picture.certain),
        "labels": [vars(label) for label in picture.labels],
        "colours": picture.colours,
    }


def _words(picture: records.Picture | records.Difference) -> dict[str, Any]:
    return {
        "id": picture.id,
        "title": picture.title,
        "subtitle": picture.subtitle,
        "alt": picture.alt,
        "nobody": picture.nobody,
        "marks": list(picture.marks),
        "notes": list(picture.notes),
        "fact": picture.fact and _fact(picture.fact),
    }


def film_head(film: records.Film) -> dict[str, Any]:
    """Everything of a film but its blobs."""
    return {
        "id": film.id,
        "place": film.place,
        "label": film.label,
        "follows": film.follows,
        "pace": film.per_second,
        "loops": film.loops,
        "stays": film.stays,
        "dial": film.dial and f".st-key-{film.dial}",
        "play": f".st-key-{film.beside or film.dial}" if film.beside or film.dial else "",
        "hides": list(film.hides),
        "steps": [
            {
                "label": step.label,
                "value": step.value,
                "codes": {name: blob.name for name, blob in step.codes.items()},
                "pooled": {name: blob.name for name, blob in step.pooled.items()},
                "subtitles": dict(step.subtitles),
                "facts": {name: _fact(fact) for name, fact in step.facts.items()},
                "nobody": dict(step.nobody),
                "notes": {name: list(notes) for name, notes in step.notes.items()},
                "labels": {name: list(map(vars, some)) for name, some in step.labels.items()},
                "lines": list(step.image_lines),
                "shared": list(step.shared_lines),
                "people": step.people,
                "reading": step.reading,
                "replacements": {
                    place: records.tree(html) for place, html in step.replacements.items()
                },
            }
            for step in film.steps
        ],
    }


def film_blobs(film: records.Film) -> Iterator[records.Blob]:
    """The blobs of a film."""
    for step in film.steps:
        yield from step.codes.values()
        yield from step.pooled.values()


def _fact(fact: records.Fact) -> list[str]:
    return [fact.number, fact.text]


def _name(blob: records.Blob | None) -> str | None:
    return None if blob is None else blob.name


def _box(area: Area) -> list[float]:
    return [area.south, area.north, area.west, area.east]


VIEW_KEY: Final = "view"
"""The link's key of the view, "latitude,longitude,zoom"; the browser writes and reads it."""
LOOK_KEY: Final = "look"
STYLE_KEY: Final = "map"
BROWSER_KEYS: Final = (VIEW_KEY, LOOK_KEY, STYLE_KEY)
"""The link's keys of view, look and style of the maps; the browser writes and reads them. Pages
only keep them."""

_code = st.components.v2.component("caldp_stage_code", js=records.script())
_feed = st.components.v2.component("caldp_stage_feed", js=records.LOADER % "feed")
_stage = st.components.v2.component(
    "caldp_stage", html='<div class="room"></div>', js=records.LOADER % "mount"
)


@dataclass(frozen=True)
class Stage:
    """A stage on the page, to which films can be sent later in the same run."""

    key: str
    feeds: DeltaGenerator


def stage(
    scene: records.Scene,
    key: str,
    on_act: Callable[[Act], None] | None = None,
    on_step: Callable[[StepChoice], None] | None = None,
    films: Collection[records.Film] = (),
) -> Stage:
    """Show the scene; both calls run before the page's next run, as widgets' callbacks do.

    `films`: those that the browser has and this run sends again, so that no picture in them is.

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
    held = {blob.name for film in films for blob in film_blobs(film)}
    with feeds:
        style = [records.style_data()]
        send_once(f"{key}-code", style, _code, lambda: style)
        _send(f"{key}-land", scene.ground.blobs(records.LAND))
        _send(f"{key}-ground", scene.ground.blobs(records.OVER))
        for picture in scene.pictures:
            missing = (blob for blob in picture.blobs if blob and blob.name not in held)
            _send(f"{key}-picture-{picture.id}", missing)
    return Stage(key, feeds)


def send_frames(films: Iterable[records.Film], target: Stage) -> None:
    """Send films to a stage; call it after what should be on screen first."""
    with target.feeds:
        for film in films:
            key = f"{target.key}-film-{film.id}"
            send_once(key, ref(film), _feed, partial(_packed, film, target.key))


@cached
def _packed(film: records.Film, stage_key: str) -> bytes:
    """A film's message: half a megabyte that is the same in every run."""
    return records.pack_message({"stage": stage_key, "film": film_head(film)}, film_blobs(film))


def _send(key: str, blobs: Iterable[records.Blob | None]) -> None:
    present = [blob for blob in blobs if blob is not None]
    if present:
        names = [blob.name for blob in present]
        send_once(key, names, _feed, partial(records.pack_message, {}, present))


def _head(scene: records.Scene, key: str) -> dict[str, Any]:
    """The scene, its page's path, and which of the browser's events have been received."""
    page = urlsplit(current_address({})).path
    return {**scene_head(scene, key), "page": page, "receipt": acknowledgement(key)}


def _dispatch_events(
    key: str, on_act: Callable[[Act], None] | None, on_step: Callable[[StepChoice], None] | None
) -> None:
    for kind, message in new_events(key):
        callback: Callable[[Any], None] | None = on_act if kind == "act" else on_step
        if callback is None:
            continue
        try:
            record = (
                _read_act(message)
                if kind == "act"
                else StepChoice(
                    str(message["film"]), int(message["index"]), float(message["value"])
                )
            )
        except (CaldpError, KeyError, TypeError, ValueError):
            continue  # our own code does not send it
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
