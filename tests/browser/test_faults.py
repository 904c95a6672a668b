"""Slow and broken networks, workers behind nginx, and pages in Firefox.

Debian's firefox-esr speaks WebDriver BiDi itself, so that no driver stands between.
"""

import json
import re
import shutil
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPResponse
from itertools import count
from pathlib import Path
from typing import Any, Final
from urllib.error import HTTPError
from urllib.request import HTTPRedirectHandler, HTTPSHandler, Request, build_opener

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.sync.client import ClientConnection, connect

from tests import ROOT, require_software
from tests.browser.conftest import SCREENS, Profiles
from tests.browser.hands import SLIDER, eventually_equal, expect, open_poll, wait_until_ready
from tests.servers import (
    PATIENCE,
    Fleet,
    fleet,
    missing_nginx,
    run,
    server_address,
    until,
    wait_until_settled,
)
from tests.visits import Visitor

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


@pytest.mark.parametrize(
    "kind", [pytest.param("", marks=pytest.mark.thorough), "page_info_changed"]
)
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
    eventually_equal(page, lambda: line.connections > 1, True)
    wait_until_settled(page)
    # The act that was cut may have come through or not; the page says one thing all over.
    page.wait_for_function(AGREE)
    assert "blocks=states" in page.url
    page.focus(SLIDER)
    page.keyboard.press("End")
    page.wait_for_url("**epsilon=20*")
    page.close()


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
from caldp_ui.app.texts import show_failure
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


NO_HOME = {"HOME": "/proc", "XDG_CACHE_HOME": "/proc"}
"""Where nobody can make a file or folder, not even root."""
CONNECTED = "[data-testid=stApp][data-test-connection-state=CONNECTED]"
SCENARIO = "places?v=2&epsilon=2&blocks=states"


class Stay(HTTPRedirectHandler):
    """Shows where one is sent, and does not go there."""

    def redirect_request(self, *_: Any) -> None:
        return None


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    folder = tmp_path_factory.mktemp("certificate")
    made = folder / "made.pem", folder / "key.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    command += ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
    command += ["-out", str(made[0]), "-keyout", str(made[1])]
    subprocess.run(command, check=True, capture_output=True)
    return str(made[0]), str(made[1])


