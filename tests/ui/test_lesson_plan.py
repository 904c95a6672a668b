"""The plan of a lesson: fifty minutes, parts that open as they should, one text twice."""

import re
from dataclasses import replace

from streamlit.testing.v1 import AppTest

from caldp_ui.adversary.slot import Suspect
from caldp_ui.app.navigation import CLASSROOM, PAGES
from caldp_ui.classroom import plan
from caldp_ui.classroom.slot import NAMES, Lesson
from caldp_ui.classroom.stations import STATIONS
from caldp_ui.matrix.slot import BUG, Table
from tests import ROOT
from tests.contract.checks import naming
from tests.ui.driver import APP, checked

STATIONED = [part for part in plan.PARTS if part.page == CLASSROOM]


def opened() -> AppTest:
    at = AppTest.from_file(APP, default_timeout=120)
    checked(at.switch_page(CLASSROOM).run())
    return checked(at.button(key="classroom-plan").click().run())


def test_it_takes_fifty_minutes_and_goes_through_all_stations() -> None:
    assert sum(part.minutes for part in plan.PARTS) == 50
    assert plan.starts()[-1] + plan.PARTS[-1].minutes == 50
    for number, (part, name) in enumerate(zip(STATIONED, NAMES, strict=True), 1):
        assert part.title == f"{number} {STATIONS[name].title}"
        assert STATIONS[name].naive[0] in re.findall(r"\*\*(.+?)\*\*", part.do)
    assert {part.page for part in plan.PARTS} <= {entry.path for entry in PAGES}


def test_the_drawer_shows_the_plan_and_opens_each_part_as_it_is_needed() -> None:
    at = opened()
    said = " ".join(each.value for each in at.markdown)
    for begins, part in zip(plan.starts(), plan.PARTS, strict=True):
        assert part.do in said
        assert part.home in said
        label = at.button(key=f"classroom-plan-{begins}").label
        assert label == f"{begins} to {begins + part.minutes} min · {part.title}"
    wanted = {
        "classroom": Lesson("means"),
        "adversary": Suspect(days=1),
        "matrix": replace(Table().ready("ldp", 1.0), channel=BUG),
    }
    for page, title in (
        ("classroom", "6 Means"),
        ("adversary", "What an adversary learns"),
        ("matrix", "The privacy matrix"),
    ):
        number = [part.title for part in plan.PARTS].index(title)
        at = opened()
        checked(at.button(key=f"classroom-plan-{plan.starts()[number]}").click().run())
        with naming(title):
            assert at.session_state[f"{page}/slot"].record == wanted[page]
            assert not at.warning


def test_the_file_is_the_same_plan() -> None:
    text = (ROOT / "docs" / "lesson.md").read_text("utf-8")
    assert plan.as_markdown() in text
    assert "docs/lesson.md" in (ROOT / "README.md").read_text("utf-8")
