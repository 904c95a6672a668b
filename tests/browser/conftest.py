"""One server and one Chromium a worker; every visit is watched for requests and errors."""

from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

import pytest

from tests import require_software
from tests.browser.hands import APP, MAP_PAGE, Hand, Watch, eventually, wait_until_ready
from tests.servers import chromium, missing_software, server_address, wait_until_settled

Visit = Callable[..., Any]
Profiles = Callable[..., Any]
OpenLink = Callable[..., Any]
CHEAP = ("--js-flags=--no-opt", "--disable-gpu", "--process-per-site")
"""Pages live for seconds: to optimize their code took a fifth of the time of a processor, to draw
as if there were a GPU a fifth, and to begin a process a page, which reads all code anew, a fifth.
"""
DESKTOP = {"width": 1280, "height": 900}
SCREENS: dict[str, dict[str, Any]] = {
    "projector": {"viewport": {"width": 1280, "height": 720}},
    "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True},
}


@contextmanager
def visiting(context: Any, url: str, *there: str) -> Iterator[Any]:
    """A page once these selectors are `there`; nothing goes outside, nothing is an error."""
    watch = Watch()
    page = context.new_page()
    watch.follow(page)
    page.goto(url)
    for css in there:
        page.locator(css).first.wait_for(state="attached")
    wait_until_settled(page)
    yield page
    page.close()
    watch.check()


SEEN = """() => {
    const state = document.querySelector("[data-testid=stApp]")?.dataset ?? {};
    const main = document.querySelector("[data-testid=stMain]") ?? document.body;
    return `${JSON.stringify(state)}\n${main.innerText.slice(0, 1500)}`;
}"""
"""What a page shows: its state and its text."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A test that fails says what its pages showed: elsewhere nobody can look at them."""
    report = yield
    browser = getattr(item, "funcargs", {}).get("browser")
    if call.when == "call" and report.failed and browser is not None:
        for page in (page for context in browser.contexts for page in context.pages):
            with suppress(Exception):  # a page that hangs says nothing, and hides no failure
                report.sections.append((f"page {page.url}", page.evaluate(SEEN)))
    return report


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    require_software(missing_software(), "CALDP_BROWSER_REQUIRED")
    with chromium(*CHEAP) as started:
        yield started


@pytest.fixture(scope="session")
def address(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with server_address(tmp_path_factory.mktemp("server")) as found:
        yield found


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture(scope="session")
def profiles(browser: Any, address: str) -> Iterator[Profiles]:
    """The browser profile of these settings, made once: it keeps the server's files for later.

    A picture stays open in it, with the process in which all pages have been read.
    """
    with ExitStack() as contexts:
        kept: dict[str, Any] = {}

        def profile(**settings: Any) -> Any:
            key = repr(sorted(settings.items()))
            if key not in kept:
                context = browser.new_context(**{"viewport": DESKTOP, **settings})
                kept[key] = contexts.enter_context(context)
                context.new_page().goto(f"{address}/favicon.png")
            return kept[key]

        yield profile


@pytest.fixture
def open_link(profiles: Profiles, address: str) -> Iterator[OpenLink]:
    """Opens a link in the profile of the settings (see `visiting`); closed after the test."""
    with ExitStack() as visits:

        def open_page(link: str, *there: str, **settings: Any) -> Any:
            url = f"{address}/{link}"
            return visits.enter_context(visiting(profiles(**settings), url, *there))

        yield open_page


@pytest.fixture
def visit(profiles: Profiles, address: str, watch: Watch) -> Iterator[Visit]:
    """Opens the map page in the profile of the settings.

    Whatever a test does, nothing may go outside and nothing may be an error.
    """
    with ExitStack() as visits:

        def open_page(query: str = MAP_PAGE, **settings: Any) -> Any:
            page = profiles(**settings).new_page()
            visits.callback(page.close)
            watch.follow(page)
            page.goto(f"{address}/{query}")
            wait_until_ready(page)
            return page

        yield open_page
        watch.check()


@pytest.fixture(scope="session")
def stage_address(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with server_address(tmp_path_factory.mktemp("stage"), APP) as found:
        yield found


@contextmanager
def visiting_stage(browser: Any, address: str) -> Iterator[Hand]:
    """A visit of the stage; whatever tests do, nothing goes outside and nothing is an error."""
    watch = Watch()
    with browser.new_context(viewport={"width": 1280, "height": 720}) as context:
        page = context.new_page()
        watch.follow(page)
        hand = Hand(page)
        hand.open(address)
        yield hand
        watch.check()


@pytest.fixture(scope="session")
def stage_visit(browser: Any, stage_address: str) -> Iterator[tuple[Hand, dict[str, Any]]]:
    """One visit for all, and its state as it opens."""
    with visiting_stage(browser, stage_address) as hand:
        hand.home()
        yield hand, hand.state()


@pytest.fixture
def hand(stage_visit: tuple[Hand, dict[str, Any]]) -> Iterator[Hand]:
    """The visit that all share, in any order: a test that leaves it in another state fails."""
    hand, opened = stage_visit
    yield hand
    hand.home()

    def is_as_it_was() -> None:
        assert hand.state() == opened

    eventually(hand.page, is_as_it_was)


@pytest.fixture
def own_hand(browser: Any, stage_address: str) -> Iterator[Hand]:
    """A visit of one test that changes what no other may find so, such as the page's clock."""
    with visiting_stage(browser, stage_address) as hand:
        yield hand
