"""A page more breaks no other; all mechanisms are reachable; what rests on Streamlit."""

import ast
import re
import shutil
from concurrent.futures import wait
from dataclasses import dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import streamlit
from streamlit.runtime.scriptrunner_utils.script_run_context import (
    FragmentThreadState,
    ScriptRunContext,
)
from streamlit.testing.v1 import AppTest

from caldp_core.estimation.estimators import ESTIMATORS
from caldp_core.estimation.evidence import default_estimator
from caldp_core.mechanisms import FAMILIES
from caldp_core.mechanisms.catalogue import MECHANISMS
from caldp_core.scenarios.blocks import StateBlocks
from caldp_core.scenarios.policies import ContextPolicy
from caldp_core.scenarios.scenario import SLOTS, Scenario
from caldp_ui.app import navigation
from caldp_ui.app.texts import escape_markdown, unescape_markdown
from caldp_ui.matrix import page_state
from caldp_ui.matrix.page_state import TEMPLATES
from tests import ROOT
from tests.servers import PATIENCE
from tests.test_architecture import files_that_look_up
from tests.ui.driver import checked, data_of, go, open_page, query_of, scenario_of
from tests.ui.survey_page.page_state import TEN

PAGE = ROOT / "tests" / "ui" / "survey_page"
SURVEY = "pages/survey.py"
APP = """
from caldp_ui.app.navigation import PAGES, PageEntry, run_navigation
run_navigation((*PAGES, PageEntry("pages/survey.py", "Survey", "poll", "Survey"))).run()
"""
STATES = Scenario(policy=ContextPolicy(blocks=StateBlocks()))
ROOMS = (
    "lesson",
    "server",
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
    "desk",
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
    (tmp_path / "app.py").write_text(APP, "utf-8")
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


def test_every_page_is_in_the_tabs_with_its_purpose() -> None:
    files = {f"pages/{path.name}" for path in (ROOT / "pages").glob("*.py")}
    assert {entry.path for entry in navigation.PAGES} == files
    at = checked(AppTest.from_file(ROOT / "app.py", default_timeout=120).run())
    groups, _ = data_of(at, navigation.KEY)
    linked = [(title, purpose) for group in groups for _, title, _, purpose in group["pages"]]
    first, *others = navigation.PAGES
    assert first.path == navigation.START
    assert linked == [(entry.title, entry.purpose) for entry in navigation.PAGES]
    assert all(entry.purpose for entry in others)
    pages = (ROOT / "docs" / "pages.md").read_text("utf-8")
    assert [entry.title for entry in navigation.PAGES if f"**{entry.title}**" not in pages] == []


@dataclass(frozen=True)
class Menu:
    """A page, what opens its menu, the menu's key; `link`: of a scenario that it is asked for."""

    page: str
    opens: str
    key: str
    link: dict[str, str] = field(default_factory=dict)


_VALUES = Menu("values", "values-more", "values-family")
_NUMBERS = {
    "v": "2",
    "dataset": "table",
    "dataset.names": "1;2;3;4",
    "dataset.counts": "5;6;7;8",
    "blocks": "one",
    "mechanism": "randomized-response",
}
_SCALE = {"v": "2", "dataset": "survey", "dataset.table": "income", "policy": "line"}
_ALIKE = {"v": "2", "dataset": "survey", "blocks": "one"}
_TWO = {"v": "2", "dataset": "uniform", "dataset.k": "2", "n": "1000"}
_FAR = {"v": "2", "dataset.area": "39.8,42.6,-77.2,-71"}
_CROW = Menu("distances", "distances-more", "distances-family")
MENUS = {
    **dict.fromkeys([*FAMILIES, "published-urap"], _VALUES),
    "square-wave": Menu("values", "values-more", "values-family", _NUMBERS),
    "grid-geometric": Menu("values", "values-more", "values-family", _SCALE),
    "exponential": _CROW,
    "planar-geometric": _CROW,
    "best-kernel": _CROW,
    "stepped-geometric": _CROW,
}
"""Where each mechanism is chosen by name."""
BY_ITSELF = {"binary": "yesno", "designed": "matrix"}
"""Pages whose only mechanism for their policy it is, or which make it on demand."""
POLICY_PAGES = {
    "context": ("values", {}),
    "line": ("values", _SCALE),
    "distances": (
        "values",
        {**_TWO, "policy": "distances", "rows": "0;1|1;0"},
    ),
    "streets": ("distances", {**_FAR, "policy": "streets"}),
    "crow-flies": ("distances", {**_FAR, "policy": "crow-flies"}),
    "binary": ("yesno", {}),
    "personal-tags": ("personal", {}),
    "matrix": ("matrix", {}),
}
"""By the kind of a policy, a page and a link that shows it."""


def open_by_link(page: str, link: dict[str, str], opens: str = "") -> AppTest:
    return open_page(f"pages/{page}.py", link, {opens: True} if opens else {})


def test_every_mechanism_is_on_a_menu() -> None:
    assert {*MENUS, *BY_ITSELF} == set(MECHANISMS)
    offered: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for name, menu in MENUS.items():
        policy = menu.page, tuple(menu.link.values())
        if policy not in offered:
            at = open_by_link(menu.page, menu.link, menu.opens)
            assert not at.error
            assert not at.warning
            offered[policy] = at.selectbox(key=menu.key).options
        assert MECHANISMS[name].title in offered[policy], name


def test_what_is_on_no_menu_is_run_by_its_page() -> None:
    assert set(POLICY_PAGES) == set(SLOTS["policy"][1])
    held = open_by_link("yesno", {}).session_state["yesno/state"].record
    assert held.scenario.kind("policy") == "binary"
    of_matrix = page_state.titles_for(TEMPLATES["hospital"].levels(1.0))
    assert "designed" in of_matrix


@pytest.mark.parametrize("kind", ["distances", "streets"])
def test_every_kind_of_policy_is_shown_by_a_page(kind: str) -> None:
    page, link = POLICY_PAGES[kind]
    at = open_by_link(page, link)
    assert not at.warning
    assert not at.error
    record = at.session_state[f"{page}/state"].record
    if kind != "matrix":
        assert record.scenario.kind("policy") == kind


def test_every_estimator_is_on_a_menu() -> None:
    at = open_by_link("values", {}, "values-more")
    listed = list(ESTIMATORS.values())
    usual = {entry.title for entry in listed if not entry.in_order and not entry.on_maps}
    assert set(at.selectbox(key="values-estimator").options) == usual
    at = open_by_link("values", _NUMBERS, "values-more")
    assert set(at.selectbox(key="values-estimator").options) == {
        entry.title for entry in listed if not entry.on_maps
    }
    anywhere = {entry.title for entry in listed if not entry.in_order}
    (of_a_map,) = (entry.title for entry in listed if entry.needs_map)
    prior_query = {"prior": "map", "prior.parts": "0:1", "prior.area": "40,41,-90,-89"}
    for link, left_out in (({}, {of_a_map}), (prior_query, set())):
        places = open_by_link("places", link, "places-more")
        assert {*places.selectbox(key="places-estimator").options} == anywhere - left_out
    # The square wave brings its own, and takes it along.
    at.selectbox(key="values-family").set_value("square-wave").run()
    assert at.selectbox(key="values-estimator").value == "smoothed"
    at.selectbox(key="values-family").set_value("best").run()
    assert at.selectbox(key="values-estimator").value == default_estimator()
    assert not at.error
    # One of earlier versions is read as another, and a sentence says so.
    at = open_by_link("values", {**_ALIKE, "estimator": "norm-sub"}, "values-more")
    assert at.selectbox(key="values-estimator").value == "simplex"
    assert 'The estimator "norm-sub" is given up; it is read as "simplex"' in unescape_markdown(
        at.error[0].value
    )


JOINER = "\N{WORD JOINER}"


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("two words, 3.5 of 10", "two words, 3.5 of 10"),
        ("![a](b)", r"\!\[a\]\(b\)"),
        ("http://a.b", rf"http\:{JOINER}//a.b"),
        ("WWW.a.b", f"WWW{JOINER}.a.b"),
        ("a.@b.c", f"a.{JOINER}@b.c"),
        (":tada: x: y", rf"\:{JOINER}tada\: x\: y"),
        ("&lt;\n\n# x", r"\&lt; \# x"),
        ("1. Yes", r"1\. Yes"),
        ("in 1.5 years", "in 1.5 years"),
    ],
)
def test_markdown_finds_nothing_in_a_text(text: str, escaped: str) -> None:
    assert escape_markdown(text) == escaped


