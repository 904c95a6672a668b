"""Data of a visitor's own in links: whole while they are short, else by a name for them.

Long data stay in the memory of the visit that uploaded them, where steps back and forth in the
browser find them by that name; another visit that opens the link is shown what to do.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, TypeVar
from urllib.parse import urlencode

import streamlit as st

from caldp_core.basics.cache import cached
from caldp_core.basics.errors import CaldpError
from caldp_core.basics.numerals import parse_int
from caldp_core.datasets import DatasetSpec, OwnPlaces, OwnSurvey, OwnTable
from caldp_core.datasets.public_map import PublicMap
from caldp_core.scenarios.polygon_blocks import PolygonBlocks
from caldp_core.scenarios.scenario import Scenario

T = TypeVar("T")
OWN: Final = "own"
"""The link's key of data that it does not hold."""
_MAP_VIEW_KEYS: Final = {"own.part": "part", "own.together": "together"}
"""Further keys of the link: the part of a map that is shown, and cells that are put together."""
AREAS: Final = "own.areas"
"""The link's key of polygons that it does not hold."""
PRIOR: Final = "own.prior"
"""The link's key of a public map that it does not hold."""
KEYS: Final = (OWN, AREAS, PRIOR, *_MAP_VIEW_KEYS)
YOURS: Final = "Yours: "
"""Before the title of a visitor's own data, so that they are never taken for what ships."""
LINK_MAX: Final = 2_000
"""Most characters of a link that holds the data: QR codes and mail programs take no more."""
_KINDS: Final = (OwnTable, OwnSurvey, OwnPlaces)
_DATA_KEY: Final = "own-data"
_AREAS_KEY: Final = "own-areas"
_PRIORS_KEY: Final = "own-priors"
_DATA_MAX: Final = 20


def keep(spec: DatasetSpec) -> None:
    """Keep data of a visitor's own in the visit's memory, the latest last."""
    spec = _full_map(spec)
    if is_own(spec):
        others = {name: data for name, data in kept_datasets().items() if data != spec}
        _keep(_DATA_KEY, {**others, _data_hash(spec): spec})


def keep_all(scenario: Scenario) -> None:
    """Keep all of a visitor's own in a scenario."""
    keep(scenario.dataset)
    blocks = getattr(scenario.policy, "blocks", None)
    if isinstance(blocks, PolygonBlocks):
        keep_areas(blocks)
    if isinstance(scenario.prior, PublicMap):
        others = _kept_priors()
        _keep(_PRIORS_KEY, {**others, _prior_hash(scenario.prior): scenario.prior})


def keep_areas(spec: PolygonBlocks) -> None:
    """Keep polygons of a visitor's own in the visit's memory."""
    _keep(_AREAS_KEY, {**_kept_areas(), _areas_hash(spec): spec})


def _keep(place: str, latest: Mapping[str, object]) -> None:
    st.session_state[place] = dict(list(latest.items())[-_DATA_MAX:])


def _kept_areas() -> dict[str, PolygonBlocks]:
    kept: dict[str, PolygonBlocks] = st.session_state.get(_AREAS_KEY, {})
    return kept


def _kept_priors() -> dict[str, PublicMap]:
    kept: dict[str, PublicMap] = st.session_state.get(_PRIORS_KEY, {})
    return kept


def kept_datasets() -> dict[str, DatasetSpec]:
    """The visit's own datasets by their names in links, the latest last."""
    kept: dict[str, DatasetSpec] = st.session_state.get(_DATA_KEY, {})
    return kept


def is_own(spec: DatasetSpec) -> bool:
    """True of data that a visitor has uploaded."""
    return isinstance(spec, _KINDS)


def lacks_data(query: Mapping[str, str]) -> bool:
    """True of a link that does not hold its data, its polygons or its public map."""
    return not {OWN, AREAS, PRIOR}.isdisjoint(query)


def query(scenario: Scenario) -> dict[str, str]:
    """The scenario as texts of a link; `OWN` stands for data that are too long for it."""
    if isinstance(scenario.prior, PublicMap) and _is_long(scenario.to_query()):
        rest = query(replace(scenario, prior=Scenario().prior))
        return {**rest, PRIOR: _prior_hash(scenario.prior)}
    blocks = getattr(scenario.policy, "blocks", None)
    if isinstance(blocks, PolygonBlocks) and blocks.names and _is_long(scenario.to_query()):
        rest = query(scenario.with_context(blocks=PolygonBlocks()))
        return {**rest, AREAS: _areas_hash(blocks)}
    whole = scenario.to_query()
    if not is_own(scenario.dataset) or not _is_long(whole):
        return whole
    spec, whole_map = scenario.dataset, _full_map(scenario.dataset)
    return {
        **replace(scenario, dataset=Scenario().dataset).to_query(),
        OWN: _data_hash(whole_map),
        **{
            key: str(getattr(spec, field))
            for key, field in _MAP_VIEW_KEYS.items()
            if spec != whole_map and getattr(spec, field) != getattr(whole_map, field)
        },
    }


def read(query: Mapping[str, str]) -> Scenario:
    """The scenario of a link's texts; raises `CaldpError` where its data are not kept here."""
    scenario = Scenario.from_query({key: text for key, text in query.items() if key not in KEYS})
    if AREAS in query:
        scenario = scenario.with_context(blocks=_require_kept(_kept_areas().get(query[AREAS])))
    if OWN in query:
        scenario = replace(
            scenario, dataset=_with_map_view(_require_kept(kept_datasets().get(query[OWN])), query)
        )
    if PRIOR in query:
        scenario = replace(scenario, prior=_require_kept(_kept_priors().get(query[PRIOR])))
    return scenario


def _require_kept(kept: T | None) -> T:
    """Data that this visit keeps; raises `CaldpError` for None, which another one may keep."""
    if kept is None:
        raise CaldpError(
            "Its data are too long for a link and stay with the visit that brought them; ask for "
            "the scenario.json of “Share and export”, and open it with “Your data”."
        )
    return kept


def _is_long(whole: Mapping[str, str]) -> bool:
    """True of texts that are too long for a link; if far too long, they are not encoded first."""
    return sum(map(len, whole.values())) > LINK_MAX or len(urlencode(whole)) > LINK_MAX


def _full_map(spec: DatasetSpec) -> DatasetSpec:
    """The data with all of their map, in its smallest cells."""
    return replace(spec, part="", together=1) if isinstance(spec, OwnPlaces) else spec


def _with_map_view(spec: DatasetSpec, query: Mapping[str, str]) -> DatasetSpec:
    """The data with the part and the cells that a link gives; raises `CaldpError`."""
    view: dict[str, Any] = {
        field: query[key] for key, field in _MAP_VIEW_KEYS.items() if key in query
    }
    if not view or not isinstance(spec, OwnPlaces):
        return spec
    if "together" in view:
        view["together"] = parse_int(view["together"]) or 0
    return replace(spec, **view)


def _areas_hash(spec: PolygonBlocks) -> str:
    return hashlib.sha256(json.dumps([spec.names, spec.polygons]).encode()).hexdigest()[:16]


@cached
def _prior_hash(spec: PublicMap) -> str:
    text = json.dumps([spec.parts, spec.area, spec.cell, spec.title])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _data_hash(spec: DatasetSpec) -> str:
    """16 hexadecimal digits that are the same for equal data."""
    return _scenario_data_hash(replace(Scenario(), dataset=spec))


@cached
def _scenario_data_hash(only_data: Scenario) -> str:
    text = json.dumps(only_data.to_dict()["dataset"])
    return hashlib.sha256(text.encode()).hexdigest()[:16]
