"""Files that are asked about, menus of how they are read, and true counts that leave the visit.

All files, links and code of all pages are looked through for counts that nobody else has, as
numbers, shares and percentages, in all that can be unpacked.
"""

import base64
import binascii
import io
import json
import re
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any
from urllib.parse import unquote_plus

import pyarrow.parquet as pq
import pytest
from PIL import Image
from streamlit.testing.v1 import AppTest

from caldp_core.datasets import DatasetSpec, OwnPlaces, OwnSurvey, OwnTable
from caldp_core.scenarios.blocks import GroupBlocks, OneBlock
from caldp_core.scenarios.policies import ContextPolicy, PersonalTags
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute.runs import is_own, with_dataset
from caldp_ui.maps.scene import home
from caldp_ui.parts import pack
from caldp_ui.stage.records import nobody_below
from caldp_ui.words import formats
from tests.conftest import THOROUGH
from tests.contract.checks import naming
from tests.datasets.check_cases import ASKED, FORMS, UNSEEN_ASKED
from tests.datasets.files import workbook
from tests.ui.driver import (
    accepted,
    checked,
    jobs_done,
    open_page,
    query_of,
    scene_of,
    values_page_assert_shows,
    values_page_scenario_of,
)
from tests.ui.pages import PAGES
from tests.ui.readings import Files, capture_files


def bring(page: str, text: str | bytes, name: str) -> AppTest:
    """The page whose form holds a file."""
    data = text.encode() if isinstance(text, str) else text
    at = open_page(f"pages/{page}.py")
    at.session_state[f"{page}-own"] = True
    checked(at.run())
    at.file_uploader(key=f"{page}-own-file").set_value((name, data, "text/plain"))
    checked(at.button(key=f"{page}-own-file-show").click().run())
    return jobs_done(at)


def answer(at: AppTest, name: str) -> AppTest:
    """Press the button of an offer."""
    (button,) = (each for each in at.button if (each.key or "").endswith(f"-{name}"))
    return jobs_done(checked(button.click().run()))


def can_be_shown(at: AppTest, page: str) -> bool:
    return any(button.key == f"{page}-own-accept" for button in at.button)


def test_answers_are_asked_about_before_they_are_shown() -> None:
    case = ASKED["hidden counts"]
    at = bring("values", case.text, case.name)
    assert not can_be_shown(at, "values")
    answer(at, f"{case.check}-{case.answer}")
    assert can_be_shown(at, "values")
    table = values_page_scenario_of(accepted(at, "values")).dataset
    assert isinstance(table, OwnTable)
    assert dict(zip(table.names, table.counts, strict=True)) == case.counts
    assert (table.reading != "", table.reading in table.load().note) == (True, True)


def test_an_answer_to_a_check_can_be_taken_back() -> None:
    at = bring("values", ASKED["total row"].text, "a.csv")
    answer(at, "total-row-keep")
    assert any("**9,774 people**" in text.value for text in at.markdown)
    answer(at, "total-row-again")
    assert any("**4,887 people**" in text.value for text in at.markdown), "as it was taken unasked"


@pytest.mark.slow
def test_a_row_that_only_counting_meets_is_asked_about_before_it_is_shown() -> None:
    rows = ["yes,9", "no,9"] * 1_500
    rows.insert(2_203, "Total,9")
    at = bring("values", "\n".join(["answer,people", *rows]), "a.csv")
    assert not can_be_shown(at, "values")
    answer(at, "total-row-leave-out")
    assert any("**27,000 people**" in text.value for text in at.markdown)
    answer(at, "total-row-again")
    assert not can_be_shown(at, "values")
    answer(at, "total-row-keep")
    assert any("**27,009 people**" in text.value for text in at.markdown)


def test_shares_ask_of_how_many_people_they_are() -> None:
    at = bring("values", ASKED["shares"].text, "a.csv")
    (people,) = (each for each in at.number_input if (each.key or "").endswith("-shares-people"))
    assert people.value is None
    assert "Use this number" not in [each.label for each in at.button]
    checked(people.set_value(20).run())
    (people,) = (each for each in at.number_input if each.key == people.key)
    people.set_value(2000)  # a number and a click that come together
    table = values_page_scenario_of(accepted(answer(at, "shares-number"), "values")).dataset
    assert isinstance(table, OwnTable)
    assert table.counts == (900, 600, 500)


