"""A slow network, and one that breaks: what a visit was at comes back, and a report counts once."""

import re
from pathlib import Path
from typing import Any

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

from benchmarks.browser import wait_until_ready, wait_until_settled
from benchmarks.server import server_address
from benchmarks.visitor import Visitor
from tests import ROOT
from tests.browser.conftest import SCREENS, Profiles
from tests.browser.hands import SLIDER, expect, open_poll
from tests.loops import run

pytestmark = pytest.mark.browser
THIRD_GENERATION = {
    "offline": False,
    "latency": 300,
    "downloadThroughput": 1_600_000 / 8,
    "uploadThroughput": 750_000 / 8,
}
"""As browsers' tools have it: milliseconds, and bytes a second."""

AGREE = f"""new URLSearchParams(location.search).get('epsilon')
    === document.querySelector('{SLIDER}')?.getAttribute('aria-valuetext')"""


class Line:
    """The sockets of a page, which break in mid-run: in the answer to an act of the hand."""

    def __init__(self, page: Any) -> None:
        self.connections = 0
        self._wanted: str | None = None
        self._kind = ""
        self._cut = False
        page.route_web_socket(re.compile("_stcore/stream"), self._connect)

    def cut_the_run_that_says(self, words: str, kind: str = "") -> None:
        """At the server's next message, or at the next of that kind, which does not arrive."""
        self._wanted, self._kind = words, kind

    def _connect(self, here: Any) -> None:
        self.connections += 1
        there = here.connect_to_server()
        here.on_message(lambda message: self._ask(there, message))
        there.on_message(lambda message: self._answer(here, there, message))

    def _ask(self, there: Any, message: bytes) -> None:
        if self._wanted and self._wanted in str(BackMsg.FromString(message)):
            self._wanted, self._cut = None, True
        there.send(message)

    def _answer(self, here: Any, there: Any, message: bytes) -> None:
        kind = ForwardMsg.FromString(message).WhichOneof("type")
        if self._cut and self._kind in ("", kind):
            self._cut = False
            there.close()
            here.close(code=1011)
        else:
            here.send(message)


@pytest.mark.parametrize("kind", ["", "page_info_changed"])
def test_a_visit_whose_socket_is_cut_in_mid_run_goes_on(
    profiles: Profiles, address: str, kind: str
) -> None:
    """At once, or as the address is told: told once, it was never told again."""
    page = profiles(**SCREENS["projector"]).new_page()
    line = Line(page)
    page.goto(f"{address}/places?v=2&epsilon=2&blocks=states")
    wait_until_ready(page)
    line.cut_the_run_that_says('data: "3"', kind)
    page.focus(SLIDER)
    page.keyboard.press("ArrowRight")
    while line.connections < 2:
        page.wait_for_timeout(20)
    wait_until_settled(page)
    # The act that was cut may have come through or not; the page says one thing all over.
    page.wait_for_function(AGREE)
    assert "blocks=states" in page.url
    page.focus(SLIDER)
    page.keyboard.press("End")
    page.wait_for_url("**epsilon=20*")
    page.close()


def report_where_only_reports_are_answered(profiles: Profiles, link: str) -> None:
    """Once it is counted, the phone no longer says that the server does not answer."""
    phone = profiles(**SCREENS["phone"], extra_http_headers={"x-phone": "offline"}).new_page()
    phone.add_init_script("AbortSignal.timeout = () => new AbortController().signal")
    phone.goto(link)
    phone.locator(".phone .answer").first.click()
    phone.route("**/room/poll?*", lambda route: route.abort())
    expect(phone.locator(".phone .lost")).not_to_have_text("")

    def answer_reports(route: Any) -> None:
        if route.request.method == "POST":
            route.continue_()  # what else is asked waits for ever

    phone.unroute("**/room/poll?*")
    phone.route("**/room/poll?*", answer_reports)
    phone.locator(".phone .poll .go").click()
    phone.wait_for_function(
        """() => document.querySelector(".phone .poll .state")?.textContent.includes("Counted")
            && !document.querySelector(".phone .lost").textContent"""
    )
    phone.close()


