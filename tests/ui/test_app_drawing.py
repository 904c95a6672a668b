"""Drawing on the map: what a dragged or typed box does, and how it is taken back."""

from types import SimpleNamespace

import pytest

from caldp_core.domain.grid import Area
from caldp_core.experiments.regions import RegionReport, region_report
from caldp_core.experiments.run import prepare, run
from caldp_core.scenarios.policies import ContextPolicy
from caldp_core.scenarios.protection import DrawnBlocks, OneBlock, SensitiveAreas, StateBlocks
from caldp_core.scenarios.scenario import Scenario
from caldp_ui import drawing, formats
from tests.ui.driver import (
    AppTest,
    assert_shows,
    checked,
    container,
    drag,
    metrics,
    open_app,
    query_of,
    scenario_of,
    use,
)

ROUGH = Area(40.31, 41.09, -74.55, -73.41)
BOX = Area(40.2, 41.2, -74.6, -73.4)
"""`ROUGH`, grown to whole cells."""


def report_of(scenario: Scenario, area: Area) -> RegionReport:
    """The core's numbers of the box."""
    setup = prepare(scenario)
    inside = setup.dataset.domain.inside(area)
    return region_report(setup, run(setup).first, inside)


def assert_region(at: AppTest, scenario: Scenario, area: Area) -> None:
    report = report_of(scenario, area)
    told = (formats.people(number) for number in (report.truth, report.estimate))
    assert metrics(at, "region")[:2] == list(told)
    low, high = (formats.people(number) for number in (report.low, report.high))
    assert metrics(at, "region")[2] == f"{low} – {high}"
    assert bool(container(at, "region").warning) == report.is_lost_in_noise
    assert Area.parse(query_of(at)["region"]) == area


def by_icon(at: AppTest, icon: str) -> AppTest:
    """Press the button with that icon."""
    return checked(next(b for b in at.button if b.proto.icon.endswith(f"{icon}:")).click().run())


def test_a_box_shows_its_numbers() -> None:
    at = open_app()
    assert container(at, "region") is None
    drag(at, ROUGH)
    assert_region(at, Scenario(), BOX)
    assert_shows(at, Scenario())


def test_a_box_stays_while_the_protection_changes_and_goes_when_unmarked() -> None:
    at = drag(open_app(), ROUGH)
    checked(at.select_slider(key="epsilon").set_value(4.0).run())
    assert_region(at, Scenario(policy=ContextPolicy(epsilon=4.0)), BOX)
    by_icon(at, "close")
    assert container(at, "region") is None
    assert "region" not in query_of(at)


@pytest.mark.parametrize("blocks", ["one", "states"])
def test_a_place_that_noise_drowns_is_told_apart(blocks: str) -> None:
    small = Area(44.4, 44.6, -106.0, -105.8)
    at = open_app(blocks=blocks, epsilon="0.1", region=str(small))
    scenario = scenario_of(at)
    assert report_of(scenario, small).is_lost_in_noise
    assert_region(at, scenario, small)


def test_whole_blocks_in_a_box_are_exact() -> None:
    at = open_app(region="40,42,-76,-74")
    report = report_of(Scenario(), Area(40, 42, -76, -74))
    assert report.exact_blocks == 2
    assert report.low == report.high == report.truth
    assert_region(at, Scenario(), Area(40, 42, -76, -74))


@pytest.mark.parametrize("region", ["10,11,10,11", "20,30,-140,-120"])
def test_a_region_beyond_the_map_is_told_and_breaks_nothing(region: str) -> None:
    assert_shows(open_app(region=region), Scenario())


def test_a_drag_beyond_the_map_or_a_mere_click_does_nothing() -> None:
    at = open_app()
    for area in (Area(60, 61, -74, -73), Area(10, 11, 10, 11)):
        drag(at, area)
        assert container(at, "region") is None
    drag(at, SimpleNamespace(west=-74.0, east=-74.0, south=40.0, north=40.0))
    assert container(at, "region") is None
    drag(at, Area(48, 60, -140, -120))
    assert_region(at, Scenario(), Area(48, 50, -130, -120))


