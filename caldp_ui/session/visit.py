"""The visit that a run belongs to: what ends with it, its notices, and a visitor's own data.

A visit's state is kept for two minutes after its socket broke off, in case that it comes back, and
for seconds after its page was closed (`caldp_ui/server/vault.py`). Its work ends at once: nobody
would see what comes of it. A visit that does come back starts anew what it was at.

The data stay in the memory of the visit that brought them, where steps back and forth in the
browser find them by that name, and in the tab's session storage (`web/copies.js`), which returns
them after a reload, is not shared with other tabs, addresses or visits, and ends with the tab.
Another visit that opens the link is asked for the file, recognised by its form: the answers or the
map, never the counts, since a hash of few small counts can be found by trying them all. Areas and
public maps, which are public knowledge, are in links while they are short.
"""

import hashlib
import io
import json
import secrets
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Protocol, TypeVar
from urllib.parse import urlencode
from weakref import WeakSet

import streamlit as st

from caldp_core.basics.cache import cached
from caldp_core.basics.errors import CaldpError, make_readable
from caldp_core.basics.files import parse_int
from caldp_core.basics.limits import OWN_NAME_MAX
from caldp_core.datasets import DatasetSpec, OwnPlaces, OwnSurvey
from caldp_core.datasets.files.source import FileSource
from caldp_core.datasets.public_map import PublicMap
from caldp_core.scenarios.blocks import PolygonBlocks
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.app.texts import escape_markdown, read_texts
from caldp_ui.compute.runs import is_own
from caldp_ui.server import current_run
from caldp_ui.server.vault import current_vault


class VisitResource(Protocol):
    """Work that belongs to a visit and ends with it."""

    def leave(self) -> None:
        """End: the visitor has gone."""


class Visit:
    """One visit by the `name` that the server gives it, and what ends with it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._resources: WeakSet[VisitResource] = WeakSet()

    def add(self, resource: VisitResource) -> None:
        """Have the resource end with the visit."""
        self._resources.add(resource)

    def leave(self) -> None:
        """End all that belongs to the visit."""
        for resource in list(self._resources):
            resource.leave()

    @property
    def is_here(self) -> bool:
        """False once its socket has gone; true where no server is at work, as in a test."""
        return current_run.is_connected(self.name)


def this_visit() -> Visit:
    """The visit of this run; one without a name outside of a run."""
    if not current_run.is_in_run():
        return Visit("")
    return _cached_visit(current_run.this_visit())


@st.cache_resource(scope="session", on_release=Visit.leave, show_spinner=False)
def _cached_visit(name: str) -> Visit:
    """Streamlit forgets it, and so calls `leave`, as soon as the visit's socket has gone."""
    return Visit(name)


TEXTS: Final = read_texts(__file__)
_NOTICE: Final = "notice"
_HINT: Final = "hint"
_REFUSED: Final = "notice-refused"
_SHOWN_KEY: Final = "notice-shown"
_STAYS: Final = "notice-stays"


def notify(sentence: str, refused: Mapping[str, str] = MappingProxyType({})) -> None:
    """Keep a sentence to be shown above the page; `refused`: by widget's key the text it is on."""
    st.session_state[_NOTICE], st.session_state[_REFUSED] = make_readable(sentence), refused


def refused_text(key: str, otherwise: Any) -> Any:
    """The text of that widget which the sentence above the page is on, or `otherwise`."""
    shown: Mapping[str, str] = st.session_state.get(_REFUSED, {})
    return shown.get(key, otherwise) if st.session_state.get(_SHOWN_KEY) else otherwise


def show_toast_later(sentence: str) -> None:
    """Keep a sentence that floats over the page, so that everything stays where it is."""
    st.session_state[_HINT] = make_readable(sentence)


def keep_for_next_run() -> None:
    """Show the present notice in the next run, too, which the reader has not caused."""
    st.session_state[_STAYS] = True


