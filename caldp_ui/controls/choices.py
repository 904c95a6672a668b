"""Choices by name: data, protections, methods' own numbers, values by their titles, examples.

A method's number that is set leaves all others to the method, as some choose for others. An example
(`Preset`) sets what is protected, in one click; data, ε, people and estimator stay.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import Field, dataclass, fields, replace
from functools import partial
from typing import Any, Final, TypeVar

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from caldp_core import datasets
from caldp_core.basics.cache import cached
from caldp_core.basics.errors import CaldpError
from caldp_core.basics.limits import OWN_NAME_MAX
from caldp_core.datasets.base_map import cities_in
from caldp_core.domain.domains import US_GRID, Area, Domain, GridDomain
from caldp_core.estimation.evidence import default_false_share
from caldp_core.mechanisms import Mechanism
from caldp_core.mechanisms.capabilities import HasDeviceNumbers
from caldp_core.mechanisms.catalogue import MECHANISMS, MechanismSpec
from caldp_core.mechanisms.contextual import ContextMechanism
from caldp_core.scenarios import blocks
from caldp_core.scenarios.policies import ContextPolicy, Distances, Line, PersonalTags, PolicySpec
from caldp_core.scenarios.scenario import FORMAT, MARK, Best, Scenario
from caldp_ui.app.texts import read_toml
from caldp_ui.compute import runs
from caldp_ui.session import visit
from caldp_ui.session.page_state import PageState, R, S, bind_held, is_first_run
from caldp_ui.words import formats
from caldp_ui.words.policies import FALSE_SHARE_WORDS, PARAMETERS

T = TypeVar("T")


def of_field(
    state: PageState[Any],
    field: str,
    label: str,
    titles: Mapping[Any, str],
    draw: Callable[..., Any] = st.selectbox,
    **options: Any,
) -> None:
    """Draw the choice of a field of the page's record; `titles`: of its values."""

    def change(record: Any, value: Any) -> Any:
        return replace(record, **{field: value})

    bound = state.bind(field, getattr(state.current(), field), change, titles)
    draw(label, list(titles), format_func=titles.__getitem__, **options, **bound)


def by_title(
    state: PageState[R],
    name: str,
    label: str,
    things: Mapping[str, T],
    update: Callable[[R, T], R],
    *,
    title: str | None,
    **options: Any,
) -> None:
    """Draw a menu of things by their titles, of which `title` is chosen; `update`: a choice's."""
    bound = state.bind(name, title, lambda record, picked: update(record, things[picked]), things)
    st.selectbox(label, list(things), **options, **bound)


def view_switch(state: PageState[Any], field: str, label: str, titles: Mapping[Any, str]) -> None:
    """Which view of a page is open: a row of buttons beside the headline."""
    row: dict[str, Any] = {"label_visibility": "collapsed", "required": True}
    of_field(state, field, label, titles, st.segmented_control, **row)


def fold(
    make: Callable[..., DeltaGenerator],
    label: str,
    key: str,
    draw: Callable[[], None],
    **options: Any,
) -> None:
    """An expander or popover, drawn only while it is open, as all that is drawn costs each run."""
    part: Any = make(label, key=key, on_change="rerun", **options)
    if part.open:
        with part:
            draw()


def drawer(
    label: str, key: str, title: str, draw: Callable[[], None], opens: bool = False, **options: Any
) -> None:
    """A button, and the drawer that it opens beside the page.

    It stays open until somebody closes it, opens another or leaves the page: a page is also run by
    itself, as films come. `opens`: whether somebody came here to see it.
    """
    if opens or is_first_run():
        set_drawer(key, opens)
    st.button(label, key=key, on_click=set_drawer, args=(key, True), **options)
    if st.session_state.get(_OPEN_DRAWER) == key:
        close = partial(set_drawer, key, False)
        st.dialog(title, position="right", width="medium", on_dismiss=close)(draw)()


def set_drawer(key: str, is_open: bool) -> None:
    """Open or close the drawer of a button; one that opens closes the one before."""
    if is_open or st.session_state.get(_OPEN_DRAWER) == key:
        st.session_state[_OPEN_DRAWER] = key if is_open else None


_OPEN_DRAWER: Final = "open-drawer"
"""The key of the visit's state for the button whose drawer is open: pages show one at a time."""

_CELLS: Final = 5
"""Rows and columns of cells in a block, on maps other than the paper's."""
_ACROSS: Final = 100
"""Most blocks along a side: of more, their lines are all that is seen."""
_AROUND: Final = 0.04
"""Of a map's longer side, how far around a town is sensitive."""


