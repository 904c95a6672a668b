"""What the lines and tints on the maps mean: a key of what is there, and of nothing else.

Room: charts on pages. Patches have the maps' own colours on the maps' own dark land.
"""

from typing import Final

from caldp_core.domain.grid import Area, GridDomain
from caldp_core.experiments.run import Setup
from caldp_ui.app.theme import NIGHT, NIGHT_LAND, SENSITIVE_TINT
from caldp_ui.places import maps

SCALE: Final = "Colour: share of all people in a cell. Bare land: nobody."
BORDER: Final = "sensitive places"
VEIL: Final = "sensitive places, on “Truth”"
BLOCKS: Final = "borders of blocks, on “Truth”"
REGION: Final = "your box"
_PATCH: Final = "display:inline-block;width:1.7em;height:1.2em;vertical-align:-0.25em;"


def entries(setup: Setup, domain: GridDomain, region: Area | None) -> dict[str, str]:
    """CSS of the patch by what it stands for; only what the maps show with this setup."""
    tint = ",".join(str((a + b) // 2) for a, b in zip(NIGHT_LAND, SENSITIVE_TINT, strict=True))
    shown = {
        BORDER: (maps.sensitive_layer(setup.sensitive, domain), _border(NIGHT.sensitive, "solid")),
        VEIL: (maps.veil_layer(setup.sensitive, domain), f"background:rgb({tint})"),
        BLOCKS: (maps.block_layer(setup.partition, domain), _border(NIGHT.ink, "solid")),
        REGION: (maps.region_layer(region), _border(NIGHT.region, "dotted")),
    }
    return {text: style for text, (layers, style) in shown.items() if layers}


def _border(colour: str, dash: str) -> str:
    return f"background:{NIGHT.land};outline:2px {dash} {colour};outline-offset:-5px"


def html(found: dict[str, str]) -> str:
    """The key in one line that wraps."""
    parts = [
        f'<span style="white-space:nowrap"><span aria-hidden="true" style="{_PATCH}{style}"></span>'
        f" {text}</span>"
        for text, style in found.items()
    ]
    return f'<div style="font-size:0.875rem">{" &emsp; ".join([SCALE, *parts])}</div>'