def show_notices() -> None:
    """Show the kept sentences until the reader does something."""
    floating = st.session_state.pop(_HINT, None)
    if floating:
        st.toast(escape_markdown(floating), icon=":material/info:", duration="long")
    stays = st.session_state.pop(_STAYS, False)
    sentence = st.session_state.pop(_NOTICE, st.session_state.get(_SHOWN_KEY) if stays else None)
    st.session_state[_SHOWN_KEY] = sentence
    if sentence:
        st.warning(escape_markdown(sentence), icon=":material/info:")


T = TypeVar("T")
OWN: Final = "own"
"""The link's key of data that it does not hold: their random name in the visit."""
_FORM: Final = "own.form"
_TITLE: Final = "own.title"
_CELL: Final = "own.cell"
_ANSWERS: Final = "own.answers"
_VIEW_KEYS: Final = {"own.part": "part", "own.together": "together", "own.question": "selected"}
"""Further keys: what of the data is shown, by the field of their record."""
AREAS: Final = "own.areas"
"""The link's key of polygons that it does not hold."""
PRIOR: Final = "own.prior"
"""The link's key of a public map that it does not hold."""
KEYS: Final = (OWN, _FORM, _TITLE, _CELL, _ANSWERS, AREAS, PRIOR, *_VIEW_KEYS)
YOURS: Final = "Yours: "
"""Before the title of a visitor's own data, so that they are never taken for what ships."""
LINK_MAX: Final = 2_000
"""Most characters of a link that holds areas or maps: QR codes and mail take no more."""
_DATA_KEY: Final = "own-data"
_AREAS_KEY: Final = "own-areas"
_PRIORS_KEY: Final = "own-priors"
_DATA_MAX: Final = 20


class MissingDataError(CaldpError):
    """A link's data have not been brought to this visit."""


class UploadedFile:
    """A visitor's upload: bytes, the file's name, its title, its number in the visit.

    Streamlit keeps callbacks of widgets that are gone, so one that still holds this object after
    `discard` holds nothing.
    """

    def __init__(self, data: bytes, name: str, title: str, number: int) -> None:
        current_vault().holds_data = True
        self.name, self.title, self.number = name, title, number
        self.data, self._size = data, len(data)

    def source(self) -> FileSource:
        """The file, to be read from its start."""
        return FileSource(self.name, lambda: io.BytesIO(self.data), self._size)

    def discard(self) -> None:
        """Hold no data any more."""
        self.data = b""


def keep(spec: DatasetSpec, name: str = "") -> str:
    """Keep a visitor's own data in the visit's memory, the latest last; returns their name.

    `name`: the one that they had before the page was loaded again; else a random one.
    """
    whole = _whole(spec)
    name = name or _name_of(whole) or secrets.token_hex(8)
    others = {old: data for old, data in kept_datasets().items() if old != name}
    _keep(_DATA_KEY, {**others, name: whole})
    return name


def _name_of(whole: DatasetSpec) -> str:
    """The name of data that are kept; "" for others."""
    return next((name for name, data in kept_datasets().items() if data == whole), "")


def keep_all(scenario: Scenario) -> None:
    """Keep all of a visitor's own in a scenario."""
    if is_own(scenario.dataset):
        keep(scenario.dataset)
    blocks = getattr(scenario.policy, "blocks", None)
    if isinstance(blocks, PolygonBlocks):
        keep_areas(blocks)
    if isinstance(scenario.prior, PublicMap):
        _keep(_PRIORS_KEY, {**_kept(_PRIORS_KEY), _prior_hash(scenario.prior): scenario.prior})


def keep_areas(spec: PolygonBlocks) -> None:
    """Keep polygons of a visitor's own in the visit's memory."""
    _keep(_AREAS_KEY, {**_kept(_AREAS_KEY), _areas_hash(spec): spec})