def test_an_error_is_shown_as_text() -> None:
    def page() -> None:
        from caldp_core.basics.errors import CaldpError
        from caldp_ui.app.texts import plain_errors

        with plain_errors():
            raise CaldpError("No ![a](b).")

    (error,) = AppTest.from_function(page, default_timeout=PATIENCE).run().error
    assert error.value == r"No \!\[a\]\(b\)."


UI = ROOT / "caldp_ui"
VERSION = f"Streamlit {streamlit.__version__}"
_NAMES = re.compile(
    r"""data-testid[~^$*]?=\\?["']?([\w-]+)|\[(data-(?!testid\b)[a-z-]+)|\.(react-aria-\w+|st[A-Z]\w+)"""
)
"""Test ids, attributes and classes, as style sheets and scripts look for them."""
_MENDED = "caldp_ui/session/jobs.py"


@cache
def streamlits_code() -> str:
    """All of Streamlit's JavaScript."""
    folder = Path(streamlit.__file__).parent / "static" / "static" / "js"
    texts = [path.read_text("utf-8") for path in sorted(folder.glob("*.js"))]
    assert sum(map(len, texts)) > 1_000_000, f"{VERSION} keeps its JavaScript elsewhere."
    return "\n".join(texts)


@cache
def own_code() -> str:
    """What sets attributes of our own: JavaScript and HTML in Python."""
    paths = [path for path in UI.rglob("*") if path.suffix in (".js", ".py")]
    return "\n".join(path.read_text("utf-8") for path in paths)


