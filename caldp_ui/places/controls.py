"""Controls of the protection and the data: blocks, sensitive places, data, method and estimate.

Blocks may be areas of a reader's own, such as districts, whose file of polygons is read and kept;
sensitive places may be near points of a reader's own, such as clinics.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final, TypeVar

import streamlit as st

from caldp_core import datasets
from caldp_core.basics.errors import CaldpError
from caldp_core.basics.limits import N_MAX
from caldp_core.datasets.own import one_line
from caldp_core.datasets.reading import read_points
from caldp_core.domain.domains import US_GRID, GridDomain
from caldp_core.experiments.run import Setup
from caldp_core.scenarios import blocks as block_specs
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.app.texts import escape_markdown, read_texts
from caldp_ui.compute import runs
from caldp_ui.controls import choices, common
from caldp_ui.maps.areas import FILE_KEY, SHIPPED, upload, upload_areas
from caldp_ui.maps.scene import hexagon_size, initial_blocks
from caldp_ui.places import page_state
from caldp_ui.places.page_state import PAPER_MAP_ONLY, STATE
from caldp_ui.session.page_state import bind_held, update_scenario
from caldp_ui.words import formats
from caldp_ui.words.accuracy import DEFINITIONS

TEXTS: Final = read_texts(__file__)


def _bind_part(name: str, part: str, field: str) -> dict[str, Any]:
    """Arguments that tie a widget to a field of the scenario's `part`, "blocks" or "sensitive"."""
    now = getattr(STATE.current().scenario.context, part)

    def change(scenario: Scenario, value: Any) -> Scenario:
        return scenario.with_context(**{part: replace(now, **{field: value})})

    return bind_held(STATE, name, getattr(now, field), change)


K = TypeVar("K")
BLOCK_KINDS: Final[dict[str, block_specs.BlocksSpec]] = {
    "One block: the whole map": block_specs.OneBlock(),
    "A grid of blocks": block_specs.GridBlocks(),
    **SHIPPED,
    "Hexagons": block_specs.HexagonBlocks(),
    "Blocks with similar numbers of people": block_specs.AdaptiveBlocks(),
    "My own, drawn on the map": block_specs.DrawnBlocks(),
    "Areas from my file": block_specs.PolygonBlocks(),
}
SENSITIVE_KINDS: Final[dict[str, block_specs.SensitiveSpec]] = {
    "Every place": block_specs.EverythingSensitive(),
    "Only areas that I draw": block_specs.SensitiveAreas(),
    "Places near my points": block_specs.SensitiveNear(),
    "Thinly settled places": block_specs.SensitiveInhabited(),
}
_ADAPTIVE: Final = (10, 50, 100, 250, 500, 875, 1750, 4000)


def protection_controls(scenario: Scenario, domain: GridDomain) -> None:
    """The menus of blocks and of the sensitive set, each with its details."""
    blocks, sensitive = kinds_on_map(BLOCK_KINDS, domain), kinds_on_map(SENSITIVE_KINDS, domain)
    blocks = {title: initial_blocks(spec, domain) for title, spec in blocks.items()}
    choices.by_title(
        STATE,
        "blocks",
        "Hiding place",
        blocks,
        lambda r, spec: replace(r, scenario=r.scenario.with_context(blocks=spec)),
        title=_kind_title(blocks, scenario.context.blocks),
        help=DEFINITIONS["block"],
    )
    _block_details(scenario, domain)
    choices.by_title(
        STATE,
        "sensitive",
        "Sensitive places",
        sensitive,
        lambda r, spec: replace(r, scenario=r.scenario.with_context(sensitive=spec)),
        title=_kind_title(sensitive, scenario.context.sensitive),
        help=DEFINITIONS["sensitive set"],
    )
    _sensitive_details(scenario)


def kinds_on_map(kinds: dict[str, K], domain: GridDomain) -> dict[str, K]:
    """The kinds that fit a map."""
    excluded: tuple[type, ...] = () if domain == US_GRID else PAPER_MAP_ONLY
    if len(datasets.country_labels(domain)[1]) == 1:
        excluded = (*excluded, block_specs.CountryBlocks)
    if len(datasets.region_labels(domain)[1]) == 1:
        excluded = (*excluded, block_specs.RegionBlocks)
    if not datasets.hexagon_resolutions(domain):
        excluded = (*excluded, block_specs.HexagonBlocks)
    return {title: spec for title, spec in kinds.items() if not isinstance(spec, excluded)}


def _kind_title(
    kinds: dict[str, block_specs.BlocksSpec] | dict[str, block_specs.SensitiveSpec], spec: object
) -> str | None:
    return next((title for title, known in kinds.items() if type(known) is type(spec)), None)


def _block_details(scenario: Scenario, domain: GridDomain) -> None:
    blocks = scenario.context.blocks
    if isinstance(blocks, block_specs.GridBlocks):
        rows, columns = st.columns(2)
        rows.number_input("Rows", 1, domain.rows, **_bind_part("rows", "blocks", "rows"))
        bound = _bind_part("columns", "blocks", "columns")
        columns.number_input("Columns", 1, domain.columns, **bound)
    elif isinstance(blocks, block_specs.AdaptiveBlocks):
        st.select_slider(
            "Number of blocks",
            sorted({*_ADAPTIVE, blocks.blocks}),
            format_func=formats.integer,
            help="Made from public population figures (GeoNames), never from the private data.",
            **_bind_part("adaptive", "blocks", "blocks"),
        )
    elif isinstance(blocks, block_specs.HexagonBlocks):
        fitting = {*datasets.hexagon_resolutions(domain), blocks.resolution}
        st.select_slider(
            "Size of a hexagon",
            sorted(fitting, reverse=True),
            format_func=hexagon_size,
            help=TEXTS["hexagons_help"],
            **_bind_part("hexagons", "blocks", "resolution"),
        )
    elif isinstance(blocks, block_specs.PolygonBlocks):
        _polygon_details(blocks)
    elif isinstance(blocks, block_specs.DrawnBlocks):
        st.caption(TEXTS["drawn_blocks"].format(blocks=len(blocks.areas)))


