"""Controls of the protection and the data: blocks, sensitive places, data, method and estimate.

Blocks may be areas of a reader's own, such as districts, whose file of polygons is read and kept;
sensitive places may be near points of a reader's own, such as clinics.
"""

from dataclasses import replace
from typing import Any, Final, TypeVar

import streamlit as st
from streamlit.runtime.uploaded_file_manager import DeletedFile

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.limits import N_MAX, POLYGON_BYTES_MAX
from caldp_core.datasets import (
    DatasetSpec,
    OwnPlaces,
    country_labels,
    hexagon_resolutions,
    inspect_data,
    region_labels,
)
from caldp_core.datasets.files.geojson import AreasOfFile, read_polygons
from caldp_core.domain.grid import US_GRID, GridDomain
from caldp_core.experiments.run import Setup
from caldp_core.scenarios.blocks import (
    OUTSIDE,
    AdaptiveBlocks,
    BlocksSpec,
    CountryBlocks,
    DrawnBlocks,
    EverythingSensitive,
    GridBlocks,
    HexagonBlocks,
    OneBlock,
    PolygonBlocks,
    RegionBlocks,
    SensitiveAreas,
    SensitiveInhabited,
    SensitiveNear,
    SensitiveSpec,
    StateBlocks,
    describe_areas,
    some_names,
)
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.app.delivery import release
from caldp_ui.app.errors import escape_markdown
from caldp_ui.compute import runs
from caldp_ui.controls import choices, common
from caldp_ui.controls.choices import blocks_of, own_data_sets
from caldp_ui.maps.presets import hexagon_size, initial_blocks
from caldp_ui.places import page_state
from caldp_ui.places.page_state import PAPER_MAP_ONLY, STATE
from caldp_ui.session import visitor_data
from caldp_ui.session.record_link import bind, bind_text, update_scenario
from caldp_ui.words import formats
from caldp_ui.words.glossary import DEFINITIONS


def _bind_part(name: str, part: str, field: str) -> dict[str, Any]:
    """Arguments that tie a widget to a field of the scenario's `part`, "blocks" or "sensitive"."""
    now = getattr(STATE.current().scenario.context, part)

    def change(scenario: Scenario, value: Any) -> Scenario:
        return scenario.with_context(**{part: replace(now, **{field: value})})

    return bind(STATE, name, getattr(now, field), change)


def _hexagon_details(blocks: HexagonBlocks, domain: GridDomain) -> None:
    """The slider of the sizes that fit the map."""
    st.select_slider(
        "Size of a hexagon",
        sorted({*hexagon_resolutions(domain), blocks.resolution}, reverse=True),
        format_func=hexagon_size,
        help="Hexagons of H3: about equally large anywhere on Earth, wherever the map lies. A cell "
        "is in the hexagon that its middle is in.",
        **_bind_part("hexagons", "blocks", "resolution"),
    )


K = TypeVar("K")
BLOCK_KINDS: Final[dict[str, BlocksSpec]] = {
    "One block: the whole map": OneBlock(),
    "A grid of blocks": GridBlocks(),
    "US states": StateBlocks(),
    "Countries": CountryBlocks(),
    "Regions: states, provinces, …": RegionBlocks(),
    "Hexagons": HexagonBlocks(),
    "Blocks with similar numbers of people": AdaptiveBlocks(),
    "My own, drawn on the map": DrawnBlocks(),
    "Areas of a file of mine": PolygonBlocks(),
}
SENSITIVE_KINDS: Final[dict[str, SensitiveSpec]] = {
    "Every place": EverythingSensitive(),
    "Only areas that I draw": SensitiveAreas(),
    "Places near points of mine": SensitiveNear(),
    "Thinly settled places": SensitiveInhabited(),
}
_ADAPTIVE: Final = (10, 50, 100, 250, 500, 875, 1750, 4000)


