"""What can be chosen: presets, data and start cards build, run and are what they say."""

import ast
from pathlib import Path

import numpy as np
import pytest

from caldp_core.datasets import Cities, Gowalla, OwnPlaces, Snap, Zipf
from caldp_core.datasets.snap import GOWALLA_FILE
from caldp_core.domain.grid import Area, GridDomain
from caldp_core.experiments.run import prepare, run
from caldp_core.mechanisms.capabilities import symbol_partition_of
from caldp_core.scenarios.blocks import (
    EverythingSensitive,
    GridBlocks,
    OneBlock,
    SensitiveAreas,
    SensitiveInhabited,
)
from caldp_core.scenarios.policies import ContextPolicy
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.app import navigation
from caldp_ui.compute import runs
from caldp_ui.controls.choices import NAMES, Preset, protections
from caldp_ui.maps import presets
from caldp_ui.places import controls
from caldp_ui.start import page as start
from caldp_ui.words.glossary import DEFINITIONS

ROOT = Path(__file__).parents[2]
BY_TITLE = {preset.title: preset for preset in presets.PRESETS}


@pytest.mark.parametrize("title", BY_TITLE)
def test_every_preset_runs_and_is_recognised(title: str) -> None:
    preset = BY_TITLE[title]
    before = Scenario(policy=ContextPolicy(epsilon=3.0), n=10_000, seed=8, estimator="clip")
    after = preset.apply(before)
    assert (after.context.epsilon, after.n, after.seed, after.estimator) == (3.0, 10_000, 8, "clip")
    assert presets.matching_preset(after) is preset
    assert len(run(prepare(after)).errors) == 1


def test_presets_differ_and_other_scenarios_are_none() -> None:
    assert len({p.policy for p in presets.PRESETS}) == len(presets.PRESETS)
    assert presets.matching_preset(Scenario(policy=ContextPolicy(blocks=GridBlocks(3, 3)))) is None


def test_the_paper_s_blocks_are_as_large_as_said() -> None:
    preset = next(p for p in presets.PRESETS if p.policy.blocks == GridBlocks(25, 35))
    domain = runs.map_of(runs.dataset(Scenario()))
    assert (domain.area.north - domain.area.south) / 25 == 1
    assert (domain.area.east - domain.area.west) / 35 == 2
    assert "1° × 2°" in preset.sentence


def test_no_preset_that_hides_something_leaves_a_place_alone_in_its_block() -> None:
    for preset in presets.PRESETS:
        setup = prepare(preset.apply(Scenario()))
        alone = (setup.partition.sizes() == 1)[setup.partition.labels]
        assert not (setup.sensitive & alone).any(), preset.title


def test_presets_hide_what_they_say() -> None:
    hidden = {}
    for preset in presets.PRESETS:
        setup = prepare(preset.apply(Scenario()))
        hidden[preset.policy.blocks, preset.policy.sensitive] = symbol_partition_of(
            setup.mechanism
        ).hidden
    sizes = {kind: symbols.size for kind, symbols in hidden.items()}
    assert sizes[OneBlock(), SensitiveAreas(())] == 0
    assert sizes[OneBlock(), EverythingSensitive()] == 43_750
    assert sizes[GridBlocks(25, 35), EverythingSensitive()] == 43_750
    assert 0 < sizes[GridBlocks(25, 35), SensitiveInhabited(1, 5_000)] < 43_750
    cities = next(p.policy.sensitive for p in presets.PRESETS if _edits(p) == 3)
    domain = runs.map_of(runs.dataset(Scenario()))
    assert isinstance(cities, SensitiveAreas)
    boxes = [domain.area_mask(Area.parse(edit[1:])) for edit in cities.edits]
    np.testing.assert_array_equal(hidden[OneBlock(), cities], np.flatnonzero(sum(boxes)))
    for box, place in zip(boxes, [(40.71, -74.01), (41.88, -87.63), (34.05, -118.24)], strict=True):
        assert box[domain.locate(*place)]


def _edits(preset: Preset) -> int:
    sensitive = preset.policy.sensitive
    return len(sensitive.edits) if isinstance(sensitive, SensitiveAreas) else 0


def test_one_of_the_presets_is_the_default() -> None:
    assert presets.matching_preset(Scenario()) is presets.PRESETS[0]


@pytest.mark.parametrize("title", controls.BLOCK_KINDS)
@pytest.mark.parametrize("sensitive", controls.SENSITIVE_KINDS)
def test_every_choice_of_blocks_goes_with_every_choice_of_places(
    title: str, sensitive: str
) -> None:
    chosen = Scenario(n=1000).with_context(
        blocks=controls.BLOCK_KINDS[title], sensitive=controls.SENSITIVE_KINDS[sensitive]
    )
    estimate = run(prepare(chosen)).first.estimate
    assert estimate.sum() == pytest.approx(1)


