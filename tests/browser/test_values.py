"""Pages without maps in a browser: sensitive answers, the matrix, measuring, a collection."""

import json
import re
import runpy
import shutil
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, Final
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

from caldp_core import Protocol, intervals
from caldp_core.cli.commands import main as caldp
from caldp_core.collect import js
from caldp_core.collect.collected_tally import CollectedTally
from caldp_core.collect.collector import Collector
from caldp_core.collect.protocol import EVERYTHING, TablePlan
from caldp_core.domain.domains import Domain
from caldp_core.mechanisms.catalogue import mechanism
from caldp_core.privacy.context import Context, dense
from caldp_core.privacy.matrix import DenseMatrix
from caldp_core.scenarios.blocks import SensitiveSymbols
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.values.page_state import AFFAIR, LINK, ValuesState
from tests import ROOT
from tests.browser.conftest import DESKTOP, SCREENS, OpenLink, Profiles, visiting
from tests.browser.hands import TABS, eventually, eventually_equal, expect, expect_script
from tests.browser.test_everybody import LEAST, contrasts, in_scheme
from tests.collect.protocols import SPECS, planned
from tests.collect.vectors import vectors
from tests.servers import wait_until_settled
from tests.strategies import thinned

pytestmark = pytest.mark.browser
WEB = "values?v=2&dataset=web-visits&blocks=one&sensitive=symbols&sensitive.runs=700-999&n=1000000"
BEGINNING = f"values?{urlencode(LINK.write(ValuesState(AFFAIR)))}"
ROWS = ".chart .row"
STICKS_OUT = "main => main.scrollWidth > main.clientWidth"
READY = ".chart .row .point.ours"


@pytest.fixture(scope="module")
def page(profiles: Profiles, address: str) -> Iterator[Any]:
    """One load for all tests that start from one group of answers; each leaves the page so."""
    with visiting(profiles(viewport=DESKTOP), f"{address}/{BEGINNING}", READY) as found:
        yield found


def expect_link(page: Any, scenario: Scenario) -> None:
    """The address bar holds this scenario."""
    wanted = scenario.to_query().get("sensitive.runs", "everything")
    page.wait_for_function(
        """wanted => {
            const query = new URLSearchParams(location.search);
            const has = query.get('sensitive.runs') ?? (query.get('v') ? 'everything' : '');
            return has === wanted;
        }""",
        arg=wanted,
    )
    wait_until_settled(page)


def expect_protected(page: Any, share: str) -> None:
    page.locator(".odds", has_text=f"{share}: protection").first.wait_for()


def undo(page: Any, scenario: Scenario = AFFAIR) -> None:
    page.get_by_role("button", name="Undo").click()
    expect_link(page, scenario)


def test_ticks_make_answers_sensitive_alone_as_a_group_and_quickly(page: Any) -> None:
    expect_protected(page, "32 of 100")
    page.locator(ROWS, has_text="very good marriage").first.click()
    expect_link(page, AFFAIR.with_context(sensitive=SensitiveSymbols(("4-9",))))
    expect_protected(page, "67 of 100")
    expect(page.locator(f"{ROWS}[data-marked=all]")).to_have_count(7)  # six answers and one group
    undo(page)
    expect_protected(page, "32 of 100")
    page.locator(f"{ROWS}.heading", has_text="had an affair").click()
    expect_link(page, AFFAIR.with_context(sensitive=SensitiveSymbols(())))
    expect(page.locator(f"{ROWS}[data-marked=none]")).to_have_count(12)
    for place in (0, 1, 2):
        page.locator(f"{ROWS} input[data-id='{place}']").click(no_wait_after=True)
    expect_link(page, AFFAIR.with_context(sensitive=SensitiveSymbols(("0-2",))))
    first = AFFAIR.to_query()["sensitive.runs"]
    while first not in parse_qs(urlsplit(before := page.url).query).get("sensitive.runs", []):
        page.get_by_role("button", name="Undo").click()
        page.wait_for_function("before => location.href !== before", arg=before)
        wait_until_settled(page)
    expect_link(page, AFFAIR)


