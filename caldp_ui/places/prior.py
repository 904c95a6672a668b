"""Files of a reader's own: places as data with a map of their own, or as a public map.

The public prior of an estimate: how much of the picture it makes, and where it misleads.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

import numpy as np
import streamlit as st

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Floats, Progress
from caldp_core.datasets import OwnPlaces, OwnTable
from caldp_core.datasets.base_map import population_shares
from caldp_core.datasets.files.answers import CountedAnswers, count_answers
from caldp_core.datasets.files.layout_detection import DetectedFile, Layout
from caldp_core.datasets.files.maps import CELLS, FINE_CELLS, MapRequest
from caldp_core.datasets.files.places import CountedPlaces, count_places
from caldp_core.datasets.files.published import CountedMap, count_published_map
from caldp_core.datasets.public_map import PublicMap
from caldp_core.domain.grid import Area, GridDomain
from caldp_core.estimation.cascade_estimator import pooling_helps, prior_effect
from caldp_core.estimation.evidence import KNOWING_MAP
from caldp_core.experiments.forecast import invalid_error_reason
from caldp_core.experiments.metrics import total_variation
from caldp_core.experiments.run import Result
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.app.errors import escape_markdown
from caldp_ui.app.navigation import VALUES
from caldp_ui.app.texts import read_texts
from caldp_ui.compute import runs
from caldp_ui.maps.ground import home
from caldp_ui.maps.scene import EXAMPLE
from caldp_ui.parts import own_data, pictures
from caldp_ui.parts.comparison import ComparisonData
from caldp_ui.parts.own_data import Columns
from caldp_ui.places.controls import with_dataset
from caldp_ui.places.page_state import STATE, full_map
from caldp_ui.session import page_state, visitor_data
from caldp_ui.session.record_link import update_scenario
from caldp_ui.session.ticking import run_page
from caldp_ui.words import accuracy, formats
from caldp_ui.words.formats import place_name

TEXTS: Final = read_texts(__file__)

INHABITANTS_ESTIMATOR: Final = "cascade-inhabitants"
_EXAMPLES: Final = 3


def section(data: ComparisonData) -> None:
    """The offer of a prior, or how much of the picture it has made."""
    scenario = data.setup.scenario
    if scenario.estimator not in (INHABITANTS_ESTIMATOR, KNOWING_MAP):
        st.markdown(TEXTS["prior_offer"])
    elif data.ours is None:
        st.info("The numbers come once the picture is there.")
    elif not pooling_helps(data.ours.setup.mechanism):
        st.markdown("Blocks are so small here that the prior changes nothing.")
    else:
        _show(data.ours)
    _choice_buttons(scenario)


def _choice_buttons(scenario: Scenario) -> None:
    """Buttons for every prior except the one in use."""
    with st.container(horizontal=True):
        if scenario.estimator != INHABITANTS_ESTIMATOR:
            _estimator_button(
                "Use where people live", "location_city", "use-prior", INHABITANTS_ESTIMATOR
            )
        if isinstance(scenario.prior, PublicMap) and scenario.estimator != KNOWING_MAP:
            title = escape_markdown(scenario.prior.title)
            _estimator_button(f"Use “{title}”", "history", "use-map", KNOWING_MAP)
        if st.button("Use a file of mine", icon=":material/upload_file:", key=STATE.key("bring")):
            open_for_prior()
            run_page()
        if scenario.estimator in (INHABITANTS_ESTIMATOR, KNOWING_MAP):
            _estimator_button("Use reports alone", "block", "use-none", Scenario().estimator)
    st.caption(TEXTS["prior_file"])


def _estimator_button(label: str, icon: str, name: str, estimator: str) -> None:
    """A button that sets the estimator; runs the page, as a tab alone would leave the maps."""
    if st.button(label, icon=f":material/{icon}:", key=STATE.key(name)):
        update_scenario(STATE, lambda s: replace(s, estimator=estimator))
        run_page()


def public_prior(ours: Result) -> tuple[str, Floats]:
    """The prior of the estimate: its name for readers, and (k,) shares."""
    scenario = ours.setup.scenario
    if scenario.estimator == KNOWING_MAP and isinstance(scenario.prior, PublicMap):
        prior = ours.setup.options.prior
        assert prior is not None  # the setup's check sees to it
        return f"“{scenario.prior.title}”", prior
    return "Where people live", population_shares(runs.map_of(ours.setup.dataset))


def _show(ours: Result) -> None:
    domain = runs.map_of(ours.setup.dataset)
    shift = prior_effect(ours.first.evidence, ours.first.estimate)
    name, prior = public_prior(ours)
    st.markdown(prior_share_text(shift, escape_markdown(name)))
    source = (
        " (GeoNames)"
        if ours.setup.scenario.estimator == INHABITANTS_ESTIMATOR
        else ", the public map"
    )
    shares = {f"{name}{source}": prior}
    if shift.any():
        shares["More people because of it"] = np.maximum(shift, 0.0)
        shares["Fewer people because of it"] = np.maximum(-shift, 0.0)
    images = pictures.maps(shares, domain, home(domain), ours.setup.n)
    for column, (title, png) in zip(st.columns(3), images.items(), strict=False):
        column.image(png, caption=escape_markdown(title))
    st.markdown(escape_markdown(judgement_text(ours, shift, domain)))


def prior_share_text(shift: Floats, name: str) -> str:
    """The share of people whom a prior moves, by its (k,) `shift` of shares; `name`: its name."""
    if not shift.any():
        return f"{name} does not fit these reports; it is **left alone**: nobody is moved."
    number = formats.of_hundred(0.5 * float(np.abs(shift).sum()))
    cause = "because of towns" if name == "Where people live" else f"because of {name}"
    return f"**{number} people are where they are on this map {cause}, not of reports.**"


def judgement_text(ours: Result, shift: Floats, domain: GridDomain) -> str:
    """The error with the prior, without it and of it alone, and where it misleads most.

    `shift`: (k,) shares that the prior adds.
    """
    reason = invalid_error_reason(ours.setup)
    if reason:
        return reason
    truth, estimate = ours.setup.dataset.distribution, ours.first.estimate
    errors = [formats.per_hundred(total_variation(truth, each)) for each in (
        estimate, estimate - shift, public_prior(ours)[1])]  # fmt: skip
    worse = np.abs(estimate - truth) - np.abs(estimate - shift - truth)
    worst = np.argsort(-worse)[:_EXAMPLES]
    named = "; ".join(place_name(domain, int(x)) for x in worst if worse[x] > 0)
    misled = f" It misleads most at {named}." if named else ""
    return (
        f"In the wrong place are {errors[0]} of 100 people with the prior, {errors[1]} without it, "
        f"and {errors[2]} if one believes the prior alone.{misled}"
    )


CountedData: TypeAlias = CountedPlaces | CountedMap | CountedAnswers
_PRIOR_KEY: Final = f"{STATE.page}/own-as"
"""The session key that says that the form was opened for a public map."""
_AREAS_KEY: Final = f"{STATE.page}/own-areas"
"""The session key of a table of areas, which the page of answers shows."""
_AS_DATA: Final = "the people to be protected, on a map of their own"
_AS_PRIOR: Final = "what is public already: an earlier map of these places"


@dataclass(frozen=True)
class _CurrentMap(MapRequest):
    """A request to count a public map on the page's own map."""