@pytest.fixture(scope="module")
def behind(
    browser: Any, certificate: tuple[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Fleet]:
    require_software(missing_nginx(), "CALDP_BROWSER_REQUIRED")
    folder = tmp_path_factory.mktemp("fleet")
    with fleet(folder, 2, "caldp", certificate, NO_HOME) as found:
        yield found


@contextmanager
def person(browser: Any) -> Iterator[Any]:
    """Somebody's browser, with nothing kept."""
    with browser.new_context() as context:
        yield context


def open_page(context: Any, url: str, css: str) -> Any:
    page = context.new_page()
    page.goto(url)
    page.locator(css).first.wait_for()
    return page


def worker_of(context: Any) -> str:
    (cookie,) = [each for each in context.cookies() if each["name"] == "caldp_worker"]
    assert cookie["secure"]
    assert cookie["httpOnly"]
    assert cookie["path"] == "/caldp/"
    return str(cookie["value"])


def answer(
    behind: Fleet, certificate: tuple[str, str], path: str, **headers: str
) -> HTTPResponse | HTTPError:
    trust = HTTPSHandler(context=ssl.create_default_context(cafile=certificate[0]))
    root = behind.address.removesuffix("/caldp")
    try:
        found: HTTPResponse = build_opener(trust, Stay).open(Request(root + path, headers=headers))
    except HTTPError as error:
        return error
    return found


def test_the_proxy_leads_below_the_base_and_lets_nobody_else_in(
    behind: Fleet, certificate: tuple[str, str]
) -> None:
    for path in ("/", "/caldp"):
        assert answer(behind, certificate, path).headers["location"] == "/caldp/"
    assert answer(behind, certificate, "/caldp/_stcore/metrics").status == 404
    assert answer(behind, certificate, "/caldp/", Host="evil.example").status == 421
    for worker in ("w1", "w2"):
        response = answer(behind, certificate, f"/caldp/?worker={worker}", Cookie="caldp_worker=w1")
        cookie = response.headers["set-cookie"]
        assert (cookie or "caldp_worker=w1").startswith(f"caldp_worker={worker}")
        assert "max-age" in response.headers["strict-transport-security"]


def test_a_poll_and_a_visit_when_their_worker_is_killed(browser: Any, behind: Fleet) -> None:
    """The last test: the worker stays dead."""
    with person(browser) as desk, person(browser) as one, person(browser) as other:
        teacher = open_page(desk, f"{behind.address}/room", ".st-key-room-open button")
        teacher.locator(".st-key-room-open button").click()
        code = teacher.locator(".st-key-room-side [data-testid=stCode] code")
        link = "".join(code.inner_text().split())
        here = worker_of(desk)
        assert link.startswith(f"{behind.address}/room?code=")
        assert link.endswith(f"&worker={here}")
        for number, phone in enumerate((one, other), 1):  # of newcomers, half come to each worker
            page = open_page(phone, link, ".phone .answer")
            assert worker_of(phone) == here
            page.locator(".phone .answer").first.click()
            page.locator(".phone .poll .go").click()
            teacher.get_by_role("heading", name=re.compile(rf": {number} report")).wait_for()
        visit = open_page(desk, f"{behind.address}/{SCENARIO}", "h1")
        wait_until_settled(visit)
        before = visit.locator(".st-key-headline").inner_text()

        behind.workers[["w1", "w2"].index(here)].process.kill()

        page.get_by_text("The server that held poll").wait_for()
        teacher.locator(".st-key-room-open").wait_for()
        teacher.get_by_text("is gone with its reports").wait_for()
        visit.locator(CONNECTED).wait_for()
        wait_until_settled(visit)
        assert worker_of(desk) != here
        headline = visit.locator(".st-key-headline")
        expect(headline).to_have_text([before], use_inner_text=True)
        visit.focus(SLIDER)
        visit.keyboard.press("ArrowRight")
        visit.wait_for_url("**blocks=states*epsilon=3*")


FIREFOX: Final = shutil.which("firefox-esr")
DRAWN: Final = """(css => {
    const all = root => [...root.querySelectorAll("*")]
        .flatMap(e => e.shadowRoot ? [e, ...all(e.shadowRoot)] : [e]);
    const headline = document.querySelector(".st-key-headline h1")?.innerText ?? "";
    const rests = document.querySelector("[data-testid=stApp][data-test-script-state=notRunning]");
    return rests && all(document).some(e => e.matches(css) && e.checkVisibility()) ? headline : "";
})"""
"""The headline, once the page's script has run and its picture is drawn; "" before."""


ASKS_NOBODY: Final = """user_pref("services.settings.server", "data:,#none/v1");
user_pref("app.normandy.enabled", false);
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
"""
"""Settings by which Firefox does not ask its makers for news."""


class Firefox:
    """A Firefox by its own protocol; `errors`: what its console said."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket, self._numbers = socket, count(1)
        self.errors: list[str] = []
        self.call("session.new", capabilities={})
        self.call("session.subscribe", events=["log.entryAdded"])
        self._context = self.call("browsingContext.getTree")["contexts"][0]["context"]

    def call(self, method: str, **params: Any) -> Any:
        """The result of a command; what comes before it is an event."""
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": params}))
        while (message := json.loads(self._socket.recv(PATIENCE))).get("id") != number:
            event = message["params"]
            # A font that was still coming when its page was left is not an error of the page.
            if event.get("level") == "error" and "downloadable font" not in event["text"]:
                self.errors.append(event["text"])
        assert message["type"] == "success", message
        return message["result"]

    def open(self, address: str, picture: str) -> str:
        """The headline of a page whose picture, a CSS selector, is drawn."""
        # A poll that is left says that its socket is closed: no error of the page that comes.
        self.call(
            "browsingContext.navigate", context=self._context, url="about:blank", wait="complete"
        )
        self.errors.clear()
        self.call("browsingContext.navigate", context=self._context, url=address, wait="complete")
        expression, target = f"{DRAWN}({json.dumps(picture)})", {"context": self._context}
        headline = ""

        def is_drawn() -> bool:
            nonlocal headline
            found = self.call(
                "script.evaluate", expression=expression, target=target, awaitPromise=False
            )
            headline = str(found["result"].get("value") or "")
            return bool(headline)

        until(is_drawn)
        return headline


@pytest.fixture(scope="module")
def firefox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Firefox]:
    missing = "" if FIREFOX else "Firefox is missing: apt-get install firefox-esr."
    require_software(missing, "CALDP_FIREFOX_REQUIRED")
    words = ["--headless", "--no-remote", "--remote-debugging-port", "0"]
    folder: Path = tmp_path_factory.mktemp("firefox")
    (folder / "user.js").write_text(ASKS_NOBODY, "utf-8")
    program = subprocess.Popen(
        [str(FIREFOX), *words, "--profile", str(folder)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={"HOME": str(folder), "MOZ_CRASHREPORTER_DISABLE": "1"},
    )
    try:
        with connect(f"{socket_address(folder)}/session", max_size=None) as socket:
            yield Firefox(socket)
    finally:
        program.terminate()
        program.wait()


def socket_address(folder: Path) -> str:
    """Where Firefox listens, as it writes into its profile once it does."""
    found: dict[str, Any] = {}

    def listens() -> bool:
        with suppress(OSError, ValueError):  # not there yet, or not all of it
            found.update(json.loads((folder / "WebDriverBiDiServer.json").read_text("utf-8")))
        return bool(found)

    until(listens)
    return f"ws://{found['ws_host']}:{found['ws_port']}"


def test_maps_and_a_board_are_drawn_without_an_error(firefox: Firefox, address: str) -> None:
    pictures = {"places": ".stage[data-painted]", "room": ".board .row .bar"}
    for page, picture in pictures.items():
        assert firefox.open(f"{address}/{page}", picture), page
        assert firefox.errors == [], page