def test_keys_go_from_answer_to_answer_and_tick(page: Any) -> None:
    stops = page.locator(f"{ROWS} input[tabindex='0']")
    expect(stops).to_have_count(1)
    stops.focus()
    for key in ("Home", "ArrowDown", "ArrowDown", "ArrowUp"):
        page.keyboard.press(key)
    words = re.compile("^very poor marriage; no affair: truth 0.4 %")
    readout = page.locator(".chart .readout")
    expect(readout).to_have_text(words)
    expect(readout).not_to_contain_text("Sensitive.")
    page.keyboard.press("Space")
    expect_link(page, AFFAIR.with_context(sensitive=SensitiveSymbols(("0", "5-9"))))
    expect(readout).to_contain_text("Sensitive.")
    focused = "document.querySelector('.st-key-values-board')"
    inside = f"[...{focused}.querySelectorAll('*')].find(e => e.shadowRoot)?.shadowRoot"
    expect_script(page, f"{inside}.activeElement?.dataset.id", "0")
    page.keyboard.press("Space")
    expect(readout).not_to_contain_text("Sensitive.")
    expect_link(page, AFFAIR)


def test_a_film_moves_in_the_browser_and_resting_makes_it_the_page(page: Any) -> None:
    slider = page.locator(".film input[type=range]")
    slider.wait_for()
    expect(page.locator(".film .step")).to_contain_text("5 sensitive")
    marked = page.locator(f"{ROWS}:not(.heading)[data-marked=all]")
    expect(marked).to_have_count(5)
    link = page.url
    slider.evaluate("e => { e.value = 9; e.dispatchEvent(new Event('input')); }")
    expect(page.locator(".film .step")).to_contain_text("9 sensitive")
    expect(marked).to_have_count(9)
    assert page.url == link  # the server has not been asked
    slider.evaluate("e => e.dispatchEvent(new Event('change'))")
    expect_link(page, AFFAIR.with_context(sensitive=SensitiveSymbols(("0-3", "5-9"))))
    undo(page)
    expect(marked).to_have_count(5)


def test_a_table_of_one_s_own_is_pasted_and_its_names_are_texts(page: Any) -> None:
    names = ["<img src=x onerror=alert(1)>", "**no** $x$ :material/home:"]
    page.get_by_role("button", name="Your data").click()
    pasted = "\n".join(f"{name}\t{100 + place}" for place, name in enumerate(names))
    page.locator(".st-key-values-own-text textarea").fill(pasted)
    page.get_by_role("button", name="Read the text").click()
    page.get_by_role("button", name="Show it").click()
    expect(page.locator(f"{ROWS} .text")).to_have_text(names)
    expect(page.locator(".st-key-values-own-text")).to_have_count(0)
    page.wait_for_url("**own=*")
    wait_until_settled(page)
    undo(page)


def test_a_thousand_pages_are_folded_searched_and_marked(open_link: OpenLink) -> None:
    page = open_link(WEB, READY, viewport=DESKTOP)
    expect(page.locator(ROWS)).to_have_count(40)
    page.get_by_role("button", name="Unfold Cancer").click()
    expect(page.locator(f"{ROWS}.inner")).to_have_count(25)
    page.locator(".chart input[type=search]").fill("weather: f")
    expect(page.locator(ROWS)).to_have_count(1)
    page.get_by_role("button", name="Mark", exact=True).click()
    page.wait_for_function("location.search.includes('sensitive.runs=1%3B700-999')")
    page.locator(".chart input[type=search]").fill("")
    wait_until_settled(page)
    expect(page.locator(f"{ROWS}[data-marked=some]")).to_have_count(1)


def test_names_stand_out_and_nothing_sticks_out_on_a_phone(open_link: OpenLink) -> None:
    page = open_link(BEGINNING, READY, **SCREENS["phone"])
    expect_script(page.locator("[data-testid=stMain]"), STICKS_OUT, False)
    marked = [*(f"{ROWS}[data-marked={marks}] .text" for marks in ("all", "none")), ".readout"]
    for scheme in ("light", "dark"):
        in_scheme(page, scheme)

        def stand_out() -> None:
            for css in marked:
                assert min(contrasts(page, css), default=0) >= LEAST, css

        eventually(page, stand_out)


MATRIX_LINK = "matrix?template=ldp"
CELL = ".board .leak td"


@pytest.fixture(scope="module")
def matrix_page(profiles: Profiles, address: str) -> Iterator[Any]:
    """One load for all tests here."""
    with visiting(profiles(viewport=DESKTOP), f"{address}/{MATRIX_LINK}", CELL) as found:
        yield found


def field(page: Any, x: int, z: int) -> Any:
    return page.locator(f".limit td[data-x='{x}'][data-z='{z}'] input")