def test_a_choice_that_comes_with_the_click_which_shows_the_data_is_taken() -> None:
    """A quick hand's two clicks are one run; what was chosen before it was taken."""
    at = bring("values", "answer;people;group\nred;50;warm\nrose;30;warm\nblue;40;cold", "a.csv")
    (hidden,) = (radio for radio in at.radio if radio.key == "values-own-hidden")
    hidden.set_value("the answer; the group is open")
    checked(at.button(key="values-own-accept").click().run())
    assert values_page_scenario_of(at).context.blocks == GroupBlocks()


def test_places_that_are_exchanged_are_asked_about() -> None:
    case = ASKED["exchanged"]
    at = bring("places", case.text, case.name)
    assert not can_be_shown(at, "places")
    accepted(answer(at, "exchanged-exchange"), "places")
    places = at.session_state["places/state"].record.scenario.dataset
    assert isinstance(places, OwnPlaces)
    assert places.grid().area.south > 50


@pytest.mark.slow
def test_a_workbook_with_a_cover_a_total_and_codes_leads_to_its_estimate() -> None:
    rows = [("opinion", "people"), (1, 120), (2, 340), (3, 25), ("Total", 485)]
    codes = [("code", "label"), (1, "for"), (2, "against"), (3, "undecided")]
    data = workbook(("Cover", [("A survey",), ("2026",)]), ("Data", rows), ("Codes", codes))
    at = bring("values", data, "survey.xlsx")
    for name in ("sheet-Data", "codes-words"):
        assert not can_be_shown(at, "values")
        answer(at, name)
    scenario = values_page_scenario_of(accepted(at, "values"))
    table = scenario.dataset
    assert isinstance(table, OwnTable)
    assert (table.names, table.counts) == (("for", "against", "undecided"), (120, 340, 25))
    assert "codes of “opinion” read by the sheet “Codes”" in table.reading
    values_page_assert_shows(at, scenario)


def test_words_for_codes_are_typed_and_what_is_wrong_with_them_is_said() -> None:
    at = bring("values", "smokes,age\n1,20\n2,30\n1,40\n2,50\n2,60\n", "a.csv")
    (words,) = (each for each in at.text_input if (each.key or "").endswith("-words"))
    jobs_done(checked(words.set_value("1 yes").run()))
    assert "Words for codes must be written as" in at.error[0].value
    assert not can_be_shown(at, "values")
    (words,) = (each for each in at.text_input if (each.key or "").endswith("-words"))
    jobs_done(checked(words.set_value("1 = yes; 2 = no").run()))
    table = values_page_scenario_of(accepted(at, "values")).dataset
    assert isinstance(table, OwnTable)
    assert dict(zip(table.names, table.counts, strict=True)) == {"yes": 2, "no": 3}


@pytest.mark.slow
def test_a_question_with_several_choices_leads_to_its_estimate_and_says_its_epsilon() -> None:
    at = bring("values", FORMS, "a.csv")
    asked = next(each.value for each in at.markdown if "hold several choices" in each.value)
    assert "A person then answers 3, and ε is shared." in asked
    answer(at, "several-choices-questions")
    scenario = values_page_scenario_of(accepted(at, "values"))
    assert isinstance(scenario.dataset, OwnSurvey)
    tables = [dict(zip(t.names, t.counts, strict=True)) for t in scenario.dataset.tables()]
    assert [table["yes"] for table in tables] == [5, 3, 2]
    values_page_assert_shows(at, scenario)
    at.session_state["values-tabs"] = "Several questions"
    jobs_done(checked(at.run()))
    epsilon = scenario.context.epsilon
    assert isinstance(epsilon, float)
    shared = f"if each is asked all 3 at ε = {formats.digits(epsilon / 3)}."
    assert any(shared in each.value for each in at.markdown)


def test_areas_of_geojson_are_shown_on_maps() -> None:
    case = UNSEEN_ASKED["areas with numbers"]
    at = answer(bring("values", case.text, case.name), "areas-file")
    scenario = values_page_scenario_of(accepted(at, "values"))
    table = scenario.dataset
    assert isinstance(table, OwnTable)
    assert dict(zip(table.names, table.counts, strict=True)) == case.counts
    assert len(scene_of(at, "values-maps")["pictures"]) == 3


RUSSIAN = "ответ;люди\nда;120\nнет;340\n".encode("cp1251")


def choose(at: AppTest, label: str, value: object) -> AppTest:
    """Choose an option of a menu."""
    (menu,) = (box for box in at.selectbox if box.label == label)
    return jobs_done(checked(menu.set_value(value).run()))


def menus(at: AppTest) -> dict[str, object]:
    """What the form's menus say."""
    return {box.label: box.value for box in at.selectbox if "-file-" in str(box.key)}