def popover() -> None:
    """The button, and the form that it opens; a table of areas is shown on the page of answers."""
    own_data.popover(STATE, _FORM)
    table = st.session_state.pop(_AREAS_KEY, None)
    if table is not None:
        query = visitor_data.query(Scenario(dataset=table).plain())
        st.switch_page(VALUES, query_params=query)


def open_for_prior() -> None:
    """Opens the form for a public map in the page's next run."""
    st.session_state[_PRIOR_KEY] = True
    page_state.open_part(STATE.page, "own")


def _full_map() -> GridDomain:
    """The whole map, of which a part may be shown, in its smallest cells."""
    scenario = STATE.current().scenario
    return full_map(scenario.dataset) or runs.finest_map_of(runs.dataset(scenario))


def _next_step(counts: CountedData) -> str:
    if isinstance(counts, CountedAnswers):
        return "Areas are answers: tick those that are sensitive, or click them on the map."
    if isinstance(counts, CountedMap):
        return "The estimate takes the file for known: “Public prior” below says how much that is."
    return f"Counted in cells of {counts.places.cell:g}°. The blocks are a start: draw your own."


def _ask_layout(key: Callable[[str], str], _: DetectedFile, layout: Layout) -> Layout | None:
    """Asks what the places are; of people's, also the cell size and the part of the Earth."""
    if layout.areas:
        st.caption("An area is one value, without cells: it opens on “Sensitive answers”.")
        return layout
    picked = st.radio(
        "These places are …",
        (_AS_DATA, _AS_PRIOR),
        index=int(st.session_state.get(_PRIOR_KEY, False)),
        key=key("as"),
    )
    if picked == _AS_PRIOR:
        st.caption("Counted on the map that is shown now. It never says what these people do.")
        grid = _full_map()
        return replace(layout, wanted=_CurrentMap(grid.cell, grid.area))
    return _ask_cells(key, layout)