def test_adding_makes_only_what_is_drawn_sensitive() -> None:
    at = use(open_app(blocks="one"), drawing.ADD)
    drag(at, ROUGH)
    first = Scenario(
        policy=ContextPolicy(blocks=OneBlock(), sensitive=SensitiveAreas((f"+{BOX}",)))
    )
    result = assert_shows(at, first)
    domain = result.setup.dataset.domain
    assert set(result.setup.mechanism.hidden_symbols) == set(domain.inside(BOX).nonzero()[0])
    assert at.toast
    assert not at.warning
    drag(at, Area(41, 41.1, -88, -87))
    edits = (*first.context.sensitive.edits, "+41,41.2,-88,-87")
    assert_shows(
        at, Scenario(policy=ContextPolicy(blocks=OneBlock(), sensitive=SensitiveAreas(edits)))
    )
    assert not at.toast


def test_taking_out_starts_from_everything() -> None:
    at = use(open_app(), drawing.REMOVE)
    drag(at, ROUGH)
    result = assert_shows(at, scenario_of(at))
    inside = result.setup.dataset.domain.inside(BOX)
    assert (result.setup.sensitive == ~inside).all()


def test_what_is_added_and_what_is_taken_out_are_counted_apart() -> None:
    at = use(open_app(), drawing.REMOVE)
    for area in (ROUGH, Area(33, 34, -119, -117)):
        drag(at, area)
    assert any("everything, 2 taken out" in caption.value for caption in at.caption)
    drag(use(at, drawing.ADD), Area(40.4, 40.6, -74, -73.8))
    assert any("everything, 1 added, 2 taken out" in caption.value for caption in at.caption)
    drag(use(at, drawing.REPLACE), ROUGH)
    assert any("Drawn: 1 added." in caption.value for caption in at.caption)


def test_whole_blocks_are_taken_where_asked() -> None:
    at = use(open_app(), drawing.ADD)
    at.checkbox(key="whole-blocks").check().run()
    drag(at, ROUGH)
    result = assert_shows(
        at, Scenario(policy=ContextPolicy(sensitive=SensitiveAreas((f"+b{BOX}",))))
    )
    sensitive, labels = result.setup.sensitive, result.setup.partition.labels
    assert sensitive.sum() > result.setup.dataset.domain.inside(BOX).sum()
    assert set(labels[sensitive]).isdisjoint(labels[~sensitive])


def test_blocks_are_drawn_undone_and_cleared() -> None:
    at = use(open_app(), drawing.BLOCK)
    drag(at, ROUGH)
    drag(at, Area(33, 34, -119, -117))
    both = (str(BOX), "33,34,-119,-117")
    result = assert_shows(at, Scenario(policy=ContextPolicy(blocks=DrawnBlocks(both))))
    assert result.setup.partition.m == 3
    by_icon(at, "undo")
    assert_shows(at, Scenario(policy=ContextPolicy(blocks=DrawnBlocks(both[:1]))))
    drag(at, Area(33, 34, -119, -117))
    by_icon(at, "delete")
    assert_shows(at, Scenario())
    by_icon(at, "undo")
    assert_shows(at, Scenario(policy=ContextPolicy(blocks=DrawnBlocks(both))))


@pytest.mark.parametrize("tool", drawing.TOOLS[1:])
def test_undo_leads_back_to_what_was_protected(tool: str) -> None:
    edited = Scenario(
        policy=ContextPolicy(blocks=StateBlocks(), sensitive=SensitiveAreas(("+40,41,-75,-73",)))
    )
    at = use(open_app(**edited.to_query()), tool)
    drag(at, ROUGH)
    assert scenario_of(at) != edited
    by_icon(at, "undo")
    assert_shows(at, edited)


def test_undo_keeps_what_is_no_protection() -> None:
    at = use(open_app(), drawing.ADD)
    drag(at, ROUGH)
    checked(at.select_slider(key="epsilon").set_value(4.0).run())
    by_icon(at, "undo")
    assert_shows(at, Scenario(policy=ContextPolicy(epsilon=4.0)))