def test_an_entry_is_typed_and_the_audit_answers(matrix_page: Any) -> None:
    field(matrix_page, 0, 1).click()
    matrix_page.keyboard.type("0.5")
    matrix_page.keyboard.press("Enter")
    matrix_page.wait_for_url("**levels=0%2C0.5%2C*")
    expect(matrix_page.locator(".st-key-headline h1")).to_contain_text(["All 20 limits are kept"])
    expect(field(matrix_page, 0, 1)).to_have_value("0.5")
    expect(matrix_page.locator(".leak td[data-x='0'][data-z='1']")).to_have_text("0.50✓")
    matrix_page.locator(".mirror input").check()
    field(matrix_page, 1, 4).fill("∞")  # another entry than the next test's: they run in any order
    matrix_page.keyboard.press("Enter")
    expect(field(matrix_page, 4, 1)).to_have_value("∞")
    wait_until_settled(matrix_page)


def test_what_is_no_level_is_taken_back_and_the_picture_s_name_follows(open_link: OpenLink) -> None:
    page = open_link(MATRIX_LINK, CELL, viewport=DESKTOP)
    field(page, 0, 1).fill("abc")
    page.keyboard.press("Enter")
    expect(page.get_by_text("A level must be a number")).to_be_visible()
    expect(field(page, 0, 1)).to_have_value("1")
    board = page.locator(".board")
    expect(board).to_have_attribute("aria-label", re.compile("All 20 limits are kept"))
    page.locator(".st-key-matrix-plant button").click()
    expect(board).to_have_attribute("aria-label", re.compile("breaks 20 of 20 limits"))


def test_arrow_keys_go_past_the_diagonal_and_words_follow(matrix_page: Any) -> None:
    field(matrix_page, 2, 3).fill("∞")
    matrix_page.keyboard.press("Enter")
    matrix_page.wait_for_url("**inf*")
    wait_until_settled(matrix_page)
    stops = matrix_page.locator(".limit input[tabindex='0']")
    field(matrix_page, 0, 1).focus()
    for key in ("ArrowDown", "ArrowRight"):
        matrix_page.keyboard.press(key)
    expect(stops).to_have_count(1)
    expect(stops).to_have_attribute("aria-label", "Blue against Other")
    readout = matrix_page.locator(".board .readout")
    expect(readout).to_contain_text("“Blue” against “Other”, ε = ∞")
    matrix_page.locator(".leak td[data-x='4'][data-z='0']").hover()
    expect(readout).to_contain_text("“None” against “Red”, ε = 1: any report turns")
    expect(matrix_page.locator(".lit")).to_have_count(2)


HOSTILE = "![](http://e.example/)"
NAMED: Final = {
    f"matrix?names={HOSTILE}|<b>|c&levels=0,1,1;1,0,1;1,1,0&channel=bug": "headline",
    f"room?question={HOSTILE}&answers={HOSTILE}|<b>&sensitive=0;1": "room-sensitive",
}
"""Links with names, and where their pages write them."""


@pytest.mark.parametrize("link", thinned(NAMED, one_in=2))
def test_names_from_a_link_are_nothing_but_names(open_link: OpenLink, link: str) -> None:
    page = open_link(link, ".board", viewport=DESKTOP)
    words = page.locator(f".st-key-{NAMED[link]}")
    eventually_equal(page, lambda: HOSTILE in words.inner_text().replace("\u2060", ""), True)
    for tab in page.get_by_role("tab").all():
        tab.click()
    wait_until_settled(page)
    assert page.locator("[data-testid=stMain] img[src*='e.example']").count() == 0


CHART = ".js-plotly-plot"
SENTENCE = ".st-key-headline h1"


def box_of(page: Any, selector: str) -> Any:
    """Where the first of them is; a part that is being drawn anew is nowhere for a moment."""
    for _ in range(1200):
        if box := page.locator(selector).first.bounding_box():
            return box
        page.wait_for_timeout(100)
    raise AssertionError(f"{selector} is nowhere.")


def assert_in_order(page: Any, height: int) -> None:
    """The tabs, the sentence and most of the chart are on the screen, in this order."""
    tabs, sentence, chart = (box_of(page, each) for each in (TABS, SENTENCE, CHART))
    assert tabs["y"] + tabs["height"] <= sentence["y"] < chart["y"]
    assert chart["y"] + 0.8 * chart["height"] < height


@pytest.mark.thorough  # repeated runs are cancelled in test_map.py
def test_a_cancel_keeps_what_was_found_and_offers_to_start_again(open_link: OpenLink) -> None:
    page = open_link("paper?view=figure-2", CHART, SENTENCE, **SCREENS["projector"])
    page.locator(f"{CHART} .point").first.wait_for()
    page.get_by_role("button", name="Cancel").click()
    page.get_by_role("button", name="Start again").wait_for()
    expect(page.locator(f"{CHART} .point").first).to_be_attached()
    expect(page.locator(SENTENCE)).to_contain_text(["comparisons"])


