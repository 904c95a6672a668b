"""State of the page: a scenario without a map, with its link and undo, tables, and protections."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from caldp_core import datasets
from caldp_core.basics.errors import require
from caldp_core.basics.types import Bools, Ints
from caldp_core.domain.domains import Domain, is_scale
from caldp_core.estimation.estimators import ESTIMATORS
from caldp_core.mechanisms.catalogue import SquareWave
from caldp_core.scenarios.blocks import (
    EvenRuns,
    EverythingSensitive,
    OneBlock,
    SensitiveSpec,
    SensitiveSymbols,
)
from caldp_core.scenarios.policies import ContextPolicy, Distances, Line
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.app.texts import read_toml
from caldp_ui.compute import runs
from caldp_ui.controls import choices
from caldp_ui.controls.choices import Example, LevelPreset, Preset, from_file, read_presets
from caldp_ui.session import visit
from caldp_ui.session.page_state import PinPageState, ScenarioLink, ScenarioRecord
from caldp_ui.words import formats


def groups_of(domain: Domain) -> list[tuple[str, Bools]]:
    """Name and (k,) flags of each group, in order of appearance; empty without groups."""
    groups = np.array(domain.groups)
    return [(name, groups == name) for name in dict.fromkeys(domain.groups)]


def spec_of(flags: Bools) -> SensitiveSpec:
    """The shortest spec of (k,) flags."""
    if flags.all():
        return EverythingSensitive()
    return SensitiveSymbols(runs_of(np.flatnonzero(flags)))


def runs_of(symbols: Ints) -> tuple[str, ...]:
    """Ascending symbols as runs: "3" or "10-19"."""
    first = symbols[np.diff(symbols, prepend=-2) != 1]
    last = symbols[np.diff(symbols, append=np.iinfo(np.int64).max) != 1]
    pairs = zip(first.tolist(), last.tolist(), strict=True)
    return tuple(str(first) if first == last else f"{first}-{last}" for first, last in pairs)


def whole_groups(domain: Domain, flags: Bools) -> list[str]:
    """The groups all of whose values are marked, in order of appearance."""
    bare = {group for group, flag in zip(domain.groups, flags, strict=False) if not flag}
    return [group for group in dict.fromkeys(domain.groups) if group not in bare]


def with_groups(domain: Domain, flags: Bools, groups: Iterable[str]) -> SensitiveSpec:
    """The set with just these groups whole; marks in groups that were not whole stay."""
    wanted, before = set(groups), set(whole_groups(domain, flags))
    changed = [
        group in wanted or (bool(flag) and group not in before)
        for group, flag in zip(domain.groups, flags, strict=True)
    ]
    return spec_of(np.array(changed, dtype=np.bool_))


@dataclass(frozen=True)
class TableEntry:
    """A table in the menu. `question`: as it was asked. `people`: at first, None for its own."""

    title: str
    question: str
    spec: datasets.DatasetSpec
    people: int | None = None


TABLES: Final = (
    *(
        TableEntry(survey.title, survey.question, datasets.Survey(name))
        for name, survey in datasets.SURVEYS.items()
    ),
    *(
        TableEntry(
            each["title"],
            each["question"],
            from_file(dataset=each["dataset"]).dataset,
            each["people"],
        )
        for each in read_toml(__file__, "tables.toml")["tables"]
    ),
)
SYNTHETIC: Final = (datasets.Zipf, datasets.Geometric, datasets.PermutedGeometric, datasets.Uniform)
"""Tables whose number of answers can be chosen."""


def table_of(spec: datasets.DatasetSpec) -> TableEntry | None:
    """The table of a dataset, whatever its settings; None where the page has none."""
    if isinstance(spec, datasets.OwnSurvey):  # the question that is shown
        tables = spec.tables()
        table = tables[spec.selected]
        people = formats.counted(sum(table.counts), *table.nouns)
        size = f"{people}, {len(tables)} questions; {len(table.names):,} answers to this one."
        return TableEntry(f"{visit.YOURS}{spec.title}: {table.title}", size, spec)
    if isinstance(spec, datasets.OwnTable):
        size = f"{formats.counted(sum(spec.counts), *spec.nouns)}, {len(spec.names):,} answers."
        return TableEntry(f"{visit.YOURS}{spec.title}", size, spec)
    exact = next((table for table in TABLES if table.spec == spec), None)
    return exact or next((table for table in TABLES if type(table.spec) is type(spec)), None)


_SURVEY_PRESETS: Final = {name: read_presets(__file__, name, Preset) for name in datasets.SURVEYS}
_FIRST_HALF, _NEIGHBOURS = read_presets(__file__, "numbers", Preset)
_IN_GROUPS: Final = read_presets(__file__, "own", Preset)
_PLAIN, _NONE_SENSITIVE = read_presets(__file__, "every_table", Preset)
_WEB_PRESETS: Final = read_presets(__file__, "web", Preset)
(_SCALE,) = read_presets(__file__, "scale", LevelPreset)
_FADING: Final = {
    name: read_presets(__file__, f"{name}-fading", LevelPreset) for name in ("income", "substances")
}


def _shipped_presets(spec: datasets.DatasetSpec) -> tuple[Example, ...]:
    """Protections for a table that ships, of which no file need be read; () for others."""
    if isinstance(spec, datasets.Survey):
        fading = _FADING.get(spec.table, ())
        return (*_SURVEY_PRESETS[spec.table], *fading, _PLAIN, _NONE_SENSITIVE)
    if isinstance(spec, datasets.WebVisits):
        return (*_WEB_PRESETS, _PLAIN, _NONE_SENSITIVE)
    return ()


def presets_of(spec: datasets.DatasetSpec, domain: Domain) -> tuple[Example, ...]:
    """Protections for a dataset and its answers; the first is where a reader starts."""
    shipped = _shipped_presets(spec)
    if shipped:
        return shipped
    if isinstance(spec, datasets.OwnTable | datasets.OwnSurvey):
        # Nobody here has read an uploaded table, so no answer is harmless.
        neighbours = _neighbour_blocks(min(domain.k, 2 + domain.k // 10))
        in_groups = _IN_GROUPS if domain.groups else ()
        return (_PLAIN, *in_groups, neighbours, _SCALE, _NONE_SENSITIVE)
    half = max(1, domain.k // 2)
    low = SensitiveSymbols((f"0-{half - 1}" if half > 1 else "0",))
    first_half = replace(_FIRST_HALF, policy=ContextPolicy(OneBlock(), low))
    neighbours = _neighbour_blocks(max(1, domain.k // 5))
    return (first_half, neighbours, _SCALE, _PLAIN, _NONE_SENSITIVE)


def _neighbour_blocks(blocks: int) -> Preset:
    return replace(_NEIGHBOURS, policy=ContextPolicy(EvenRuns(blocks)))


POLICIES: Final = (ContextPolicy, Line, Distances)
K_MAX: Final = 2_000
"""Most answers of a picture that can be read."""


def first_preset(scenario: Scenario) -> Scenario:
    """The scenario under the first preset of its table.

    Modules make one as they are imported, when a file that is broken must not end them.
    """
    shipped = _shipped_presets(scenario.dataset)
    if shipped:
        return shipped[0].apply(scenario)
    domain = scenario.dataset.load().domain
    assert isinstance(domain, Domain)  # tables of this page have no maps
    return presets_of(scenario.dataset, domain)[0].apply(scenario)


def initial_scenario(table: TableEntry) -> Scenario:
    """A table's first scenario: under its first preset, with its number of people."""
    scenario = Scenario(dataset=table.spec, n=table.people)
    return first_preset(scenario)