def preview(at: AppTest) -> list[list[str]]:
    """The first cells of each column."""
    texts = "".join(item.proto.body for item in at.get("html"))
    return [re.findall("<li>(.*?)</li>", each) for each in texts.split("<ol>")[1:]]


def table_of(at: AppTest) -> OwnTable:
    table = values_page_scenario_of(accepted(at, "values")).dataset
    assert isinstance(table, OwnTable)
    return table


def test_menus_show_what_was_detected_and_the_preview_follows_them() -> None:
    at = bring("values", "answer;people\nyes|1;3\nno|2;4\nmaybe|3;5\n", "a.csv")
    opened = {
        "Letters (encoding)": "utf_8",
        "Between cells": ";",
        "The first row has …": True,
        "Numbers are written …": ".",
        "Only rows with …": None,
    }
    assert menus(at) == opened | {"answer": "answer", "people": "people"}
    assert preview(at) == [["yes|1", "no|2", "maybe|3"], ["3", "4", "5"]]
    choose(at, "Between cells", "|")
    unclear = {"Between cells": "|", "The first row has …": None, "A row is one of these": None}
    assert menus(at) == opened | unclear | {"column 1": "answer", "column 2": "leave-out"}
    assert preview(at) == [["yes", "no", "maybe"], ["1;3", "2;4", "3;5"]]
    choose(at, "column 2", "answer")
    choose(at, "The first row has …", False)
    assert menus(at)["column 2"] == "leave-out", "another way to open it may have other columns"
    table = table_of(choose(at, "column 2", "answer"))
    assert (set(table.names), table.counts) == ({"1;3", "2;4", "3;5"}, (1, 1, 1))
    assert table.reading == (
        "chosen by hand: delimiter “|”, no row of column names, “column 2” as answer"
    )


def test_an_encoding_by_hand_can_be_taken_back_where_it_is_wrong() -> None:
    at = bring("values", RUSSIAN, "a.csv")
    choose(at, "Letters (encoding)", "utf_8")
    (error,) = at.error
    assert "is not a text in UTF\\-8; choose another encoding" in error.value
    (back,) = (button for button in at.button if button.label == "Read it as detected")
    jobs_done(checked(back.click().run()))
    assert (list(at.error), can_be_shown(at, "values")) == ([], False)
    choose(at, "Letters (encoding)", "koi8_r")
    table = table_of(choose(at, "Letters (encoding)", "cp1251"))
    assert (table.names, table.reading) == (("да", "нет"), "chosen by hand: encoding cp1251")


def test_a_type_by_hand_answers_the_check_that_asks_for_it() -> None:
    at = bring("values", ASKED["body weight"].text, "a.csv")
    assert not can_be_shown(at, "values")
    choose(at, "gewicht", "weight")
    choose(at, "alter", "answer")
    assert (can_be_shown(at, "values"), menus(at)["gewicht"]) == (True, "weight")
    choose(at, "gewicht", "leave-out")
    assert sum(table_of(at).counts) == 20


def test_columns_that_an_answer_has_made_are_shown_with_their_types() -> None:
    at = bring("values", ASKED["crosstab by group"].text, "a.csv")
    answer(at, "crosstab-groups")
    shown = [each.value for each in at.markdown if each.value.endswith((": group", ": people"))]
    assert shown == ["District: group", "people: people"]
    assert preview(at)[0] == ["North"] * 3 + ["South"] * 3 + ["West"] * 2


def test_further_columns_of_a_wide_table_can_be_chosen() -> None:
    names = [f"q{n}" for n in range(30)]
    rows = [",".join("yes" if (n + row) % 3 else "no" for n in range(30)) for row in range(9)]
    at = bring("values", "\n".join([",".join(names), *rows]), "a.csv")
    choose(at, "The first row has …", True)
    assert (len(preview(at)), "q25" in menus(at)) == (12, False)
    (more,) = (each for each in at.multiselect if "-more-" in str(each.key))
    jobs_done(checked(more.set_value([25]).run()))
    choose(at, "q25", "answer")
    assert (len(preview(at)), menus(at)["q25"]) == (12, "answer")
    assert table_of(at).counts == (6, 3)


def test_two_menus_that_are_changed_at_once_both_hold() -> None:
    at = bring("values", "a,b,c\nx,1,u\ny,2,v\nx,3,v\n", "a.csv")
    for label, kind in {"b": "question", "c": "question"}.items():
        (menu,) = (box for box in at.selectbox if box.label == label)
        menu.set_value(kind)
    jobs_done(checked(at.run()))
    assert [menus(at)[name] for name in "abc"] == ["answer", "question", "question"]