def test_a_chart_names_its_lines_and_fills_the_screen_by_a_button(open_link: OpenLink) -> None:
    """What its bar has would all stay on this machine."""
    page = open_link("plan", CHART, SENTENCE, **SCREENS["projector"])
    page.locator(f"{CHART} .point").first.wait_for()
    eventually(page, lambda: assert_in_order(page, 720))
    expect_names(page, ".textpoint text", ".legendtext")
    titles = (
        "Full screen",
        "Zoom in",
        "Zoom out",
        "Reset axes",
        "Zoom",
        "Pan",
        "Download plot as a PNG",
    )
    buttons = page.locator(f"{CHART} .modebar-btn")
    expect(buttons).to_have_count(len(titles))
    for button, title in zip(buttons.all(), titles, strict=True):
        expect(button).to_have_attribute("data-title", title)
    page.locator(CHART).hover()
    page.locator(f"{CHART} [data-title='Full screen']").click()
    tall = f"() => Number(document.querySelector('{CHART} .main-svg')?.getAttribute('height'))"
    page.wait_for_function(f"({tall})() === innerHeight")
    page.keyboard.press("Escape")
    page.evaluate("document.fullscreenElement && document.exitFullscreen()")
    page.wait_for_function(f"({tall})() < 600")


def test_the_rows_of_table_1_are_named_in_its_picture(open_link: OpenLink) -> None:
    page = open_link("paper?runs=1", CHART, SENTENCE, **SCREENS["projector"])
    eventually(page, lambda: assert_in_order(page, 720))
    for name in ("Plain LDP", "5 × 7 blocks", "25 × 35 blocks", "25 × 70 blocks"):

        def is_at_the_left(name: str = name) -> bool:
            at = box_of(page, f"{CHART} .ytick text:has-text('{name}')")["x"]
            return bool(0 <= at - box_of(page, CHART)["x"] < 100)

        eventually_equal(page, is_at_the_left, True)


BEYOND = """css => [...document.querySelectorAll(css)].filter(each => {
    const {left, right} = each.getBoundingClientRect();
    return left < 0 || right > innerWidth;
}).map(each => each.textContent)"""
"""Texts that are not on the screen as a whole."""


def expect_names(page: Any, names: str, others: str) -> None:
    """Lines are named there and not by the others, and no name is cut."""
    page.locator(f"{CHART} {names}", has_text="Plain LDP").wait_for()
    expect(page.locator(f"{CHART} {others}", has_text="Plain LDP")).to_have_count(0)
    expect_script(page, BEYOND, [], f"{CHART} {names}")


@pytest.mark.thorough  # the plan on a phone: test_narrow.py
def test_lines_are_named_in_a_legend_where_it_is_narrow(open_link: OpenLink) -> None:
    page = open_link("plan", CHART, SENTENCE, **SCREENS["phone"])
    page.locator(f"{CHART} .point").first.wait_for()
    eventually(page, lambda: assert_in_order(page, 844))
    expect_names(page, ".legendtext", ".textpoint text")


EXAMPLE: Final = ROOT / "examples" / "collection"
WRONG: Final = """async ([code, vectors]) => {
    const url = URL.createObjectURL(new Blob([code], {type: "text/javascript"}));
    const {Client} = await import(url);
    return vectors.flatMap(({protocol, cases}) => cases.filter(({numbers, value, report}) => {
        const left = [...numbers], number = () => left.shift();
        const client = new Client(protocol, {number});
        const drawn = client.questions
            ? Object.entries(client.questions).map(([name, each]) => [name, each.draw(value[name])])
            : client.draw(value);
        const wanted = client.questions ? Object.entries(report) : report;
        return JSON.stringify(drawn) !== JSON.stringify(wanted) || left.length;
    }));
}"""


def test_a_week_of_people_answers_in_a_browser(
    browser: Any, open_link: Any, tmp_path: Path
) -> None:
    week, folder = runpy.run_path(str(EXAMPLE / "week.py")), tmp_path / "week"
    page = browser.new_page()
    try:
        code = (Path(js.__file__).parent / "client.js").read_text("utf-8")
        assert page.evaluate(WRONG, [code, vectors()]) == []
        reports = week["run_week"](folder, 1000, week["in_browser"](page))
    finally:
        page.close()
    assert (
        json.loads((folder / "record.json").read_text("utf-8"))["reports"] == len(reports) == 1000
    )
    assert len(week["table"](folder, reports).splitlines()) == 11
    protocol = Protocol.from_file(folder / "protocol.json")
    tally = CollectedTally.from_file(folder / "week.tally.json").tally
    # Ten intervals that all hold but for a chance of 10^-6; other people's shares they do not.
    ranges, truth = intervals(protocol.mechanism, tally, 1 - 1e-7), week["shares"]()
    assert ((ranges.low <= truth) & (truth <= ranges.high)).all()
    assert not ((ranges.low <= truth[::-1]) & (truth[::-1] <= ranges.high)).all()
    results = open_link("results")
    results.get_by_role("button", name="Your files").click()
    files = [folder / "protocol.json", *(folder / f"{day}.tally.json" for day in week["DAYS"])]
    results.locator(".st-key-results-files input[type=file]").set_input_files(files)
    results.get_by_text("sunday.tally.json").wait_for()  # eight files of one visit, all there
    results.get_by_role("button", name="Show them").click()
    results.get_by_text("Reports counted: 1,000").wait_for()
    results.get_by_text("Refused, and not counted: 55").wait_for()