def test_undo_takes_back_what_is_chosen_from_a_list() -> None:
    at = open_app()
    assert next(b for b in at.button if b.proto.icon.endswith("undo:")).disabled
    checked(at.number_input(key="rows").set_value(5).run())
    checked(at.selectbox(key="preset").set_value("Nothing").run())
    by_icon(at, "undo")
    by_icon(at, "undo")
    assert_shows(at, Scenario())
    assert next(b for b in at.button if b.proto.icon.endswith("undo:")).disabled


@pytest.mark.parametrize("tool", [drawing.ADD, drawing.REMOVE, drawing.REPLACE])
def test_clear_leads_back_to_what_was_protected_before_the_first_box(tool: str) -> None:
    at = use(open_app(blocks="states"), tool)
    for area in (ROUGH, Area(33, 34, -119, -117)):
        drag(at, area)
    by_icon(at, "delete")
    assert_shows(at, Scenario(policy=ContextPolicy(blocks=StateBlocks())))


def test_undo_of_a_link_s_only_box_leaves_everything_protected() -> None:
    drawn = Scenario(policy=ContextPolicy(sensitive=SensitiveAreas(("+40,41,-75,-73",))))
    assert_shows(by_icon(open_app(**drawn.to_query()), "undo"), Scenario())


def test_undo_of_a_link_s_boxes_follows_the_tool_in_hand() -> None:
    edits, areas = ("+40,41,-75,-73", "+41,42,-88,-87"), ("33,34,-119,-117",)
    drawn = Scenario(
        policy=ContextPolicy(blocks=DrawnBlocks(areas), sensitive=SensitiveAreas(edits))
    )
    at = use(open_app(**drawn.to_query()), drawing.ADD)
    by_icon(at, "undo")
    assert_shows(
        at,
        Scenario(
            policy=ContextPolicy(blocks=DrawnBlocks(areas), sensitive=SensitiveAreas(edits[:1]))
        ),
    )
    use(at, drawing.BLOCK)
    by_icon(at, "undo")
    assert_shows(
        at,
        Scenario(policy=ContextPolicy(blocks=DrawnBlocks(), sensitive=SensitiveAreas(edits[:1]))),
    )


def test_clear_takes_away_all_that_was_drawn_and_the_region() -> None:
    drawn = Scenario(
        policy=ContextPolicy(
            blocks=DrawnBlocks(("33,34,-119,-117",)), sensitive=SensitiveAreas(("+40,41,-75,-73",))
        )
    )
    at = open_app(region=str(BOX), **drawn.to_query())
    by_icon(at, "delete")
    assert_shows(at, Scenario(policy=ContextPolicy(blocks=DrawnBlocks())))
    assert container(at, "region") is None
    assert "region" not in query_of(at)


def type_box(at: AppTest, area: Area) -> AppTest:
    for name in ("South", "North", "West", "East"):
        at.number_input(key=f"typed-{name}").set_value(getattr(area, name.lower()))
    return by_icon(at, "crop_free")


def test_a_typed_box_does_what_a_dragged_one_does() -> None:
    typed = type_box(open_app(), ROUGH)
    assert_region(typed, Scenario(), BOX)
    typed = type_box(use(open_app(blocks="one"), drawing.ADD), ROUGH)
    sensitive = SensitiveAreas((f"+{BOX}",))
    assert_shows(typed, Scenario(policy=ContextPolicy(blocks=OneBlock(), sensitive=sensitive)))


def test_edges_say_their_limits() -> None:
    at = open_app()
    assert at.number_input(key="typed-South").label == "South (25 to 50)"
    assert at.number_input(key="typed-West").label == "West (-130 to -60)"


def test_a_typed_box_that_is_none_is_told_in_a_sentence() -> None:
    at = type_box(open_app(), Area.parse("40,41,-75,-73"))
    at.number_input(key="typed-North").set_value(35.0)
    by_icon(at, "crop_free")
    assert len(at.error) == 1
    assert scenario_of(at) == Scenario()


def test_at_most_as_many_areas_as_the_core_allows() -> None:
    areas = tuple(f"30,31,{-120 + i / 5:g},{-119 + i / 5:g}" for i in range(200))
    full = Scenario(policy=ContextPolicy(blocks=DrawnBlocks(areas)), n=1000)
    at = use(open_app(**full.to_query()), drawing.BLOCK)
    drag(at, ROUGH)
    assert scenario_of(at) == full
    assert at.warning