def protection_controls(scenario: Scenario, domain: GridDomain) -> None:
    """The menus of blocks and of the sensitive set, each with its details."""
    blocks, sensitive = _kinds_on_map(BLOCK_KINDS, domain), _kinds_on_map(SENSITIVE_KINDS, domain)
    blocks = {title: initial_blocks(spec, domain) for title, spec in blocks.items()}
    choices.by_title(
        STATE,
        "blocks",
        "Hide people among all places of …",
        blocks,
        lambda r, spec: replace(r, scenario=r.scenario.with_context(blocks=spec)),
        title=_kind_title(blocks, scenario.context.blocks),
        help=DEFINITIONS["block"],
    )
    _block_details(scenario, domain)
    choices.by_title(
        STATE,
        "sensitive",
        "Sensitive are …",
        sensitive,
        lambda r, spec: replace(r, scenario=r.scenario.with_context(sensitive=spec)),
        title=_kind_title(sensitive, scenario.context.sensitive),
        help=DEFINITIONS["sensitive set"],
    )
    _sensitive_details(scenario)


def _kinds_on_map(kinds: dict[str, K], domain: GridDomain) -> dict[str, K]:
    """The kinds that fit a map."""
    excluded: tuple[type, ...] = () if domain == US_GRID else PAPER_MAP_ONLY
    if len(country_labels(domain)[1]) == 1:
        excluded = (*excluded, CountryBlocks)
    if len(region_labels(domain)[1]) == 1:
        excluded = (*excluded, RegionBlocks)
    if not hexagon_resolutions(domain):
        excluded = (*excluded, HexagonBlocks)
    return {title: spec for title, spec in kinds.items() if not isinstance(spec, excluded)}


def _kind_title(
    kinds: dict[str, BlocksSpec] | dict[str, SensitiveSpec], spec: object
) -> str | None:
    return next((title for title, known in kinds.items() if type(known) is type(spec)), None)


def _block_details(scenario: Scenario, domain: GridDomain) -> None:
    blocks = scenario.context.blocks
    if isinstance(blocks, GridBlocks):
        _rows_and_columns(domain)
    elif isinstance(blocks, AdaptiveBlocks):
        st.select_slider(
            "Number of blocks",
            sorted({*_ADAPTIVE, blocks.blocks}),
            format_func=formats.integer,
            help="Made from public population figures (GeoNames), never from the private data.",
            **_bind_part("adaptive", "blocks", "blocks"),
        )
    elif isinstance(blocks, HexagonBlocks):
        _hexagon_details(blocks, domain)
    elif isinstance(blocks, PolygonBlocks):
        _polygon_details(blocks)
    elif isinstance(blocks, DrawnBlocks):
        st.caption(
            f"{len(blocks.areas)} drawn with the tool “Box” and “Make it a block”; what is left "
            "over is one more block."
        )


def _rows_and_columns(domain: GridDomain) -> None:
    rows, columns = st.columns(2)
    rows.number_input("Rows", 1, domain.rows, **_bind_part("rows", "blocks", "rows"))
    columns.number_input("Columns", 1, domain.columns, **_bind_part("columns", "blocks", "columns"))


def _sensitive_details(scenario: Scenario) -> None:
    sensitive = scenario.context.sensitive
    if isinstance(sensitive, SensitiveAreas):
        st.caption(
            f"Drawn: {page_state.edits_text(sensitive.edits)}. The tools on the maps go on."
            if sensitive.edits
            else "Nothing yet: every report names its place. Draw with the tools on the maps."
        )
    elif isinstance(sensitive, SensitiveNear):
        _point_details(sensitive)
    elif isinstance(sensitive, SensitiveInhabited):
        st.number_input(
            "… with at most so many inhabitants",
            1,
            N_MAX,
            step=1000,
            help="Per cell of about 20 km, by public population figures (GeoNames).",
            **bind(
                STATE,
                "most",
                sensitive.most,
                lambda s, v: s.with_context(sensitive=SensitiveInhabited(1, v)),
            ),
        )


def _data_sets() -> dict[str, DatasetSpec]:
    """The public datasets, and the places uploaded in this visit."""
    own = own_data_sets(STATE.current().scenario.dataset)
    places = {title: spec for title, spec in own.items() if isinstance(spec, OwnPlaces)}
    return {**runs.places(), **places}


def with_dataset(before: Scenario, spec: DatasetSpec) -> Scenario:
    """The scenario with other data, under a protection that fits their map."""
    scenario = runs.with_dataset(before, spec)
    domain = runs.finest_map_of(runs.dataset(scenario))
    if domain == runs.finest_map_of(runs.dataset(before)):
        return replace(scenario, prior=before.prior, estimator=before.estimator)
    return scenario.with_context(blocks=blocks_of(domain), sensitive=EverythingSensitive())