@pytest.mark.parametrize(
    ("grid", "titles"),
    [
        (
            GridDomain(41.0, -5.0, 0.5, 20, 30),
            ["States and provinces", "Blocks of 5 × 5 cells", "Paris is sensitive"],
        ),
        (
            GridDomain(48.7, 2.1, 0.01, 36, 60),  # within one region
            ["Quarters of the map", "Blocks of 5 × 5 cells", "Paris is sensitive"],
        ),
        (
            GridDomain(-20.0, 176.0, 0.05, 200, 150),  # across 180°
            ["States and provinces", "Blocks of 5 × 5 cells", "Nasinu is sensitive"],
        ),
        (
            GridDomain(-40.0, -30.0, 1.0, 2, 3),
            ["Quarters of the map", "Blocks of 5 × 5 cells", "The middle is sensitive"],
        ),
    ],
)
def test_protections_that_are_compared_are_those_of_the_map(
    grid: GridDomain, titles: list[str]
) -> None:
    found = protections(grid)
    assert tuple(found) == NAMES
    assert [choice.title for choice in found.values()][1:4] == titles
    some = range(0, grid.k, grid.k // 5)
    cells = " ".join(f"{cell}:100" for cell in some)
    data = OwnPlaces(cells, str(grid.area), grid.cell)
    for choice in found.values():
        setup = prepare(Scenario(data, choice.policy))
        assert setup.sensitive.any()
        assert run(setup).first.estimate.sum() == pytest.approx(1)
        assert setup.sensitive.all() == (choice.policy.sensitive == EverythingSensitive())


def test_choosing_data_brings_people_where_there_are_none() -> None:
    for title, spec in runs.places().items():
        chosen = runs.with_dataset(Scenario(), spec)
        assert chosen.dataset == spec
        assert runs.title_of(spec, runs.places()) == title
        assert prepare(chosen).n > 0
        assert (chosen.n is None) == (spec.load().counts is not None) == runs.has_people(spec)
        assert runs.with_dataset(Scenario(n=777), spec).n == 777


def test_data_with_settings_of_their_own_go_by_their_kind() -> None:
    own = {"small": Cities(cities=3), **runs.places()}
    assert runs.title_of(Cities(cities=3), own) == "small"
    for spec in (Cities(cities=4), Cities()):
        assert runs.title_of(spec, runs.places()) == "Synthetic cities"
    assert runs.title_of(Zipf(), runs.places()) == "Zipf"


def test_snap_is_offered_only_once_it_is_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "cache_folder", lambda: tmp_path)
    assert runs.fetched_snap() is None
    assert all(isinstance(spec, Gowalla | Cities) for spec in runs.places().values())
    (tmp_path / GOWALLA_FILE).write_bytes(b"")
    snap = Snap(str(tmp_path / GOWALLA_FILE))
    assert runs.fetched_snap() == snap
    assert snap in runs.places().values()
    title = runs.title_of(snap, runs.places())
    assert runs.places()[title] == snap


@pytest.mark.parametrize("card", start.CARDS, ids=lambda card: card.title)
def test_cards_hold_scenarios_that_run_and_survive_a_link(card: Preset) -> None:
    scenario = card.apply(presets.BEGIN)
    assert Scenario.from_query(scenario.to_query()) == scenario
    assert run(prepare(scenario)).first.errors.tv < 1


def test_cards_are_different_and_their_page_exists() -> None:
    assert len({runs.key(card.apply(presets.BEGIN)) for card in start.CARDS}) == len(start.CARDS)
    assert (ROOT / navigation.PLACES).is_file()


def _terms_used() -> set[str]:
    used: set[str] = set()
    for path in [*ROOT.glob("caldp_ui/**/*.py"), *ROOT.glob("pages/*.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "terms":
                used |= {str(arg.value) for arg in node.args if isinstance(arg, ast.Constant)}
            if isinstance(node, ast.Subscript) and getattr(node.value, "id", "") == "DEFINITIONS":
                used |= {str(node.slice.value)} if isinstance(node.slice, ast.Constant) else set()
    return used


def test_every_term_that_is_used_is_defined_and_the_other_way_round() -> None:
    assert _terms_used() == set(DEFINITIONS)


@pytest.mark.parametrize("term", DEFINITIONS)
def test_definitions_begin_without_a_formula_and_end_with_a_full_stop(term: str) -> None:
    text = DEFINITIONS[term]
    assert text.rstrip().endswith(".")
    first = text.split(". ")[0]
    assert not set("=≤≥Σ^∞|") & set(first)


@pytest.mark.parametrize("path", ["no-such-file", "~nobody-of-that-name/x", "a\0b"])
def test_what_is_no_file_has_no_state(path: str) -> None:
    assert runs.file_state(Snap(path)) is None
