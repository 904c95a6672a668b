"""Text from people never becomes markup: 26 hostile texts at every place that shows one."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from html import unescape
from types import MappingProxyType
from typing import Any, Final

import pytest
from google.protobuf.message import Message
from streamlit.testing.v1 import AppTest

from caldp_core.basics.limits import OWN_NAME_MAX, OWN_QUESTIONS_MAX
from caldp_core.basics.types import no_progress
from caldp_core.datasets import OwnSurvey, OwnTable
from caldp_core.experiments.run import prepare
from caldp_core.scenarios.blocks import OneBlock, PolygonBlocks, SensitiveNear
from caldp_core.scenarios.policies import BinaryQuestion
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.app.navigation import PLACES
from caldp_ui.app.theme import LIGHT
from caldp_ui.app.user_text import UserText
from caldp_ui.charts.show import figure_json
from caldp_ui.coarser import view as coarser_view
from caldp_ui.coarser.outcomes import load_data
from caldp_ui.coarser.page_state import TWO_PLACES, Publication, with_data
from caldp_ui.maps.scene import BEGIN
from caldp_ui.matrix.page_state import NAME_MAX
from caldp_ui.parts import layout, sharing
from caldp_ui.parts.comparison import load_fast_results as fast
from caldp_ui.session import visit
from caldp_ui.values import several
from caldp_ui.values.page_state import BEGIN as VALUES_BEGIN
from caldp_ui.words import formats, policies
from tests.contract.checks import naming
from tests.ui.driver import blocks, checked, open_page

HOSTILE: Final = (
    "[the notice](http://e.test/)",
    "![](http://e.test/p.png)",
    "<http://e.test/>",
    "http://e.test/",
    "www.e.test",
    "me@e.test",
    "[n][1]",
    "**bold** *and* __so__",
    "`code`",
    "~~gone~~",
    "# Title",
    "1. Yes",
    "- item",
    "+ item",
    "> quoted",
    "a | b",
    "$x^2$",
    ":material/home: :red[r]",
    ":smile:",
    "<b>b</b>",
    "<img src=x onerror=alert(1)>",
    "\"quoted\" & 'so'",
    "&lt;b&gt; &amp;",
    "%{x} %{customdata}",
    "=1+1",
    "\\*a\\*",
)


def meaning_in(markdown: str) -> str:
    """What Markdown would act on in an escaped text; "" for nothing."""
    rest = re.sub(r"\\[!-/:-@\[-`{-~]", "", markdown)  # a sign behind a backslash is itself
    found = re.search(r"[\\`*_{}\[\]()#+|<>~$:!&=]|www\.|\w@|^\d+\. ", rest)
    return found[0] if found else ""


@pytest.mark.parametrize("raw", HOSTILE)
def test_each_place_has_its_escaping(raw: str) -> None:
    text = UserText(raw)
    assert not meaning_in(text.markdown)
    assert layout.bold_html(text.markdown, "b") == text.html
    assert unescape(text.html) == unescape(text.chart) == raw
    for markup in (text.html, text.chart):
        assert not {*"<>"} & {*markup}
    assert not {*"\"'"} & {*text.html}
    assert "&quot;" not in text.chart
    assert "%{" not in text.chart
    assert not text.cell.startswith(("=", "+", "-", "@"))
    assert re.fullmatch(r"[\w.-][\w .-]*", text.file_name)


def test_a_text_is_refused_where_its_place_is_not_said() -> None:
    text = UserText("a")
    for write in (str, "{}".format, "“{}”".format, lambda value: f"{value}"):
        with pytest.raises(TypeError, match="by the method for that place"):
            write(text)
    with pytest.raises(TypeError):
        "".join([text])  # type: ignore[list-item]


def test_file_names_have_an_end_and_are_never_empty() -> None:
    assert UserText("../../etc/passwd").file_name == "etc-passwd"
    assert UserText("…").file_name == "file"
    assert len(UserText("a" * 500).file_name) == 80


@pytest.mark.parametrize("raw", HOSTILE)
def test_names_of_a_question_are_names_in_its_promise(raw: str) -> None:
    """A scenario file that somebody has sent has names for its two answers."""
    table = OwnTable((raw, "other"), (30, 70))
    for levels in ((1.0, 2.0), (float("inf"), 1.0)):
        scenario = Scenario(dataset=table, policy=BinaryQuestion(*levels))
        texts = policies.describe_promise(formats.ANSWERS, prepare(scenario))
        name = UserText(raw)
        for sentence in (texts.protected, texts.odds, *texts.not_promised, texts.repeats):
            assert_only_escaped(sentence, name)
        assert f"“{raw}”" in texts.summary
        assert sharing.bold_html(texts.odds).count("<b>") == texts.odds.count("**") / 2


def assert_only_escaped(markdown: str, name: UserText) -> None:
    """The name stands there as Markdown shows it, or not at all."""
    if name.raw != name.markdown:
        assert name.raw not in markdown.replace(name.markdown, "")


def test_titles_of_questions_are_names_on_a_chart() -> None:
    questions = [text[:OWN_NAME_MAX] for text in HOSTILE[:OWN_QUESTIONS_MAX]]
    # Two long ones that begin alike stay two.
    questions[-2:] = ["x" * 60 + "1", "x" * 60 + "2"]
    tables = tuple(OwnTable(("yes", "no"), (40, 60), title=title) for title in questions)
    policy = replace(Scenario().context, blocks=OneBlock())
    scenario = Scenario(OwnSurvey.of(tables, "Survey"), policy)
    found = several.compare_options(scenario, len(tables), frozenset(), no_progress)
    figure = several._bars(found, LIGHT)
    drawn = json.loads(figure_json(figure, several.alt(found)))
    labels = drawn["layout"]["yaxis"]["ticktext"]
    assert len(labels) == len(questions)
    for label, title in zip(labels, questions, strict=True):
        assert label == UserText(title).shortened(several._NAME_MAX).chart
    for trace in drawn["data"]:
        assert len({*trace["y"]}) == len(questions)
        assert not any(title in trace["hovertemplate"] for title in questions)


_MARKDOWN: Final = {"body", "label", "help", "options", "content", "captions", "caption"}
"""Fields in which Streamlit reads Markdown."""
_AS_THEY_ARE: Final = {
    "Selectbox": {"options"},
    "MultiSelect": {"options"},
    "Slider": {"options"},
    "Text": {"body"},
    "Html": {"body"},
    "Code": {"body"},
    "Json": {"body"},
}
"""Fields that are shown as they are: menus, code, JSON, and HTML, which is judged apart."""


def markdown_fields(message: Message) -> Iterator[str]:
    """All texts of an element in which signs may have a meaning: bodies, labels, options, helps."""
    plain = _AS_THEY_ARE.get(message.DESCRIPTOR.name, set())
    for field, value in message.ListFields():
        if field.name in plain:
            continue
        for part in value if field.is_repeated else [value]:
            if isinstance(part, Message):
                yield from markdown_fields(part)
            elif isinstance(part, str) and field.name in _MARKDOWN:
                yield part


def texts_of(at: AppTest) -> tuple[list[str], list[str]]:
    """(Markdown, HTML) of all elements of a page."""
    markdown, html = list[str](), list[str]()
    for element in blocks(at):
        proto = getattr(element, "proto", None)
        if proto is None:
            continue
        if type(proto).__name__ == "Html":
            html.append(proto.body)
        else:
            markdown += markdown_fields(proto)
    return markdown, html


def expect_names(at: AppTest, texts: Sequence[str], where: str) -> None:
    """None of the texts stands anywhere but in the form that its place needs."""
    markdown, html = texts_of(at)
    assert markdown
    assert html
    for raw in texts:
        name = UserText(raw)
        with naming(f"{where}: {raw}"):
            if name.markdown != raw:
                assert not [text for text in markdown if raw in text.replace(name.markdown, "")]
            if name.html != raw:
                assert not [text for text in html if raw in text]


def expect_names_on_every_tab(
    page: str,
    query: Mapping[str, str],
    texts: Sequence[str],
    state: Mapping[str, Any] = MappingProxyType({}),
) -> None:
    """Open a page with its forms by a link, then each of its tabs; `state`: of the session."""
    opened = dict.fromkeys((f"{page}-{form}" for form in ("protection", "more")), True)
    at = open_page(f"pages/{page}.py", query, {**opened, **state})
    titles = [tab.label for tab in at.tabs]
    expect_names(at, texts, page)
    for title in titles:
        at.session_state[f"{page}-tabs"] = title
        expect_names(checked(at.run()), texts, f"{page}, {title}")


SPLIT: Final = tuple(raw for raw in HOSTILE if "," not in raw)
"""Those that a point in a link can be called, where commas divide."""


def near(names: Sequence[str]) -> dict[str, str]:
    """A link with points of these names."""
    points = tuple(f"{30 + number % 10},{-80 - number},{name}" for number, name in enumerate(names))
    return BEGIN.with_context(sensitive=SensitiveNear(points, 20.0)).to_query()


@pytest.mark.slow
@pytest.mark.parametrize("number", range(0, len(SPLIT), 3))
def test_names_of_points_in_a_link_are_names(number: int) -> None:
    names = SPLIT[number : number + 3]
    at = open_page(PLACES, near(names), dict.fromkeys(("places-protection", "places-more"), True))
    markdown, _ = texts_of(at)
    assert any(UserText(name).markdown in text for text in markdown for name in names)
    expect_names(at, names, "places")


@pytest.mark.slow
@pytest.mark.parametrize("page", ["places", "coarser", "adversary", "curves", "plan"])
def test_names_of_points_are_names_on_every_tab(page: str) -> None:
    names = ["[the notice](http://e.test/)", "**b** <i>i</i>", ":material/home: $x$"]
    expect_names_on_every_tab(page, near(names), names)


@pytest.mark.slow
def test_names_of_areas_in_a_link_are_names() -> None:
    names = HOSTILE[:12]
    areas = []
    for number in range(len(names)):
        west, east = -120 + 4 * number, -117 + 4 * number
        areas.append(f"25,{west} 45,{west} 45,{east} 25,{east}")
    spec = PolygonBlocks(tuple(names), tuple(areas))
    expect_names_on_every_tab("places", BEGIN.with_context(blocks=spec).to_query(), names)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(0, len(HOSTILE), 9))
def test_names_of_a_matrix_in_a_link_are_names(number: int) -> None:
    names = [raw for raw in HOSTILE[number : number + 9] if len(raw) <= NAME_MAX and "|" not in raw]
    k = len(names)
    levels = ";".join(",".join("0" if x == y else "1" for y in range(k)) for x in range(k))
    query = {"names": "|".join(names), "levels": levels, "channel": "bug"}
    expect_names_on_every_tab("matrix", query, names)


@pytest.mark.slow
@pytest.mark.parametrize("raw", [raw for raw in HOSTILE if "|" not in raw])
def test_a_poll_s_question_in_a_link_is_a_question(raw: str) -> None:
    query = {"question": raw, "answers": f"{raw}|no", "sensitive": "0;1"}
    expect_names(open_page("pages/room.py", query), [raw], "room")


@pytest.mark.slow
@pytest.mark.parametrize("page", ["values", "adversary", "curves", "plan", "coarser"])
@pytest.mark.parametrize("number", range(0, len(HOSTILE), 6))
def test_names_of_a_table_are_names_on_every_tab(page: str, number: int) -> None:
    names = HOSTILE[number : number + 6]
    counts = tuple(range(20, 20 + len(names)))
    table = OwnTable(names, counts, names[::-1], names[0][:OWN_NAME_MAX])
    name = "0" * 16
    query = replace(VALUES_BEGIN, dataset=Scenario().dataset).to_query()
    query |= {visit.OWN: name, visit._FORM: visit._form(table)}
    expect_names_on_every_tab(page, query, names, {visit._DATA_KEY: {name: table}})


@pytest.mark.slow
def test_names_of_answers_are_names_in_what_an_attacker_knows() -> None:
    """They had gone into the page's Markdown as they were."""
    shown = set[str]()
    for raw in HOSTILE:
        table = OwnTable(("other", "more", raw), (30, 70, 12))
        record = with_data(Publication(), table).with_attack(TWO_PLACES)
        text = coarser_view.attacker_knowledge_text(load_data(record, fast))
        with naming(text):
            assert_only_escaped(text, UserText(raw))
        shown |= {raw} if UserText(raw).markdown in text else set()
    assert shown, "no name stands in the text"


@pytest.mark.slow
@pytest.mark.parametrize("number", range(0, len(HOSTILE) - 1, 5))
def test_answers_of_a_poll_without_phones_are_answers(number: int) -> None:
    """A poll that is counted by hand asks how many said each; those labels had been Markdown."""
    for raw in HOSTILE[number : number + 5]:
        if "|" in raw:
            continue
        query = {"question": raw, "answers": f"{raw}|no", "sensitive": "0;1"}
        at = open_page("pages/room.py", query)
        at = checked(at.button(key="room-by-hand").click().run())
        labels = [field.label for field in at.number_input]
        assert any(UserText(raw).markdown in label for label in labels)
        expect_names(at, [raw], "room, without phones")