def _keep(place: str, latest: Mapping[str, object]) -> None:
    current_vault().holds_data = True
    st.session_state[place] = dict(list(latest.items())[-_DATA_MAX:])


def _kept(place: str) -> dict[str, Any]:
    """What the visit keeps at a place of its state, by names, the latest last."""
    kept: dict[str, Any] = st.session_state.get(place, {})
    return kept


def latest_areas() -> PolygonBlocks:
    """The polygons that were brought last in this visit; none without any."""
    return next(reversed(_kept(_AREAS_KEY).values()), PolygonBlocks())


def kept_datasets() -> dict[str, DatasetSpec]:
    """The visit's own datasets by their names in links, the latest last."""
    return _kept(_DATA_KEY)


def lacks_data(query: Mapping[str, str]) -> bool:
    """True of a link that can't be made whole by a file of data: it lacks polygons or a map."""
    return not {AREAS, PRIOR}.isdisjoint(query)


def query(scenario: Scenario) -> dict[str, str]:
    """The scenario as texts of a link, without a visitor's own data."""
    spec: Any = scenario.dataset
    if not is_own(spec):
        return _public_query(scenario)
    whole = _whole(spec)
    return {
        **_public_query(replace(scenario, dataset=Scenario().dataset)),
        OWN: _name_of(whole) or keep(whole),
        _FORM: _form(whole),
        _TITLE: spec.title,
        **_size(spec),
        **{
            key: str(getattr(spec, field))
            for key, field in _VIEW_KEYS.items()
            if hasattr(spec, field) and getattr(spec, field) != getattr(whole, field)
        },
    }


def _public_query(scenario: Scenario) -> dict[str, str]:
    """The scenario as texts; names stand for areas and a map that are too long for a link."""
    if isinstance(scenario.prior, PublicMap) and _is_long(scenario.to_query()):
        rest = _public_query(replace(scenario, prior=Scenario().prior))
        return {**rest, PRIOR: _prior_hash(scenario.prior)}
    blocks = getattr(scenario.policy, "blocks", None)
    if isinstance(blocks, PolygonBlocks) and blocks.names and _is_long(scenario.to_query()):
        rest = _public_query(scenario.with_context(blocks=PolygonBlocks()))
        return {**rest, AREAS: _areas_hash(blocks)}
    return scenario.to_query()


def read(query: Mapping[str, str]) -> Scenario:
    """The scenario of a link's texts.

    Raises `MissingDataError` where its data are not kept here, `CaldpError` for any other fault.
    """
    scenario = Scenario.from_query({key: text for key, text in query.items() if key not in KEYS})
    if AREAS in query:
        scenario = scenario.with_context(blocks=_require_kept(_kept(_AREAS_KEY).get(query[AREAS])))
    if PRIOR in query:
        scenario = replace(scenario, prior=_require_kept(_kept(_PRIORS_KEY).get(query[PRIOR])))
    if OWN in query:
        scenario = replace(scenario, dataset=_with_view(_kept_data(query), query))
    return scenario


def _kept_data(query: Mapping[str, str]) -> DatasetSpec:
    """A link's data by their name, else the latest of their form; raises `MissingDataError`."""
    kept = kept_datasets()
    same = (spec for spec in reversed(kept.values()) if fits(query, spec))
    spec = kept.get(query[OWN]) or next(same, None)
    if spec is None:
        raise MissingDataError(request_text(query))
    return spec


def request_text(query: Mapping[str, str]) -> str:
    """Which file a link's reader has to bring, in two sentences."""
    said = {key: make_readable(text[:OWN_NAME_MAX]) for key, text in query.items()}
    title = f" “{said[_TITLE]}”" if _TITLE in said else ""
    size = f" ({said[_ANSWERS]} answers)" if _ANSWERS in said else ""
    size = f" (cells of {said[_CELL]}°)" if _CELL in said else size
    return TEXTS["link_without_data"].format(title=title, size=size)


