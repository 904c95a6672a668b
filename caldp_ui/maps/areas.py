"""The areas by which results are added up: those that ship, blocks, near points, of a file.

What is chosen on one page goes along to the others.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

import pandas as pd
import streamlit as st

from caldp_core.basics.cache import cached
from caldp_core.basics.errors import CaldpError
from caldp_core.basics.limits import POLYGON_BYTES_MAX
from caldp_core.datasets import AT_SEA
from caldp_core.datasets.files.geojson import AreasOfFile, read_polygons
from caldp_core.domain.domains import GridDomain
from caldp_core.experiments.regions import ResultAreas
from caldp_core.experiments.run import Setup
from caldp_core.scenarios import blocks
from caldp_core.scenarios.blocks import BlocksSpec, PolygonBlocks, some_names
from caldp_ui.app.texts import escape_markdown, read_texts
from caldp_ui.compute import runs
from caldp_ui.parts import pack, sharing
from caldp_ui.server.uploads import take_content, was_taken
from caldp_ui.session import visit
from caldp_ui.session.page_state import PageState
from caldp_ui.words import formats

TEXTS: Final = read_texts(__file__)
SHIPPED: Final[dict[str, BlocksSpec]] = {
    "US states": blocks.StateBlocks(),
    "Countries": blocks.CountryBlocks(),
    "Regions: states, provinces, …": blocks.RegionBlocks(),
}
_OF_FILE: Final = "Areas from my file"
_NEAR_POINTS: Final = "Near each of my points"
_CHOSEN: Final = "result-areas"
_OPENED: Final = "result-areas-opened"


@cached
def shipped_areas(domain: GridDomain) -> dict[str, BlocksSpec]:
    """The shipped areas by title of which a map has two or more."""
    found = {}
    for title, spec in SHIPPED.items():
        with suppress(CaldpError):  # of another map
            if len({*spec.build(domain).names} - {AT_SEA}) > 1:
                found[title] = spec
    return found


def _choices(setup: Setup) -> dict[str, BlocksSpec]:
    """Areas of the map by title."""
    found = dict(shipped_areas(runs.finest_map_of(setup.dataset)))
    if setup.partition.m > 1:
        found["Blocks of this protection"] = setup.scenario.context.blocks
    sensitive = setup.scenario.context.sensitive
    if isinstance(sensitive, blocks.SensitiveNear) and sensitive.points:
        found[_NEAR_POINTS] = blocks.BlocksNear(sensitive)
    return {**found, _OF_FILE: visit.latest_areas()}


def open_section() -> None:
    """Note that the visit has opened the areas, which then begin with some: not with a question.

    Until then a result has none that nobody has asked for, so that packs hold what was seen. Call
    it before `chosen_areas`.
    """
    st.session_state[_OPENED] = True


def _chosen(setup: Setup) -> BlocksSpec:
    """The chosen areas; there may be none yet.

    At first those of a file, else those near points, else, once the areas were opened, those that
    ship.
    """
    offered = _choices(setup)
    wanted = st.session_state.get(_CHOSEN)
    if wanted in offered:
        return offered[wanted]
    if offered[_OF_FILE] != PolygonBlocks():
        return offered[_OF_FILE]
    if _NEAR_POINTS in offered:
        return offered[_NEAR_POINTS]
    shipped = [title for title in offered if title in SHIPPED]
    if shipped and st.session_state.get(_OPENED):
        return offered[shipped[0]]
    return offered[_OF_FILE]


def chosen_areas(setup: Setup) -> ResultAreas | None:
    """The areas of a result: of a map those that are chosen, of a table its own; None without."""
    if not isinstance(setup.dataset.domain, GridDomain):
        return pack.areas_of_table(setup)
    spec = _chosen(setup)
    return None if spec == PolygonBlocks() else pack.areas_of_map(setup, spec)


def section(state: PageState[Any], setup: Setup, found: pack.AreaResult | None, note: str) -> None:
    """The menu of areas, the map, the table, and the files; `found`: None until there are any."""
    left, right = st.columns([1, 1.2], gap="large")
    with left:
        is_map = isinstance(setup.dataset.domain, GridDomain)
        if is_map:
            offered, spec, key = _choices(setup), _chosen(setup), state.key("areas")

            def choose() -> None:
                st.session_state[_CHOSEN] = st.session_state[key]

            st.session_state[key] = next(title for title, each in offered.items() if each == spec)
            st.selectbox("Areas", list(offered), key=key, on_change=choose)
            if isinstance(spec, PolygonBlocks):
                upload_areas(state.key("areas-file"), TEXTS["areas_help"], lambda _: None)
        if found is None:
            st.info(TEXTS["no_areas"] if is_map else TEXTS["no_groups"])
            return
        rows = pd.DataFrame(found.rows, columns=["area", "share", "range"])
        st.dataframe(rows, hide_index=True, width="stretch")
        st.caption(f"{TEXTS['areas_notes']} {note}")
        for name, text in pack.area_files(found).items():
            sharing.true_file(state.key(name.replace(".", "-")), name, text, setup.scenario)
    if drawn := pack.areas_svg(setup, found, (note,)):
        right.image(drawn, alt="Map of the share of each area.")


FILE_KEY: Final = "polygons-file"
"""The blocks of the last file, and the sentences about what was done with its features."""


def upload_areas(key: str, help_text: str, take: Callable[[PolygonBlocks], None]) -> None:
    """The upload of a file of polygons, which `take` gets, and the error of the last file."""

    def put(data: bytes, file: str) -> None:
        areas = read_polygons(data, file)
        spec = PolygonBlocks(tuple(areas.polygons), tuple(areas.polygons.values()))
        visit.keep_areas(spec)
        st.session_state[FILE_KEY] = spec, _describe_file(areas)
        take(spec)

    upload(key, "GeoJSON with polygons", help_text, put)


def upload(key: str, label: str, hint: str | None, take: Callable[[bytes, str], None]) -> None:
    """An upload of 10 MB at most; `take` gets content and name, and its last error is shown."""
    size, arguments = POLYGON_BYTES_MAX // 2**20, (key, take)
    st.file_uploader(
        label, key=key, on_change=_read_upload, args=arguments, help=hint, max_upload_size=size
    )
    wrong = st.session_state.get(f"{key}/wrong")
    if wrong:
        st.error(escape_markdown(wrong), icon=":material/error:")


def _read_upload(key: str, take: Callable[[bytes, str], None]) -> None:
    file = st.session_state[key]
    if file is None or was_taken(file):
        return
    st.session_state[f"{key}/wrong"] = None
    try:
        take(take_content(file), file.name)
    except CaldpError as error:
        st.session_state[f"{key}/wrong"] = str(error)


def _describe_file(areas: AreasOfFile) -> tuple[str, ...]:
    """What was done with the features of a file, other than to take each as an area."""
    found = []
    if areas.united:
        number = formats.integer(sum(areas.united.values()))
        found.append(
            f"{number} features of the file are united by name: {some_names(areas.united)}."
        )
    if areas.copies:
        number = formats.count(sum(areas.copies.values()), "is a copy", "are copies")
        found.append(f"{number} of another one.")
    if areas.unused:
        number = formats.count(areas.unused, "feature", "features")
        found.append(f"Without a polygon, so left out: {number} of the file.")
    if areas.simplified:
        found.append(f"Of too many corners, so borders are simplified to {areas.simplified:.2g}°.")
    if found and areas.named_by is not None:
        found.append(f"The property “{areas.named_by}” names the areas.")
    return tuple(found)