COUNTS = (10_007, 20_011, 30_011, 3, 2, 1, 5_003)
"""Marked: primes whose shares of all have five digits of their own, and cells of 1, 2, 3 people."""
TABLE = OwnTable(tuple("abcdefg"), COUNTS, title="marked")
SURVEY = OwnSurvey(
    ("q",) * 7 + ("r",) * 2, (*"abcdefg", "yes", "no"), (*COUNTS, 40_009, 25_029), title="marked"
)
CELLS = (0, 14, 29, 30, 70, 100, 143)
MAP = OwnPlaces(
    " ".join(f"{cell}:{n}" for cell, n in zip(CELLS, COUNTS, strict=True)),
    "48,49.2,11,12.2",
    0.1,
    "marked",
)
BIG = [count for count in COUNTS if count > 9]
MARKED = {
    f"{shown:.5g}"
    for count in BIG
    for shown in (count, count / sum(COUNTS), 100 * count / sum(COUNTS))
}
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?(?:e-?\d+)?")


def texts(data: bytes, name: str = "") -> Iterator[str]:
    """All that can be read in a file: itself, what is packed in it, and what in that."""
    if data[:2] == b"PK":
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            for member in packed.namelist():
                yield member
                yield from texts(packed.read(member), member)
    elif data[:4] == b"PAR1":
        table = pq.read_table(io.BytesIO(data))
        yield table.drop_columns(["geometry"]).to_pandas().to_csv()
        yield str(table.schema.metadata)
    elif data[:4] == b"\x89PNG":
        with Image.open(io.BytesIO(data)) as picture:
            yield json.dumps({key: str(text) for key, text in picture.info.items()})
    else:
        yield from _in_text(data.decode("utf-8", "replace"))


def _in_text(text: str) -> Iterator[str]:
    yield text
    if "%" in text:
        yield unquote_plus(text)
    for word in set(re.findall(r"[A-Za-z0-9+/_-]{24,}={0,2}", text)):
        try:
            found = base64.b64decode(word.translate(str.maketrans("-_", "+/")) + "==")
        except binascii.Error:
            continue
        if found[:4] == b"\x89PNG":
            continue
        yield found.decode("utf-8", "replace")
        for bits in (zlib.MAX_WBITS | 32, -zlib.MAX_WBITS):
            with suppress(zlib.error):
                yield zlib.decompressobj(bits).decompress(found).decode("utf-8", "replace")


def marks_in(data: bytes) -> set[str]:
    """The marked counts, shares and percentages that are in a file."""
    found = set()
    for text in texts(data):
        for number in NUMBER.findall(text):
            plain = number.replace(",", "")
            if sum(sign.isdigit() for sign in plain.lstrip("0.")) >= 5:
                found.add(f"{float(plain):.5g}")
    return found & MARKED


def as_bytes(content: Any) -> bytes:
    return content.encode() if isinstance(content, str) else bytes(content)


def all_hidden(spec: DatasetSpec, name: str = "") -> Scenario:
    """Data of which everything is hidden, as plain LDP or by the policy of the page `name`."""
    plain = replace(with_dataset(Scenario(), spec), policy=ContextPolicy(OneBlock()))
    if name == "distances":
        policy = PAGES[name].state.codec.fresh().scenario.policy
        return replace(plain, policy=policy)
    return replace(plain, policy=PersonalTags()) if name == "personal" else plain


WAYS: dict[str, tuple[str, DatasetSpec, dict[str, str]]] = {
    "values": ("values", TABLE, {}),
    "values, a survey": ("values", SURVEY, {}),
    "places": ("places", MAP, {}),
    "coarser, a table": ("coarser", TABLE, {}),
    "coarser, a map": ("coarser", MAP, {}),
    "distances": ("distances", MAP, {}),
    "personal": ("personal", MAP, {}),
    "plan": ("plan", TABLE, {"goal": "values"}),
    "curves": ("curves", TABLE, {}),
    "adversary": ("adversary", MAP, {"place": "14"}),
}
"""Pages that show a visitor's own data: page, data, further keys of the link."""
STARTS = ("-audit-start", "-home-start")
"""Ends of the keys of buttons that make files beside the page."""


def press(at: AppTest) -> AppTest:
    """The page once its files are there that are made beside it."""
    keys = [str(each.key) for each in at.button if str(each.key).endswith(STARTS)]
    for key in keys:
        checked(at.button(key=key).click().run())
    return jobs_done(at) if keys else at


