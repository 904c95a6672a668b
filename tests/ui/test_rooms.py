"""A page more costs a thin file, a folder and a line of navigation, and breaks no other page."""

import ast
import shutil
from concurrent.futures import wait
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from caldp_core.scenarios.blocks import StateBlocks
from caldp_core.scenarios.policies import ContextPolicy
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.app import navigation
from tests import ROOT
from tests.test_architecture import files_that_look_up
from tests.ui.driver import checked, go, query_of, scenario_of
from tests.ui.survey_page.page_state import TEN

PAGE = ROOT / "tests" / "ui" / "survey_page"
SURVEY = "pages/survey.py"
STATES = Scenario(policy=ContextPolicy(blocks=StateBlocks()))
ROOMS = (
    "lesson",
    "app",
    "words",
    "compute",
    "session",
    "stage",
    "charts",
    "controls",
    "parts",
    "relief",
    "maps",
    "offline",
    "shell",
    "places",
    "values",
    "paper",
    "yesno",
    "curves",
    "plan",
    "results",
    "adversary",
    "distances",
    "personal",
    "room",
    "matrix",
    "coarser",
    "classroom",
    "start",
    "handout",
)
"""From the ground up: a room imports from itself and from those before it."""


@pytest.fixture
def at(tmp_path: Path) -> AppTest:
    """The dashboard with the survey page, opened on the map."""
    shutil.copytree(ROOT / "pages", tmp_path / "pages")
    shutil.copy(PAGE / "survey.py", tmp_path / "pages")
    shutil.copy(PAGE / "app.py", tmp_path)
    app = AppTest.from_file(tmp_path / "app.py", default_timeout=120)
    for name, value in {"v": "2", "blocks": "states"}.items():
        app.query_params[name] = value
    return checked(app.switch_page(navigation.PLACES).run())


def survey_of(at: AppTest) -> Scenario:
    found: Scenario = at.session_state["survey/state"].record.scenario
    return found


def test_pages_keep_their_own_state_and_none_breaks_another(at: AppTest) -> None:
    checked(at.select_slider(key="places-epsilon").set_value(4.0).run())
    on_map = scenario_of(at)
    go(at, SURVEY)
    assert survey_of(at) == TEN
    checked(at.select_slider(key="survey-epsilon").set_value(0.5).run())
    checked(at.number_input(key="survey-answer").set_value(7).run())
    assert query_of(at)["answer"] == "7"
    go(at, navigation.PLACES)
    assert scenario_of(at) == on_map == STATES.with_context(epsilon=4.0)
    assert not at.warning
    assert at.select_slider(key="places-epsilon").value == 4.0
    go(at, SURVEY)
    assert at.number_input(key="survey-answer").value == 7
    assert at.select_slider(key="survey-epsilon").value == survey_of(at).context.epsilon == 0.5


def test_each_page_undoes_its_own_steps(at: AppTest) -> None:
    checked(at.select_slider(key="places-epsilon").set_value(4.0).run())
    held = at.session_state["places/state"]
    assert held.past == ()  # the map's undo is for what is protected
    go(at, SURVEY)
    checked(at.number_input(key="survey-answer").set_value(7).run())
    assert [record.answer for record in at.session_state["survey/state"].past] == [0]
    assert at.session_state["places/state"] == held


def test_sentences_of_a_survey_speak_of_values(at: AppTest) -> None:
    go(at, SURVEY)
    text = " ".join(item.value for item in at.markdown)
    assert "two equally likely values" in text
    assert "place" not in text


def test_a_job_runs_beside_any_page(at: AppTest) -> None:
    go(at, SURVEY)
    checked(at.button(key="survey-count-start").click().run())
    assert not wait([at.session_state["survey-count/job"].future], timeout=120).not_done
    checked(at.run())
    assert at.text[0].value == "counted 6"


def test_no_room_of_the_user_interface_looks_up() -> None:
    ui = ROOT / "caldp_ui"
    assert {p.parent.name for p in ui.glob("*/__init__.py")} <= set(ROOMS)
    assert not files_that_look_up("caldp_ui", ROOMS)


def test_compute_and_words_of_numbers_draw_nothing() -> None:
    drawing = {"write", "markdown", "caption", "button", "plotly_chart", "container", "columns"}
    for path in (ROOT / "caldp_ui" / "compute").glob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        attributes = [n for n in ast.walk(tree) if isinstance(n, ast.Attribute)]
        used = {n.attr for n in attributes if getattr(n.value, "id", "") == "st"}
        assert not used & drawing, path.name


def test_all_style_is_in_one_place() -> None:
    for path in (ROOT / "caldp_ui").rglob("*.py"):
        # The one puts the one place into the document, the other makes a file for offline use.
        if path.name == "delivery.py" or path.match("offline/document.py"):
            continue
        assert "<style" not in path.read_text(encoding="utf-8"), path.name


def test_every_page_is_in_the_menu_and_on_the_first_page() -> None:
    files = {f"pages/{path.name}" for path in (ROOT / "pages").glob("*.py")}
    assert {entry.path for entry in navigation.PAGES} == files
    at = checked(AppTest.from_file(ROOT / "app.py", default_timeout=120).run())
    linked = {(link.proto.page, link.proto.label) for link in at.get("page_link")}
    first, *others = navigation.PAGES
    assert first.path == navigation.START
    assert linked == {(Path(entry.path).stem, entry.title) for entry in others}
    captions = {caption.value for caption in at.caption}
    assert {entry.purpose for entry in others} <= captions
    pages = (ROOT / "docs" / "pages.md").read_text("utf-8")
    assert [entry.title for entry in navigation.PAGES if f"**{entry.title}**" not in pages] == []