def fits(query: Mapping[str, str], spec: DatasetSpec) -> bool:
    """Whether data have the form of a link's: the same answers, or the same map."""
    return query.get(_FORM) == _form(_whole(spec))


def _require_kept(kept: T | None) -> T:
    """What this visit keeps; raises `CaldpError` for None, which another one may keep."""
    if kept is None:
        raise CaldpError(TEXTS["kept_elsewhere"])
    return kept


def _is_long(whole: Mapping[str, str]) -> bool:
    """True of texts that are too long for a link; if far too long, they are not encoded first."""
    return sum(map(len, whole.values())) > LINK_MAX or len(urlencode(whole)) > LINK_MAX


def _whole(spec: DatasetSpec) -> Any:
    """The data with all of their map, in its smallest cells, or with their first question."""
    if isinstance(spec, OwnPlaces):
        return replace(spec, part="", together=1)
    return replace(spec, selected=0) if isinstance(spec, OwnSurvey) else spec


def _with_view(spec: DatasetSpec, query: Mapping[str, str]) -> DatasetSpec:
    """The data as a link shows them: part, cells, question; raises `CaldpError`."""
    own: Any = spec
    known = {field.name: field.type for field in fields(own)}
    view: dict[str, Any] = {
        field: query[key] for key, field in _VIEW_KEYS.items() if key in query and field in known
    }
    for field in view.keys() & {"together", "selected"}:
        number = parse_int(view[field])
        view[field] = -1 if number is None else number  # which the record refuses
    viewed: DatasetSpec = replace(own, **view)
    return viewed


def _areas_hash(spec: PolygonBlocks) -> str:
    return hashlib.sha256(json.dumps([spec.names, spec.polygons]).encode()).hexdigest()[:16]


@cached
def _prior_hash(spec: PublicMap) -> str:
    text = json.dumps([spec.parts, spec.area, spec.cell, spec.title])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _form(spec: DatasetSpec) -> str:
    """16 hexadecimal digits of what data look like: no count, nor the title, goes into them."""
    kept = {"names", "groups", "questions", "area", "cell"}
    own: Any = spec
    looks = {f.name: getattr(own, f.name) for f in fields(own) if f.name in kept}
    return hashlib.sha256(json.dumps([type(spec).__name__, looks]).encode()).hexdigest()[:16]


def _size(spec: Any) -> dict[str, str]:
    """How large data are, as texts of a link."""
    if isinstance(spec, OwnPlaces):
        return {_CELL: f"{spec.cell:g}"}
    return {_ANSWERS: str(len(spec.names))}


KEY: Final = "own-copies"
_MAX: Final = 1_000_000
"""Most characters of data that are copied: a tab has room for five million."""
_copies: Final = st.components.v2.component(
    "caldp_own_copies", js=(Path(__file__).parent / "web" / "copies.js").read_text("utf-8")
)


def copy_own_data_to_tab(awaited: Mapping[str, str] | None) -> None:
    """Copy the visit's own data into the tab, and ask it for those that a link waits for."""
    kept = {name: _text(spec) for name, spec in kept_datasets().items()}
    short = [[name, text] for name, text in kept.items() if len(text) <= _MAX]
    ask = (awaited or {}).get(OWN, "")
    if short or ask:
        _copies(key=KEY, data={"keep": short, "ask": ask}, on_found_change=_take)


def _take() -> None:
    """Keep what the tab returns; it is untrusted, as any upload is."""
    found = st.session_state[KEY].get("found")
    try:
        name, text = found
        spec = Scenario.from_json(text).dataset
        if is_own(spec) and name not in kept_datasets():
            keep(spec, str(name)[:16])
    except (CaldpError, TypeError, ValueError):
        return


@cached
def _text(spec: DatasetSpec) -> str:
    return json.dumps(replace(Scenario(), dataset=spec).to_dict(), ensure_ascii=False)