def walk(at: AppTest, page: str) -> list[str]:
    """Tabs and drawers of a page are opened, and a pin made; returns texts to copy.

    The last two tabs offer files; all others are opened every night.
    """
    if any(each.key == f"{page}-pin" for each in at.button):
        checked(at.button(key=f"{page}-pin").click().run())
    for drawer in ("sharing", "share-drawer"):
        at.session_state[f"{page}-{drawer}"] = True
    jobs_done(at)
    copied = [each.value for each in press(at).code]
    key = f"{page}-tabs"
    titles = [tab.label for tab in at.tabs]
    for title in titles if THOROUGH else titles[-2:]:
        at.session_state[key] = title
        press(jobs_done(at))
        copied += [each.value for each in at.code]
        for frame in at.dataframe:
            truth = [str(name) for name in frame.value.columns if "truth" in str(name)]
            assert all("INTERNAL" in name for name in truth), truth
    return copied


QUICK = ("values", "coarser, a map")
"""Of a table and of a map: pages with the most files."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "way", [pytest.param(w, marks=[] if w in QUICK else pytest.mark.thorough) for w in WAYS]
)
def test_nothing_true_of_a_visitor_s_data_leaves_unasked(way: str) -> None:
    page, spec, more = WAYS[way]
    scenario = all_hidden(spec, page)
    with capture_files() as files:
        at = open_page(PAGES[page].path, {**scenario.to_query(), **more})
        assert is_own(at.session_state[f"{page}/state"].record.scenario.dataset)
        copied = walk(at, page)
    assert any("own=" in text for text in copied), "the link is among what is copied"
    for text in (*copied, json.dumps(query_of(at))):
        if pack.LINE not in text:
            assert not marks_in(text.encode()), text
    assert_kept(files)
    pack_files = [name for name in files if name.endswith("rehearsal-internal.zip")]
    if pack_files and spec == MAP:
        domain = MAP.grid()
        truth = pack.png(MAP.load().distribution, domain, home(domain), nobody_below(1))
        with zipfile.ZipFile(io.BytesIO(as_bytes(files["rehearsal-internal.zip"]))) as opened:
            assert shows_picture(opened.read("record.html"), truth)
    assert [name for name in files if pack.INTERNAL_NAME in name]


def shows_picture(content: Any, picture: bytes) -> bool:
    """Whether a PNG of an HTML file ends in these pixels, below its words."""
    wanted = Image.open(io.BytesIO(picture)).convert("RGB")
    for coded in re.findall(rb"data:image/png;base64,([^\"]+)", as_bytes(content)):
        drawn = Image.open(io.BytesIO(base64.b64decode(coded))).convert("RGB")
        box = (0, drawn.height - wanted.height, drawn.width, drawn.height)
        if drawn.crop(box).tobytes() == wanted.tobytes():
            return True
    return False


PUBLISHING = re.compile("publi(sh|c table|c record)", re.IGNORECASE)
"""What is made by a rehearsal is never published, and speaks of no publishing."""


def assert_kept(files: Files) -> None:
    """Files hold nothing marked, or say in name and content that they are internal."""
    for label, content in files.items():
        with naming(label):
            data = as_bytes(content)
            if pack.INTERNAL_NAME in label:
                assert_says_so(label, data)
                assert not PUBLISHING.search("".join(texts(data)))
            else:
                assert not marks_in(data)
                assert pack.LINE not in "".join(texts(data))


def assert_says_so(name: str, data: bytes) -> None:
    assert pack.LINE in "".join(texts(data))
    if name.endswith(".zip"):
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            for member in packed.namelist():
                assert_says_so(member, packed.read(member))


@pytest.mark.parametrize("name", sorted(PAGES.keys() - {page for page, _, _ in WAYS.values()}))
def test_the_other_pages_show_no_data_of_a_visitor(name: str) -> None:
    for spec in (TABLE, MAP):
        at = open_page(PAGES[name].path, all_hidden(spec).to_query())
        record = at.session_state[f"{name}/state"].record if name != "start" else None
        assert not is_own(getattr(record, "scenario", Scenario()).dataset)


def test_marked_counts_are_found_wherever_they_are_packed() -> None:
    """The search itself: it finds them in links, tables, packed and coded texts."""
    scenario = all_hidden(TABLE)
    link = "http://x/?" + "&".join(f"{k}={v}" for k, v in scenario.to_query().items())
    file = scenario.to_json().encode()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.json", file)
    everywhere: Sequence[bytes] = (
        link.encode(),
        file,
        packed.getvalue(),
        base64.b64encode(file),
        base64.urlsafe_b64encode(zlib.compress(file)),
        b"a share of 15.386 %, or 0.15386 of all",
        b"10,007 people",
    )
    for data in everywhere:
        assert marks_in(data)
    assert not marks_in(b"of 65,038 people 0.154 have it")