def find_uses(text: str) -> dict[str, list[str]]:
    """The places that look for each name; `text`: a file beside all of ours."""
    paths = [path for path in sorted(UI.rglob("*")) if path.suffix in (".css", ".js", ".py")]
    files = [(str(path.relative_to(ROOT)), path.read_text("utf-8")) for path in paths]
    places: dict[str, list[str]] = {}
    for file, content in [*files, ("more.css", text)]:
        for number, line in enumerate(content.splitlines(), 1):
            for found in _NAMES.finditer(line):
                name = next(filter(None, found.groups()))
                places.setdefault(name, []).append(f"{file}:{number}")
    return places


def find_missing(text: str = "") -> list[str]:
    """A sentence for each name that Streamlit has no longer."""
    return [
        f"{VERSION} has no {name!r} any more; on it rest {', '.join(places)}"
        for name, places in find_uses(text).items()
        if not _is_own(name) and not _is_there(name)
    ]


def _is_there(name: str) -> bool:
    """Whether Streamlit's code has it as a text, whole or made of a name and a kind."""
    first, dash, _ = name.partition("-")
    made = [f"`{first}-${{"] if dash else []
    return any(text in streamlits_code() for text in (f"`{name}`", f'"{name}"', *made))


def _is_own(name: str) -> bool:
    """Whether our own JavaScript or HTML sets the attribute, in JavaScript called in one word."""
    words = name.removeprefix("data-").split("-")
    called = words[0] + "".join(word.capitalize() for word in words[1:])
    texts = (f"dataset.{called}", f'"{name}"', f" {name}=", f"`{name}`")
    return name.startswith("data-") and any(text in own_code() for text in texts)


def test_streamlit_has_every_name_that_styles_and_scripts_look_for() -> None:
    assert len(find_uses("")) > 30
    assert find_missing() == []


def test_a_name_that_is_gone_is_told_with_its_places() -> None:
    text = '/* one */\n[data-testid="stSlipper"] > [data-slip]\n.react-aria-Slip [data-slip] {}'
    assert find_missing(text)[-3:] == [
        f"{VERSION} has no 'stSlipper' any more; on it rest more.css:2",
        f"{VERSION} has no 'data-slip' any more; on it rest more.css:2, more.css:3",
        f"{VERSION} has no 'react-aria-Slip' any more; on it rest more.css:3",
    ]


def two_parts() -> None:
    """A part with a name of its own, and one whose name is always the same."""
    import streamlit as st

    from caldp_ui.session.jobs import redraw_every

    def part() -> None:
        """Nothing is drawn."""

    redraw_every(st.session_state.get("name", "one"), 60, part)
    st.fragment(part, run_every=60)()


def test_a_fragment_in_the_place_of_another_is_known_by_its_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ids: list[str] = []
    enqueue = ScriptRunContext.enqueue

    def record_rerun(context: ScriptRunContext, message: Any) -> None:
        if message.WhichOneof("type") == "auto_rerun":
            ids.append(message.auto_rerun.fragment_id)
        enqueue(context, message)

    monkeypatch.setattr(ScriptRunContext, "enqueue", record_rerun)
    at = AppTest.from_function(two_parts, default_timeout=PATIENCE).run()
    at.session_state["name"] = "two"
    assert not at.run().exception
    assert len(ids) == 4, f"{VERSION} tells the browser otherwise which fragments tick."
    one, part, two, again = ids
    assert one != two, f"{VERSION} does not go by the __qualname__ that {_MENDED} sets."
    assert part == again, f"{VERSION} does without: {_MENDED} need not set __qualname__."


def test_a_run_knows_which_part_of_the_page_it_is_of() -> None:
    held = {field.name for field in fields(ScriptRunContext)}
    assert "fragment_ids_this_run" in held, f"{VERSION}: {_MENDED} tells ticks from hands by it."
    parts = {field.name for field in fields(FragmentThreadState)}
    assert "fragment_id" in parts, f"{VERSION}: {_MENDED} names the part of a widget by it."
