"""Two workers behind nginx, by https and below a path, as docs/deploy.md sets it up."""

import re
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPResponse
from typing import Any
from urllib.error import HTTPError
from urllib.request import HTTPRedirectHandler, HTTPSHandler, Request, build_opener

import pytest

from benchmarks.browser import wait_until_settled
from benchmarks.fleet import Fleet, fleet, missing_software
from tests import require_software
from tests.browser.hands import SLIDER, expect
from tests.browser.watch import Watch

pytestmark = pytest.mark.browser
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
    require_software(missing_software(), "CALDP_BROWSER_REQUIRED")
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


def test_charts_tabs_and_links_are_below_the_base(browser: Any, behind: Fleet) -> None:
    watch = Watch()
    with person(browser) as context:
        page = context.new_page()
        watch.follow(page)
        page.goto(f"{behind.address}/curves")
        page.locator(".chart .main-svg").first.wait_for()
        page.locator('a[href$="/plan"]:visible').first.click()
        page.wait_for_url("**/caldp/plan*")
        page.locator(".chart .main-svg").first.wait_for()
        wait_until_settled(page)
        watch.check()
    assert all("/caldp/" in url or url.startswith(("data:", "blob:")) for url in watch.urls)


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