def switch_table(scenario: Scenario, table: TableEntry) -> Scenario:
    """Another table with its own protection and people; ε, method, estimator and seed stay.

    Except a method or an estimator for ordered values, where the new ones have no order.
    """
    initial = initial_scenario(table)
    if not is_scale(runs.dataset(initial).domain):
        if ESTIMATORS[scenario.estimator].in_order:
            scenario = replace(scenario, estimator=initial.estimator)
        if isinstance(scenario.mechanism, SquareWave):
            scenario = replace(scenario, mechanism=initial.mechanism)
    context, level = initial.context, scenario.policy.plain_epsilon
    switched = choices.with_context_policy(replace(scenario, dataset=initial.dataset, n=initial.n))
    return switched.with_context(blocks=context.blocks, sensitive=context.sensitive, epsilon=level)


BEGIN: Final = initial_scenario(TABLES[0])
AFFAIR: Final = BEGIN.with_context(blocks=OneBlock(), sensitive=SensitiveSymbols(("5-9",)))
"""Who had an affair is protected, and nobody else: a sensitive set that can grow and shrink."""


@dataclass(frozen=True)
class ValuesState(ScenarioRecord):
    """The page's record: its scenario."""

    scenario: Scenario = BEGIN


def _check(record: ValuesState) -> None:
    """Raise `CaldpError` for maps, other policies and blocks that do not fit."""
    scenario = record.scenario
    require(
        isinstance(scenario.policy, POLICIES),
        "This page shows blocks, sensitive answers and secrecy that fades with distance, this "
        f"scenario's policy is of kind {scenario.kind('policy')}; choose context, line or "
        "distances.",
    )
    require(
        table_of(scenario.dataset) is not None,
        "This page shows tables of answers; places are on the page Places on a map.",
    )
    k = runs.dataset(scenario).domain.k
    require(k <= K_MAX, f"This page shows up to {K_MAX:,} answers, got {k:,}; take fewer.")
    runs.setup(scenario)


def domain_of(scenario: Scenario) -> Domain:
    """The answers of a scenario of this page."""
    domain = runs.dataset(scenario).domain
    assert isinstance(domain, Domain)  # `_check` sees to it
    return domain


def _with_earlier_protection(shown: ValuesState, earlier: ValuesState) -> ValuesState:
    """The record with an earlier protection; the earlier scenario where table or policy differ."""
    now, was = shown.scenario, earlier.scenario
    if now.dataset != was.dataset:
        return earlier
    policy = was.policy
    if type(policy) is not type(now.policy) or not isinstance(policy, ContextPolicy):
        return replace(shown, scenario=replace(was, n=now.n, seed=now.seed))
    return replace(
        shown, scenario=now.with_context(blocks=policy.blocks, sensitive=policy.sensitive)
    )


LINK: Final = ScenarioLink(ValuesState(), _check)
STATE: Final = PinPageState("values", LINK, _with_earlier_protection)
"""Undo brings an earlier protection or table back; ε, people and the rest stay as they are."""