def data_control() -> None:
    """The menu of datasets, with a hint where SNAP's file is missing."""
    common.data(STATE, _data_sets(), with_dataset)
    if not runs.fetched_snap():
        st.caption(
            "SNAP's own file appears here once `python -m caldp_core fetch gowalla` has fetched it."
        )


def _point_details(sensitive: SensitiveNear) -> None:
    """The points, and how far around them places are sensitive."""
    st.text_area(
        "Points, a line each: latitude, longitude; or a table with these columns",
        height=100,
        placeholder="48.853, 2.349",
        help="Such as clinics or shelters. People within the distance of one are protected.",
        **bind_text(
            STATE,
            "points",
            "\n".join(sensitive.points),
            lambda s, text: s.with_context(sensitive=replace(sensitive, points=_points(text))),
        ),
    )
    st.number_input(
        "Kilometres around each",
        0.0,
        1_000.0,
        step=0.1,
        **_bind_part("km", "sensitive", "km"),
    )
    if not sensitive.points:
        st.caption("Nothing yet: every report names its place.")


def _points(text: str) -> tuple[str, ...]:
    """The points of a list, a line each, or of a table with latitude and longitude."""
    lines = tuple(line.replace(" ", "") for line in text.splitlines() if line.strip())
    try:
        file = inspect_data(text)
        file.places.check_complete(file, "latitude", "longitude")
        found = file.first_places(file.places).tolist()
    except CaldpError:
        return lines  # the record says what is wrong with them
    return tuple(f"{y},{x}" for y, x in found) if len(found) == len(file.rows) else lines


def _polygon_details(blocks: PolygonBlocks) -> None:
    """The upload of a file, with the areas of the last one or its error."""
    st.file_uploader(
        f"GeoJSON with polygons, up to {POLYGON_BYTES_MAX // 2**20} MB",
        key=STATE.key("polygons"),
        on_change=_read_upload,
        help="In degrees (WGS 84). Each area is a block with its name: people are hidden among "
        "all cells of theirs. Areas are public: everybody sees them.",
    )
    wrong = st.session_state.get(_ERROR_KEY)
    if wrong:
        st.error(escape_markdown(wrong), icon=":material/error:")
    if blocks.names:
        st.caption(_describe_blocks(blocks))
    else:
        st.caption("Nothing yet: the whole map is one block.")


_ERROR_KEY = f"{STATE.page}/polygons-wrong"
_FILE_KEY = f"{STATE.page}/polygons-file"
"""The blocks of the last file, and the sentences about what was done with its features."""


def _read_upload() -> None:
    file = st.session_state[STATE.key("polygons")]
    if file is None or isinstance(file, DeletedFile):  # a file already read is still listed
        return
    data = file.getvalue()
    release(file.file_id)
    st.session_state[_ERROR_KEY] = None
    try:
        areas = read_polygons(data, file.name)
        blocks = PolygonBlocks(tuple(areas.polygons), tuple(areas.polygons.values()))
    except CaldpError as error:
        st.session_state[_ERROR_KEY] = str(error)
        return
    visitor_data.keep_areas(blocks)
    st.session_state[_FILE_KEY] = blocks, _describe_file(areas)
    update_scenario(STATE, lambda s: s.with_context(blocks=blocks))


def warn_of_areas(setup: Setup) -> None:
    """Say above the page how its areas differ from what somebody may have drawn."""
    blocks = getattr(setup.scenario.policy, "blocks", None)
    with st.container():  # always there, so that what follows keeps its place
        if isinstance(blocks, PolygonBlocks) and (found := _differences(blocks, setup)):
            st.warning(escape_markdown(found), icon=":material/warning:")


def _differences(blocks: PolygonBlocks, setup: Setup) -> str:
    of_file, sentences = st.session_state.get(_FILE_KEY, (None, ()))
    return " ".join(
        [*(sentences if of_file == blocks else ()), *describe_areas(blocks, setup.dataset)]
    )


def _describe_blocks(blocks: PolygonBlocks) -> str:
    """The number of areas, what lies outside of all, and what is said above the page."""
    setup = runs.setup(STATE.current().scenario)
    text = f"{formats.count(len(blocks.names), 'area', 'areas')}."
    if OUTSIDE in setup.partition.names and setup.partition.m > 1:
        text += " What is outside of all is one more block."
    return str(escape_markdown(f"{text} {_differences(blocks, setup)}"))


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