def test_the_form_draws_one_report_and_sends_it_until_it_arrives(
    browser: Any, tmp_path: Path
) -> None:
    shutil.copy(EXAMPLE / "form.html", tmp_path)
    caldp(["client", "-o", f"{tmp_path}/client.js"], standalone_mode=False)
    scenario = f"{EXAMPLE}/scenario.json"
    caldp(["protocol", scenario, "-o", f"{tmp_path}/protocol.json"], standalone_mode=False)
    (tmp_path / "reports").mkdir()
    handler = partial(
        runpy.run_path(str(EXAMPLE / "server.py"))["Collector"], directory=str(tmp_path)
    )
    page = browser.new_page()
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            page.goto(f"http://127.0.0.1:{server.server_port}/form.html")
            lost: list[str] = []

            def lose(route: Any) -> None:
                lost.append(route.request.post_data)
                route.abort()

            page.route("**/reports", lose)
            answer(page, "flu", "It has not arrived")
            page.unroute("**/reports")
            answer(page, "addiction", "Your report has arrived")
            page.reload()
            page.get_by_text("Your report has arrived").wait_for()
            assert not page.get_by_role("button").is_visible()
        finally:
            page.close()
            server.shutdown()
    (day,) = (tmp_path / "reports").iterdir()
    assert day.read_text("utf-8").splitlines() == lost
    found = Collector(Protocol.from_file(tmp_path / "protocol.json")).tally(day)
    assert (found.tally.n, sum(found.refused.values())) == (1, 0)


def test_the_form_says_which_answers_can_be_read_and_of_which_a_coin_is_thrown(
    browser: Any, tmp_path: Path
) -> None:
    shutil.copy(EXAMPLE / "form.html", tmp_path)
    caldp(["client", "-o", f"{tmp_path}/client.js"], standalone_mode=False)
    labels = ("hiv", "flu", "cold", "none")
    alone = Context.of([0, 1, 1, 1], [True, True, False, False], 1.0)
    plan = planned(alone, SPECS["hadamard"])
    table = TablePlan.of("designed", mechanism(DenseMatrix.of(dense(alone)), "designed"))
    everybody = planned(Context.of([0] * 4, [True] * 4, 1.0), SPECS["hadamard"])
    nobody = planned(Context.of([0] * 4, [False] * 4, 1.0), SPECS["hadamard"])
    for each, names, bare, coin in (
        (plan, ("A", "B"), "hiv, cold, none", "For every other answer"),
        (table, EVERYTHING, "hiv, cold, none", "For every other answer"),
        (everybody, EVERYTHING, "", "For each answer"),
        (nobody, EVERYTHING, "hiv, flu, cold, none", ""),
    ):
        made = Protocol("Which?", Domain.of(labels), names, each)
        (tmp_path / "protocol.json").write_text(made.to_json(), "utf-8")
        page = browser.new_page()
        handler = partial(SimpleHTTPRequestHandler, directory=str(tmp_path))
        with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
            Thread(target=server.serve_forever, daemon=True).start()
            try:
                page.goto(f"http://127.0.0.1:{server.server_port}/form.html")
                page.get_by_label("none").wait_for()
                page.wait_for_function(SAYS, arg=[bare, coin])
            finally:
                page.close()
                server.shutdown()


SAYS = """([bare, coin]) => {
    const says = name => document.querySelector(name).textContent;
    return (bare ? says("#bare").endsWith(`: ${bare}.`) : !says("#bare"))
        && (coin ? says("#coin").startsWith(`${coin} your browser throws a coin`) : !says("#coin"));
}"""


def answer(page: Any, label: str, text: str) -> None:
    page.get_by_label(label).check()
    page.get_by_role("button").click()
    page.get_by_text(text).wait_for()