def test_a_phone_on_a_slow_line_that_breaks_is_counted_once(
    profiles: Profiles, address: str
) -> None:
    own = {"extra_http_headers": {"x-teacher": "slow"}}
    teacher = profiles(**SCREENS["projector"], **own).new_page()
    teacher.goto(f"{address}/room")
    open_poll(teacher)
    code = teacher.locator(".st-key-room-side [data-testid=stCode] code")
    link = "".join(code.inner_text().split())

    context = profiles(**SCREENS["phone"], extra_http_headers={"x-phone": "slow"})
    phone = context.new_page()
    wire = context.new_cdp_session(phone)
    wire.send("Network.enable")
    wire.send("Network.emulateNetworkConditions", THIRD_GENERATION)
    tries: list[str] = []

    def lose_the_first_answer(route: Any) -> None:
        if route.request.method == "POST":
            tries.append(route.request.post_data)
        if len(tries) == 1 and route.request.method == "POST":
            route.fetch()  # the server has the report, and the phone does not know it
            route.abort()
        else:
            route.continue_()

    phone.route("**/room/poll?*", lose_the_first_answer)
    phone.goto(link)
    phone.locator(".phone .answer").first.click()
    phone.locator(".phone .poll .go").click()
    phone.get_by_text("Counted, once").wait_for()
    first, again = tries
    assert first == again
    teacher.get_by_role("heading", name=re.compile(": 1 report")).wait_for()
    phone.close()
    report_where_only_reports_are_answered(profiles, link)
    teacher.get_by_text("End the poll").click()
    teacher.get_by_text("End it now").click()
    teacher.locator(".st-key-room-fresh button").click()
    teacher.locator(".st-key-room-open").wait_for()
    teacher.close()


def test_a_page_says_that_it_loads_until_its_code_has_come(
    profiles: Profiles, address: str
) -> None:
    page, code = profiles(**SCREENS["projector"]).new_page(), "**/static/js/**"
    loading = page.get_by_text("caldp is loading…")
    page.route(code, lambda route: route.abort())
    page.goto(f"{address}/yesno")
    expect(loading).to_be_visible()
    page.unroute(code)
    page.goto(f"{address}/yesno")
    expect(page.locator("h1")).to_be_visible()
    expect(loading).to_have_count(0)
    page.close()


FAILING = """
if __name__ == "__main__":
    raise MemoryError("a secret")
from streamlit.starlette import App
from caldp_ui.app.errors import show_failure
app = App(__file__, on_script_error=show_failure)
"""


def test_an_error_that_nobody_foresaw_is_one_sentence_of_ours(browser: Any, tmp_path: Path) -> None:
    script = tmp_path / "app.py"
    script.write_text(FAILING, "utf-8")
    with server_address(tmp_path, str(script)) as address, browser.new_context() as context:
        page = context.new_page()
        page.goto(address)
        page.get_by_text("Something went wrong on the server").wait_for()
        assert "a secret" not in page.content()
        assert "encountered an error" not in page.content()
    assert "on_script_error=show_failure" in (ROOT / "app.py").read_text("utf-8")


def test_an_expander_whose_part_was_just_left_out_opens_all_the_same(address: str) -> None:
    run(open_expander_of_a_missing_part(address))


class Idle(Visitor):
    """A visit that asks for nothing by itself, so that a later run hides no lost request."""

    async def _run_fragment(self, name: str, seconds: float) -> None:
        pass


async def open_expander_of_a_missing_part(address: str) -> None:
    visitor = await Idle.open(address, "curves", "curves-sharing")
    visitor._parts["curves-sharing"] = "of an earlier run"
    expander = visitor.elements["curves-sharing"]
    await visitor.use("curves-sharing", WidgetState(id=expander.id, bool_value=True))
    await visitor.wait_until(lambda: "curves-json" in visitor.elements)
    await visitor.close()