def _sensitive_details(scenario: Scenario) -> None:
    sensitive = scenario.context.sensitive
    if isinstance(sensitive, block_specs.SensitiveAreas):
        st.caption(
            f"Drawn: {page_state.edits_text(sensitive.edits)}. The tools on the maps go on."
            if sensitive.edits
            else "Nothing yet: every report names its place. Draw with the tools on the maps."
        )
    elif isinstance(sensitive, block_specs.SensitiveNear):
        _point_details(sensitive)
    elif isinstance(sensitive, block_specs.SensitiveInhabited):
        st.number_input(
            "… with at most so many inhabitants",
            1,
            N_MAX,
            step=1000,
            help="Per cell of about 20 km, by public population figures (GeoNames).",
            **bind_held(
                STATE,
                "most",
                sensitive.most,
                lambda s, v: s.with_context(sensitive=block_specs.SensitiveInhabited(1, v)),
            ),
        )


def with_dataset(before: Scenario, spec: datasets.DatasetSpec) -> Scenario:
    """The scenario with other data, under a protection that fits their map."""
    scenario = runs.with_dataset(before, spec)
    domain = runs.finest_map_of(runs.dataset(scenario))
    if domain == runs.finest_map_of(runs.dataset(before)):
        return replace(scenario, prior=before.prior, estimator=before.estimator)
    return scenario.with_context(
        blocks=choices.blocks_of(domain), sensitive=block_specs.EverythingSensitive()
    )


def data_control() -> None:
    """The menu of public datasets and this visit's places; a hint where SNAP's file is missing."""
    own = choices.own_data_sets(STATE.current().scenario.dataset)
    places = {title: spec for title, spec in own.items() if isinstance(spec, datasets.OwnPlaces)}
    common.data(STATE, {**runs.places(), **places}, with_dataset)
    if not runs.fetched_snap():
        st.caption(TEXTS["snap_missing"])


def _point_details(sensitive: block_specs.SensitiveNear) -> None:
    """The points, and how far around them places are sensitive."""
    st.text_area(
        **_POINTS,
        **bind_held(
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
        help=TEXTS["near_help"],
        **_bind_part("km", "sensitive", "km"),
    )
    if not sensitive.points:
        st.caption("Nothing yet: every report names its place.")


_POINTS: Final[dict[str, Any]] = {
    "label": "Points, a line each: latitude, longitude, name; or a table with these columns",
    "height": 100,
    "placeholder": "48.853, 2.349, Clinic of the island",
    "help": TEXTS["points_help"],
}
_EVERYBODY: Final = "everybody"
_NEAR: Final = "people near clinics or other points on my list, nobody else"


def ask_near(key: Callable[[str], str]) -> block_specs.SensitiveNear | None:
    """Asks who is protected; None: everybody. Raises `CaldpError` for points that can't be read."""
    if st.radio("Protected are …", (_EVERYBODY, _NEAR), key=key("protected")) == _EVERYBODY:
        return None
    text = st.text_area(**_POINTS, key=key("points"))

    def put(data: bytes, _: str) -> None:
        st.session_state[key("points")] = "\n".join(read_points(data))

    upload(key("points-file"), "Or a file of them", None, put)
    metres = st.number_input("Metres around each", 0, 1_000_000, 300, step=50, key=key("metres"))
    if not text.strip():
        st.caption("“Show it” comes once there are points.")
    return block_specs.SensitiveNear(_points(text), metres / 1000)


def _points(text: str) -> tuple[str, ...]:
    """The points of a list, a line each, or of a table with latitude and longitude."""
    parts = (line.split(",", 2) for line in text.splitlines() if line.strip())
    lines = tuple(",".join(map(one_line, each)) for each in parts)
    with suppress(CaldpError):
        return block_specs.SensitiveNear(lines).points
    with suppress(CaldpError):
        return read_points(text)
    return lines  # the record says what is wrong with them


def _polygon_details(blocks: block_specs.PolygonBlocks) -> None:
    """The upload of a file, with the areas of the last one or its error."""
    upload_areas(
        STATE.key("polygons"),
        TEXTS["polygons_help"],
        lambda areas: update_scenario(STATE, lambda s: s.with_context(blocks=areas)),
    )
    if not blocks.names:
        st.caption("Nothing yet: the whole map is one block.")
        return
    setup = runs.setup(STATE.current().scenario)
    text = f"{formats.count(len(blocks.names), 'area', 'areas')}."
    if block_specs.OUTSIDE in setup.partition.names and setup.partition.m > 1:
        text += " What is outside of all is one more block."
    # And what is said above the page.
    st.caption(escape_markdown(f"{text} {_differences(blocks, setup)}"))


def warn_of_areas(setup: Setup) -> None:
    """Say above the page how its areas differ from what somebody may have drawn."""
    blocks = getattr(setup.scenario.policy, "blocks", None)
    if isinstance(blocks, block_specs.PolygonBlocks) and (found := _differences(blocks, setup)):
        st.warning(escape_markdown(found), icon=":material/warning:")


def _differences(blocks: block_specs.PolygonBlocks, setup: Setup) -> str:
    of_file, sentences = st.session_state.get(FILE_KEY, (None, ()))
    return " ".join(
        [
            *(sentences if of_file == blocks else ()),
            *block_specs.describe_areas(blocks, setup.dataset),
        ]
    )
