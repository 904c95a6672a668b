"""The pinned scenario on the map page: its maps under the same view, and what differs."""

from typing import Final

from caldp_core.experiments.error_validity import has_valid_errors
from caldp_ui.compute import runs
from caldp_ui.maps.ground import ground, home
from caldp_ui.maps.presets import title
from caldp_ui.maps.scene import scene
from caldp_ui.parts import pins
from caldp_ui.parts.comparison import ComparisonData, load_fast_results
from caldp_ui.places.page_state import STATE, PlacesState
from caldp_ui.words import accuracy, policies
from caldp_ui.words.vocabulary import PLACES


def _result_sentence(data: ComparisonData) -> str:
    has_error = data.ours is not None and has_valid_errors(data.setup)
    tv = data.ours.first.errors.tv if has_error and data.ours is not None else None
    error = accuracy.error_sentence(PLACES, tv, None)
    return f"{policies.promise_summary(PLACES, data.setup)} {error}"


def _picture(current: ComparisonData, pinned: ComparisonData) -> None:
    here, there = (runs.map_of(each.setup.dataset) for each in (current, pinned))
    pins.maps(
        STATE, scene(pinned, ground(pinned.setup, there, STATE.current().region), "Pinned"), here
    )


PIN_VIEW: Final[pins.PinView[PlacesState, ComparisonData]] = pins.PinView(
    load=lambda record: load_fast_results(STATE, record.scenario),
    title=lambda record: title(record.scenario),
    describe=_result_sentence,
    numbers=lambda data: pins.result_numbers(PLACES, data.ours),
    picture=_picture,
    files=lambda data: pins.map_files(
        {"plain-ldp": data.plain, "this-protection": data.ours},
        home(runs.map_of(data.setup.dataset)),
    ),
)
