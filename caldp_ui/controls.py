"""The controls of the map page; each shows the scenario and changes it (see `state.bind`).

Room: controls. No numbers of their own: ranges come from the domain and from `limits`.
"""

from dataclasses import replace
from typing import Final

import streamlit as st

from caldp_core.basics.limits import EPSILON_MAX, N_MAX
from caldp_core.datasets import DatasetSpec
from caldp_core.domain.grid import Domain, GridDomain
from caldp_core.estimation.estimators import ESTIMATORS
from caldp_core.mechanisms import FAMILIES
from caldp_core.mechanisms.catalogue import MECHANISMS
from caldp_core.mechanisms.specs import MechanismSpec
from caldp_core.scenarios.best import Best
from caldp_core.scenarios.protection import (
    AdaptiveBlocks,
    BlocksSpec,
    DrawnBlocks,
    EverythingSensitive,
    GridBlocks,
    OneBlock,
    SensitiveAreas,
    SensitiveInhabited,
    SensitiveSpec,
    StateBlocks,
)
from caldp_core.scenarios.scenario import Scenario
from caldp_ui import compute, datasets, drawing, formats, presets, words
from caldp_ui.glossary import DEFINITIONS
from caldp_ui.state import bind, change

BLOCK_KINDS: Final[dict[str, BlocksSpec]] = {
    "One block: the whole map": OneBlock(),
    "A grid of blocks": GridBlocks(),
    "US states": StateBlocks(),
    "Blocks with similar numbers of people": AdaptiveBlocks(),
    "My own, drawn on the map": DrawnBlocks(),
}
SENSITIVE_KINDS: Final[dict[str, SensitiveSpec]] = {
    "Every place": EverythingSensitive(),
    "Only areas that I draw": SensitiveAreas(),
    "Thinly settled places": SensitiveInhabited(),
}
METHODS: Final[dict[str, tuple[str, MechanismSpec]]] = {
    "best": ("The most accurate here", Best()),
    **{name: (MECHANISMS[name].title, MECHANISMS[name].spec()) for name in FAMILIES},
}
_EPSILONS: Final = (0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0, 10.0, EPSILON_MAX)
_THE_DATA: Final = 0
"""Stands for "the very people of the data" among numbers of people."""
_ADAPTIVE: Final = (10, 50, 100, 250, 500, 875, 1750, 4000)


def preset_picker(scenario: Scenario) -> None:
    """A ready protection to start from."""
    titles = {preset.title: preset for preset in presets.PRESETS}
    shown = presets.fitting(scenario)
    st.selectbox(
        "Start from",
        list(titles),
        placeholder="your own protection",
        **bind("preset", shown.title if shown else None, lambda s, title: titles[title].apply(s)),
    )
    if shown:
        st.caption(shown.sentence)


def protection(scenario: Scenario, domain: Domain | GridDomain) -> None:
    """Blocks, the sensitive set and ε."""
    st.selectbox(
        "Hide people among all places of …",
        list(BLOCK_KINDS),
        help=DEFINITIONS["block"],
        **bind(
            "blocks",
            _title(BLOCK_KINDS, scenario.context.blocks),
            lambda s, title: s.with_context(blocks=BLOCK_KINDS[title]),
        ),
    )
    _block_details(scenario, domain)
    st.selectbox(
        "Sensitive are …",
        list(SENSITIVE_KINDS),
        help=DEFINITIONS["sensitive set"],
        **bind(
            "sensitive",
            _title(SENSITIVE_KINDS, scenario.context.sensitive),
            lambda s, title: s.with_context(sensitive=SENSITIVE_KINDS[title]),
        ),
    )
    _sensitive_details(scenario)
    _epsilon(scenario)


def _title(kinds: dict[str, BlocksSpec] | dict[str, SensitiveSpec], spec: object) -> str | None:
    return next((title for title, known in kinds.items() if type(known) is type(spec)), None)


def _block_details(scenario: Scenario, domain: Domain | GridDomain) -> None:
    blocks = scenario.context.blocks
    if isinstance(blocks, GridBlocks) and isinstance(domain, GridDomain):
        rows, columns = st.columns(2)
        rows.number_input(
            "Rows",
            1,
            domain.rows,
            **bind(
                "rows", blocks.rows, lambda s, v: s.with_context(blocks=replace(blocks, rows=v))
            ),
        )
        columns.number_input(
            "Columns",
            1,
            domain.columns,
            **bind(
                "columns",
                blocks.columns,
                lambda s, v: s.with_context(blocks=replace(blocks, columns=v)),
            ),
        )
    elif isinstance(blocks, AdaptiveBlocks):
        st.select_slider(
            "Number of blocks",
            sorted({*_ADAPTIVE, blocks.blocks}),
            format_func=formats.exactly,
            **bind(
                "adaptive", blocks.blocks, lambda s, v: s.with_context(blocks=AdaptiveBlocks(v))
            ),
        )
        st.caption("Made from public population figures (GeoNames), never from the private data.")
    elif isinstance(blocks, DrawnBlocks):
        st.caption(
            f"{len(blocks.areas)} drawn. Drag on the map “Truth” to add one; "
            "what is left over is one more block."
        )


