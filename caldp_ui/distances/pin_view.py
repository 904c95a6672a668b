"""View of a pinned record: its maps under the same view, and the numbers that differ."""

from dataclasses import replace
from typing import Final

from caldp_ui.distances import best_noise, scene, words
from caldp_ui.distances.page_data import DistanceData, load_data
from caldp_ui.distances.page_state import STATE, DistanceState
from caldp_ui.maps.ground import home
from caldp_ui.parts import pins
from caldp_ui.parts.comparison import load_fast_results
from caldp_ui.words import formats
from caldp_ui.words.towns import place_name
from caldp_ui.words.vocabulary import PLACES


def _load_pinned(record: DistanceState) -> DistanceData:
    """Data of a pinned record, in the view that is open on the page."""
    return load_data(
        replace(best_noise.with_fallback_noise(record), show=STATE.current().show),
        load_fast_results,
    )


def _title(record: DistanceState) -> str:
    return f"ε = {record.rate:.3g} per kilometre"


def _numbers(data: DistanceData) -> dict[str, str]:
    errors = pins.result_numbers(PLACES, data.ours)
    if not errors:
        return {}
    odds = {
        f"right guesses of 100, at most, at {formats.length(each)}": words.odds_text(
            data.record, each
        )
        for each in words.ODDS_DISTANCES
    }
    reports = {
        "reports from": place_name(data.domain, data.record.place),
        "a report lies away by": formats.length(data.noise_reports.mean_km),
    }
    return {**odds, **reports, **errors}


PIN_VIEW: Final[pins.PinView[DistanceState, DistanceData]] = pins.PinView(
    load=_load_pinned,
    title=_title,
    describe=lambda data: words.headline(data).sentence,
    numbers=_numbers,
    picture=lambda now, data: pins.maps(STATE, scene.scene(data), now.domain),
    files=lambda data: pins.map_files(
        {"in-blocks": data.blocks_result, "this-noise": data.ours}, home(data.domain)
    ),
)