def _ask_cells(key: Callable[[str], str], layout: Layout) -> Layout | None:
    """Asks for the cell size and the part of the Earth; by default both follow from the places."""
    left, right = st.columns([2, 3])
    cell = left.selectbox(
        "Cells of …",
        (None, *FINE_CELLS, *CELLS),
        format_func=lambda side: "chosen for me" if side is None else accuracy.cell_size_text(side),
        key=key("cell"),
        help="Counts that were made before keep their cells. Larger ones can be had later.",
    )
    text = right.text_input(
        "Part of the Earth: south, north, west, east",
        placeholder="all places of the file",
        key=key("extent"),
    )
    try:
        extent = Area.parse(text) if text.strip() else None
    except CaldpError as error:
        st.error(escape_markdown(str(error)), icon=":material/error:")
        return None
    return replace(layout, wanted=MapRequest(cell, extent))


def _count_rows(
    contents: DetectedFile, layout: Layout, title: str, progress: Progress
) -> CountedData:
    if layout.areas:
        named = OwnTable.title if title == OwnPlaces.title else title
        return count_answers(contents, layout, named, progress)
    request = layout.wanted
    if not isinstance(request, _CurrentMap):
        return count_places(contents, layout, title, progress)
    assert request.extent is not None
    assert request.cell is not None
    grid = GridDomain.from_area(request.extent, request.cell)
    return count_published_map(contents, layout, title, grid, progress)


def _people_count(counts: CountedData) -> int:
    if isinstance(counts, CountedAnswers):
        return sum(counts.table.counts)
    return counts.people if isinstance(counts, CountedMap) else int(counts.places.counts().sum())


def _apply_counts(scenario: Scenario, counts: CountedData) -> Scenario:
    st.session_state.pop(_PRIOR_KEY, None)
    if isinstance(counts, CountedAnswers):
        st.session_state[_AREAS_KEY] = counts.table
        return scenario
    if isinstance(counts, CountedMap):
        return replace(scenario, estimator=KNOWING_MAP, prior=counts.published)
    return with_dataset(scenario, counts.places)


_COLUMNS: Final[Columns[CountedData]] = Columns(
    ("latitude", "longitude", "people", "weight"),
    ("latitude", "longitude"),
    lambda seen: seen.places,
    _count_rows,
    _people_count,
    _ask_layout,
)
_FORM: Final = own_data.Form(
    "Your own list of places",
    "A row for each place: **latitude, longitude** in degrees, and perhaps how many people.",
    "Places",
    EXAMPLE,
    "Munich (made up)",
    OwnPlaces.title,
    _COLUMNS,
    _apply_counts,
    _next_step,
)
