"""A collection in a browser: the client's vectors, a week of made-up people, and the form."""

import json
import runpy
import shutil
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, Final

import pytest

from caldp_core import Protocol, intervals
from caldp_core.cli.commands import main as caldp
from caldp_core.collect import js
from caldp_core.collect.collected_tally import CollectedTally
from caldp_core.collect.collector import Collector
from caldp_core.collect.protocol import EVERYTHING, TablePlan
from caldp_core.domain.answers import Domain
from caldp_core.mechanisms.catalogue import mechanism
from caldp_core.privacy.context import Context, dense
from caldp_core.privacy.matrix import DenseMatrix
from tests import ROOT
from tests.collect.protocols import SPECS, planned
from tests.collect.vectors import vectors

pytestmark = pytest.mark.browser
EXAMPLE: Final = ROOT / "examples" / "collection"
WRONG: Final = """async ([code, vectors]) => {
    const url = URL.createObjectURL(new Blob([code], {type: "text/javascript"}));
    const {Client} = await import(url);
    return vectors.flatMap(({protocol, cases}) => cases.filter(each => {
        const left = [...each.numbers], number = () => left.shift();
        return new Client(protocol, {number}).draw(each.value) !== each.report || left.length;
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
