"""Who is not protected is seen: on the map of this protection, in words, and as a map."""

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from caldp_core.experiments.run import Setup
from caldp_core.scenarios.blocks import (
    BlocksSpec,
    EverythingSensitive,
    GridBlocks,
    OneBlock,
    SensitiveAreas,
    SensitiveSpec,
)
from caldp_ui.compute import runs
from caldp_ui.maps import ground as readable
from caldp_ui.maps.ground import ground, protected
from caldp_ui.maps.presets import BEGIN, ONE_CITY
from caldp_ui.maps.scene import OURS, PAIR, PLAIN, TRUTH, scene
from caldp_ui.parts.comparison import load_fast_results
from caldp_ui.places import page_state
from caldp_ui.places.page_state import STATE
from caldp_ui.stage import Scene
from caldp_ui.stage.component import scene_head
from caldp_ui.words import formats, policies
from tests.ui import driver


def setup_of(blocks: BlocksSpec, sensitive: SensitiveSpec) -> Setup:
    return runs.setup(BEGIN.with_context(blocks=blocks, sensitive=sensitive))


def scene_of(blocks: BlocksSpec, sensitive: SensitiveSpec) -> Scene:
    data = load_fast_results(STATE, BEGIN.with_context(blocks=blocks, sensitive=sensitive))
    land = ground(data.setup, runs.map_of(data.setup.dataset), None)
    return scene(data, land, arrangement=PAIR)


def test_where_everybody_is_protected_nothing_is_hatched() -> None:
    page_scene = scene_of(GridBlocks(25, 35), EverythingSensitive())
    assert readable.readable_people(setup_of(GridBlocks(25, 35), EverythingSensitive())) is None
    assert page_scene.ground.open is None
    assert page_scene.arrangement == PAIR
    assert all("open" not in picture.marks for picture in page_scene.pictures)


@pytest.mark.parametrize("sensitive", [ONE_CITY, SensitiveAreas(())], ids=["one city", "nothing"])
def test_who_can_be_read_is_hatched_counted_and_first_as_a_map(sensitive: SensitiveSpec) -> None:
    setup, page_scene = setup_of(OneBlock(), sensitive), scene_of(OneBlock(), sensitive)
    read = readable.readable_people(setup)
    assert read is not None
    share = float(setup.dataset.distribution[protected(setup)].sum())
    assert read.safe.startswith(f"{round(100 * share)} of")
    assert page_scene.ground.open is not None
    pictures = {picture.id: picture for picture in page_scene.pictures}
    assert "open" in pictures[OURS].marks
    assert "open" not in pictures[PLAIN].marks
    assert any(read.open in label.text for label in pictures[OURS].labels)
    assert page_scene.arrangement is not None
    assert page_scene.arrangement.turns == (readable.READ, TRUTH)
    assert scene_head(page_scene, "maps")["pictures"][-1]["colours"] == "open"


def test_a_saved_picture_says_its_epsilon_people_and_source() -> None:
    page_scene = scene_of(OneBlock(), ONE_CITY)
    text = " ".join(page_scene.image_lines)
    assert "ε = 1 " in text
    assert f"{formats.people(page_scene.people)} check-ins" in text
    assert runs.setup(BEGIN).dataset.name in text
    mixed = BEGIN.with_context(blocks=GridBlocks(1, 2), epsilon=(0.5, 2.0))
    assert "ε from 0.5 to 2 " in policies.setting_text(runs.setup(mixed))


def test_the_form_of_protection_is_called_by_what_is_left_to_do() -> None:
    def named(at: AppTest) -> list[str]:
        blocks = (block.proto.popover for block in driver.blocks(at) if block.type == "popover")
        return [block.label for block in blocks]

    at = driver.open_with(BEGIN)
    assert "What is protected" in named(at)
    at = driver.open_with(BEGIN.with_context(sensitive=ONE_CITY))
    assert "Protect more places" in named(at)
    # The form is open, and keeps its name: under another one it would close under the hand.
    sensitive = next(box for box in at.selectbox if box.label.startswith("Sensitive"))
    driver.checked(sensitive.set_value("Every place").run())
    assert readable.readable_people(runs.setup(driver.scenario_of(at))) is None
    assert "Protect more places" in named(at)


def test_a_sensitive_place_alone_in_its_block_can_be_read() -> None:
    setup = setup_of(GridBlocks(125, 250), EverythingSensitive())
    sizes = np.bincount(setup.partition.labels)
    assert set(sizes.tolist()) == {1, 2}
    assert np.array_equal(protected(setup), sizes[setup.partition.labels] > 1)


def test_the_brush_says_before_that_nothing_is_left_to_protect() -> None:
    everything = page_state.actions(setup_of(OneBlock(), EverythingSensitive()))
    one_city = page_state.actions(setup_of(OneBlock(), ONE_CITY))
    (before,), (after,) = (
        [each.effects["brush"] for each in offered if each.id == page_state.PROTECT]
        for offered in (everything, one_city)
    )
    assert "nothing changes" in before
    assert "nothing changes" not in after
