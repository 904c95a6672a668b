"""Hexagons as blocks: how large they are."""

import streamlit as st

from caldp_core.datasets import hexagon_resolutions
from caldp_core.domain.grid import GridDomain
from caldp_core.scenarios.blocks import HexagonBlocks
from caldp_ui.maps.presets import hexagon_size
from caldp_ui.places.page_state import STATE
from caldp_ui.session.scenarios import bind


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