def _sensitive_details(scenario: Scenario) -> None:
    sensitive = scenario.context.sensitive
    if isinstance(sensitive, SensitiveAreas):
        st.caption(
            f"Drawn: {drawing.told(sensitive.edits)}. Drag on the map “Truth” to go on."
            if sensitive.edits
            else "Nothing yet: every report names its place. Drag on the map “Truth”."
        )
    elif isinstance(sensitive, SensitiveInhabited):
        st.number_input(
            "… with at most so many inhabitants",
            1,
            N_MAX,
            step=1000,
            **bind(
                "most",
                sensitive.most,
                lambda s, v: s.with_context(sensitive=SensitiveInhabited(1, v)),
            ),
        )
        st.caption("Per cell of about 20 km, by public population figures (GeoNames).")


def _epsilon(scenario: Scenario) -> None:
    if isinstance(scenario.context.epsilon, tuple):
        st.info("ε differs from block to block in this scenario.")
        one = min(scenario.context.epsilon)
        st.button(
            f"Use the smallest everywhere: {one:g}",
            key="one-epsilon",
            on_click=lambda: change(lambda s: s.with_context(epsilon=one)),
        )
        return
    value = scenario.context.epsilon
    st.select_slider(
        "Privacy level ε (small = more secret)",
        sorted({*_EPSILONS, value}),
        format_func=lambda e: f"{e:g}",
        help=DEFINITIONS["ε"],
        **bind("epsilon", value, lambda s, v: s.with_context(epsilon=float(v))),
    )
    st.caption(words.examples())


def people(scenario: Scenario, people_in_data: int | None) -> None:
    """Number of people: those of the data, or drawn at random from them."""
    sizes = {10**power: 10**power for power in range(3, 13)}
    if people_in_data is not None:
        sizes[_THE_DATA] = people_in_data
    if scenario.n is not None:
        sizes[scenario.n] = scenario.n
    st.select_slider(
        "Number of people",
        sorted(sizes, key=lambda n: sizes[n]),
        format_func=lambda n: formats.people(sizes[n]) + (" (the data)" if n == _THE_DATA else ""),
        help="More people, less error, at no cost in time: the server's tally is drawn from its "
        "exact law. “The data” takes the very people of the data set; other numbers are drawn "
        "from it at random.",
        **bind(
            "people",
            scenario.n or _THE_DATA,
            lambda s, n: replace(s, n=None if n == _THE_DATA else n),
        ),
    )
    if words.counted_as_people(scenario):
        st.caption(words.counted_as_people(scenario))


def more(scenario: Scenario) -> None:
    """Data, family and estimator: for those who want to compare."""
    titles: dict[str, DatasetSpec] = datasets.places()
    with st.expander("Data, method, estimate"):
        st.selectbox(
            "Data",
            list(titles),
            **bind("data", datasets.title_of(scenario.dataset), datasets.choose),
        )
        if not datasets.fetched_snap():
            st.caption(
                "SNAP's own file appears here once `python -m caldp_core fetch gowalla` has "
                "brought it."
            )
        st.selectbox(
            "Method",
            list(METHODS),
            format_func=lambda name: METHODS[name][0],
            help=DEFINITIONS["frequency oracle"],
            **bind(
                "family",
                scenario.kind("mechanism"),
                lambda s, name: replace(s, mechanism=METHODS[name][1]),
            ),
        )
        chosen = compute.setup(scenario).mechanism_name
        st.caption(f"{MECHANISMS[chosen].title}. {MECHANISMS[chosen].sentence}")
        st.selectbox(
            "Estimate",
            list(ESTIMATORS),
            format_func=lambda name: ESTIMATORS[name].title,
            help=DEFINITIONS["estimator"],
            **bind("estimator", scenario.estimator, lambda s, name: replace(s, estimator=name)),
        )
        st.caption(f"Shown: {ESTIMATORS[scenario.estimator].sentence}.")
