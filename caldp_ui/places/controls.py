"""Controls of the map page: blocks, sensitive places, data, method and estimate.

Hexagons as blocks: how large they are.
"""

from dataclasses import replace
from typing import Final, TypeVar

import streamlit as st

from caldp_core.basics.limits import N_MAX
from caldp_core.datasets import (
    DatasetSpec,
    OwnPlaces,
    country_labels,
    hexagon_resolutions,
    region_labels,
)
from caldp_core.domain.grid import US_GRID, GridDomain
from caldp_core.scenarios.blocks import (
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
)
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute import runs, sources
from caldp_ui.controls import common
from caldp_ui.controls.choices import blocks_of
from caldp_ui.maps.presets import hexagon_size, initial_blocks
from caldp_ui.places import edits, near_points, polygons
from caldp_ui.places.extent import PAPER_MAP_ONLY
from caldp_ui.places.page_state import STATE
from caldp_ui.session import visitor_data
from caldp_ui.session.scenarios import bind
from caldp_ui.words import formats
from caldp_ui.words.glossary import DEFINITIONS


def details(blocks: HexagonBlocks, domain: GridDomain) -> None:
    """The slider of the sizes that fit the map."""
    st.select_slider(
        "Size of a hexagon",
        sorted({*hexagon_resolutions(domain), blocks.resolution}, reverse=True),
        format_func=hexagon_size,
        help="Hexagons of H3: about equally large anywhere on Earth, wherever the map lies. A cell "
        "is in the hexagon that its middle is in.",
        **bind(
            STATE,
            "hexagons",
            blocks.resolution,
            lambda s, v: s.with_context(blocks=HexagonBlocks(v)),
        ),
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
    st.selectbox(
        "Hide people among all places of …",
        list(blocks),
        help=DEFINITIONS["block"],
        **bind(
            STATE,
            "blocks",
            _kind_title(blocks, scenario.context.blocks),
            lambda s, title: s.with_context(blocks=blocks[title]),
        ),
    )
    _block_details(scenario, domain)
    st.selectbox(
        "Sensitive are …",
        list(sensitive),
        help=DEFINITIONS["sensitive set"],
        **bind(
            STATE,
            "sensitive",
            _kind_title(sensitive, scenario.context.sensitive),
            lambda s, title: s.with_context(sensitive=sensitive[title]),
        ),
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
        _rows_and_columns(blocks, domain)
    elif isinstance(blocks, AdaptiveBlocks):
        st.select_slider(
            "Number of blocks",
            sorted({*_ADAPTIVE, blocks.blocks}),
            format_func=formats.integer,
            help="Made from public population figures (GeoNames), never from the private data.",
            **bind(
                STATE,
                "adaptive",
                blocks.blocks,
                lambda s, v: s.with_context(blocks=AdaptiveBlocks(v)),
            ),
        )
    elif isinstance(blocks, HexagonBlocks):
        details(blocks, domain)
    elif isinstance(blocks, PolygonBlocks):
        polygons.details(blocks)
    elif isinstance(blocks, DrawnBlocks):
        st.caption(
            f"{len(blocks.areas)} drawn with the tool “Box” and “Make it a block”; what is left "
            "over is one more block."
        )


def _rows_and_columns(blocks: GridBlocks, domain: GridDomain) -> None:
    rows, columns = st.columns(2)
    rows.number_input(
        "Rows",
        1,
        domain.rows,
        **bind(
            STATE, "rows", blocks.rows, lambda s, v: s.with_context(blocks=replace(blocks, rows=v))
        ),
    )
    columns.number_input(
        "Columns",
        1,
        domain.columns,
        **bind(
            STATE,
            "columns",
            blocks.columns,
            lambda s, v: s.with_context(blocks=replace(blocks, columns=v)),
        ),
    )


def _sensitive_details(scenario: Scenario) -> None:
    sensitive = scenario.context.sensitive
    if isinstance(sensitive, SensitiveAreas):
        st.caption(
            f"Drawn: {edits.edits_text(sensitive.edits)}. The tools on the maps go on."
            if sensitive.edits
            else "Nothing yet: every report names its place. Draw with the tools on the maps."
        )
    elif isinstance(sensitive, SensitiveNear):
        near_points.details(sensitive)
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
    specs = [*visitor_data.kept_datasets().values(), STATE.current().scenario.dataset]
    uploaded = {
        f"{visitor_data.YOURS}{spec.title}": spec for spec in specs if isinstance(spec, OwnPlaces)
    }
    return {**sources.places(), **uploaded}


def with_dataset(before: Scenario, spec: DatasetSpec) -> Scenario:
    """The scenario with other data, under a protection that fits their map."""
    scenario = sources.with_dataset(before, spec)
    domain = runs.finest_map_of(runs.dataset(scenario))
    if domain == runs.finest_map_of(runs.dataset(before)):
        return replace(scenario, prior=before.prior, estimator=before.estimator)
    return scenario.with_context(blocks=blocks_of(domain), sensitive=EverythingSensitive())


def data_control() -> None:
    """The menu of datasets, with a hint where SNAP's file is missing."""
    common.data(STATE, _data_sets(), with_dataset)
    if not sources.fetched_snap():
        st.caption(
            "SNAP's own file appears here once `python -m caldp_core fetch gowalla` has fetched it."
        )


def method_controls() -> None:
    """The menus of the method and the estimator."""
    common.method(STATE)
    common.estimate(STATE)