def blocks_of(domain: GridDomain) -> blocks.GridBlocks:
    """Blocks to begin with: the paper's on its map, elsewhere of 5 × 5 cells or more."""
    if domain == US_GRID:
        return blocks.GridBlocks()
    cells = cells_along(domain)
    return blocks.GridBlocks(max(domain.rows // cells, 1), max(domain.columns // cells, 1))


def cells_along(domain: GridDomain) -> int:
    """Cells along the side of a block of `blocks_of`, on maps other than the paper's."""
    return max(_CELLS, -(-max(domain.rows, domain.columns) // _ACROSS))


def large_blocks_of(domain: GridDomain) -> tuple[str, blocks.BlocksSpec]:
    """Title and large blocks: regions, countries or quarters, whichever first are two or more."""
    for title, spec, labels in (
        ("States and provinces", blocks.RegionBlocks(), datasets.region_labels),
        ("Countries", blocks.CountryBlocks(), datasets.country_labels),
    ):
        if len(labels(domain)[1]) > 1:
            return title, spec
    return "Quarters of the map", blocks.GridBlocks(min(2, domain.rows), min(2, domain.columns))


@cached
def largest_town(domain: GridDomain) -> tuple[str, blocks.SensitiveAreas]:
    """Name and surroundings of the map's largest town; the middle of a map without towns."""
    area = domain.area
    towns = cities_in(area)
    name, latitude, longitude = (
        (towns[0].name, towns[0].latitude, towns[0].longitude)
        if towns
        else ("The middle", (area.south + area.north) / 2, (area.west + area.east) / 2)
    )
    reach = max(_AROUND * max(area.north - area.south, area.east - area.west), 0.4 * domain.cell)
    around = domain.snap(
        Area(
            max(latitude - reach, area.south),
            min(latitude + reach, area.north),
            max(longitude - reach, area.west),
            min(longitude + reach, area.east),
        )
    )
    assert around is not None  # the town is on the map
    return name, blocks.SensitiveAreas((f"+{around}",))


DATA: Final[dict[str, datasets.DatasetSpec]] = {
    "A few common, many rare values (Zipf)": datasets.Zipf(),
    "Uniform, 1,000 values": datasets.Uniform(),
    "Geometric, 1,000 values": datasets.Geometric(),
    "Geometric, shuffled": datasets.PermutedGeometric(),
    "Visits to web pages": datasets.WebVisits(),
    "Marriage and affairs": datasets.Survey("affairs"),
    "Household income": datasets.Survey("income"),
    "Gowalla (reconstructed grid)": datasets.Gowalla(),
    "Synthetic cities": datasets.Cities(),
}
"""Datasets that ship, by the title that readers see."""
NEW_YORK: Final = blocks.SensitiveAreas(("+40.2,41.4,-74.8,-73.2",))


def data_sets(current: datasets.DatasetSpec) -> dict[str, datasets.DatasetSpec]:
    """Datasets by title: those that ship, this visit's own, and the one that is `current`."""
    titled: dict[str, datasets.DatasetSpec] = {**DATA, **own_data_sets(current)}
    return titled if current in titled.values() else {**titled, type(current).__name__: current}


def own_data_sets(
    current: datasets.DatasetSpec,
) -> dict[str, datasets.OwnTable | datasets.OwnPlaces]:
    """This visit's own data by title, on whichever page they were brought; `current`, too."""
    own = [spec for each in (*visit.kept_datasets().values(), current) for spec in _tables(each)]
    return {f"{visit.YOURS}{spec.title}": spec for spec in own}


def _tables(spec: datasets.DatasetSpec) -> list[datasets.OwnTable | datasets.OwnPlaces]:
    """A visitor's own data as datasets: each question of a survey, called after both."""
    if isinstance(spec, datasets.OwnSurvey):
        return [
            replace(t, title=f"{spec.title}: {t.title}"[:OWN_NAME_MAX].strip())
            for t in spec.tables()
        ]
    return [spec] if isinstance(spec, datasets.OwnTable | datasets.OwnPlaces) else []


@dataclass(frozen=True)
class Choice:
    """A protection: its title for readers, and its policy."""

    title: str
    policy: ContextPolicy


PLAIN: Final = "plain"
NAMES: Final = (PLAIN, "blocks", "more-blocks", "sensitive", "both")
"""Protections by their name in links; what each is depends on the data."""
MARKED: Final = "marked"
"""What the visitor has marked on a list of answers, as a protection of a plan."""


def has_marks(policy: ContextPolicy) -> bool:
    """Whether a policy tells answers apart: by blocks, or as some are not sensitive."""
    in_blocks = policy.blocks != blocks.OneBlock()
    return in_blocks or policy.sensitive != blocks.EverythingSensitive()


def protections(domain: Domain | GridDomain) -> dict[str, Choice]:
    """The protections of `NAMES` for these data, all at ε = 1; fewer where k is small."""
    plain = Choice("Plain LDP", ContextPolicy(blocks.OneBlock()))
    if domain == US_GRID:
        others = (
            Choice("US states", ContextPolicy(blocks.StateBlocks())),
            Choice("25 × 35 blocks", ContextPolicy(blocks.GridBlocks(25, 35))),
            Choice("New York is sensitive", ContextPolicy(blocks.OneBlock(), NEW_YORK)),
            Choice("New York, in states", ContextPolicy(blocks.StateBlocks(), NEW_YORK)),
        )
    elif isinstance(domain, GridDomain):
        (title, large), (town, around) = large_blocks_of(domain), largest_town(domain)
        cells = cells_along(domain)
        others = (
            Choice(title, ContextPolicy(large)),
            Choice(f"Blocks of {cells} × {cells} cells", ContextPolicy(blocks_of(domain))),
            Choice(f"{town} is sensitive", ContextPolicy(blocks.OneBlock(), around)),
            Choice(f"{town}, in blocks", ContextPolicy(large, around)),
        )
    else:
        k, half = domain.k, max(domain.k // 2, 1)
        few, many, some = min(10, half), min(50, half), max(k // 10, 1)
        last = last_values(k, some)
        few_blocks = formats.count(few, "block", "blocks")
        many_blocks = formats.count(many, "small block", "small blocks")
        which = "Last" if some == 1 else f"Last {some}"
        others = (
            Choice(few_blocks, ContextPolicy(blocks.EvenRuns(few))),
            Choice(many_blocks, ContextPolicy(blocks.EvenRuns(many))),
            Choice(f"{which} of {k:,} answers sensitive", ContextPolicy(blocks.OneBlock(), last)),
            Choice(f"{which}, in {few_blocks}", ContextPolicy(blocks.EvenRuns(few), last)),
        )
    return {PLAIN: plain, **dict(zip(NAMES[1:], others, strict=True))}


def last_values(k: int, size: int) -> blocks.SensitiveSpec:
    """The last `size` of k values are sensitive."""
    return blocks.SensitiveSymbols((f"{k - size}-{k - 1}",)) if size else blocks.SensitiveSymbols()


def show(state: PageState[S]) -> None:
    """Inputs for the numbers of the method that is shown; nothing where it has none."""
    scenario = state.current().scenario
    named = scenario.mechanism
    spec = runs.setup(scenario).spec if isinstance(named, Best) else named
    known: tuple[Field[Any], ...] = fields(spec)  # type: ignore[arg-type]
    if not known:
        return
    symbols = " and ".join(PARAMETERS[field.name].symbol for field in known)
    title = f"The best {symbols}, or set {'it' if len(known) == 1 else 'one'}"

    def numbers() -> None:
        for field in known:
            _number(state, spec, field.name, int if "int" in str(field.type) else float)

    fold(st.expander, title, state.key("parameters"), numbers)


def _number(state: PageState[S], spec: MechanismSpec, name: str, kind: type) -> None:
    """An input of text, as an empty one is a choice, too: the best."""
    value = getattr(spec, name)

    def with_number(scenario: Scenario, text: str) -> Scenario:
        return replace(scenario, mechanism=type(spec)(**{name: _read(text, name, kind)}))

    st.text_input(
        PARAMETERS[name].label,
        placeholder=_best(runs.setup(state.current().scenario).mechanism, name),
        help=PARAMETERS[name].description,
        **bind_held(state, f"parameter-{name}", "" if value is None else str(value), with_number),
    )


def cascade_control(state: PageState[S]) -> None:
    """The input for q of the cascade."""

    def number() -> None:
        scenario = state.current().scenario
        usual, q = default_false_share(runs.dataset(scenario).domain), scenario.false_share
        now = "" if q is None else f"{q:g}"
        st.text_input(
            FALSE_SHARE_WORDS.label,
            placeholder=f"the best: {usual:g}",
            help=FALSE_SHARE_WORDS.description,
            **bind_held(state, "false-share", now, with_share),
        )

    def with_share(scenario: Scenario, text: str) -> Scenario:
        return replace(scenario, false_share=_read(text, "q", float))

    fold(st.expander, "The best q of the cascade, or set it", state.key("cascade"), number)


def _read(text: str, name: str, kind: type) -> float | None:
    written = text.strip().replace(",", "." if kind is float else "")
    try:
        return kind(written) if written else None
    except ValueError:
        wanted = "a whole number" if kind is int else "a number"
        raise CaldpError(f"{name} must be {wanted}, or empty for the best, got {text!r}.") from None


def _best(mechanism: Mechanism, name: str) -> str:
    """The number that the method has chosen, in words, where it is known."""
    if not isinstance(mechanism, ContextMechanism) or not isinstance(
        mechanism.oracles, HasDeviceNumbers
    ):
        return "the best"
    chosen = mechanism.oracles.device_numbers.get(name)
    numbers = np.unique(chosen[mechanism.sizes > 1]) if chosen is not None else np.zeros(0)
    if not numbers.size:
        return "the best"
    low, high = int(numbers[0]), int(numbers[-1])
    return f"the best: {low:,}" if low == high else f"the best: {low:,} to {high:,}"


@dataclass(frozen=True)
class Example:
    """An example, with a title and a sentence for readers."""

    title: str
    sentence: str

    def apply(self, scenario: Scenario) -> Scenario:
        """The scenario with this example."""
        raise NotImplementedError

    def fits(self, scenario: Scenario) -> bool:
        """True if the scenario shows this example already."""
        return bool(self.apply(scenario).policy == scenario.policy)


P = TypeVar("P", bound=Example)


@dataclass(frozen=True)
class PolicyPreset(Example):
    """A whole policy."""

    policy: PolicySpec

    def apply(self, scenario: Scenario) -> Scenario:
        """The scenario with this policy, and a mechanism that keeps it."""
        return with_compatible_mechanism(replace(scenario, policy=self.policy))


@dataclass(frozen=True)
class Preset(Example):
    """Blocks and sensitive values of a policy."""

    policy: ContextPolicy

    def apply(self, scenario: Scenario) -> Scenario:
        """The scenario with these blocks and values, at its own ε."""
        return with_context_policy(scenario).with_context(
            blocks=self.policy.blocks, sensitive=self.policy.sensitive
        )


@dataclass(frozen=True)
class LevelPreset(Example):
    """A policy but for its ε."""

    policy: Line | Distances | PersonalTags

    def apply(self, scenario: Scenario) -> Scenario:
        """The scenario with this protection, at its own ε."""
        policy = replace(self.policy, epsilon=scenario.policy.plain_epsilon)
        return with_compatible_mechanism(replace(scenario, policy=policy))


def from_file(**parts: Any) -> Scenario:
    """The scenario with these parts, written as in files; raises `CaldpError`."""
    return Scenario.from_dict({MARK: FORMAT, **parts})


def read_presets(module: str, part: str, make: Callable[[str, str, Any], P]) -> tuple[P, ...]:
    """The examples of `part` of presets.toml beside a module, whose policies are as in files.

    `module`: the module's `__file__`; `make`: an example from its title, sentence and policy.
    """
    rows = read_toml(module, "presets.toml")[part]
    return tuple(
        make(row["title"], row["sentence"], from_file(policy=row["policy"]).policy) for row in rows
    )


def with_context_policy(scenario: Scenario) -> Scenario:
    """The scenario, if its policy is a context; another becomes plain LDP at its ε."""
    if isinstance(scenario.policy, ContextPolicy):
        return scenario
    plain = ContextPolicy(
        blocks.OneBlock(), blocks.EverythingSensitive(), scenario.policy.plain_epsilon
    )
    return with_compatible_mechanism(replace(scenario, policy=plain))


def with_compatible_mechanism(scenario: Scenario) -> Scenario:
    """The scenario with its own mechanism if that supports its policy, else with the best."""
    entry = next((e for e in MECHANISMS.values() if e.spec is type(scenario.mechanism)), None)
    keeps = entry is None or type(scenario.policy).matrix in entry.policies
    return scenario if keeps else replace(scenario, mechanism=Best())


def matching_preset(presets: Sequence[P], scenario: Scenario) -> P | None:
    """The preset that the scenario shows, if it is one."""
    return next((preset for preset in presets if preset.fits(scenario)), None)


def menu(state: PageState[S], presets: Sequence[P], **options: Any) -> P | None:
    """A menu of examples, in one line; returns the example that is shown."""
    titles = {preset.title: preset for preset in presets}
    chosen = matching_preset(presets, state.current().scenario)
    look = {"placeholder": "your own", "label_visibility": "collapsed"} | options
    by_title(
        state,
        "preset",
        "Example",
        titles,
        lambda record, example: replace(record, scenario=example.apply(record.scenario)),
        title=chosen.title if chosen else None,
        **look,
    )
    return chosen
